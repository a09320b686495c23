//! Examines the search without databases: the exam of `millbase judge`, in this process.

use std::error::Error;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use clap::Args;
use millbase::internals::coach::judge;
use millbase::review::Truth;
use millbase::sample::Family;
use millbase::search::{Limits, Search};
use millbase::{Database, Pair, Rules};
use rayon::prelude::*;

/// Examine the search without databases
#[derive(Args)]
pub struct Exam {
    /// Folder of the databases
    #[arg(long, value_name = "DIR")]
    db: PathBuf,

    /// Time limit of a turn, in milliseconds
    #[arg(long, value_name = "MS")]
    time: Option<u64>,

    /// Limit of the positions that a turn's search visits
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,

    /// Number of positions in the exam
    #[arg(long, value_name = "N", default_value_t = 2000)]
    positions: usize,

    /// Seed of the exam
    #[arg(long, value_name = "N", default_value_t = 4242)]
    seed: u64,

    /// Families to draw from, like 8-7 or placed-12; without it all pairs and placed-4, placed-8 and placed-12
    #[arg(long, value_name = "FAMILY", value_delimiter = ',')]
    from: Vec<Family>,
}

/// Asks and prints the score.
pub fn run(options: &Exam) -> Result<(), Box<dyn Error>> {
    let rules = Rules::STANDARD;
    let db = Database::open_in(&options.db, rules)?;
    let truth = Truth::brief(&db);
    let pairs = Pair::all(&rules).into_iter().map(Family::Pair);
    let families = match options.from.is_empty() {
        true => pairs.chain([4, 8, 12].map(Family::Placed)).collect(),
        false => options.from.clone(),
    };
    let exam = judge::exam(truth, &families, options.positions, options.seed)?;
    let prober = Database::embedded(rules);
    let limits = Limits {
        time: options.time.map(Duration::from_millis),
        nodes: options.nodes,
        ..Limits::default()
    };
    let never = AtomicBool::new(false);
    let kept = [const { AtomicUsize::new(0) }; 3];
    let depths = AtomicUsize::new(0);
    exam.par_iter().for_each(|asked| {
        let search = Search::new(rules, 16 << 20, 1);
        let found = search.run(&asked.position, &[], &prober, &limits, &never, &mut |_| ());
        depths.fetch_add(found[0].depth as usize, Ordering::Relaxed);
        let turn = asked
            .turns
            .iter()
            .find(|turn| turn.turn == found[0].turns[0]);
        if turn.is_some_and(|turn| turn.value.wdl() == asked.wdl) {
            let kind = usize::from(asked.position.is_placing());
            kept[kind].fetch_add(1, Ordering::Relaxed);
        }
    });
    let mut line = Vec::new();
    for kind in 0..2 {
        let of = exam
            .iter()
            .filter(|asked| usize::from(asked.position.is_placing()) == kind);
        let chance: f64 = of
            .clone()
            .map(|a| a.keeping as f64 / a.turns.len() as f64)
            .sum();
        line.push((
            of.count() as f64,
            kept[kind].load(Ordering::Relaxed) as f64,
            chance,
        ));
    }
    line.push((
        line[0].0 + line[1].0,
        line[0].1 + line[1].1,
        line[0].2 + line[1].2,
    ));
    for ((asked, kept, chance), name) in line.into_iter().zip(["moving", "placing", "all"]) {
        println!(
            "{name} {asked} kept {:.4} skill {:.4}",
            kept / asked,
            (kept - chance) / (asked - chance)
        );
    }
    println!(
        "depth {:.2}",
        depths.load(Ordering::Relaxed) as f64 / exam.len() as f64
    );
    Ok(())
}
