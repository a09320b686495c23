//! What the page teaches: puzzles, lessons and reviews, used in a real browser.

use std::collections::HashSet;

use millbase::{Database, Rules, Turn};
use serde_json::{Value as Json, json};

use crate::process::{items, shows, text};
use crate::visit::{FLYING, LARGER, MILL, Page, Screen, axe, check, site, visit};
use crate::webdriver::key;

/// A puzzle of the page: goal and solution, each step with the turns that are equally good.
struct Puzzle {
    board: String,
    goal: String,
    solution: Vec<String>,
}

fn puzzles() -> Vec<Puzzle> {
    let file = include_str!("../../page/files/puzzles.json");
    let puzzles: Json = serde_json::from_str(file).unwrap();
    let word = |puzzle: &Json, place: usize| text(&puzzle[place]).to_owned();
    let puzzles = items(&puzzles["puzzles"]).iter();
    let puzzles = puzzles.map(|puzzle| Puzzle {
        board: word(puzzle, 0)[..26].to_owned(),
        goal: word(puzzle, 1),
        solution: word(puzzle, 3).split(' ').map(str::to_owned).collect(),
    });
    puzzles.collect()
}

/// The puzzle that the page shows.
fn shown<'a>(page: &Page, puzzles: &'a [Puzzle]) -> &'a Puzzle {
    let board = page.position().text(&Rules::STANDARD)[..26].to_owned();
    let known = puzzles.iter().find(|puzzle| puzzle.board == board);
    known.expect("a puzzle")
}

/// Solves the puzzle that is shown.
fn solve(page: &Page, puzzle: &Puzzle) {
    for (place, step) in puzzle.solution.iter().enumerate().step_by(2) {
        page.play(step.split('|').next().unwrap());
        if let Some(reply) = puzzle.solution.get(place + 1) {
            page.element_says("task", "Right.");
            page.says(&format!("played {reply}."));
        }
    }
}

/// Opens another puzzle with this button, and waits for its board.
fn another(page: &Page, button: &str) {
    let before = page.position().text(&Rules::STANDARD)[..26].to_owned();
    page.click(button);
    page.until(&format!(
        "return !document.getElementById('position-text').value.startsWith('{before}')"
    ));
}

/// A turn that does not solve the puzzle shown.
fn wrong_turn(page: &Page, puzzle: &Puzzle) -> String {
    let turns = page.position().turns(&Rules::STANDARD).into_iter();
    let mut turns = turns.map(|turn| turn.to_string());
    turns.find(|turn| *turn != puzzle.solution[0]).unwrap()
}

const RATING: &str = include_str!("../../page/files/rating.js");

/// The figures of Mark Glickman's "Example of the Glicko-2 system" (2022), whose intermediate results are rounded.
#[test]
fn ratings_are_those_of_glicko_2() {
    visit(Screen::Desk, |page| {
        let module = RATING.replace("export ", "");
        let script = format!(
            "{module}
             const one = (rating, deviation) => ({{ rating, deviation, volatility: .06 }});
             const after = rate(one(1500, 200), [
                 {{ rival: one(1400, 30), score: 1 }}, {{ rival: one(1550, 100), score: 0 }},
                 {{ rival: one(1700, 300), score: 0 }},
             ]);
             return [after.rating, after.deviation, after.volatility];"
        );
        let found: [f64; 3] = serde_json::from_value(page.script(&script)).unwrap();
        for (found, (published, error)) in
            (found.iter()).zip([(1464.06, 0.015), (151.52, 0.005), (0.05999, 0.00001)])
        {
            assert!((found - published).abs() < error, "{found} {published}");
        }
        // A surprise makes the rating more volatile, what was expected does not.
        let script = format!(
            "{module}
             const one = {{ rating: 1500, deviation: 50, volatility: .06 }};
             const rival = {{ rating: 900, deviation: 30, volatility: .06 }};
             return [0, 1].map(score => rate(one, [{{ rival, score }}]).volatility > one.volatility);"
        );
        assert_eq!(page.script(&script), json!([true, false]));
    });
}

#[test]
fn a_failed_puzzle_shows_refutation_and_solution() {
    visit(Screen::Phone, |page| {
        let puzzles = puzzles();
        page.tab("learn");
        page.element_says("puzzle-tally", "Your rating: 950. Solved 0, failed 0.");
        another(page, "puzzle-start");
        page.element_says("task", "White moves and wins. You need ");
        let puzzle = shown(page, &puzzles);
        let wrong = wrong_turn(page, puzzle);
        page.play(&wrong);
        page.element_says("lines", "Solution:");
        page.element_says("task", &wrong);
        page.element_says("task", "Your rating is now ");
        page.element_says("puzzle-tally", "Solved 0, failed 1. In a row: 0");
        // The reply is played; nobody waits, and the sides stay whose they were.
        page.says("Black played");
        assert!(!page.text("status").contains("waits"));
        let hand = page.text("hand-bottom");
        assert!(hand.contains("You") && hand.contains("White"), "{hand}");
        assert_eq!(page.count(".point.open"), 0);
        page.click("a1");
        page.element_says("problem", "The puzzle is over.");
        page.click("previous");
        page.says("White played");
        assert_eq!(page.count(".point.open"), 0);
        // The turns of the solution are shown on the board.
        page.script("[...document.querySelectorAll('#lines .line')].at(-1).querySelectorAll('button')[1].click()");
        page.says(&format!("White played {}.", puzzle.solution[0]));
        // The second attempt does not count.
        page.click("puzzle-again");
        page.until("return document.getElementById('lines').hidden");
        page.play(&puzzle.solution[0]);
        page.element_says("puzzle-tally", "failed 1.");
        // Both sides can be tried out afterwards.
        another(page, "puzzle-next");
        let puzzle = shown(page, &puzzles);
        page.click("puzzle-solution");
        page.until("return document.activeElement.id === 'puzzle-next'");
        page.element_says("lines", puzzle.solution[0].split('|').next().unwrap());
        page.element_says("puzzle-tally", "failed 2.");
        page.click("puzzle-analyse");
        page.until("return document.getElementById('puzzle-bar').hidden");
        page.until("return document.querySelectorAll('.point.open').length > 0");
    });
}

#[test]
fn puzzles_are_mixed_rated_and_counted_in_a_row() {
    visit(Screen::Desk, |page| {
        let puzzles = puzzles();
        page.tab("learn");
        // The first five have kinds of their own; wins come quickly.
        let mut kinds = HashSet::new();
        let mut rating = 950;
        for number in 1..=5 {
            let button = if number == 1 { "start" } else { "next" };
            another(page, &format!("puzzle-{button}"));
            let puzzle = shown(page, &puzzles);
            let position = page.position();
            let phase = page.script("return document.getElementById('status').textContent");
            assert!(puzzle.solution.len() <= 3, "{:?}", puzzle.solution);
            kinds.insert(format!("{} {phase}", puzzle.goal));
            solve(page, puzzle);
            page.element_says("task", "Solved.");
            let row = format!("In a row: {number}; best: {number}.");
            page.element_says("puzzle-tally", &row);
            let tally = page.text("puzzle-tally");
            let now = tally.replace(',', "");
            let now = now.strip_prefix("Your rating: ").unwrap();
            let now: u32 = now.split('.').next().unwrap().parse().unwrap();
            assert!(now > rating, "{tally} {position:?}");
            rating = now;
        }
        assert_eq!(kinds.len(), 5, "{kinds:?}");
        // Themes and levels to choose; a reload and another language keep the task.
        page.choose("puzzle-theme", "placing");
        page.choose("puzzle-level", "hard");
        another(page, "puzzle-next");
        page.says(" to place a stone");
        page.element_says("task", " moves. Only one turn holds the draw.");
        page.refresh();
        page.element_says("task", " moves. Only one turn holds the draw.");
        let puzzle = shown(page, &puzzles);
        page.click("puzzle-hint");
        let turn = &puzzle.solution[0];
        page.element_says("task", &format!("Place a stone on {}.", &turn[..2]));
        page.click("puzzle-hint");
        page.element_says("task", &format!("The solution is {turn}."));
        page.choose("language", "de");
        page.element_says("task", "Nur ein Zug hält das Remis.");
        page.choose("language", "en");
        // A hint neither earns nor costs.
        page.play(&puzzle.solution[0]);
        page.element_says("task", "Solved with a hint");
        page.tab("learn");
        let tally = "Solved 5, failed 0. In a row: 5; best: 5.";
        page.element_says("puzzle-tally", tally);
        page.choose("puzzle-theme", "zwickmuehle");
        page.choose("puzzle-level", "beginner");
        another(page, "puzzle-start");
        page.element_says("task", "moves and wins");
    });
}

/// None of a longer puzzle is in the databases of this server; turns that are as good as that of the
/// solution count, too.
#[test]
fn a_long_puzzle_goes_on_after_equally_good_turns() {
    visit(Screen::Phone, |page| {
        let puzzles = puzzles();
        let long = |puzzle: &Puzzle| {
            let solution = &puzzle.solution;
            let mut own = solution[..solution.len() - 1].iter().step_by(2);
            solution.len() > 3 && own.any(|step| step.contains('|'))
        };
        let number = puzzles.iter().position(long).unwrap();
        let mut solved: Vec<&str> = puzzles.iter().map(|puzzle| &puzzle.board[..]).collect();
        solved.remove(number);
        let tally = json!({ "failed": 2, "solved": solved });
        let script = format!("localStorage.setItem('millbase.puzzles', JSON.stringify({tally}))");
        page.script(&script);
        page.refresh();
        page.tab("learn");
        page.element_says("puzzle-tally", "Solved 299, failed 2.");
        another(page, "puzzle-start");
        let solution = &puzzles[number].solution;
        for (place, step) in solution.iter().enumerate().step_by(2) {
            page.play(step.rsplit('|').next().unwrap());
            if place + 1 < solution.len() {
                let words = match step.split_once('|') {
                    Some((first, _)) => format!("Right. {first} is as good as"),
                    None => "Right. Go on.".to_owned(),
                };
                page.element_says("task", &words);
                page.says(&format!("played {}.", solution[place + 1]));
            }
        }
        page.element_says("task", "Solved.");
        page.element_says("puzzle-tally", "Solved 300, failed 2.");
        // What another tab has counted meanwhile is not lost.
        page.script(
            "const tally = JSON.parse(localStorage.getItem('millbase.puzzles'));
             localStorage.setItem('millbase.puzzles', JSON.stringify({ ...tally, failed: 7 }));
             dispatchEvent(new StorageEvent('storage', { key: 'millbase.puzzles' }));",
        );
        another(page, "puzzle-next");
        page.element_says("puzzle-tally", "failed 7.");
    });
}

#[test]
fn the_puzzle_of_a_day_is_the_same_for_everybody() {
    let daily = || {
        let mut board = String::new();
        visit(Screen::Desk, |page| {
            let puzzles = puzzles();
            // The day does not change while the test runs.
            page.script(
                "const Real = Date; window.Date = class extends Real {
                     constructor(...parts) { super(...(parts.length > 0 ? parts : [2026, 10, 26, 12])); }
                 }",
            );
            page.tab("learn");
            another(page, "puzzle-daily");
            page.element_says("task", "The puzzle of the day.");
            board = page.position().text(&Rules::STANDARD)[..26].to_owned();
            solve(page, shown(page, &puzzles));
            page.element_says("puzzle-tally", "You have solved the puzzle of the day.");
        });
        board
    };
    assert_eq!(daily(), daily());
}

/// The name of a lesson, and for each step its position, if it has one, and its goal.
type Lesson = (String, Vec<(Option<String>, Json)>);

/// The lessons of the page.
fn lessons() -> Vec<Lesson> {
    let file = include_str!("../../page/files/lessons.json");
    let json: Json = serde_json::from_str(file).unwrap();
    let lessons = items(&json["lessons"]).iter();
    let lessons = lessons.map(|lesson| {
        let steps = items(&lesson["steps"]).iter();
        let position = |step: &Json| step["position"].as_str().map(str::to_owned);
        let steps = steps.map(|step| (position(step), step["goal"].clone()));
        (text(&lesson["name"]).to_owned(), steps.collect())
    });
    lessons.collect()
}

/// A turn of the page's position that fulfils a goal: one of a list, one that closes a mill, or the best.
fn fulfilling(page: &Page, goal: &Json) -> String {
    let position = page.position();
    let turns = position.turns(&Rules::STANDARD);
    let text = match goal {
        Json::Array(turns) => turns[0].as_str().map(str::to_owned),
        Json::Number(_) => {
            let database = Database::embedded(Rules::STANDARD);
            Some(database.turns(&position).unwrap()[0].turn.to_string())
        }
        _ => (turns.iter())
            .find(|turn| !turn.removed().is_empty())
            .map(Turn::to_string),
    };
    text.expect("a turn")
}

#[test]
fn lessons_are_learnt_by_mouse() {
    visit(Screen::Phone, |page| {
        page.tab("learn");
        let lessons = lessons();
        assert_eq!(lessons.len(), 6);
        page.script("document.querySelector('#lessons button').click()");
        for (place, (name, steps)) in lessons.iter().enumerate() {
            page.until("return document.getElementById('lesson-next').hidden");
            for (number, (_, goal)) in steps.iter().enumerate() {
                if steps.len() > 1 {
                    page.element_says("task", &format!("({} of {})", number + 1, steps.len()));
                }
                page.says("White to");
                if number == 0 && !goal.is_number() {
                    // A wrong turn, and the same task again.
                    let right = goal.as_array().map_or(&[][..], |turns| turns);
                    let all = page.position().turns(&Rules::STANDARD).into_iter();
                    let mut all = all.map(|turn| turn.to_string());
                    let is_wrong =
                        |turn: &String| !turn.contains('x') && !right.contains(&json!(turn));
                    page.play(&all.find(is_wrong).unwrap());
                    page.element_says("task", "does not do it.");
                    page.click("b4");
                    page.element_says("problem", "This task is done.");
                    page.click("lesson-again");
                    page.until("return document.getElementById('game').hidden");
                    page.says("White to");
                }
                for _ in 0..goal.as_u64().unwrap_or(1) {
                    page.says("White to");
                    let turn = fulfilling(page, goal);
                    let before = page.game().len();
                    page.play(&turn);
                    // The reply comes, or the step is done.
                    page.until(&format!(
                        "return !document.getElementById('lesson-next').hidden
                             || document.querySelectorAll('#game button').length > {} ",
                        before + 1
                    ));
                }
                let next = steps.get(number + 1);
                if next.is_none_or(|(position, _)| position.is_some()) {
                    page.until("return !document.getElementById('lesson-next').hidden");
                    match next {
                        Some(_) => {
                            page.element_says("lesson-next", "Go on");
                            page.click("lesson-next");
                        }
                        None => page.element_says("lesson-next", "Next lesson"),
                    }
                }
            }
            let learnt = page.count("#lessons .learnt") as usize;
            assert_eq!(learnt, place + 1, "{name}");
            page.click("lesson-next");
        }
        // A reload keeps the task.
        page.element_says("task", "Three of your stones");
        page.refresh();
        page.element_says("task", "Three of your stones");
    });
}

/// The keys alone suffice, and each sentence is in a live region.
#[test]
fn a_lesson_is_learnt_by_keyboard() {
    visit(Screen::Desk, |page| {
        page.tab("learn");
        page.script("document.querySelectorAll('#lessons button')[0].focus()");
        page.press(&[key::ENTER]);
        page.element_says("task", "Place a stone so that you have a mill");
        assert_eq!(page.attribute("task", "role"), "status");
        // The board has the focus: from d7 to b6, and then to a black stone.
        page.until("return document.activeElement.classList.contains('point')");
        page.script("document.getElementById('d6').focus()");
        page.press(&['a', key::ENTER]);
        page.says("White closed a mill: choose the stone to remove.");
        page.script("document.getElementById('a1').focus()");
        page.press(&[key::ENTER]);
        page.element_says("task", "A mill!");
        page.until("return !document.getElementById('lesson-next').hidden");
        page.press(&[key::TAB]);
        assert_eq!(page.focused(), "lesson-next");
        page.press(&[key::ENTER]);
        page.element_says("task", "(2 of 2)");
        page.click("lesson-show");
        page.element_says("task", "Hint: d1-a1x");
    });
}

/// The review stops before the error with the board as it was, asks for a better turn, and then says why.
#[test]
fn mistakes_are_asked_about_until_they_are_found() {
    visit(Screen::Desk, |page| {
        page.load(MILL);
        page.says("win in 1");
        page.play("d1-d2");
        page.says("played d1-d2, a blunder");
        page.play("g1-d1");
        page.says("played g1-d1");
        page.tab("game");
        page.click("find-mistakes");
        let review =
            "1 mistake. White: accuracy 0%, mistakes 1, slower turns 0. Black: accuracy 100%";
        page.element_says("review-words", review);
        page.element_says("task", "Turn 1: White was winning and played d1-d2. Now it is only a draw. Find a better turn.");
        // The board is as it was, and no value gives the answer away.
        assert!(page.is("d1", "white") && !page.is("d2", "white"));
        assert!(!page.is("d1", "win") && page.is("d1", "plain"));
        assert_eq!(page.text("value"), "");
        assert!(page.focused().len() == 2, "the board has the focus");
        // The question stays in another language.
        page.tab("options");
        page.choose("language", "de");
        page.element_says("task", "Finde einen besseren Zug.");
        page.choose("language", "en");
        page.element_says("task", "Find a better turn.");
        page.tab("game");
        // A turn that is no better is taken back.
        page.play("d1-d2");
        let same = "d1-d2 is the turn that was played. Find a better turn.";
        page.element_says("task", same);
        page.play("a7-d7");
        page.element_says("task", "a7-d7 is no better. Find a better turn.");
        page.until("return document.querySelectorAll('#game button').length === 2");
        page.play("d1-a1xg1");
        let right =
            "Right: d1-a1xg1 is the best turn. White could win. After d1-d2 it is only a draw.";
        page.element_says("task", right);
        page.element_says("task", "You found 0 of 1.");
        page.element_says("lines", "Best:");
        page.element_says("lines", "Refutation:");
        // What was not found at once comes again.
        page.click("coach-next");
        page.element_says("task", "Find a better turn.");
        page.until("return document.getElementById('lines').hidden");
        page.play("d1-a1xg1");
        page.element_says("task", "You found 1 of 1.");
        page.until("return document.getElementById('coach-next').hidden");
        page.click("coach-stop");
        page.until("return document.getElementById('coach-bar').hidden");
        // The marks are part of the game: they survive a reload and go into its text.
        let mark = "return document.querySelector('#game .fault').textContent";
        assert_eq!(page.script(mark), "?");
        page.refresh();
        page.until("return document.querySelector('#game .fault') !== null");
        shows(text(&page.game_text()), "1. d1-d2?");
        // The way on from a marked turn is the same.
        page.click("first");
        page.script("document.querySelector('#game button').click()");
        page.says("White played d1-d2");
        page.click("next-mistake");
        page.element_says("task", "Find a better turn.");
        page.click("coach-show");
        page.element_says("task", "The best turn is d1-a1xb4.");
        // While values are hidden, no button reveals a mistake; another game ends the review.
        page.script("document.getElementById('values').click()");
        page.until("return document.getElementById('next-mistake').hidden");
        page.script("document.getElementById('values').click()");
        page.load(FLYING);
        page.until("return document.getElementById('coach-bar').hidden");
        // A turn that wins later is graded, too.
        page.says("win in 21");
        page.play("f6-a7");
        page.says("played f6-a7");
        page.click("find-mistakes");
        let review = "No mistake was found. White: accuracy 100%, mistakes 0, slower turns 1.";
        page.element_says("review-words", review);
        assert_eq!(page.script(mark), "?!");
        // Where no value is known, nothing is said to be right.
        if site().is_none() {
            page.load(LARGER);
            let turn = &page.turns()[0];
            page.play(turn);
            page.click("find-mistakes");
            page.element_says("review-words", "No turn could be checked");
        }
    });
}

/// Lessons, failed puzzles and reviews, by axe-core and at every width.
fn tasks_are_accessible(screen: Screen) {
    let axe = axe(screen);
    visit(screen, |page| {
        let check = |state: &str| check(page, screen, axe.as_deref(), state);
        page.tab("learn");
        page.script("document.querySelector('#lessons button').click()");
        page.element_says("task", "Three of your stones");
        page.says("White to");
        check("lesson");
        page.play("b6xa1");
        page.element_says("task", "A mill!");
        page.click("lesson-next");
        page.element_says("task", "(2 of 2)");
        page.says("White to");
        page.play("d1-a1xg7");
        page.until("return document.querySelector('#lessons .learnt') !== null");
        check("learnt");
        another(page, "puzzle-start");
        page.says("White to");
        let wrong = wrong_turn(page, shown(page, &puzzles()));
        page.play(&wrong);
        page.element_says("lines", "Solution:");
        check("refutation");
        page.load(MILL);
        page.script("document.getElementById('values').checked || document.getElementById('values').click()");
        page.says("win in 1");
        page.play("d1-d2");
        page.says("blunder");
        page.tab("game");
        page.click("find-mistakes");
        page.element_says("task", "Find a better turn.");
        check("question");
        page.click("coach-show");
        page.element_says("lines", "Best:");
        check("answer");
    });
}

#[test]
fn everybody_can_learn_on_a_desk() {
    tasks_are_accessible(Screen::Desk);
}

#[test]
#[ignore = "see the part `screens` of tools/slow-tests"]
fn everybody_can_learn_in_the_dark() {
    tasks_are_accessible(Screen::Dark);
}

#[test]
fn everybody_can_learn_on_a_phone() {
    tasks_are_accessible(Screen::Phone);
}

#[test]
#[ignore = "see the part `screens` of tools/slow-tests"]
fn everybody_can_learn_on_a_small_phone() {
    tasks_are_accessible(Screen::Small);
}

/// After a game against the machine only one's own mistakes are asked about, and the machine is silent.
#[test]
fn a_game_against_the_machine_is_reviewed() {
    visit(Screen::Desk, |page| {
        page.load(MILL);
        page.tab("options");
        page.choose("black", "machine");
        page.play("d1-d2");
        page.says("Black played");
        page.tab("game");
        page.click("find-mistakes");
        page.element_says("task", "Find a better turn.");
        page.until("return document.getElementById('black').value === 'hand'");
        page.play("d1-a1xb4");
        page.element_says("task", "Right: d1-a1xb4 is the best turn.");
    });
}

#[test]
fn records_are_opened_and_stepped_through() {
    visit(Screen::Desk, |page| {
        page.tab("learn");
        page.script("document.querySelector('#gallery summary').click()");
        // The longest of all are published: 204 turns, in 8-7.
        page.element_says("gallery-list", "7–8: loss in 204");
        page.choose("gallery-choice", "3-3");
        let mutual = "whoever is to move loses (one of 2 positions)";
        page.element_says("gallery-list", mutual);
        let open = |number: usize| {
            let button = format!("document.querySelectorAll('#gallery-list button')[{number}]");
            page.script(&format!("{button}.click()"))
        };
        open(1);
        page.element_says("value", "26");
        page.click("last");
        page.element_says("over-result", "Black wins");
        page.tab("game");
        assert_eq!(page.game().len(), 26);
        page.tab("learn");
        open(2);
        page.element_says("gallery-problem", "");
        page.until("return document.getElementById('game').hidden");
        page.says("loss in");
        page.choose("language", "de");
        page.element_says("gallery-list", "wer am Zug ist, verliert");
        page.choose("language", "en");
    });
}
