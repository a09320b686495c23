//! The main stories of the page in Firefox. Needs Firefox (Debian: `apt-get install firefox-esr`) and its driver
//! (`cargo install geckodriver`); `tools/slow-tests firefox` runs them.

use crate::visit::{FLYING, MILL, Page, visit_in_firefox};
use crate::webdriver::key;

/// Presses the points of a turn, one after the other. The driver clicks no part of a drawing by itself.
fn play(page: &Page, turn: &str) {
    for point in turn.split(['-', 'x']) {
        page.opens(point);
        page.drag(&format!("#{point}"), 0, 0);
    }
}

fn analyse(page: &Page) {
    page.click("start-analyse");
    page.until("return document.querySelectorAll('.point.open').length === 24");
}

#[test]
#[ignore = "needs Firefox: tools/slow-tests firefox"]
fn a_game_is_played_in_firefox() {
    visit_in_firefox(|page| {
        page.click("start-level-0");
        page.click("start-white");
        play(page, "d6");
        page.says("Black played");
        page.until("return document.querySelectorAll('.point.black').length === 1");
        page.press(&[key::LEFT]);
        page.until("return document.querySelectorAll('.point.black').length === 0");
        // A reload goes on with the game.
        page.press(&[key::RIGHT]);
        page.refresh();
        page.until("return document.querySelectorAll('.point.black').length === 1");
    });
}

#[test]
#[ignore = "needs Firefox: tools/slow-tests firefox"]
fn values_and_pictures_are_shown_in_firefox() {
    visit_in_firefox(|page| {
        analyse(page);
        page.load(FLYING);
        page.says("White to move, to any empty point: win in 21.");
        page.tab("turns");
        page.until("return !document.getElementById('best-line').hidden");
        page.load(MILL);
        play(page, "d1-a1");
        page.says("closed a mill");
        play(page, "b4");
        page.element_says("over-result", "White wins");
        page.tab("setup");
        page.keep_saved_file();
        page.click("save-png");
        page.until("return window.savedName === 'millbase.png'");
        assert_eq!(page.text("problem"), "");
        // A stone that is dragged goes where it is dropped.
        page.load(MILL);
        page.until("return document.getElementById('d1').classList.contains('lifts')");
        let step = page.script(
            "return Math.round(document.getElementById('board').getBoundingClientRect().width / 7.6)",
        );
        page.drag("#d1", 0, -(step.as_i64().unwrap() as i32));
        page.says("White played d1-d2");
    });
}

#[test]
#[ignore = "needs Firefox: tools/slow-tests firefox"]
fn lessons_and_puzzles_are_given_in_firefox() {
    visit_in_firefox(|page| {
        page.click("start-learn");
        page.until("return document.querySelector('#lessons button') !== null");
        page.script("document.querySelector('#lessons button').click()");
        page.element_says("task", "Three of your stones");
        play(page, "b6xa1");
        page.element_says("task", "A mill!");
        page.click("go-puzzles");
        page.element_says("task", "White moves and wins.");
        page.click("puzzle-solution");
        page.element_says("lines", "Solution:");
        page.choose("language", "de");
        page.element_says("go-learn", "Lernen");
    });
}
