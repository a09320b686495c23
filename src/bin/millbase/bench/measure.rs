//! The measurements of `millbase bench`.

use std::collections::HashMap;
use std::hint::black_box;
use std::iter;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::Result;
use millbase::index::Index;
use millbase::probe::Database;
use millbase::random::Random;
use millbase::search::{Limits, NoProber, Search};
use millbase::solve::pair::{Solved, Times};
use millbase::store::DbError;
use millbase::{Material, Pair, PointSet, Position, Rules};
use rayon::prelude::*;

use super::answer::{Build, Perft, Preloaded, Ranking, Searched, Tables};
use crate::databases;
use crate::input;
use crate::progress;
use crate::status::Usage;

/// The number of random positions to probe.
const SAMPLE: usize = 10_000;

/// The fewest cold probes, even if the time is up.
const FEWEST_COLD: usize = 2_000;

/// The block cache of one cold probe, in bytes. It starts empty.
const COLD_CACHE_BYTES: usize = 4 << 20;

/// The block cache of the warm measurements, in bytes: large enough for the blocks of all their
/// positions.
pub const WARM_CACHE_BYTES: usize = 512 << 20;

/// The number of positions that the warm probes repeat.
pub const WARM: usize = 1_024;

/// The number of positions whose turns are ranked repeatedly.
pub const RANKED: usize = 128;

/// Warm probes between two readings of the clock.
const BATCH: usize = 64;

/// Tables with more entries than this are not loaded.
const MOST_LOADED: usize = 32 << 20;

/// Pairs with more entries than this are not loaded as bitbases.
const MOST_PRELOADED: u64 = 1 << 29;

/// The number of random positions to probe in a bitbase.
const PRELOADED: usize = 1 << 20;

/// The transposition table of a measured search, in bytes.
const SEARCH_BYTES: usize = 16 << 20;

/// Positions searched between two readings of the clock.
const SEARCHED: u64 = 200_000;

/// A position of the placing phase and one of the moving phase, each with the depth of its perft.
const PERFT: [(&str, u32); 2] = [
    ("start", 4),
    ("*OOO@@**/O@O****O/@O*@O@@* b m s 8 0 7 0 0 0", 5),
];

/// The same for rules with fewer stones.
const PERFT_SMALL: [(&str, u32); 2] = [
    ("start", 4),
    ("********/********/O@O*O@*@ w m s 3 0 3 0 0 0", 4),
];

/// The positions for these rules.
fn perft_positions(rules: &Rules) -> [(&'static str, u32); 2] {
    match rules.stones {
        8.. => PERFT,
        _ => PERFT_SMALL,
    }
}

/// The pairs that are present together with the pairs that their captures lead to; without these,
/// turns have no value.
pub fn pairs(db: &Database) -> Vec<Pair> {
    let mut pairs = databases::in_order(db);
    pairs.retain(|pair| pair.needs().into_iter().all(|need| db.has(need)));
    pairs
}

/// The tables of these pairs.
fn materials(db: &Database) -> impl Iterator<Item = Material> {
    pairs(db).into_iter().flat_map(Pair::tables)
}

/// Random positions of these tables; each entry is equally likely.
pub fn positions(db: &Database, seed: u64) -> Result<Vec<Position>> {
    let tables: Vec<Index> = materials(db).map(Index::new).collect();
    let entries: usize = tables.iter().map(Index::len).sum();
    if entries == 0 {
        let message = "no database to measure is present together with all those that it needs; \
            build some with 'millbase build'";
        return Err(Usage(message.to_owned()).into());
    }
    let mut random = Random::new(seed);
    let position = || {
        let mut entry = random.below(entries);
        let index = tables.iter().find(|index| {
            let found = entry < index.len();
            if !found {
                entry -= index.len();
            }
            found
        })?;
        let (mover, waiting) = index.sets(entry);
        Some(Position::moving(mover, waiting))
    };
    // The value of a finished game is not looked up.
    let running = |position: &Position| !position.is_over(db.rules());
    let positions = iter::repeat_with(position).flatten().filter(running);
    Ok(positions.take(SAMPLE).collect())
}

/// Probes the positions one by one, each with an empty block cache, and measures the time of each.
pub fn cold_probes(
    mut db: Database,
    sample: &[Position],
    budget: Duration,
) -> Result<(Database, Vec<(Position, Duration)>)> {
    // The first pass brings the files into the page cache.
    db = db.with_cache_bytes(COLD_CACHE_BYTES);
    sample
        .par_iter()
        .try_for_each(|position| db.probe(position).map(drop))?;
    let mut times = Vec::new();
    let begin = Instant::now();
    for position in sample {
        if times.len() >= FEWEST_COLD && begin.elapsed() > budget {
            break;
        }
        db = db.with_cache_bytes(COLD_CACHE_BYTES);
        let start = Instant::now();
        black_box(db.probe(black_box(position))?);
        times.push((*position, start.elapsed()));
    }
    Ok((db, times))
}

/// The time in µs that this percentage of the times does not exceed. The times must be in ascending
/// order.
pub fn percentile_us(times: &[Duration], percent: usize) -> f64 {
    let rank = (times.len() * percent).div_ceil(100).max(1);
    let time = times.get(rank - 1).copied().unwrap_or_default();
    time.as_secs_f64() * 1e6
}

/// Probes per second on one thread and with all threads together.
pub fn warm_probes(db: &Database, positions: &[Position], budget: Duration) -> Result<(f64, f64)> {
    let batches: Vec<&[Position]> = positions.chunks(BATCH).collect();
    let probe = |batch: &[Position]| {
        for position in batch {
            black_box(db.probe(black_box(position))?);
        }
        Ok(batch.len() as u64)
    };
    for batch in &batches {
        probe(batch)?;
    }
    let probes_from = |first: usize| {
        let mut turns = batches.iter().cycle().skip(first % batches.len().max(1));
        rate(budget, || turns.next().map_or(Ok(0), |batch| probe(batch)))
    };
    let one = probes_from(0)?;
    let all: Result<f64> = rayon::broadcast(|context| probes_from(context.index()))
        .into_iter()
        .sum();
    Ok((one, all?))
}

/// Ranks all turns of the positions.
pub fn ranking(db: &Database, positions: &[Position], budget: Duration) -> Result<Ranking> {
    for position in positions {
        db.turns(position)?;
    }
    let (mut ranked, mut turns) = (0u64, 0);
    let mut next = positions.iter().cycle();
    let positions_per_s = rate(budget, || {
        if let Some(position) = next.next() {
            turns += black_box(db.turns(black_box(position))?).len();
            ranked += 1;
        }
        Ok(1)
    })?;
    Ok(Ranking {
        positions_per_s,
        turns_per_s: positions_per_s * turns as f64 / ranked as f64,
    })
}

/// Loads those tables that are not too large, and returns the number of their values.
pub fn load(db: &Database, tables: Tables) -> Result<u64> {
    let mut values = 0;
    for material in materials(db).filter(|&material| tables.have(material)) {
        if Index::new(material).len() <= MOST_LOADED {
            values += black_box(millbase::solve::load(db, material)?).len() as u64;
        }
    }
    Ok(values)
}

/// Generates turns to a fixed depth.
pub fn perft(budget: Duration, rules: &Rules) -> Result<Perft> {
    let nodes = |(text, depth): (&str, u32)| -> Result<f64> {
        let position = input::position(text, rules)?;
        rate(budget, || Ok(black_box(&position).perft(rules, depth)))
    };
    let [placing, moving] = perft_positions(rules);
    Ok(Perft {
        placing_nodes_per_s: nodes(placing)?,
        moving_nodes_per_s: nodes(moving)?,
    })
}

/// Loads a pair as a bitbase and probes random positions.
pub fn preloaded(db: &Database, seed: u64, budget: Duration) -> Result<Option<Preloaded>> {
    let pairs = pairs(db).into_iter();
    let small = pairs.filter(|pair| pair.entries() <= MOST_PRELOADED);
    let Some(pair) = small.max_by_key(|pair| pair.entries()) else {
        return Ok(None);
    };
    let start = Instant::now();
    let bitbase = millbase::solve::whole_bitbase(db, &[pair])?;
    let seconds = start.elapsed().as_secs_f64();
    let mut random = Random::new(seed);
    let tables: Vec<Index> = pair.tables().into_iter().map(Index::new).collect();
    let positions: Vec<(PointSet, PointSet)> = (0..PRELOADED)
        .map(|place| {
            let index = &tables[place % tables.len()];
            index.sets(random.below(index.len()))
        })
        .collect();
    let probes_per_s = rate(budget, || {
        for &(mover, waiting) in &positions {
            black_box(bitbase.of_sets(mover, waiting));
        }
        Ok(PRELOADED as u64)
    })?;
    let (eights, _) = positions.as_chunks::<8>();
    let probes_in_eights_per_s = rate(budget, || {
        for eight in eights {
            black_box(bitbase.of_many(eight));
        }
        Ok(PRELOADED as u64)
    })?;
    Ok(Some(Preloaded {
        pair: pair.to_string(),
        bytes: bitbase.bytes(),
        seconds,
        probes_per_s,
        probes_in_eights_per_s,
    }))
}

/// Searches without databases, from an empty transposition table.
pub fn searched(budget: Duration, rules: &Rules) -> Result<Searched> {
    let nodes = |(text, _): (&str, u32)| {
        let position = input::position(text, rules)?;
        let limits = Limits {
            nodes: Some(SEARCHED),
            ..Limits::default()
        };
        let stop = AtomicBool::new(false);
        rate(budget, || {
            let search = Search::new(*rules, SEARCH_BYTES, 1);
            let found = search.run(&position, &[], &NoProber, &limits, &stop, &mut |_| {});
            Ok(found.lines.first().map_or(0, |line| line.nodes))
        })
    };
    let [placing, moving] = perft_positions(rules);
    Ok(Searched {
        placing_nodes_per_s: nodes(placing)?,
        moving_nodes_per_s: nodes(moving)?,
    })
}

/// Solves all pairs with at most this many stones.
pub fn build(max_stones: u8, rules: &Rules) -> Result<Build> {
    let mut pairs = Pair::all(rules.stones);
    pairs.retain(|pair| pair.stones() <= max_stones);
    let mut solved: HashMap<Material, Solved> = HashMap::new();
    let (mut entries, mut total, mut sum) = (0, Duration::ZERO, Times::default());
    for pair in pairs {
        // Captures take one stone, so only the pairs with one stone less are still needed.
        solved.retain(|material, _| material.mover + material.waiting >= pair.stones() - 1);
        let load = |material: Material| {
            let values = solved.get(&material).map(|table| table.values.to_vec());
            values.ok_or_else(|| DbError::NotStored(format!("{pair} is solved too early")))
        };
        let start = Instant::now();
        let tables = millbase::solve::pair::solve(rules, pair, load, &())?;
        total += start.elapsed();
        entries += pair.entries();
        for table in tables {
            sum.initialise += table.times.initialise;
            sum.scatter += table.times.scatter;
            sum.propagate += table.times.propagate;
            solved.insert(table.material, table);
        }
    }
    let cores = progress::cores();
    let each = |time: Duration| time.as_secs_f64() * 1e9 * cores as f64 / entries as f64;
    Ok(Build {
        max_stones,
        entries,
        cores,
        seconds: total.as_secs_f64(),
        initialise_ns_per_entry_and_core: each(sum.initialise),
        scatter_ns_per_entry_and_core: each(sum.scatter),
        propagate_ns_per_entry_and_core: each(sum.propagate),
        total_ns_per_entry_and_core: each(total),
    })
}

/// Repeats the work until the budget is spent, at least once, and returns the work per second: the
/// sum of the returned numbers divided by the time.
pub fn rate(budget: Duration, mut work: impl FnMut() -> Result<u64>) -> Result<f64> {
    let start = Instant::now();
    let mut done = 0;
    loop {
        done += work()?;
        let time = start.elapsed();
        if time >= budget {
            return Ok(done as f64 / time.as_secs_f64());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_the_nearest_rank() {
        let times: Vec<Duration> = (1..=200).map(Duration::from_micros).collect();
        let found = [1, 50, 90, 99, 100].map(|percent| percentile_us(&times, percent).round());
        assert_eq!(found, [2.0, 100.0, 180.0, 198.0, 200.0]);
        assert_eq!(percentile_us(&times[..1], 1).round(), 1.0);
    }

    #[test]
    fn positions_depend_on_the_seed_alone() {
        let db = Database::embedded(Rules::STANDARD);
        let drawn = |seed| positions(&db, seed).unwrap();
        assert_eq!(drawn(7), drawn(7));
        assert_ne!(drawn(7), drawn(8));
        assert_eq!(drawn(7).len(), SAMPLE);
    }
}
