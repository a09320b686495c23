//! Plays won positions with databases that hold results alone, against the longest resistance.

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::Args;
use millbase::engine::{DrawnTurns, Game, Player, SkillLevel};
use millbase::sample::{Family, any};
use millbase::search::{Limits, Search};
use millbase::store::DbError;
use millbase::{Database, Position, Rules, Value};
use rayon::prelude::*;

use crate::sample::families;

/// Play won positions with results alone, against the longest resistance
#[derive(Args)]
pub struct Wins {
    /// Folder of the databases with depths
    #[arg(long, value_name = "DIR")]
    db: PathBuf,

    /// Folder of the databases with results alone
    #[arg(long, value_name = "DIR")]
    wdl: PathBuf,

    /// Time limit of a turn, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 50)]
    time: u64,

    /// Number of games
    #[arg(long, value_name = "N", default_value_t = 2000)]
    games: u64,

    /// Seed of the positions
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Families to draw from, like 8-7 or placed-12; without it all
    #[arg(long, value_name = "FAMILY", value_delimiter = ',')]
    from: Vec<Family>,
}

/// The quiet turns that end a game.
const MOST_QUIET_TURNS: u32 = 100;

/// A game that was played.
struct Played {
    family: Family,
    /// The turns to the end from its first position.
    depth: u16,
    won: bool,
}

/// Plays and prints the numbers of won games.
pub fn run(options: &Wins) -> Result<(), Box<dyn Error>> {
    let rules = Rules::STANDARD;
    let db = Database::open_in(&options.db, rules)?;
    let results = Arc::new(Database::open_in(&options.wdl, rules)?);
    let families = match options.from.is_empty() {
        true => families(&rules),
        false => options.from.clone(),
    };
    let games = (0..options.games).into_par_iter().map(|number| {
        let family = families[(number % families.len() as u64) as usize];
        let seed = options.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number << 20;
        let Some((start, depth)) = won_position(&db, family, seed)? else {
            return Ok(None);
        };
        let player = Player {
            database: Arc::clone(&results),
            search: Arc::new(Search::new(rules, Search::DEFAULT_HASH_BYTES, 1)),
            level: SkillLevel::PERFECT,
            seed: 0,
            drawn: DrawnTurns::default(),
        };
        let won = play(&db, &player, start, Duration::from_millis(options.time))?;
        Ok(Some(Played { family, depth, won }))
    });
    let games: Vec<Option<Played>> = games.collect::<Result<_, DbError>>()?;
    let games: Vec<Played> = games.into_iter().flatten().collect();
    let print = |name: &dyn std::fmt::Display, counts: &dyn Fn(&Played) -> bool| {
        let (won, lost): (Vec<_>, Vec<_>) = games
            .iter()
            .filter(|game| counts(game))
            .partition(|game| game.won);
        let depths: Vec<_> = lost.iter().map(|game| game.depth).collect();
        println!(
            "{name}: {} of {} won, not from depths {depths:?}",
            won.len(),
            won.len() + lost.len()
        );
    };
    for family in &families {
        print(family, &|game| game.family == *family);
    }
    print(&"all", &|_| true);
    print(&"of at most 100 turns", &|game| game.depth <= 100);
    Ok(())
}

/// A random position of a family that is won for the side to move, and the turns to the end; `None` if a
/// thousand are not.
fn won_position(
    db: &Database,
    family: Family,
    seed: u64,
) -> Result<Option<(Position, u16)>, DbError> {
    for number in 0..1000 {
        if let Some(position) = any(db.rules(), family, seed + number)
            && let Value::Win(depth) = db.probe(&position)?
        {
            return Ok(Some((position, depth.0)));
        }
    }
    Ok(None)
}

/// Whether the player wins before too many quiet turns.
///
/// # Panics
///
/// If the player gives up the win.
fn play(db: &Database, player: &Player, start: Position, time: Duration) -> Result<bool, DbError> {
    let rules = db.rules();
    let mut game = Game::new(*rules, start);
    let limits = Limits {
        time: Some(time),
        ..Limits::default()
    };
    let never = AtomicBool::new(false);
    loop {
        assert!(
            matches!(db.probe(game.position())?, Value::Win(_)),
            "the win is gone: {}",
            game.text()
        );
        let choice = player.choose(&game, &limits, &never, &mut |_| ());
        let turn = choice.map(|choice| choice.variation.turns[0]);
        game.make(turn.expect("a position that is not over has a turn"))
            .expect("the turn is legal");
        let replies = match game.quiet_turns() < MOST_QUIET_TURNS {
            true => db.turns(game.position())?,
            false => return Ok(false),
        };
        match replies.first() {
            Some(longest) => game.make(longest.turn).expect("the turn is legal"),
            None => return Ok(true),
        }
        if game.quiet_turns() >= MOST_QUIET_TURNS {
            return Ok(false);
        }
    }
}
