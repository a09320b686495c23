//! Learns weights from files of records.

use std::error::Error;
use std::f32::consts::PI;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use millbase::internals::Random;
use millbase::internals::network::{
    Features, HIDDEN, Known, LAYER_ONE, MAGIC, MOST_TURNS, Network, OUTPUT_ONE, VECTOR_ONE,
};
use millbase::{PointSet, Symmetry};
use xxhash_rust::xxh3::Xxh3;

use crate::descent::{Descent, Example, Weights, estimates};

/// Learn weights from positions with their values
#[derive(Args)]
pub struct Learn {
    /// Files of 'sample'
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// A file of 'sample' with all turns of its positions, to judge the weights by positions that they were not
    /// learned from
    #[arg(long, value_name = "FILE")]
    pub judge: Option<PathBuf>,

    /// The file of the weights to write
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,

    /// Number of steps
    #[arg(long, value_name = "N", default_value_t = 30_000)]
    pub steps: u32,

    /// Number of positions of a step
    #[arg(long, value_name = "N", default_value_t = 8192)]
    pub batch: usize,

    /// The first learning rate, from which it falls to a hundredth in the form of a cosine
    #[arg(long, value_name = "X", default_value_t = 0.005)]
    pub rate: f32,

    /// The share of a weight that a step takes away, in units of the learning rate
    #[arg(long, value_name = "X", default_value_t = 0.08)]
    pub decay: f32,

    /// Learn the turns to the end of won and lost positions instead of the result
    #[arg(long)]
    pub turns: bool,

    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

/// A record of a file of 'sample'.
#[derive(Clone, Copy)]
struct Record {
    /// The stones of the mover and of the waiting side, and in the highest byte those in hand.
    sides: [u32; 2],
    /// The turns to the end.
    turns: i16,
    /// 1 for a win of the mover, -1 for a loss.
    result: i8,
    /// The number of the position in which the turn to this one was made.
    group: u32,
}

impl Record {
    fn read(bytes: &[u8; 16]) -> Record {
        let word = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| bytes[at + byte]));
        Record {
            sides: [word(0), word(4)],
            turns: i16::from_le_bytes([bytes[8], bytes[9]]),
            result: bytes[10] as i8,
            group: word(12),
        }
    }

    fn features(&self, symmetry: Symmetry, turns: bool) -> Features {
        let stones = |word: u32| symmetry.apply(PointSet::from_bits(word & 0xff_ffff));
        let [mover, waiting] = self.sides.map(stones);
        let in_hand = self.sides.map(|word| (word >> 24) as u8);
        let known = match (turns, self.result) {
            (false, _) => Known::Nothing,
            (true, 1..) => Known::Win,
            (true, _) => Known::Loss,
        };
        Features::new(mover, waiting, in_hand, known)
    }

    /// From 0 to 1: the mover's share of the point, or that of the turns to the end in the most possible.
    fn target(&self, turns: bool) -> f32 {
        match turns {
            // An end at once would ask for infinite odds.
            true => (f32::from(self.turns) + 0.25) / f32::from(MOST_TURNS),
            false => 0.5 + 0.5 * f32::from(self.result),
        }
    }

    /// The number that the side that turned to this position wants to be small.
    fn cost(&self, turns: bool) -> i16 {
        if turns {
            self.turns
        } else {
            self.result.into()
        }
    }
}

/// The records of a file; adds its bytes to the fingerprint.
fn read(path: &Path, fingerprint: &mut Xxh3) -> Result<Vec<Record>, Box<dyn Error>> {
    let shown = path.display();
    let bytes = fs::read(path).map_err(|error| format!("{shown} cannot be read: {error}"))?;
    fingerprint.update(&bytes);
    match bytes.as_chunks() {
        (records, []) if !records.is_empty() => Ok(records.iter().map(Record::read).collect()),
        _ => Err(format!(
            "{shown} has {} bytes instead of a multiple of 16; write it again with 'sample'",
            bytes.len()
        )
        .into()),
    }
}

/// Learns the weights, prints how well they do on the way, and writes them.
pub fn run(options: &Learn) -> Result<(), Box<dyn Error>> {
    let mut fingerprint = Xxh3::new();
    let mut records = Vec::new();
    for file in &options.files {
        records.extend(read(file, &mut fingerprint)?);
    }
    let judge = options.judge.as_ref();
    let mut judge = judge.map(|path| read(path, &mut Xxh3::new())).transpose()?;
    if options.turns {
        records.retain(|record| record.result != 0);
        // The winner chooses among these.
        (judge.iter_mut()).for_each(|held| held.retain(|record| record.result < 0));
    }
    println!("{} positions", records.len());
    let Learn {
        steps,
        batch,
        rate,
        decay,
        turns,
        seed,
        ..
    } = *options;
    fingerprint.update(format!("{steps} {batch} {rate} {decay} {turns} {seed}").as_bytes());
    for code in [include_str!("learn.rs"), include_str!("descent.rs")] {
        fingerprint.update(code.as_bytes());
    }
    let mut random = Random::new(seed);
    let mut descent = Descent::new(Weights::random(|| random.unit() as f32));
    let mut loss = 0.0;
    const REPORT: u32 = 500;
    for step in 0..steps {
        let wave = (1.0 + (PI * step as f32 / steps as f32).cos()) / 2.0;
        let mut example = || {
            let record = &records[random.below(records.len())];
            Example {
                features: record.features(Symmetry::numbered(random.word() as u32), turns),
                target: record.target(turns),
            }
        };
        let examples: Vec<Example> = (0..batch).map(|_| example()).collect();
        loss += descent.step(&examples, rate * (0.01 + 0.99 * wave), decay);
        if (step + 1).is_multiple_of(REPORT) {
            print!("step {}, loss {:.4}", step + 1, loss / f64::from(REPORT));
            let found = |features: &[Features]| estimates(&descent.weights, features);
            println!(
                "{}",
                judge
                    .as_deref()
                    .map_or(String::new(), |held| judged(held, turns, found))
            );
            loss = 0.0;
        }
    }
    let bytes = rounded(&descent.weights, fingerprint.digest());
    fs::write(&options.out, &bytes)?;
    if let (Some(held), Some(network)) = (judge, Network::parse(bytes.leak())) {
        let output =
            |features: &Features| network.output(*features) as f32 * 4.0 / OUTPUT_ONE as f32;
        let found = |features: &[Features]| features.iter().map(output).collect();
        println!("rounded{}", judged(&held, turns, found));
    }
    Ok(())
}

/// The weights as a file of the library.
fn rounded(weights: &Weights, fingerprint: u64) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(fingerprint.to_le_bytes());
    let vector = |weight: &f32| (weight * f32::from(VECTOR_ONE)).round();
    let patterns = weights.patterns.as_flattened().iter().map(vector);
    bytes.extend(patterns.flat_map(|weight| (weight as i8).to_le_bytes()));
    let stones = weights.stones.as_flattened().iter().map(vector);
    bytes.extend(stones.flat_map(|weight| (weight as i16).to_le_bytes()));
    for layers in &weights.layers {
        let first = (0..HIDDEN).flat_map(|hidden| layers.first.iter().map(move |row| row[hidden]));
        let rest = layers.first_bias.into_iter().chain(layers.second);
        let all = first.chain(rest).chain([layers.second_bias]);
        let layer = |weight: f32| (weight * f32::from(LAYER_ONE)).round() as i16;
        bytes.extend(all.flat_map(|weight| layer(weight).to_le_bytes()));
    }
    bytes
}

/// The mean loss, and the skill, as `millbase judge` defines it, of a player that takes the turn
/// with the least estimate after it; with `turns`, only the quickest wins count as kept.
fn judged(held: &[Record], turns: bool, estimates: impl Fn(&[Features]) -> Vec<f32>) -> String {
    let features: Vec<_> = held
        .iter()
        .map(|record| record.features(Symmetry::IDENTITY, turns))
        .collect();
    let found = estimates(&features);
    let loss = |(record, found): (&Record, &f32)| {
        f64::from((1.0 + found.exp()).ln() - record.target(turns) * found)
    };
    let loss: f64 = held.iter().zip(&found).map(loss).sum();
    let (mut asked, mut kept, mut chance) = (0.0, 0.0, 0.0);
    let all: Vec<_> = held.iter().zip(&found).collect();
    for choices in all.chunk_by(|a, b| a.0.group == b.0.group) {
        let costs = || choices.iter().map(|(record, _)| record.cost(turns));
        let best = costs().min();
        let keeping = costs().filter(|&cost| Some(cost) == best).count();
        if keeping < choices.len() {
            let chosen = choices.iter().min_by(|a, b| a.1.total_cmp(b.1));
            asked += 1.0;
            kept += f64::from(u8::from(chosen.map(|chosen| chosen.0.cost(turns)) == best));
            chance += keeping as f64 / choices.len() as f64;
        }
    }
    let (loss, skill) = (
        loss / held.len() as f64,
        100.0 * (kept - chance) / (asked - chance),
    );
    format!(", judged: loss {loss:.4}, skill {skill:.1} %")
}

#[cfg(test)]
mod tests {
    use std::num::NonZero;

    use super::*;
    use crate::sample::{self, Sample};

    /// The positions come from the databases that are part of the library, so no folder needs any.
    #[test]
    fn a_small_run_learns_and_gives_the_same_bytes_again() {
        let folder = std::env::temp_dir().join(format!("millbase-train-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let draw = |name: &str, seed, critical, won| {
            let file = folder.join(name);
            sample::run(Sample {
                db: folder.clone(),
                out: file.clone(),
                games: 400,
                length: 4,
                turns: usize::MAX,
                critical,
                won: NonZero::new(if won { 8 } else { 0 }),
                seed,
                from: vec!["5-4".parse().unwrap(), "6-3".parse().unwrap()],
            })
            .unwrap();
            file
        };
        for turns in [false, true] {
            let (data, held) = (
                draw("data", 1, false, turns),
                draw("held", 2, !turns, turns),
            );
            assert_eq!(
                fs::read(draw("again", 1, false, turns)).unwrap(),
                fs::read(&data).unwrap()
            );
            let learn = |name: &str, steps, seed| {
                let out = folder.join(name);
                let options = Learn {
                    files: vec![data.clone()],
                    judge: None,
                    out: out.clone(),
                    steps,
                    batch: 512,
                    rate: 0.01,
                    decay: 0.02,
                    turns,
                    seed,
                };
                run(&options).unwrap();
                fs::read(out).unwrap()
            };
            let skill = |bytes: Vec<u8>| {
                let network = Network::parse(bytes.leak()).unwrap();
                let mut held = read(&held, &mut Xxh3::new()).unwrap();
                held.retain(|record| !turns || record.result < 0);
                let text = judged(&held, turns, |all| {
                    all.iter().map(|f| network.output(*f) as f32).collect()
                });
                let skill = text
                    .split("skill ")
                    .nth(1)
                    .and_then(|rest| rest.split(' ').next());
                skill.unwrap().parse::<f64>().unwrap()
            };
            let learned = learn("a", 300, 1);
            assert_eq!(learn("b", 300, 1), learned);
            assert_ne!(learn("c", 300, 2), learned);
            let (before, after) = (skill(learn("d", 0, 1)), skill(learned));
            assert!(before < 40.0 && after > before + 25.0, "{before} {after}");
        }
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn broken_files_are_a_sentence() {
        let file = std::env::temp_dir().join(format!("millbase-broken-{}", std::process::id()));
        fs::write(&file, [0; 17]).unwrap();
        let error = |path: &Path| read(path, &mut Xxh3::new()).err().unwrap().to_string();
        assert!(
            error(&file)
                .ends_with("17 bytes instead of a multiple of 16; write it again with 'sample'")
        );
        fs::remove_file(&file).unwrap();
        assert!(error(&file).contains("cannot be read"));
    }
}
