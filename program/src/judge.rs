//! `millbase judge`: measures how well an engine plays, by the databases.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use millbase::coach::contest::Contest;
use millbase::coach::contestant::{Kind, Settings};
use millbase::coach::judge::{self, Question, Score};
use millbase::coach::sample::{self, Family};
use millbase::coach::truth::Truth;
use millbase::search::Limits;
use millbase::store::DbError;
use millbase::{Database, Pair, Position, Wdl};
use serde::Serialize;

use crate::advice;
use crate::databases;
use crate::options::Options;
use crate::output::{self, Cell, TextTable};
use crate::progress;
use crate::review::{confidence, ends, percent, percents};
use crate::status::{Status, Usage};

/// Judge an engine by the databases: how often its turns keep the value of the position
///
/// The engine is a program that speaks the protocol of 'millbase uci'. The exam asks it for a turn
/// in drawn and won positions in which some turns keep the value and others do not. Then it plays
/// games against the perfect player, from the empty board, from drawn and from won positions; where
/// databases are missing, the perfect player searches.
///
/// The number to compare between versions is the skill: 0 % for random turns, 100 % for perfect
/// play. Compare it only between equal exams: the same seed, sizes and databases. docs/COACH.md
/// defines every number.
#[derive(Args)]
#[command(after_help = "\
Examples:
  millbase judge -- other-engine --quiet
  millbase judge --time 50 --positions 1000 --json -- millbase uci > version-2.json")]
pub struct Judge {
    /// The engine's program and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,

    /// An option of the engine, like Hash=16; may be given several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = option)]
    option: Vec<(String, String)>,

    /// Time limit of a turn, in milliseconds
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u32).range(1..=3_600_000))]
    time: Option<u32>,

    /// Depth limit of a turn's search
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    depth: Option<u32>,

    /// Limit of the positions that a turn's search visits
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// Number of positions in the exam
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    positions: u32,

    /// Number of drawn positions to play from, and of won ones
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=100_000))]
    starts: u32,

    /// Where to draw positions from: a pair like 8-7, or placed-8 for the positions after 8 random
    /// placements; without it all pairs whose databases are present, and placements if the
    /// databases know their values
    #[arg(long, value_name = "FAMILY", value_delimiter = ',')]
    from: Vec<Family>,

    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Seconds that the engine may take beyond its time limit
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=3600))]
    patience: u32,
}

fn option(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=');
    let parts = parts.filter(|(name, _)| !name.trim().is_empty());
    parts
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .ok_or_else(|| format!("an option is written like Hash=16, not '{text}'"))
}

/// The numbers of placements after which the exam takes positions without `--from`.
const PLACED: [u8; 3] = [4, 8, 12];

impl Judge {
    /// Asks, plays and reports.
    pub fn run(&self, options: &Options) -> Result<Status> {
        let db = Arc::new(databases::open(options)?);
        let truth = Truth::brief(&db);
        let families = self.families(truth)?;
        let questions = judge::questions(truth, &families, self.positions as usize, self.seed)?;
        if questions.is_empty() {
            let sentence = "no random position was found in which a turn can be an error; choose \
                another --from";
            return Err(Usage(sentence.to_owned()).into());
        }
        let engine = self.engine();
        let mut report = JudgeReport::new(&questions, &engine, db.rules());
        let bar = progress::counter(options, questions.len() as u64, "positions");
        let patience = Duration::from_secs(self.patience.into());
        let threads = progress::cores();
        judge::ask(&questions, &engine, &db, threads, patience, &mut |reply| {
            report.add(&questions[reply.question], &reply, db.rules());
            bar.inc(1);
        });
        bar.finish_and_clear();
        if let (Some(failure), true) = (&report.failure, report.failed == questions.len() as u32) {
            return Err(Usage(format!(
                "the engine gave no turn in the whole exam: {failure}"
            ))
            .into());
        }
        self.play(&db, &engine, &families, &mut report, options)?;
        output::answer(options, &report.json(), |out| report.write(out))?;
        if questions.len() < self.positions as usize {
            let (found, wanted) = (questions.len(), self.positions);
            output::note(
                options,
                format_args!(
                    "note: only {found} of {wanted} positions in which a turn can be an error were found"
                ),
            );
        }
        if let Some(failure) = &report.failure {
            output::note(
                options,
                format_args!(
                    "note: the engine did not answer every question; the first failure: {failure}"
                ),
            );
        }
        if let (true, Some(missing)) = (self.starts > 0, missing(truth)?) {
            output::note(
                options,
                format_args!(
                    "note: the perfect player searches where no database answers: {}",
                    advice::sentence(&missing)
                ),
            );
        }
        Ok(Status::Done)
    }

    fn engine(&self) -> Settings {
        Settings {
            name: None,
            kind: Kind::Engine {
                command: self.command.clone(),
                options: self.option.clone(),
            },
            limits: Limits {
                depth: self.depth,
                nodes: self.nodes,
                time: self.time.map(|time| Duration::from_millis(time.into())),
                ..Limits::default()
            },
        }
    }

    fn families(&self, truth: Truth) -> Result<Vec<Family>> {
        let db = truth.database();
        let rules = db.rules();
        for family in &self.from {
            family.check(rules).map_err(Usage)?;
        }
        if !self.from.is_empty() {
            return Ok(self.from.clone());
        }
        let mut families: Vec<Family> = (databases::in_order(db).into_iter())
            .filter(|pair| pair.larger() <= rules.stones)
            .map(Family::Pair)
            .collect();
        let knows_placing = truth.known(&Position::start(rules))?.is_ok();
        if knows_placing {
            let placed = PLACED.into_iter().map(Family::Placed);
            families.extend(placed.filter(|family| family.check(rules).is_ok()));
        }
        if families.is_empty() {
            return Err(databases::none(
                db,
                "there is no database to draw positions from",
            ));
        }
        Ok(families)
    }

    /// Plays against the perfect player: from the empty board and from drawn positions with both
    /// colours, from won positions as the side that wins.
    fn play(
        &self,
        db: &Arc<Database>,
        engine: &Settings,
        families: &[Family],
        report: &mut JudgeReport,
        options: &Options,
    ) -> Result<()> {
        let rules = db.rules();
        let truth = Truth::brief(db);
        let mut starts = vec![(Position::start(rules), Start::Empty)];
        for number in 0..self.starts {
            let family = families[number as usize % families.len()];
            for (wdl, kind) in [(Wdl::Draw, Start::Drawn), (Wdl::Win, Start::Won)] {
                let seed = self.seed.wrapping_add(u64::from(number) << 32);
                let found = sample::sample(truth, family, Some(wdl), seed)?;
                starts.extend(found.map(|(position, _)| (position, kind)));
            }
        }
        if self.starts == 0 {
            return Ok(());
        }
        let perfect = "name=perfect level=30".parse().map_err(Usage)?;
        let contest = Contest {
            starts: starts.iter().map(|(position, _)| *position).collect(),
            rounds: 1,
            players: [engine.clone(), perfect],
            seed: self.seed,
            patience: Duration::from_secs(self.patience.into()),
        };
        // The side to move wins, so the engine plays only the games in which it has that colour.
        let is_left_out = |game: u64| {
            let (position, kind) = starts[contest.start_of(game)];
            kind == Start::Won && Contest::first_side(game) != position.side_to_move()
        };
        let bar = progress::counter(options, contest.games(), "games");
        let threads = progress::cores();
        contest.play::<()>(db, threads, &is_left_out, &mut |played| {
            let (_, kind) = starts[contest.start_of(played.number)];
            let first = Contest::first_side(played.number);
            report.games[kind as usize][played.outcome.place(first)] += 1;
            bar.inc(1);
            ControlFlow::Continue(())
        })?;
        bar.finish_and_clear();
        Ok(())
    }
}

/// Why the perfect player has to search in some games; `None` if the databases are complete.
fn missing(truth: Truth) -> Result<Option<DbError>> {
    let db = truth.database();
    if let Err(reason) = truth.known(&Position::start(db.rules()))? {
        return Ok(Some(reason));
    }
    let pairs = Pair::all(db.rules().stones).into_iter();
    Ok(pairs.map(|pair| db.file(pair)).find_map(Result::err))
}

/// Where a game begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    Empty,
    Drawn,
    Won,
}

/// The names of [`Start`], in its order.
const STARTS: [&str; 3] = ["the empty board", "drawn positions", "won positions"];

/// The results of exam and games.
struct JudgeReport {
    name: String,
    fingerprint: u64,
    all: Score,
    /// The groups of replies by the place of their heading in [`HEADINGS`] and by their name.
    groups: BTreeMap<(usize, String), Score>,
    failed: u32,
    failure: Option<String>,
    /// By the start, in the order of [`STARTS`]: won, drawn and lost games of the engine.
    games: [[u32; 3]; 3],
}

/// The headings of the groups.
const HEADINGS: [&str; 4] = ["value", "phase", "good turns", "time"];

/// The exclusive upper ends of the groups of answer times, in milliseconds.
const TIMES: [u128; 3] = [10, 100, 1000];

impl JudgeReport {
    fn new(questions: &[Question], engine: &Settings, rules: &millbase::Rules) -> JudgeReport {
        JudgeReport {
            name: engine.title(),
            fingerprint: judge::fingerprint(questions, rules),
            all: Score::default(),
            groups: BTreeMap::new(),
            failed: 0,
            failure: None,
            games: [[0; 3]; 3],
        }
    }

    fn add(&mut self, question: &Question, reply: &judge::Reply, rules: &millbase::Rules) {
        let keeping = match question.keeping {
            1 => "1",
            2..=3 => "2 to 3",
            4..=7 => "4 to 7",
            _ => "8 and more",
        };
        let time = reply.time.as_millis();
        let time = match TIMES.iter().find(|&&end| time < end) {
            Some(end) => format!("below {end} ms"),
            None => "1000 ms and more".to_owned(),
        };
        self.all.add(question, reply.is_kept);
        let names = [
            question.wdl().name().to_owned(),
            question.phase(rules).name().to_owned(),
            keeping.to_owned(),
            time,
        ];
        for group in names.into_iter().enumerate() {
            let score = self.groups.entry(group).or_default();
            score.add(question, reply.is_kept);
        }
        if let Err(failure) = &reply.turn {
            self.failed += 1;
            self.failure.get_or_insert(failure.clone());
        }
    }

    /// The groups in the order of the tables: heading, name, score.
    fn groups(&self) -> impl Iterator<Item = (&str, &str, &Score)> {
        let groups = self.groups.iter();
        groups.map(|((heading, name), score)| (HEADINGS[*heading], name.as_str(), score))
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{}", self.name)?;
        let skill = percent(self.all.skill());
        let interval = confidence(self.all.skill_interval());
        let exam = self.fingerprint;
        writeln!(out, "skill {skill}{interval}, in the exam {exam:016x}\n")?;
        let headings = ["", "", "asked", "kept", "share", "95 %", "skill", "95 %"];
        let mut table = TextTable::new(&headings);
        for (heading, name, score) in [("all", "", &self.all)].into_iter().chain(self.groups()) {
            table.row(vec![
                Cell::text(heading),
                Cell::text(name),
                Cell::count(score.asked.into()),
                Cell::count(score.kept.into()),
                Cell::right(percent(score.share())),
                Cell::right(percents(score.share_interval())),
                Cell::right(percent(score.skill())),
                Cell::right(percents(score.skill_interval())),
            ]);
        }
        table.write(out)?;
        let mut table =
            TextTable::new(&["against the perfect player from", "won", "drawn", "lost"]);
        for (name, games) in STARTS.into_iter().zip(self.games) {
            if games != [0; 3] {
                let mut cells = vec![Cell::text(name)];
                cells.extend(games.map(|count| Cell::count(count.into())));
                table.row(cells);
            }
        }
        writeln!(out)?;
        table.write(out)
    }

    fn json(&self) -> JsonReport<'_> {
        let games = |start: Start| {
            let [wins, draws, losses] = self.games[start as usize];
            JsonGames {
                wins,
                draws,
                losses,
            }
        };
        let groups = self.groups().map(|(by, name, score)| JsonGroup {
            by,
            name,
            score: score.into(),
        });
        JsonReport {
            engine: &self.name,
            exam: format!("{:016x}", self.fingerprint),
            score: (&self.all).into(),
            failed: self.failed,
            groups: groups.collect(),
            from_start: games(Start::Empty),
            from_draws: games(Start::Drawn),
            from_wins: games(Start::Won),
        }
    }
}

/// The report for JSON answers.
#[derive(Serialize)]
struct JsonReport<'a> {
    engine: &'a str,
    exam: String,
    #[serde(flatten)]
    score: JsonScore,
    failed: u32,
    groups: Vec<JsonGroup<'a>>,
    from_start: JsonGames,
    from_draws: JsonGames,
    from_wins: JsonGames,
}

#[derive(Serialize)]
struct JsonGroup<'a> {
    by: &'a str,
    name: &'a str,
    #[serde(flatten)]
    score: JsonScore,
}

#[derive(Serialize)]
struct JsonScore {
    asked: u32,
    kept: u32,
    share: Option<f64>,
    share_interval: Option<[f64; 2]>,
    skill: Option<f64>,
    skill_interval: Option<[f64; 2]>,
}

#[derive(Serialize)]
struct JsonGames {
    wins: u32,
    draws: u32,
    losses: u32,
}

impl From<&Score> for JsonScore {
    fn from(score: &Score) -> JsonScore {
        JsonScore {
            asked: score.asked,
            kept: score.kept,
            share: score.share(),
            share_interval: ends(score.share_interval()),
            skill: score.skill(),
            skill_interval: ends(score.skill_interval()),
        }
    }
}
