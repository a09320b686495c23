//! Draws positions with their values from databases, as training data for the evaluation.
//!
//! Each game begins with a random position of a family: a pair, or the positions after some random
//! placements; the families take turns. Both players of a game choose any turn with a chance that is drawn
//! for the game, else one of those that keep the result. The turns of each position of a game, or some of
//! them by chance, give the records: the positions after them, unless the game is over there, with their
//! values. The same seed gives the same file for any number of threads.
//!
//! With `--won`, a game begins with the position farthest from its end of some random ones, and
//! none of its turns gives up the win. The winner takes any of those turns with a chance that is drawn for the
//! game, else the quickest; the loser any with at most half a chance, else the longest resistance.
//!
//! A record has 16 bytes, all numbers little-endian:
//!
//! ```text
//! u32   the stones of the side to move, and in the highest byte those in hand
//! u32   the same of the waiting side
//! i16   the turns to the end, -1 for a draw
//! i8    1 for a win of the side to move, 0 for a draw, -1 for a loss
//! u8    the family: its place in the list
//! u32   a number that only the turns of the same position share
//! ```

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::num::NonZero;
use std::path::PathBuf;

use clap::Args;
use millbase::internals::Random;
use millbase::sample::{Family, any};
use millbase::store::DbError;
use millbase::{Database, Pair, Position, RankedTurn, Rules, Wdl};
use rayon::prelude::*;

/// Draw positions with their values from databases
#[derive(Args)]
pub struct Sample {
    /// Folder of the databases
    #[arg(long, value_name = "DIR")]
    pub db: PathBuf,

    /// The file to write
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,

    /// Number of games
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 27))]
    pub games: u64,

    /// The most turns of a game
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=LONGEST as i64))]
    pub length: u32,

    /// The most turns of a position that give records; without it all
    #[arg(long, value_name = "N", default_value_t = usize::MAX, hide_default_value = true)]
    pub turns: usize,

    /// Only positions in which some turns keep the result and others do not
    #[arg(long)]
    pub critical: bool,

    /// Only won positions, in which no turn gives up the win, and lost ones; each game begins with the position
    /// farthest from its end of 1 to N random ones
    #[arg(long, value_name = "N", conflicts_with = "critical")]
    pub won: Option<NonZero<usize>>,

    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    /// Families to draw from, like 8-7 or placed-12; without it all
    #[arg(long, value_name = "FAMILY", value_delimiter = ',')]
    pub from: Vec<Family>,
}

/// The chunks of games between two writes.
const AT_ONCE: usize = 32;

/// The largest number of turns of a game; their numbers fit into five bits.
const LONGEST: u32 = 32;

/// The families in which neither the rules nor the databases inside the program answer.
pub fn families(rules: &Rules) -> Vec<Family> {
    let is_embedded = |pair: &Pair| pair.larger() + pair.smaller() <= 9;
    let pairs = Pair::all(rules).into_iter();
    let pairs = pairs.filter(|pair| !is_embedded(pair)).map(Family::Pair);
    let placed = (0..2 * rules.stones).map(Family::Placed);
    pairs.chain(placed).collect()
}

/// The records of a game.
fn game(db: &Database, options: &Sample, number: u64) -> Result<Vec<u8>, DbError> {
    let rules = db.rules();
    let mut random = Random::new(options.seed ^ number.wrapping_mul(0xd6e8_feb8_6659_fd93));
    let family = (number % options.from.len() as u64) as usize;
    let mut records = Vec::new();
    let start = match options.won {
        Some(most) => farthest(db, options.from[family], most.get(), &mut random)?,
        None => any(rules, options.from[family], random.word()),
    };
    let Some(mut position) = start else {
        return Ok(records);
    };
    // The chance of any turn, and that of a loser's with `won`.
    let errs = random.unit();
    let loser_errs = match options.won {
        Some(_) => random.unit() / 2.0,
        None => errs,
    };
    for turn in 0..1 + random.below(options.length as usize) {
        let mut turns = db.turns(&position)?;
        let Some(best) = turns.first().map(|best| best.value.wdl()) else {
            break;
        };
        let keeps = |turn: &&RankedTurn| turn.value.wdl() == best;
        let keeping = turns.iter().take_while(keeps).count();
        if options.won.is_some() {
            turns.truncate(keeping);
        }
        let errs = match best {
            Wdl::Loss => loser_errs,
            _ => errs,
        };
        let choices = match (random.unit() < errs, options.won) {
            (true, _) => turns.len(),
            (false, Some(_)) => 1,
            (false, None) => keeping,
        };
        position = turns[random.below(choices)].after;
        if options.critical && keeping == turns.len() {
            continue;
        }
        turns.retain(|turn| !turn.after.is_over(rules));
        while turns.len() > options.turns {
            turns.swap_remove(random.below(turns.len()));
        }
        let group = number as u32 * LONGEST + turn as u32;
        for turn in &turns {
            record(&mut records, turn, family as u8, group);
        }
    }
    Ok(records)
}

/// The won or lost position farthest from its end of 1 to `most` random ones; `None` if all are drawn.
fn farthest(
    db: &Database,
    family: Family,
    most: usize,
    random: &mut Random,
) -> Result<Option<Position>, DbError> {
    let mut found = None;
    for _ in 0..1 + random.below(most) {
        let position = any(db.rules(), family, random.word());
        if let Some(position) = position
            && let Some(turns) = db.probe(&position)?.dtw()
            && found.is_none_or(|(most, _)| turns > most)
        {
            found = Some((turns, position));
        }
    }
    Ok(found.map(|(_, position)| position))
}

/// Appends the record of the position after a turn.
fn record(records: &mut Vec<u8>, turn: &RankedTurn, family: u8, group: u32) {
    let after = &turn.after;
    let side = after.side_to_move();
    for side in [side, side.other()] {
        let word = after.stones(side).bits() | u32::from(after.in_hand(side)) << 24;
        records.extend(word.to_le_bytes());
    }
    // The turn's value is that of the side that made it.
    let depth = turn.value.dtw().map_or(-1, |dtw| dtw.0 as i16 - 1);
    let result: i8 = match turn.value.wdl() {
        Wdl::Win => -1,
        Wdl::Draw => 0,
        Wdl::Loss => 1,
    };
    records.extend(depth.to_le_bytes());
    records.extend(result.to_le_bytes());
    records.push(family);
    records.extend(group.to_le_bytes());
}

/// Draws the records and writes the file.
pub fn run(mut options: Sample) -> Result<(), Box<dyn Error>> {
    let rules = Rules::STANDARD;
    let db = Database::open_in(&options.db, rules)?.with_cache_bytes(1 << 30);
    if options.from.is_empty() {
        options.from = families(&rules);
    }
    let (db, options) = (&db, &options);
    const CHUNK: u64 = 1 << 8;
    let chunks = options.games.div_ceil(CHUNK);
    let records = |chunk: u64| -> Result<Vec<u8>, DbError> {
        let numbers = chunk * CHUNK..((chunk + 1) * CHUNK).min(options.games);
        let games: Result<Vec<_>, _> = numbers.map(|number| game(db, options, number)).collect();
        Ok(games?.concat())
    };
    let mut out = BufWriter::new(File::create(&options.out)?);
    for first in (0..chunks).step_by(AT_ONCE) {
        let chunks: Vec<u64> = (first..chunks.min(first + AT_ONCE as u64)).collect();
        let found: Vec<_> = chunks.into_par_iter().map(records).collect();
        for bytes in found {
            out.write_all(&bytes?)?;
        }
    }
    Ok(out.flush()?)
}
