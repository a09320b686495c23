//! `millbase prove`: proves the value of the start position.

use std::io::{self, Write};

use anyhow::{Context, Result};
use clap::Args;
use indicatif::{HumanBytes, HumanCount};
use millbase::internals::Bytes;
use millbase::internals::prove::{self, Proof, ProofOptions, ProofStep, ProofWork, Proved};
use millbase::internals::stages::{why_no_databases, why_unsolved};
use millbase::{Pair, Position, Rules, Side, Turn, Wdl};
use schemars::JsonSchema;
use serde::Serialize;

use crate::databases;
use crate::input;
use crate::options::Options;
use crate::output::{self, Cell, ink};
use crate::status::{Status, refuse};

/// Prove the value of the start position
///
/// Searches all placements (18 turns with nine stones a side) down to the databases and answers two
/// questions: can White avoid losing, and can Black? It first uses only 9-9, 9-8 and 8-8, held in
/// memory (with n stones a side: the pairs of n and n-1), and counts every position of another pair
/// as lost for the side in question. A question that this does not settle is searched again with
/// all databases. With --pairs it uses the databases of these pairs and no others.
///
/// The exit status is 1 if the pairs of --pairs do not suffice for a proof, and 3 if a database is
/// missing. Without --pairs, all pairs are needed.
#[derive(Args)]
#[command(after_help = "\
Examples:
  millbase prove
  millbase prove --pairs 9-9,9-8,8-8 --json")]
pub struct Prove {
    /// Use the databases of these pairs only
    #[arg(long, value_name = "PAIRS", value_delimiter = ',')]
    pairs: Option<Vec<Pair>>,

    /// Size of the transposition table of each of the two questions, like 512M
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = table_size)]
    hash: u64,
}

#[derive(Serialize, JsonSchema)]
pub struct ProofAnswer<'a> {
    position: String,
    /// The value for White; `None` if it was not proved.
    wdl: Option<Wdl>,
    white_holds: bool,
    black_holds: bool,
    pairs: Option<&'a [Pair]>,
    threads: usize,
    loading_seconds: f64,
    loaded_bytes: u64,
    proof: &'a ProofWork,
    placements: Vec<PlacementAnswer>,
    line: &'a [Turn],
    placements_and_line: &'a ProofWork,
}

#[derive(Serialize, JsonSchema)]
struct PlacementAnswer {
    turn: Turn,
    wdl: Option<Wdl>,
}

/// Parses the size of a transposition table. A search with a tiny one takes forever.
fn table_size(text: &str) -> Result<u64, String> {
    let bytes = input::size(text)?;
    match bytes >= 1 << 20 {
        true => Ok(bytes),
        false => Err("expected a size of at least 1M".to_owned()),
    }
}

impl Prove {
    /// Proves and prints.
    pub fn run(&self, options: &Options) -> Result<Status> {
        let no_databases = why_no_databases(&options.rules);
        if let Some(why) = no_databases.or(why_unsolved(&options.rules)) {
            let advice = match options.rules.pairs_have_hands() && no_databases.is_none() {
                true => "; `millbase probe start` looks its value up",
                false => "",
            };
            return refuse(format!("the start cannot be proved: {why}{advice}"));
        }
        let in_memory = || prove::proof_pairs(&options.rules);
        let mut pairs = self.pairs.clone().unwrap_or_else(in_memory);
        input::check_pairs(&pairs, &options.rules)?;
        let hash_bytes = usize::try_from(self.hash).unwrap_or(usize::MAX);
        // A check, because a search would make do with less.
        Bytes::new(hash_bytes).with_context(|| {
            let size = HumanBytes(self.hash);
            format!("the system refuses the {size} of --hash; ask for less")
        })?;
        let db = databases::open(options)?;
        pairs.sort_unstable();
        pairs.dedup();
        let wanted = ProofOptions {
            pairs,
            others: self.pairs.is_none(),
            hash_bytes,
            threads: rayon::current_num_threads(),
        };
        let proof = prove::prove(&db, &wanted, &mut |step| report(options, step))?;
        let answer = self.answer(&proof, wanted.threads, &options.rules);
        output::answer(options, &answer, |out| write(out, &proof))?;
        Ok(match white_result(&proof.start) {
            Some(_) => Status::Done,
            None => Status::No,
        })
    }

    fn answer<'a>(&'a self, proof: &'a Proof, threads: usize, rules: &Rules) -> ProofAnswer<'a> {
        let placements = proof
            .placements
            .iter()
            .map(|&(turn, proved)| PlacementAnswer {
                turn,
                wdl: white_result(&proved),
            });
        ProofAnswer {
            position: Position::start(rules).text(rules),
            wdl: white_result(&proof.start),
            white_holds: proof.start.white_holds,
            black_holds: proof.start.black_holds,
            pairs: self.pairs.as_deref(),
            threads,
            loading_seconds: proof.loading.as_secs_f64(),
            loaded_bytes: proof.loaded_bytes,
            proof: &proof.work,
            placements: placements.collect(),
            line: &proof.line,
            placements_and_line: &proof.more,
        }
    }
}

fn white_result(proved: &Proved) -> Option<Wdl> {
    proved.result_for(Side::White)
}

/// Writes a progress line for each finished step.
fn report(options: &Options, step: ProofStep) {
    let holds = match step.holds {
        true => "holds",
        false => "is not shown to hold",
    };
    let at = step
        .turn
        .map_or(String::new(), |turn| format!(" after {turn}"));
    let (side, seconds) = (step.side, step.work.seconds);
    let nodes = HumanCount(step.work.nodes);
    output::note(
        options,
        format_args!("{side} {holds}{at}: {nodes} positions, {seconds:.1} s"),
    );
}

fn write(out: &mut impl Write, proof: &Proof) -> io::Result<()> {
    let name = |proved: &Proved| white_result(proved).map_or("not proved", Wdl::name);
    let ink = |proved: &Proved| white_result(proved).map_or(ink::PLAIN, ink::of);
    let start = output::paint(ink(&proof.start), name(&proof.start));
    writeln!(out, "the start position: {start}\n")?;
    let placements = proof.placements.iter();
    let cells = placements.map(|(turn, proved)| (turn, Cell::text(name(proved)).ink(ink(proved))));
    output::table(out, cells).write(&[
        ("first placement", |(turn, _)| Cell::text(turn)),
        ("value for white", |(_, value)| value.clone()),
    ])?;
    if !proof.line.is_empty() {
        let line = output::line(&proof.line);
        writeln!(out, "\nprincipal variation: {line}")?;
    }
    writeln!(out)?;
    let works = [("proof", &proof.work), ("placements, line", &proof.more)];
    output::table(out, works).write(&[
        ("", |(what, _)| Cell::text(what)),
        ("nodes", |(_, work)| Cell::count(work.nodes)),
        ("probes", |(_, work)| Cell::count(work.probes)),
        ("not in memory", |(_, work)| {
            Cell::count(work.probes_not_in_memory)
        }),
        ("after 8 turns", |(_, work)| {
            Cell::count(work.positions_after_eight_turns)
        }),
        ("seconds", |(_, work)| {
            Cell::right(format_args!("{:.1}", work.seconds))
        }),
    ])?;
    let bytes = HumanBytes(proof.loaded_bytes);
    writeln!(out, "\n{bytes} of results decoded into memory")
}
