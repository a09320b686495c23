//! Fuzzes texts of positions, turns and games: parsing must return an error, or a value that
//! survives writing and parsing again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use millbase::engine::Game;
use millbase::{Database, Position, Rules, Turn};

const RULES: Rules = Rules::STANDARD;

fuzz_target!(|text: &str| {
    position(text);
    turn(text);
    game(text);
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
    // Databases answer only positions with few stones.
    let _ = DATABASE.with(|database| database.probe(&position));
}

fn turn(text: &str) {
    if let Ok(turn) = text.parse::<Turn>() {
        assert_eq!(turn.to_string().parse(), Ok(turn));
    }
}

fn game(text: &str) {
    if let Ok(game) = Game::parse(text, &RULES) {
        position(&game.position().text(&RULES));
        assert_eq!(Game::parse(&game.text(), &RULES), Ok(game));
    }
}
