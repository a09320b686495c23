//! The page's start, board and table in a real browser: what is loaded, how stones are moved, what is drawn on the board, and
//! where the controls are.

use serde_json::{Value as Json, json};

use crate::visit::{FLYING, LARGER, MILL, Page, Screen, WALKING, first_visit, site, visit};

impl Page {
    /// The edges of an element: left, top, right, bottom.
    fn edges(&self, selector: &str) -> [f64; 4] {
        let script = format!(
            "const {{ left, top, right, bottom }} = document.querySelector('{selector}').getBoundingClientRect();
             return [left, top, right, bottom]"
        );
        serde_json::from_value(self.script(&script)).unwrap()
    }
}

#[test]
fn the_first_view_takes_few_requests_and_bytes() {
    if site().is_some() {
        return;
    }
    first_visit(Screen::Desk, |page| {
        page.until("return document.querySelectorAll('#game-text').length === 1 && document.getElementById('position-text').value !== ''");
        let script = "
            const all = ['navigation', 'resource'].flatMap(type => performance.getEntriesByType(type));
            return all.map(({ name, transferSize }) => [new URL(name).pathname, transferSize]);";
        let loaded: Vec<(String, u64)> = serde_json::from_value(page.script(script)).unwrap();
        // What the rooms take comes after the first position.
        let mut paths = loaded.iter().map(|(path, _)| path);
        let first = paths.position(|path| path.ends_with("/rooms.js"));
        let first = first.unwrap_or(loaded.len());
        assert!((4..7).contains(&first), "{loaded:?}");
        let bytes: u64 = loaded[..first].iter().map(|(_, bytes)| bytes).sum();
        assert!((20_000..60_000).contains(&bytes), "{bytes}: {loaded:?}");
        // The rules are on their way before the script has arrived, so that one does not wait for the other.
        let script = "
            const at = part => performance.getEntriesByType('resource').find(({ name }) => name.includes(part));
            return at('/rulesets').startTime < at('app.js').responseEnd";
        assert_eq!(page.script(script), true);
    });
}

#[test]
fn the_page_opens_without_its_server() {
    if site().is_some() {
        return;
    }
    first_visit(Screen::Phone, |page| {
        let manifest = "
            const address = document.querySelector('link[rel=manifest]').href;
            const { start_url, display, icons } = await (await fetch(address)).json();
            const picture = await fetch(new URL(icons[0].src, address));
            return [start_url, display, picture.headers.get('content-type')]";
        let expected = json!(["./", "standalone", "image/svg+xml"]);
        assert_eq!(page.script(manifest), expected);
        page.until("return navigator.serviceWorker.ready.then(() => true)");
        page.end_server();
        page.browser.refresh();
        page.element_says("home-title", "Nine Men’s Morris, solved");
        page.element_says("offline", "The server does not answer.");
    });
}

#[test]
fn a_picture_of_the_board_is_saved_by_one_click() {
    visit(Screen::Desk, |page| {
        page.load(WALKING);
        page.tab("setup");
        page.keep_saved_file();
        page.click("save-svg");
        page.until("return window.savedName === 'millbase.svg'");
        let text = page.script("return await window.saved.text()");
        let text = text.as_str().unwrap();
        // It shows the stones, and needs no style sheet and no other file.
        for side in ["white", "black"] {
            let stones = format!("fill=\"url(#stone-{side})\"");
            assert_eq!(text.matches(&stones).count(), 4, "{text}");
        }
        let addresses = text.matches("://").count();
        assert_eq!(addresses, text.matches("://www.w3.org/2000/svg").count());
        assert!(!text.contains("class=") && !text.contains("aria-"));
        page.click("save-png");
        page.until("return window.savedName === 'millbase.png'");
        let size = "const { width, height } = await createImageBitmap(window.saved);
                    return [window.saved.type, width, height]";
        assert_eq!(page.script(size), json!(["image/png", 800, 800]));
    });
}

/// The counts of 4-3, of which docs/RESULTS.md has the table.
#[test]
fn the_statistics_of_the_pair_are_drawn() {
    if site().is_some() {
        return;
    }
    visit(Screen::Phone, |page| {
        page.load(WALKING);
        page.load(FLYING);
        page.tab("turns");
        page.element_says("stats-title", "All positions with 3 stones against 4");
        assert_eq!(page.text("stats-words"), "");
        page.click("stats-title");
        page.element_says("stats-words", "Of 760,398 positions");
        page.element_says("stats-words", "The longest win takes 33 turns");
        assert!(page.count("#stats-picture .good:not(.now)") > 5);
        assert_eq!(page.count("#stats-picture .now"), 1);
        // While stones are in hand there is no pair.
        page.script("location.hash = 'moves=d6'");
        page.until("return document.getElementById('stats').hidden");
    });
}

#[test]
fn stones_are_dragged_and_fall_back() {
    visit(Screen::Desk, |page| {
        page.load(WALKING);
        let [left, _, right, _] = page.edges("#board");
        let step = ((right - left) / 7.6) as i32;
        page.until("return document.getElementById('d6').classList.contains('lifts')");
        // From a point that it cannot reach, the stone goes back.
        page.drag("#d6", step, step);
        assert_eq!(page.count(".chosen, .lifted"), 0);
        page.says("White to move");
        page.drag("#d6", -2 * step, 0);
        page.says("White played d6-b6.");
        assert!(page.is("b6", "white") && !page.is("d6", "white"));
        // A stone from the hand, too.
        page.script("location.hash = 'moves=d6'");
        page.says("White played d6.");
        page.until("return document.querySelector('#hand-top .chip.can') !== null");
        // The page may draw the hand again meanwhile.
        let [from_x, from_y, ..] = page.edges("#hand-top .chip.can");
        let [x, y, ..] = page.edges("#f4");
        let [right, down] = [x - from_x, y - from_y].map(|by| by as i32 + 20);
        page.drag("#hand-top .chip.can", right, down);
        page.says("Black played f4.");
        // A press without a movement is a click.
        page.load(WALKING);
        page.drag("#d6", 0, 0);
        page.says("White moves the stone on d6");
    });
}

#[test]
fn the_hint_of_a_drawn_position_is_the_turn_of_the_perfect_player() {
    visit(Screen::Desk, |page| {
        page.load(WALKING);
        page.says("White to move: draw.");
        let script = format!(
            "const query = new URLSearchParams({{ fen: {}, moves: '', level: 30, movetime: 800 }});
             return (await (await fetch(`/play?${{query}}`)).json()).line",
            json!(WALKING)
        );
        if site().is_some() {
            return;
        }
        let line: Vec<String> = serde_json::from_value(page.script(&script)).unwrap();
        page.click("hint");
        page.click("hint");
        page.element_says("hint-words", &format!("Hint: {}.", line[0]));
        page.click("hint");
        page.element_says("hint-words", &line[..3].join(" "));
        page.tab("turns");
        page.element_says("best-line", &line[..3].join(" "));
        // The list of turns begins with the draw that is hardest to hold.
        let share = "return [...document.querySelectorAll('#turns .holds')].map(held => eval(held.firstChild.data))";
        let shares: Vec<f64> = serde_json::from_value(page.script(share)).unwrap();
        assert!(shares.is_sorted(), "{shares:?}");
        // A press on the third turn of the line makes all three; before that the position after them is shown.
        let steps = "const steps = document.querySelectorAll('#best-line button'); ";
        let target = &line[2][3..5];
        page.script(&format!("{steps} steps[2].focus()"));
        assert!(page.is(target, "white"), "{line:?}");
        assert_eq!(page.count("#board.previewing .arrow.preview"), 1);
        page.script(&format!("{steps} steps[2].blur()"));
        assert_eq!(page.count("#board.previewing"), 0);
        page.script(&format!("{steps} steps[2].click()"));
        page.says(&format!("White played {}.", line[2]));
        assert_eq!(page.game().len(), 3);
    });
}

#[test]
fn what_is_drawn_on_the_board_says_what_turns_are_worth() {
    visit(Screen::Desk, |page| {
        page.load(FLYING);
        page.says("win in 21");
        // The best turn is an arrow, numbers come on demand, and the mark of a win is as strong as can be.
        page.tab("turns");
        page.until("return document.querySelectorAll('.arrow.best').length === 1");
        let shown = "return getComputedStyle(document.querySelector('#f6 text')).display";
        assert_eq!(page.script(shown), "none");
        page.script("document.getElementById('f6').focus()");
        page.press(&['s']);
        page.press(&['w']);
        assert_ne!(page.script(shown), "none");
        assert!(page.is("f6", "strong-4"));
        // After an error the reply that refutes it is drawn.
        page.load(MILL);
        page.play("d1-d2");
        page.says("a blunder");
        page.until("return document.querySelectorAll('.arrow.refutation').length === 1");
        // Threats are drawn on demand.
        page.load(MILL);
        page.says("win in 1");
        page.script("document.getElementById('values').click()");
        assert_eq!(page.count(".arrow"), 0);
        page.script("document.getElementById('threats').click()");
        assert_eq!(page.count(".threat"), 0);
        page.script("location.hash = 'moves=d6+b4+f6'");
        page.says("White played f6.");
        page.until("return document.querySelectorAll('.place.threat').length === 1");
    });
}

/// Buttons stay where they are, whatever the page says; on a phone the board does, too.
#[test]
fn controls_and_board_stay_in_their_place() {
    for screen in [Screen::Desk, Screen::Phone] {
        visit(screen, |page| {
            let (_, height) = screen.size();
            let buttons = ["first", "last", "back", "hint", "resign", "flip", "new"];
            let places = || buttons.map(|id| page.edges(&format!("#{id}")));
            let first = places();
            assert!(first.iter().all(|edges| edges[3] <= f64::from(height)));
            let board = page.edges("#board");
            let stay = |state: &str| {
                assert_eq!(places(), first, "{screen:?} {state}");
                let now = page.edges("#board");
                assert_eq!(now, board, "{screen:?} {state}");
                assert!(now[1] >= 0.0 && now[3] <= f64::from(height));
            };
            page.load(MILL);
            page.says("win in 1");
            stay("values");
            page.click("hint");
            page.element_says("hint-words", "Hint");
            page.click("hint");
            page.click("hint");
            page.element_says("hint-words", "Otherwise");
            stay("hint");
            page.play("d1-d2");
            page.says("a blunder");
            page.script("document.getElementById('tab-game').click(); document.getElementById('find-mistakes').click()");
            page.element_says("review-words", "1 mistake.");
            stay("review");
            page.script("document.getElementById('next-mistake').click()");
            stay("mistake");
            page.load(MILL);
            page.play("d1-a1xb4");
            page.element_says("over-result", "White wins");
            stay("over");
            page.script("document.getElementById('go-puzzles').click()");
            page.until("return !document.getElementById('puzzle-bar').hidden");
            stay("puzzle");
        });
    }
}

#[test]
fn an_address_carries_the_whole_game_and_the_position_shown() {
    visit(Screen::Desk, |page| {
        for turn in ["d6", "f4", "d2"] {
            page.make(turn);
        }
        page.click("previous");
        page.says("Black played f4.");
        page.make("a1");
        page.write("comment", "better { so");
        page.click("previous");
        page.says("Black played f4.");
        let state = "return ['game', 'position-text', 'game-text'].map(id => \
                     document.getElementById(id).value ?? document.getElementById(id).textContent)";
        let before = page.script(state);
        assert!(before[0].as_str().unwrap().contains("better { so"));
        let address = page.browser.address();
        page.script(
            "Storage.prototype.setItem = () => {}; sessionStorage.clear(); localStorage.clear()",
        );
        page.browser.go_to("about:blank");
        page.browser.go_to(&address);
        page.says("Black played f4.");
        assert_eq!(page.script(state), before);
        assert_eq!(page.browser.address(), address);
        // Who sent it saw the values.
        assert!(page.holds("document.getElementById('values').checked"));
        // The tags and the result go along.
        page.tab("setup");
        let text = "[White \"Anna\"]\n[Rules \"standard\"]\n[Result \"1-0\"]\n\n1. d6 f4 1-0\n";
        page.paste_game(text);
        page.until(&format!("return location.href !== {}", json!(address)));
        let address = page.browser.address();
        page.load(FLYING);
        page.script(&format!("location.hash = new URL({}).hash", json!(address)));
        page.says("Black played f4.");
        assert_eq!(page.game_text(), text);
    });
}

#[test]
fn what_no_database_knows_is_estimated_and_called_so() {
    if site().is_some() {
        return;
    }
    visit(Screen::Desk, |page| {
        page.load(LARGER);
        page.element_says("value", "), estimated");
        assert_eq!(page.attribute("meter", "class"), "meter guess");
        assert!(!page.text("status").contains("win in"));
        page.load(FLYING);
        page.element_says("value", "White wins in 21 turns");
        assert_eq!(page.attribute("meter", "class"), "meter");
        // Without all databases no level is called perfect.
        page.tab("options");
        let levels = page.script("return document.getElementById('level').textContent");
        let levels = levels.as_str().unwrap();
        assert!(levels.contains("Strongest search"), "{levels}");
        assert!(!levels.contains("Perfect"), "{levels}");
        // What is built is a choice.
        page.element_says("notice-words", "has no databases");
        page.click("notice-words");
        page.until("return document.getElementById('build-what').options.length > 3");
        page.script(
            "window.fetch = async (address, { method } = {}) => {
                 document.body.dataset.asked = `${method} ${address}`;
                 return new Response(JSON.stringify({ error: { code: 'memory', reason: 'memory', message: '' } }), { status: 500 });
             }",
        );
        page.choose("build-what", "12");
        page.click("build-start");
        page.element_says("notice-problem", "too little memory");
        let asked = page.script("return document.body.dataset.asked");
        assert_eq!(asked, "POST /build?stones=12&placing=false");
    });
}

#[test]
fn games_are_given_up_agreed_and_lost_on_time() {
    first_visit(Screen::Desk, |page| {
        page.script("window.confirm = () => true");
        page.click("start-level-0");
        page.click("start-white");
        assert_eq!(page.attribute("resign", "aria-disabled"), "true");
        page.play("d6");
        page.until("return document.getElementById('offer').ariaDisabled === 'false'");
        // An earlier position is not the place to end the game.
        page.click("first");
        page.until("return document.getElementById('resign').ariaDisabled === 'true'");
        page.click("last");
        page.until("return document.getElementById('offer').ariaDisabled === 'false'");
        // The opponent has a name and a level beside his stones.
        assert!(page.text("hand-top").contains("Pip"));
        assert!(page.text("hand-top").contains("Black · Beginner"));
        page.click("offer");
        page.element_says("task", "Pip declines the draw");
        page.click("resign");
        page.element_says("over-result", "Pip wins");
        page.element_says("over-reason", "White resigned.");
        page.refresh();
        page.element_says("over-result", "Pip wins");

        // Two people agree among themselves.
        page.script("window.confirm = () => true");
        page.click("new");
        page.choose("start-clock", "1+0");
        page.click("start-two");
        page.play("d6");
        page.says("Black to place");
        page.click("offer");
        page.element_says("over-reason", "agreed to a draw");

        // The clock of the side to move runs, from the first turn on.
        page.click("new");
        page.click("start-two");
        page.until("return document.querySelectorAll('.hand time').length === 2");
        let times = "return ['bottom', 'top'].map(place => document.querySelector(`#hand-${place} time`).textContent)";
        assert_eq!(page.script(times), json!(["1:00", "1:00"]));
        page.play("d6");
        page.script(
            "const now = performance.now.bind(performance); performance.now = () => now() + 55_000",
        );
        page.until("return document.querySelector('#hand-top time').classList.contains('low')");
        assert_eq!(page.script(times)[0], "1:00");
        page.script("const soon = performance.now.bind(performance); performance.now = () => soon() + 9_000");
        page.element_says("over-result", "White wins");
        page.element_says("over-reason", "Black ran out of time.");
    });
}

#[test]
fn sounds_differ_and_are_off_at_first() {
    first_visit(Screen::Desk, |page| {
        page.script(
            "window.heard = [];
             const set = AudioParam.prototype.setValueAtTime;
             AudioParam.prototype.setValueAtTime = function (value, time) {
                 heard.push(value);
                 return set.call(this, value, time);
             }",
        );
        page.click("start-analyse");
        page.load(MILL);
        let heard = || -> Vec<Json> {
            let script = "const now = heard; heard = []; return now";
            serde_json::from_value(page.script(script)).unwrap()
        };
        page.play("d1-d2");
        page.says("played d1-d2");
        assert!(heard().is_empty());
        page.script("document.getElementById('sound').click()");
        let mut sounds = Vec::new();
        page.load(WALKING);
        page.make("d6-b6");
        sounds.push(heard());
        page.load(MILL);
        page.play("d1-a1");
        page.says("closed a mill");
        sounds.push(heard());
        page.play("b4");
        page.until("return heard.length >= 4");
        sounds.push(heard());
        page.script("location.hash = 'moves=d6'");
        page.says("White played d6.");
        page.make("f4");
        sounds.push(heard());
        for (place, one) in sounds.iter().enumerate() {
            assert!(!one.is_empty(), "{sounds:?}");
            assert!(!sounds[..place].contains(one), "{sounds:?}");
        }
    });
}

#[test]
fn a_large_screen_shows_board_game_and_turns_side_by_side() {
    visit(Screen::Large, |page| {
        page.load(FLYING);
        page.says("win in 21");
        page.tab("game");
        let [_, _, board, _] = page.edges("#board");
        let [game, _, game_end, _] = page.edges("#panel-game");
        let [turns, top, turns_end, bottom] = page.edges("#panel-turns");
        assert!(board < game && game_end < turns && turns_end <= 1920.0);
        assert!(bottom - top > 400.0);
        assert_eq!(page.attribute("tab-turns", "hidden"), "");
        assert_eq!(page.count("#panel-turns .turn[data-key=a1-e4]"), 1);
    });
}

#[test]
fn links_have_a_preview() {
    first_visit(Screen::Desk, |page| {
        assert_eq!(page.count("meta[name=description][content]"), 1);
        for name in ["og:title", "og:description"] {
            let meta = format!("meta[property='{name}'][content]");
            assert_eq!(page.count(&meta), 1, "{name}");
        }
    });
}

/// A stone slides to its point, a mill flashes, and a stone that is removed fades; with reduced motion nothing is animated.
#[test]
fn turns_are_animated_unless_motion_is_reduced() {
    visit(Screen::Desk, |page| {
        page.script(
            "const { animate } = Element.prototype;
             window.started = 0;
             Element.prototype.animate = function (...how) { window.started += 1; return animate.apply(this, how); };",
        );
        for started in [0, 3] {
            page.load(MILL);
            page.make("d1-a1xd6");
            assert_eq!(page.script("return window.started"), started);
            page.show_motion();
        }
    });
}
