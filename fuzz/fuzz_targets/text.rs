//! Texts of positions and turns, and lines of the engine protocol: reading them ends with an error,
//! or with what has the same text when it is written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use millbase::engine::uci::Command;
use millbase::{Database, Position, Rules, Turn};

const RULES: Rules = Rules::STANDARD;

fuzz_target!(|text: &str| {
    position(text);
    turn(text);
    uci_line(text);
});

fn position(text: &str) {
    thread_local!(static DATABASE: Database = Database::embedded(RULES));
    let Ok(position) = Position::parse(text, &RULES) else {
        return;
    };
    assert_eq!(
        Position::parse(&position.text(&RULES), &RULES),
        Ok(position)
    );
    let turns = position.turns(&RULES);
    assert!(!position.is_over(&RULES) || turns.is_empty());
    for turn in turns {
        let after = position.after(turn);
        assert_eq!(Position::parse(&after.text(&RULES), &RULES), Ok(after));
    }
    // Whether there is an answer depends on the stones.
    let _ = DATABASE.with(|database| database.probe(&position));
}

fn turn(text: &str) {
    if let Ok(turn) = text.parse::<Turn>() {
        assert_eq!(turn.to_string().parse(), Ok(turn));
    }
}

fn uci_line(text: &str) {
    if let Ok(Some(Command::Position(setup))) = Command::parse(text)
        && let Ok(game) = setup.game(&RULES)
    {
        position(&game.position().text(&RULES));
    }
}
