//! Stories of the page: games, keys, texts, hints, servers that go and come back, languages.

use std::fs;
use std::thread;
use std::time::Duration;

use millbase::engine::Game;
use millbase::{Database, Position, Rules, Turn, Wdl};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::process::{Place, items, shows, text};
use crate::visit::{
    FLYING, MILL, SHORT, Screen, WALKING, first_visit, server, server_with, site, visit,
    visit_served,
};
use crate::webdriver::key;

#[test]
fn the_first_minute_has_an_opponent() {
    first_visit(Screen::Desk, |page| {
        // The start says what the site knows, and has a way into each room.
        assert!(page.text("home").contains("9 billion"));
        page.click("start-level-0");
        page.element_says("level-words", "Pip: Beginner.");
        page.click("start-black");
        // The machine begins, though no database answers, and answers again.
        page.says("White played");
        page.until("return document.querySelectorAll('.point.white').length === 1");
        assert!(page.focused().len() == 2, "the board has the focus");
        assert_eq!(page.text("value"), "");
        let free = "return document.querySelector('.point.open:not(.white)').id";
        let point = page.script(free);
        page.click(point.as_str().unwrap());
        page.until("return document.querySelectorAll('.point.white').length === 2");
        page.until("return document.querySelectorAll('#game button').length === 3");
        if site().is_some() {
            return;
        }
        // One notice says what is missing, and stays away once it is closed.
        page.element_says("notice-words", "more than 9 stones");
        page.click("notice-words");
        page.element_says("notice-command", "millbase build --placing --db FOLDER");
        page.element_says("notice", "Restart the server afterwards.");
        page.element_says("build-start", "Build them now");
        page.click("notice-close");
        assert_eq!(page.text("notice-words"), "");
        page.refresh();
        page.says("White played");
        page.until("return document.querySelectorAll('#game button').length === 3");
        assert_eq!(page.text("notice-words"), "");
        assert!(page.holds("document.getElementById('home').hidden"));
    });
}

/// Builds of everything take minutes, so this one is at work until the server ends.
#[test]
fn a_build_for_another_game_is_named() {
    if site().is_some() {
        return;
    }
    visit(Screen::Desk, |page| {
        page.element_says("notice-words", "has no databases");
        page.click("notice-words");
        page.element_says("build-start", "Build them now");
        page.script(
            "fetch('/build?rules=no-flying', { method: 'POST', headers: { 'X-Millbase': 'build' } })
             .then(reply => document.body.dataset.begun = reply.status)",
        );
        page.until("return document.body.dataset.begun === '202'");
        page.refresh();
        page.element_says("build-words", "Nine Men’s Morris without flying: Pair ");
        page.click("new");
        page.choose("start-rules", "no-flying");
        page.click("start-analyse");
        page.until("return document.getElementById('build-words').innerText.startsWith('Pair ')");
        // The build can be stopped, and begun again.
        page.click("build-stop");
        page.until("return document.getElementById('build-progress').hidden");
        page.element_says("build-start", "Build them now");
        assert_eq!(page.text("notice-problem"), "");
    });
}

#[test]
fn a_won_game_is_clicked_to_its_end() {
    visit(Screen::Desk, |page| {
        page.load(FLYING);
        page.says("White to move, to any empty point: win in 21.");
        assert_eq!(page.text("value"), "White wins in 21 turns");
        // Marks on the stones, then on the targets of the chosen stone.
        assert!(page.is("f6", "win") && !page.is("f6", "best"));
        let label = "f6, white stone, move this stone, win in 21";
        assert_eq!(page.label("f6"), label);
        assert_eq!(page.label("f4"), "f4, black stone");
        page.tab("turns");
        page.until("return !document.getElementById('best-line').hidden");
        assert!(page.text("best-line").starts_with("Best line: a1-e4 "));
        page.click("f6");
        assert_eq!(page.label("a4"), "a4, empty, move here, win in 21");
        assert_eq!(page.label("a7"), "a7, empty, move here, win in 23");
        assert!(page.is("a4", "best") && page.is("a7", "win"));
        assert!(!page.is("a7", "best") && page.is("f6", "chosen"));
        // The list follows the chosen points; a row contains turns that are equal up to symmetry.
        let turns = page.turns();
        let all = turns.iter().all(|turn| turn.starts_with("f6-"));
        assert!(all, "{turns:?}");
        let row = "return document.querySelector('#turns li').innerText";
        let row = page.script(row);
        let words: Vec<&str> = row.as_str().unwrap().split_whitespace().collect();
        assert_eq!(words[..5], ["f6-a4", "f6-e4", "win", "in", "21"], "{row}");
        // A preview while the pointer is over a turn.
        page.script("document.querySelector('#turns .turn').focus()");
        assert_eq!(page.count(".ghost > *"), 2);
        page.script("document.querySelector('#turns .turn').blur()");
        assert_eq!(page.count(".ghost > *"), 0);
        page.click("f6");
        // Each side makes its best turn; the winner needs as many turns as were announced.
        for left in (0..21).rev() {
            let turn = page.turns().remove(0);
            page.make(&turn);
            let value = match left {
                0 => break,
                1 => "White wins in 1 turn".to_owned(),
                _ => format!("White wins in {left} turns"),
            };
            page.element_says("value", &value);
        }
        page.element_says("over-result", "White wins");
        page.element_says("over-reason", "Black has fewer than three stones.");
        assert!(page.turns().is_empty());
        let game = page.game();
        assert_eq!(game.len(), 21);
        assert!(!game.concat().contains("blunder"), "{game:?}");
        assert!(game[20].contains('x'), "{}", game[20]);
        page.click("review");
        page.element_says("review-words", "No mistake was found.");
        assert_eq!(page.count(".graph-line"), 21);
    });
}

#[test]
fn a_step_takes_one_request() {
    visit(Screen::Desk, |page| {
        page.load(FLYING);
        page.tab("turns");
        page.says("White to move, to any empty point: win in 21.");
        page.asked();
        page.play("f6-a4");
        page.says("Black to move");
        page.until("return !document.getElementById('best-line').hidden");
        page.until("return document.querySelector('#turns .holds') !== null");
        // On a static host, the module answers without one.
        let expected: &[&str] = if site().is_some() { &[] } else { &["/step"] };
        assert_eq!(page.asked(), expected);
        page.click("previous");
        page.says("White to move, to any empty point: win in 21.");
        assert!(page.asked().is_empty());
    });
}

#[test]
fn a_game_survives_others_in_the_same_browser() {
    visit_served(Screen::Desk, |page| {
        page.make("d6");
        page.make("f4");
        // Another tab replaces the game that a new tab would open, not that of this one.
        page.script(
            "localStorage.setItem('millbase.game', JSON.stringify({ ...JSON.parse(localStorage.getItem('millbase.game')),
                tree: [null, '********/********/******** w p p 0 9 0 9 0 0', '', []], at: [], address: '' }))",
        );
        page.refresh();
        page.says("Black played f4.");
        // An address that is opened at the start keeps the game that it replaces.
        page.browser.go_to("about:blank");
        page.browser.go_to(&format!("{}#moves=a1", page.address));
        page.says("White played a1.");
        page.tab("setup");
        page.choose("earlier", "0");
        page.click("earlier-open");
        page.says("Black played f4.");
    });
}

#[test]
fn the_machine_answers_a_turn_that_is_played_again() {
    first_visit(Screen::Desk, |page| {
        page.click("start-level-0");
        page.click("start-white");
        page.play("d6");
        page.until("return document.querySelectorAll('#game button').length === 2");
        page.says("White to place");
        page.click("back");
        page.until("return document.querySelectorAll('.point.white').length === 0");
        page.play("d6");
        page.until("return document.querySelectorAll('.point.black').length === 1");
        page.says("White to place");
        // A comment belongs to the turn at which it was begun.
        page.click("previous");
        page.says("White played d6.");
        page.write("comment", "first");
        page.script("document.getElementById('next').click()");
        page.says("Black played");
        page.press(&['!']);
        page.script("document.activeElement.blur()");
        shows(text(&page.game_text()), "1. d6 {first!}");
        // With Black, the machine's first turn is taken back, and made again.
        page.click("new");
        page.click("start-black");
        page.until("return document.querySelectorAll('.point.white').length === 1");
        page.click("back");
        page.says("The machine waits.");
        page.click("pause");
        page.until("return document.querySelectorAll('.point.white').length === 1");
    });
}

#[test]
fn stones_are_removed_and_turns_taken_back() {
    visit_served(Screen::Desk, |page| {
        page.load(MILL);
        page.says("win in 1");
        // Choosing and changing one's mind.
        page.click("d1");
        page.says("White moves the stone on d1");
        page.click("g7");
        page.says("White moves the stone on g7");
        page.click("b4");
        page.element_says("problem", "There is a stone on b4 already.");
        page.click("d1");
        page.click("a1");
        page.says("White closed a mill: choose the stone to remove.");
        assert!(page.is("a1", "white") && !page.is("d1", "white"));
        assert!(page.is("b4", "removable") && page.is("a4", "in-mill"));
        assert_eq!(page.label("b4"), "b4, black stone, remove, win in 1");
        assert!(!page.is("a4", "open"));
        let turns = page.turns();
        assert_eq!(turns, ["d1-a1xb4", "d1-a1xd6", "d1-a1xg1"]);
        page.click("a4");
        page.element_says("problem", "That is White’s own stone");
        page.click("b4");
        page.element_says("over-result", "White wins");
        assert!(!page.is("b4", "black") && page.is("b4", "taken"));
        assert!(page.text("game").contains("d1-a1xb4"));

        // Taking back goes back; the turn stays, and another one is a variation.
        page.click("back");
        page.says("White to move: win in 1.");
        assert!(page.is("b4", "black") && page.is("d1", "white"));
        assert_eq!(page.attribute("back", "aria-disabled"), "true");
        assert_eq!(page.game().len(), 1);
        page.play("d1-d2");
        page.says("White played d1-d2, a blunder: win in 1 given away, now draw.");
        page.element_says("value", "Draw");
        let game = page.game();
        assert_eq!(game.len(), 2);
        assert!(game[1].contains("blunder"), "{game:?}");
        assert!(page.is("d2", "last"));
        // A variation becomes the main line, and is deleted only after confirmation.
        page.click("promote");
        assert!(page.game()[0].starts_with("White d1-d2"));
        page.click("remove");
        page.says("White to move: win in 1.");
        assert_eq!(page.game().len(), 1);
    });
}

#[test]
fn a_game_viewed_in_the_middle_loses_nothing() {
    visit_served(Screen::Desk, |page| {
        let turns = ["d6", "f4", "d2", "b4", "f6", "b6", "f2", "b2xf2", "f2"];
        for turn in turns {
            page.make(turn);
        }
        for id in ["first", "next", "next", "previous"] {
            page.click(id);
        }
        page.says("White played d6.");
        page.script("document.activeElement.blur()");
        page.press(&[key::RIGHT, key::RIGHT, key::END, key::LEFT]);
        page.says("Black played b2xf2.");
        page.click("back");
        page.says("White played f2.");
        page.make("a1");
        page.write("comment", "also possible");
        assert_eq!(page.game().len(), turns.len() + 1);

        // All of it survives a reload, and the address shows it in another browser.
        let before = page.game_text();
        let address = page.browser.address();
        page.refresh();
        page.says("Black played a1.");
        assert_eq!(page.game_text(), before);
        let whole = "[Rules \"standard\"]\n\n1. d6 f4 2. d2 b4 3. f6 b6 \
            4. f2 b2xf2 (4... a1 {also possible}) 5. f2\n";
        assert_eq!(before, whole);
        // The page would store the game again when it draws next.
        page.script(
            "Storage.prototype.setItem = () => {}; sessionStorage.clear(); localStorage.clear()",
        );
        page.refresh();
        page.says("Black played a1.");
        assert_eq!(page.game().len(), turns.len() + 1);
        assert_eq!(page.game_text(), before);
        assert!(page.holds("document.getElementById('values').checked"));
        assert_eq!(page.browser.address(), address);
    });
}

#[test]
fn drawn_games_end_by_the_one_rule() {
    visit_served(Screen::Desk, |page| {
        page.load(WALKING);
        let turns = ["d6-b6", "d7-a7", "b6-d6", "a7-d7"];
        for (number, turn) in turns.iter().cycle().take(8).enumerate() {
            page.make(turn);
            if number == 3 {
                page.says("The position has occurred twice.");
            }
        }
        page.element_says("over-result", "The game is drawn");
        page.element_says("over-reason", "The position has occurred 3 times.");
        // The bar shows the result, not the value of the position.
        assert_eq!(page.attribute("meter", "aria-valuenow"), "0.00");
        let value = page.attribute("meter", "aria-valuetext");
        assert_eq!(value, "The game is drawn");
        page.click("d6");
        page.element_says("problem", "The game is over");
    });
}

/// A line of quiet turns in which no position occurs three times.
fn quiet_line(start: &str, turns: usize) -> String {
    let rules = Rules::STANDARD;
    let mut game = Game::new(rules, Position::parse(start, &rules).unwrap());
    for _ in 0..turns {
        let is_fresh = |turn: &&Turn| {
            let mut other = game.clone();
            turn.removed().is_empty() && other.make(**turn).is_ok() && other.ending().is_none()
        };
        // The least seen position, so that the walk does not run dry.
        let seen = |turn: &&Turn| {
            let after = game.position().after(**turn);
            let earlier = game.earlier().iter();
            earlier.filter(|earlier| **earlier == after).count()
        };
        let turns = game.position().turns(&rules);
        let turn = turns.iter().filter(is_fresh).min_by_key(seen).copied();
        game.make(turn.expect("a quiet turn")).unwrap();
    }
    game.text()
}

#[test]
fn the_count_of_quiet_turns_is_shown_before_it_ends_the_game() {
    visit(Screen::Desk, |page| {
        page.tab("setup");
        for (turns, shown) in [(69, false), (71, true)] {
            page.paste_game(&quiet_line(WALKING, turns));
            let all = format!("document.querySelectorAll('#game button').length === {turns}");
            page.until(&format!("return {all}"));
            page.says("White played");
            let words = "71 of 100 turns without a stone placed or removed.";
            match shown {
                true => page.says(words),
                false => assert!(!page.text("status").contains("of 100 turns")),
            }
        }
    });
}

#[test]
fn presses_that_do_nothing_have_a_reason() {
    visit_served(Screen::Desk, |page| {
        page.load(WALKING);
        for (point, words) in [
            ("d7", "The stone on d7 is not White’s."),
            ("a4", "First choose the stone to move."),
        ] {
            page.click(point);
            page.element_says("problem", words);
        }
        page.click("d6");
        assert_eq!(page.text("problem"), "");
        page.click("a7");
        page.element_says("problem", "The stone on d6 reaches only b6, f6.");
        // While placing, too.
        page.follow("moves=d6");
        page.says("White played d6.");
        page.click("d6");
        page.element_says("problem", "There is a stone on d6 already.");
        page.click("previous");
        page.until("return document.getElementById('problem').textContent === ''");
        // Addresses that name no position or game say why.
        for (address, words) in [
            ("fen=garbage", "This is not a position"),
            ("rules=chess&moves=d6", "does not know the rules “chess”"),
        ] {
            page.follow(address);
            page.element_says("problem", words);
        }
        // One without rules has those of the server, whatever was played before.
        page.follow("rules=Lasker&moves=d6");
        page.element_says("title", "Lasker Morris");
        page.follow("moves=d6+f4");
        page.element_says("title", "Nine Men’s Morris");
    });
}

#[test]
fn a_sliding_stone_takes_no_press() {
    visit_served(Screen::Desk, |page| {
        page.show_motion();
        page.load(FLYING);
        page.until("return document.getElementById('e3').classList.contains('open')");
        // The stone slides over b4. The points that would take a press at the centre of b4 are
        // collected from the moments at which the stone covers this centre.
        let pressed = page.script(
            "for (const point of ['e3', 'a4'])
                 document.getElementById(point).dispatchEvent(new MouseEvent('click', { bubbles: true }));
             const box = document.querySelector('#b4 .hit').getBoundingClientRect();
             const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
             const slide = document.querySelector('#a4 .piece').getAnimations()[0];
             slide.pause();
             const pressed = [];
             for (let time = 0; time < 320; time += 5) {
                 slide.currentTime = time;
                 const piece = document.querySelector('#a4 .piece').getBoundingClientRect();
                 if (piece.left < x && x < piece.right && piece.top < y && y < piece.bottom)
                     pressed.push(document.elementFromPoint(x, y).closest('.point')?.id);
             }
             slide.finish();
             return pressed",
        );
        let pressed = items(&pressed);
        assert!(!pressed.is_empty(), "the stone never covers b4");
        assert!(pressed.iter().all(|point| point == "b4"), "{pressed:?}");
    });
}

#[test]
fn the_perfect_player_plays_either_side_or_both() {
    visit(Screen::Desk, |page| {
        page.load(SHORT);
        page.tab("options");
        page.choose("white", "machine");
        for left in [6, 4, 2] {
            let words = format!("Black to move, to any empty point: loss in {left}.");
            page.says(&words);
            let turn = page.turns().remove(0);
            page.play(&turn);
        }
        page.element_says("over-result", "Minerva wins");
        // Taking back leads to a position with the person to move, and keeps the turns.
        page.click("back");
        page.says("Black to move, to any empty point: loss in 2.");
        assert_eq!(page.game().len(), 7);

        // Two machines play from where the line ends, and can be stopped at any moment.
        page.load(SHORT);
        page.choose("white", "machine");
        page.choose("black", "machine");
        page.says("White played");
        page.click("pause");
        page.says("The machine waits.");
        let stopped = page.game().len();
        thread::sleep(Duration::from_millis(900));
        assert_eq!(page.game().len(), stopped);
        page.click("pause");
        page.element_says("over-result", "White wins");
    });
}

/// The databases of [`place_of_three`].
const OF_THREE: [&str; 4] = ["--rules", "own.toml", "--db", "db"];

/// A folder with all databases of Lasker Morris with three stones, built with these options.
fn place_of_three(options: &[&str]) -> Place {
    let place = Place::new();
    let settings = "base = 'lasker'\nstones = 3\n";
    fs::write(place.path().join("own.toml"), settings).unwrap();
    let build = place.run(&[&["build"], &OF_THREE[..], options].concat());
    assert_eq!(build.status, 0, "{}", build.err);
    place
}

/// Where sides move while placing, there are no files of the placing phase to miss, and tables have stones in hand.
#[test]
fn the_perfect_player_is_called_so_with_all_databases() {
    if site().is_some() {
        return;
    }
    let place = place_of_three(&[]);
    first_visit(Screen::Desk, |page| {
        page.click("start-level-30");
        page.element_says("level-words", "Minerva: Strongest search.");
        let (_server, address) = server_with(place.path(), "127.0.0.1:0", &OF_THREE);
        page.go_to(&address);
        page.until("return document.querySelectorAll('.point.open').length === 24");
        page.click("start-level-30");
        page.element_says("level-words", "Minerva: Perfect.");
        page.script("location.hash = 'moves=d6+f4'");
        page.tab("turns");
        page.element_says("stats-title", "All positions with 1+2 stones against 1+2");
        page.click("stats-title");
        page.element_says("stats-words", "Of 46 positions");
        page.element_says("stats-words", "wins 100%");
    });
}

#[test]
fn values_without_depths_have_words_without_turns() {
    if site().is_some() {
        return;
    }
    let place = place_of_three(&["--profile", "wdl"]);
    first_visit(Screen::Desk, |page| {
        let (_server, address) = server_with(place.path(), "127.0.0.1:0", &OF_THREE);
        page.go_to(&address);
        page.click("start-analyse");
        page.until("return document.getElementById('value').textContent === 'White wins'");
        page.says("White to place a stone: win.");
        let rows = "[...document.querySelectorAll('#turns .worth')].map(row => row.textContent)";
        page.until(&format!("return {rows}.includes('win')"));
        assert!(page.holds(&format!(
            "{rows}.every(words => ['win', 'draw', 'loss'].includes(words))"
        )));
        // An endgame to practise has no shortest way.
        page.tab("learn");
        page.choose("train-pair", "3-3");
        page.click("train-start");
        page.until("return document.getElementById('task').textContent === 'White is to win.'");
    });
}

#[test]
fn everything_works_by_keyboard() {
    visit_served(Screen::Desk, |page| {
        // The board is one stop of the tab key; letters go along the lines.
        page.script("document.getElementById('d7').focus()");
        for (key, point) in [
            ('s', "d6"),
            ('s', "d5"),
            ('s', "d5"),
            ('a', "c5"),
            ('s', "c4"),
            ('d', "c4"),
            ('a', "b4"),
            ('a', "a4"),
            ('w', "a7"),
        ] {
            page.press(&[key]);
            assert_eq!(page.focused(), point);
        }
        let ring = "return getComputedStyle(document.querySelector('#a7 .focus')).display";
        assert_eq!(page.script(ring), "inline");
        // The ring alone shows the focus: an outline of the point would cover the board.
        let outline = "return getComputedStyle(document.getElementById('a7')).outlineStyle";
        assert_eq!(page.script(outline), "none");
        page.press(&[key::ENTER]);
        page.says("White played a7.");
        page.press(&['s', 'd']);
        page.press(&[' ']);
        page.says("Black played b4.");
        assert_eq!(page.focused(), "b4");
        // Arrows step through the game from the board, too, and so does the wheel over it.
        page.press(&[key::LEFT]);
        page.says("White played a7.");
        assert_eq!(page.focused(), "b4");
        page.press(&[key::RIGHT]);
        page.says("Black played b4.");
        let wheel = |by: i32| {
            let event = format!("{{ deltaY: {by}, bubbles: true, cancelable: true }}");
            let event = format!("new WheelEvent('wheel', {event})");
            page.script(&format!(
                "document.getElementById('board').dispatchEvent({event})"
            ));
        };
        wheel(-60);
        wheel(-60);
        page.says("White played a7.");
        wheel(100);
        page.says("Black played b4.");
        page.press(&['?']);
        assert!(page.holds("document.getElementById('keys').open"));
        page.press(&[key::ESCAPE]);
        assert!(!page.holds("document.getElementById('keys').open"));
        page.press(&[key::TAB]);
        assert_eq!(page.focused(), "tab-game");

        page.load(MILL);
        page.script("document.getElementById('d1').focus()");
        page.press(&[key::ENTER]);
        page.says("White moves the stone on d1");
        page.press(&[key::ESCAPE]);
        page.says("White to move");
        page.press(&[key::ENTER, 'a', key::ENTER]);
        page.says("White closed a mill");
        page.press(&['w', 'd', key::ENTER]);
        page.says("White played d1-a1xb4.");

        // A list that is drawn again keeps the focus, and so does a button that goes.
        page.load(FLYING);
        page.says("win in 21");
        page.tab("turns");
        page.script("document.querySelector('#turns .turn').focus()");
        page.press(&[key::ENTER]);
        page.says("White played");
        page.says("loss in 20");
        let focused = "return document.activeElement.className";
        assert_eq!(page.script(focused), "turn");
        page.tab("game");
        page.script("document.getElementById('remove').focus()");
        page.press(&[key::ENTER]);
        page.says("White to move");
        assert_eq!(page.focused(), "new");
    });
}

#[test]
fn positions_and_games_are_loaded_from_texts() {
    visit_served(Screen::Desk, |page| {
        page.tab("setup");
        page.load_position("nonsense");
        page.element_says("position-problem", "This is not a position in the form");
        page.load_position(&format!("{FLYING} ids:nodes"));
        page.says("win in 21");
        assert_eq!(page.text("position-problem"), "");

        // Games as people paste them.
        for text in [
            "D6 F4 D2",
            "d6, f4, d2",
            "1. d6 f4 2. d2",
            "1.d6 f4! 2.d2?",
            "position startpos moves d6 f4 d2",
            "d6 {centre} f4 (a1 d7) d2 *",
            "setoption name Rules value standard\nposition startpos moves d6 f4 d2",
            "# a game\n[White \"A\"]\n\n1. d6 $1 f4 ; centre\n% no turn\n2. d2 ½-½",
        ] {
            page.load_game(text);
            page.says("White played d2.");
            let turns = if text.contains('(') { 5 } else { 3 };
            assert_eq!(page.game().len(), turns, "{text}");
            page.load(FLYING);
        }
        page.load_game("1. d6 a1 2. f6 a4 3. b6 x a1");
        page.says("White played b6xa1.");
        assert_eq!(page.game().len(), 5);
        page.load_game("d6 a1 d6 a4");
        let words = "Line 1, character 7: d6 is not legal. There is a stone on d6 already.";
        page.element_says("game-problem", words);
        assert_eq!(page.game().len(), 2);
        // The text can be mended; a text without a legal turn replaces nothing.
        assert_eq!(page.game_text(), "d6 a1 d6 a4");
        page.load_game("hello world");
        let words = "Line 1, character 1: “hello” is not understood.";
        page.element_says("game-problem", words);
        page.element_says("game-problem", "Nothing is loaded.");
        assert_eq!(page.game().len(), 2);
        page.load_game("[Rules \"chess\"]\n1. d6");
        page.element_says("game-problem", "The rules “chess” are not known.");
        assert_eq!(page.game().len(), 1);
        // Remarks are in the language of the page.
        page.choose("language", "de");
        page.load_game("d6 a1 d6 a4");
        let words = "Zeile 1, Zeichen 7: d6 ist nicht möglich. Auf d6 steht schon ein Stein.";
        page.element_says("game-problem", words);
        page.choose("language", "en");

        // Numbers, several games, and all that a text has besides turns.
        page.load_game("1. d6 14 2. b4 20 3. f6 4");
        page.element_says("game-problem", "“14” is not understood");
        page.load_game("1. 5 14 2. 20 11 1-0\n[White \"Anna\"]\n\n1. a7 g1 2. g7 a1 0-1\n");
        page.says("Black played b4.");
        let games = "[...document.getElementById('choice').options].map(({ text }) => text)";
        let games = page.script(&format!("return {games}"));
        let expected = [
            "1. White – Black 1-0, 4 turns",
            "2. Anna – Black 0-1, 4 turns",
        ];
        assert_eq!(games, json!(expected));
        page.choose("choice", "1");
        page.says("Black played a1.");
        let whole = "[White \"A \\\"a\\\"\"]\n[Rules \"standard\"]\n[Result \"1-0\"]\n\n{first} 1. d6! $4 {good} 1... f4 \
                     ({or} 1... b4) ; a brace }\n2. d2 1-0\n";
        let load = |text: &str| {
            page.paste_game(text);
            page.says("White played d2.");
            page.script("document.activeElement.blur()");
        };
        load(whole);
        assert!(page.holds("document.getElementById('choice-field').hidden"));
        let written = page.game_text();
        page.load(FLYING);
        load(written.as_str().unwrap());
        assert_eq!(page.game_text(), written);
        let expected = whole
            .replace("1... f4 ({or} 1... b4) ; a brace }", "1... f4 ; a brace }")
            .replace("}\n2.", "}\n({or} 1... b4) 2.");
        assert_eq!(written, expected);
        page.load(FLYING);
        page.load_position("W......W......W..........|W|9|9");
        page.element_says("position-problem", "");

        // A game that does not begin with the empty board carries its first position.
        for text in [
            format!("{FLYING}\na1-e4"),
            format!("[FEN \"{FLYING}\"]\n\n1. a1-e4"),
            format!("[Position \"{FLYING}\"]\n\n1. a1-e4"),
            format!("position fen {FLYING} ids:nodes moves a1-e4"),
        ] {
            page.paste_game(&text);
            page.says("White played a1-e4.");
            page.load(WALKING);
        }
        // An address is followed even if the page writes that of its game at the same moment.
        page.script(
            "location.hash = 'moves=d6'; history.replaceState(null, '', location.pathname)",
        );
        page.says("White played d6.");
        page.script("navigator.clipboard.writeText = async text => { document.title = text }");
        page.load(FLYING);
        page.click("position-copy");
        page.element_says("copied", "Copied.");
        assert!(page.holds("document.title.startsWith('***O**@*/')"));

        // The game before is not lost.
        page.choose("earlier", "0");
        page.click("earlier-open");
        page.says("played");
    });
}

#[test]
fn a_position_is_set_up_by_hand() {
    visit_served(Screen::Desk, |page| {
        page.tab("setup");
        page.click("edit");
        // Most positions have no stones in hand.
        let hands = "return ['white', 'black'].map(side => document.getElementById(`edit-${side}-hand`).value).join()";
        assert_eq!(page.script(hands), "0,0");
        page.write("edit-white-hand", "9");
        page.click("edit-clear");
        assert_eq!(page.script(hands), "0,0");
        for point in ["d7", "a7", "g7"] {
            page.click(point);
        }
        page.script("document.getElementsByName('brush')[1].click()");
        for point in ["d1", "a1", "b2"] {
            page.click(point);
        }
        page.element_says("edit-state", "The position is legal");
        page.until("return !document.getElementById('edit-use').disabled");
        let ground = "return getComputedStyle(document.getElementById('edit-use')).backgroundColor";
        let enabled = page.script(ground);
        page.write("edit-white-hand", "9");
        page.press(&[key::TAB]);
        let words = "White has 3 stones on the board and 9 in hand, more than the 9";
        page.element_says("edit-problem", words);
        assert!(page.holds("document.getElementById('edit-use').disabled"));
        // It looks so, too.
        assert_ne!(page.script(ground), enabled);
        assert_eq!(page.script(ground), "rgba(0, 0, 0, 0)");
        page.write("edit-white-hand", "0");
        page.choose("edit-side", "black");
        page.element_says("edit-state", "The position is legal");
        page.click("edit-use");
        page.says("Black to move, to any empty point");
        assert!(page.is("b2", "black") && page.is("g7", "white"));
    });
}

#[test]
fn hints_come_in_three_steps() {
    visit(Screen::Desk, |page| {
        page.load(FLYING);
        page.says("win in 21");
        let place = "return document.getElementById('hint').getBoundingClientRect().top";
        let before = page.script(place);
        page.click("hint");
        page.element_says("hint-words", "Hint: move the stone on a1.");
        assert_eq!(page.script(place), before, "the button stays where it is");
        assert!(page.is("a1", "hinted") && !page.is("e4", "hinted"));
        page.click("hint");
        page.element_says("hint-words", "Hint: a1-e4.");
        assert!(page.is("e4", "hinted"));
        page.click("hint");
        page.element_says("hint-words", "Otherwise, ");
        let words = page.text("hint-words");
        shows(&words, "a1-e4 ");
        shows(&words, ": win in 21.");
        // Where no database answers, the search gives the hint.
        page.script("location.hash = 'moves=d6'");
        page.says("White played d6.");
        assert_eq!(page.text("hint-words"), "");
        page.click("hint");
        page.element_says("hint-words", "Hint: place on the ");
        // Two presses before the search has ended are two steps.
        page.script("location.hash = 'moves=d6+f4'");
        page.says("Black played f4.");
        page.script("const hint = document.getElementById('hint'); hint.click(); hint.click()");
        page.until(
            "return /^Hint: [a-g][1-7]\\.$/.test(document.getElementById('hint-words').innerText)",
        );
    });
}

/// The quickest win would repeat a position for the third time.
#[test]
fn turns_that_repeat_a_position_are_called_draws() {
    visit_served(Screen::Desk, |page| {
        let won = "**O*****_OO@*@***_@*******+b+m+s+3+0+3+0+0+0".replace('_', "/");
        page.script(&format!(
            "location.hash = 'fen={won}&moves=f4-b6+d6-g4+b6-f4+g4-d6+f4-b6+d6-g4+b6-f4&values=1'"
        ));
        page.says("win in 19");
        page.tab("turns");
        let row = "[...document.querySelectorAll('#turns li')].find(row => row.textContent.includes('g4-d6'))";
        page.until(&format!(
            "return {row}.textContent.includes('draw by repetition')"
        ));
        page.until("return document.getElementById('best-line').textContent.startsWith('Best line: f6-e3')");
        page.click("hint");
        page.element_says("hint-words", "f6");
        page.play("g4-d6");
        page.element_says("over-reason", "The position has occurred 3 times.");
        page.until("return document.getElementById('game').textContent.includes('g4-d6')");
        page.click("review");
        page.until("return !document.getElementById('coach-bar').hidden");
        page.click("coach-show");
        page.element_says("task", "White could win. After g4-d6 it is only a draw.");
    });
}

#[test]
fn endgames_are_practised_with_a_tally() {
    visit(Screen::Desk, |page| {
        page.tab("learn");
        assert!(page.text("rules-text").contains("Each side has 9 stones."));
        page.until("return document.getElementById('train-pair').value === '3-3'");
        // Always the same position, in which a turn gives the win away.
        page.script("Math.random = () => 0.5");
        page.click("train-start");
        page.element_says("task", "White is to win.");
        page.element_says("train-tally", "Solved 0, failed 0");
        // The last turn of the list is the worst.
        let database = Database::embedded(Rules::STANDARD);
        let ranked = || database.turns(&page.position()).unwrap();
        let value = "document.getElementById('position-text').value";
        let worst = *ranked().last().unwrap();
        assert_ne!(worst.value.wdl(), Wdl::Win);
        page.play(&worst.turn.to_string());
        page.element_says("task", "That gave it away: win in");
        page.element_says("train-tally", "Solved 0, failed 1, 0 in a row.");
        // The reply ends the game, and what the page then shows moves the button.
        page.until("return !document.getElementById('over').hidden");
        page.click("train-again");
        page.element_says("task", "White is to win.");
        // With best turns it is solved.
        loop {
            page.until(
                "return document.getElementById('status').textContent.includes('White to') \
                        || !document.getElementById('over').hidden",
            );
            if !page.holds("document.getElementById('over').hidden") {
                break;
            }
            let position = page.script(&format!("return {value}"));
            page.play(&ranked()[0].turn.to_string());
            // The task stays until it is solved.
            let task = page.text("task");
            let stays = task.contains("White is to win.");
            assert!(stays || task == "Solved.", "{task}");
            page.until(&format!("return {value} !== {position}"));
        }
        page.element_says("task", "Solved.");
        page.element_says("train-tally", "Solved 1, failed 1, 1 in a row.");
    });
}

#[test]
fn a_server_that_is_gone_is_waited_for() {
    if site().is_some() {
        return;
    }
    visit(Screen::Phone, |page| {
        page.load(FLYING);
        page.says("win in 21");
        page.end_server();
        page.play("a1-e4");
        page.element_says("offline", "The server does not answer.");
        // The headline names the side whose turn it is, though the rest is not known.
        page.says("Black to move");
        let listen = page.address.trim_start_matches("http://");
        let listen = listen.trim_end_matches('/');
        let home = TempDir::new().unwrap();
        let (again, _) = server(home.path(), listen);
        *page.server.borrow_mut() = Some(again);
        page.says("White played a1-e4.");
        page.element_says("value", "White wins in 20 turns");
        assert_eq!(page.text("offline"), "");
    });
}

/// A slow connection shows the start before the rules are known.
#[test]
fn a_press_waits_for_the_rules() {
    if site().is_some() {
        return;
    }
    first_visit(Screen::Phone, |page| {
        page.script_first(
            "sessionStorage.clear();
             localStorage.clear();
             const ask = window.fetch;
             const opened = new Promise(open => { window.open = open; });
             window.fetch = (...request) => /rulesets/.test(request[0].url ?? request[0])
               ? opened.then(() => ask(...request)) : ask(...request);",
        );
        page.browser.go_to(&page.address);
        page.until("return document.getElementById('home')?.hidden === false");
        page.click("start-analyse");
        page.script("window.open()");
        page.until(
            "return document.getElementById('home').hidden \
             && document.querySelectorAll('.point.open').length === 24",
        );
    });
}

#[test]
fn other_games_have_their_board_and_their_name() {
    visit(Screen::Desk, |page| {
        assert_eq!(page.text("title"), "Nine Men’s Morris");
        assert_eq!(page.count("#board .grid"), 16);
        page.click("new");
        page.choose("start-rules", "morabaraba");
        page.click("start-two");
        page.element_says("title", "Morabaraba");
        assert_eq!(page.count("#board .grid"), 20);
        assert!(page.text("hand-bottom").contains("12 in hand"));
        if site().is_none() {
            page.element_says("notice-words", "has no databases");
            page.click("notice-words");
            page.element_says("notice-command", "--rules morabaraba");
        }
        page.make("a7");
        page.refresh();
        page.element_says("title", "Morabaraba");
        page.says("White played a7.");
    });
}

#[test]
fn failures_have_words_and_the_language_is_chosen() {
    visit_served(Screen::Desk, |page| {
        // The server's failures are said in the page's own words.
        let words = include_str!("../../docs/JSON.md");
        let table = "`code` is a word of the first table below";
        let (_, words) = words.split_once(table).unwrap();
        let (words, _) = words.split_once("\n#").unwrap();
        let rows = words.lines().filter_map(|line| line.strip_prefix("| `"));
        let failures: Vec<&str> = rows.filter_map(|row| row.split('`').next()).collect();
        assert!(failures.len() > 30, "{failures:?}");
        let script = format!(
            "const folder = new URL(document.querySelector('script').src);
            const words = await (await fetch(new URL('languages/en.json', folder))).json();
            return {}.filter(name => !(`problem.${{name}}` in words));",
            Json::from(failures)
        );
        assert_eq!(page.script(&script), json!([]));
        page.choose("language", "de");
        page.says("Weiß setzt einen Stein");
        assert_eq!(page.text("title"), "Mühle");
        let language = "return document.documentElement.lang";
        assert_eq!(page.script(language), "de");
        // The field that had the focus can be reached by keys as before.
        assert!(page.holds("document.getElementById('language').tabIndex === 0"));
        page.refresh();
        page.says("Weiß setzt einen Stein");
    });
}

#[test]
fn failures_and_endings_are_said_in_the_chosen_language() {
    visit(Screen::Desk, |page| {
        page.choose("language", "de");
        page.tab("setup");
        let form = "Das ist keine Stellung in der Form der Mühleprogramme";
        let board = "Laut Text hat Weiß 4 Steine auf dem Brett, aber das Brett zeigt 3.";
        let hands = "Weiß kann nicht 9 und Schwarz 7 Steine zu setzen haben, wenn Weiß am Zug ist.";
        for (position, words) in [
            ("nichts", form),
            ("********/********/OOO@@@** w m s 4 0 3 0 0 0", board),
            ("********/********/******** w p p 0 9 0 7 0 0", hands),
        ] {
            page.load_position(position);
            page.element_says("position-problem", words);
        }
        let long = "document.getElementById('game-text').value = 'd6 '.repeat(100_000)";
        page.script(long);
        page.click("game-load");
        page.element_says("game-problem", "Der Text ist länger als 262144 Bytes.");
        page.click("edit");
        page.write("edit-black-hand", "2");
        page.press(&[key::TAB]);
        page.element_says("edit-problem", "Weiß kann nicht 0 und Schwarz 2");
        page.click("edit-stop");
        // A build that another program prevents, and an answer that only the server's words explain.
        for (failure, words) in [
            (
                json!({ "code": "system", "reason": "other_build", "fields": {}, "message": "x" }),
                "Ein anderes Programm erzeugt gerade Datenbanken im Ordner des Servers.",
            ),
            (
                json!({ "code": "corrupt", "message": "3-3.mill, byte 7" }),
                "Eine Datenbank des Servers ist beschädigt: 3-3.mill, byte 7.",
            ),
            (
                json!({ "code": "new", "message": "a new failure" }),
                "A new failure.",
            ),
        ] {
            if site().is_some() {
                continue;
            }
            page.script(&format!(
                "window.honest ??= window.fetch;
                 window.fetch = async () => new Response(JSON.stringify({}), {{ status: 500 }})",
                json!({ "error": failure })
            ));
            page.load_position("start");
            page.element_says("position-problem", words);
            page.script("window.fetch = window.honest");
        }

        let (few, blocked) = (
            "Weiß hat weniger als drei Steine.",
            "Weiß kann nicht ziehen.",
        );
        for (position, reason) in [
            ("********/********/OO*@@@** w o ? 2 0 3 0 0 0", few),
            ("********/@*****@*/OO@**@OO w m s 4 0 4 0 0 0", blocked),
        ] {
            page.load_position(position);
            page.element_says("over-result", "Schwarz gewinnt");
            page.element_says("over-reason", reason);
        }
        page.load(WALKING);
        for turn in ["d6-b6", "d7-a7", "b6-d6", "a7-d7"].repeat(2) {
            page.play(turn);
            page.says(&format!("zog {turn}."));
        }
        page.element_says("over-result", "Remis");
        page.element_says("over-reason", "Die Stellung kam 3-mal vor.");
    });
}
