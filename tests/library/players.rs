//! Matches between players of different strength.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use millbase::engine::game::Game;
use millbase::engine::player::{Level, Player, Strategy};
use millbase::search::{Limits, Search};
use millbase::{Database, Position, Rules, Side};

const RULES: Rules = Rules::STANDARD;

/// A game that is not over after this number of turns is drawn.
const LONGEST_GAME: usize = 150;

fn player(level: u8, seed: u64) -> Player {
    Player {
        database: Arc::new(Database::embedded(RULES)),
        search: Arc::new(Search::new(RULES, 1 << 20, 1)),
        level: Level::new(level),
        seed,
        strategy: Strategy::default(),
    }
}

/// The winner; `None` for a draw.
fn play(white: &Player, black: &Player) -> Option<Side> {
    let mut game = Game::new(RULES, Position::start(&RULES));
    let limits = Limits {
        depth: Some(4),
        ..Limits::default()
    };
    for _ in 0..LONGEST_GAME {
        let side = game.position().side_to_move();
        let player = if side == Side::White { white } else { black };
        let chosen = player.choose(&game, &limits, &AtomicBool::new(false), &mut |_| ());
        let Some(choice) = chosen else {
            return Some(side.other());
        };
        game.make(choice.turn).unwrap();
    }
    None
}

#[test]
fn higher_levels_beat_lower_ones() {
    for (stronger, weaker) in [(10, 0), (20, 6)] {
        let (mut won, mut lost) = (0, 0);
        for seed in 0..12 {
            let players = [player(stronger, seed), player(weaker, seed + 100)];
            let is_white = seed % 2 == 0;
            let winner = match is_white {
                true => play(&players[0], &players[1]),
                false => play(&players[1], &players[0]),
            };
            match winner {
                Some(side) if (side == Side::White) == is_white => won += 1,
                Some(_) => lost += 1,
                None => {}
            }
        }
        eprintln!("level {stronger} against {weaker}: {won} won, {lost} lost of 12");
        assert!(
            won >= 7 && lost <= 2,
            "{stronger} against {weaker}: {won} won, {lost} lost"
        );
    }
}
