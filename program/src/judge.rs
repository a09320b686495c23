//! `millbase judge`: measures how well an engine plays, by the databases.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use millbase::engine::{DrawRule, Game};
use millbase::internals::coach::contest::Contest;
use millbase::internals::coach::contestant::NewContestant;
use millbase::internals::coach::judge::{self, ExamReport};
use millbase::notation::ResultCounts;
use millbase::review::Truth;
use millbase::sample::Family;
use millbase::search::Limits;
use millbase::store::DbError;
use millbase::{Database, Pair, Position, Wdl};
use schemars::JsonSchema;
use serde::Serialize;

use crate::advice;
use crate::databases;
use crate::external_engine;
use crate::input;
use crate::options::Options;
use crate::output::{self, Cell};
use crate::players::PlayerSettings;
use crate::progress;
use crate::review::{confidence, percent, percents};
use crate::status::{Failure, Status, refuse};

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

    /// An option that the engine has, like Hash=16; may be given several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = option)]
    option: Vec<(String, String)>,

    /// Time limit of a turn, in milliseconds
    #[arg(long, value_name = "MS", value_parser = input::number::<u32>(1..=3_600_000))]
    time: Option<u32>,

    /// Depth limit of a turn's search
    #[arg(long, value_name = "N", value_parser = input::number::<u32>(1..=100))]
    depth: Option<u32>,

    /// Limit of the positions that a turn's search visits
    #[arg(long, value_name = "N", value_parser = input::number::<u64>(1..=u64::MAX))]
    nodes: Option<u64>,

    /// Number of positions in the exam
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = input::number::<u32>(1..=1_000_000))]
    positions: u32,

    /// Number of drawn positions to play from, and of won ones
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = input::number::<u32>(0..=100_000))]
    starts: u32,

    /// Where to draw positions from: a pair like 8-7, or placed-8 for the positions after 8 random
    /// placements, several separated by commas; without it all pairs whose databases are present, and
    /// placements if the databases know their values
    #[arg(long, value_name = "FAMILY", value_delimiter = ',')]
    from: Vec<Family>,

    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = input::seed())]
    seed: u64,

    /// Seconds that the engine may take beyond its time limit
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = input::number::<u32>(1..=3600))]
    patience: u32,
}

fn option(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err(format!("an option is written like Hash=16, not '{text}'")),
    }
}

/// Without `--from`, the exam also takes positions after these numbers of placements.
const PLACED: [u8; 3] = [4, 8, 12];

impl Judge {
    /// Examines, plays and reports.
    pub fn run(&self, options: &Options) -> Result<Status> {
        let db = Arc::new(databases::open(options)?);
        let engine = self.engine();
        let patience = Duration::from_secs(self.patience.into());
        external_engine::stop_on_signals(|| ())?;
        engine.try_out(&db, patience).map_err(Failure::question)?;
        let truth = Truth::brief(&db);
        let families = self.families(truth)?;
        let exam = judge::exam(truth, &families, self.positions as usize, self.seed)?;
        if exam.is_empty() {
            return refuse(
                "no random position was found in which a turn can be an error; choose another --from",
            );
        }
        let player = || engine.player(&db, patience);
        let bar = progress::counter(options, exam.len() as u64, "positions");
        let threads = progress::cores();
        let replies = judge::replies(&exam, &player, db.rules(), threads, &mut || bar.inc(1));
        bar.finish_and_clear();
        let report = ExamReport::new(&exam, &replies, db.rules());
        let failure = report.failure.clone();
        if let (Some(failure), true) = (&failure, report.failed as usize == exam.len()) {
            return refuse(format!(
                "the engine gave no turn in the whole exam: {failure}"
            ));
        }
        let [from_start, from_draws, from_wins] = self.play(&db, &player, &families, options)?;
        let judgement = Judgement {
            engine: engine.title(),
            exam: report,
            from_start,
            from_draws,
            from_wins,
        };
        output::answer(options, &judgement, |out| write(out, &judgement))?;
        if exam.len() < self.positions as usize {
            let found = format!("note: only {} of {} positions", exam.len(), self.positions);
            let note = format!("{found} in which a turn can be an error were found");
            output::note(options, note);
        }
        if let Some(failure) = failure {
            let note = "note: the engine did not answer every question; the first failure";
            output::note(options, format_args!("{note}: {failure}"));
        }
        if let (true, Some(missing)) = (self.starts > 0, missing(truth)?) {
            let note = "note: the perfect player searches where no database answers";
            let why = advice::sentence(&missing);
            output::note(options, format_args!("{note}: {why}"));
        }
        Ok(Status::Done)
    }

    fn engine(&self) -> PlayerSettings {
        PlayerSettings {
            command: self.command.clone(),
            options: self.option.clone(),
            limits: Limits {
                depth: self.depth,
                nodes: self.nodes,
                time: self.time.map(|time| Duration::from_millis(time.into())),
                ..Limits::default()
            },
            ..PlayerSettings::default()
        }
    }

    fn families(&self, truth: Truth) -> Result<Vec<Family>> {
        let (db, rules) = (truth.database(), truth.database().rules());
        let mut families = databases::families(db, &self.from)?;
        let knows_placing = || truth.answer_or_reason(&Position::start(rules), 0);
        if self.from.is_empty() && knows_placing()?.is_ok() {
            let placed = PLACED.into_iter().map(Family::Placed);
            families.extend(placed.filter(|family| family.check(rules).is_ok()));
        }
        Ok(families)
    }

    /// Plays against the perfect player: from the empty board and from drawn positions with both
    /// colours, from won positions as the side that wins. The results are in the order of [`Start`].
    fn play(
        &self,
        db: &Arc<Database>,
        engine: &NewContestant,
        families: &[Family],
        options: &Options,
    ) -> Result<[ResultCounts; 3]> {
        let mut results = [ResultCounts::default(); 3];
        if self.starts == 0 {
            return Ok(results);
        }
        let truth = Truth::brief(db);
        let mut starts = vec![(Position::start(db.rules()), Start::Empty)];
        for number in 0..self.starts {
            let family = families[number as usize % families.len()];
            for (wdl, kind) in [(Wdl::Draw, Start::Drawn), (Wdl::Win, Start::Won)] {
                let seed = self.seed.wrapping_add(u64::from(number) << 32);
                let found = truth.sample(family, Some(wdl), seed)?;
                starts.extend(found.map(|(position, _)| (position, kind)));
            }
        }
        let contest = Contest {
            starts: (starts.iter())
                .map(|(position, _)| Game::new(*db.rules(), *position))
                .collect(),
            rounds: 1,
            seed: self.seed,
            draws: DrawRule::USUAL,
            max_turns: 0,
        };
        let perfect = || PlayerSettings::default().player(db, Duration::ZERO);
        // The side to move wins, so the engine plays only the games in which it has that colour.
        let is_left_out = |game: u64| {
            let (position, kind) = starts[contest.start_of(game)];
            kind == Start::Won && Contest::first_side(game) != position.side_to_move()
        };
        let bar = progress::counter(options, contest.games(), "games");
        let (players, threads) = ([engine, &perfect], progress::cores());
        contest.play::<()>(db, players, threads, &is_left_out, &mut |game| {
            let (_, kind) = starts[game.start];
            results[kind as usize].add(game.result, game.first);
            bar.inc(1);
            ControlFlow::Continue(())
        })?;
        bar.finish_and_clear();
        Ok(results)
    }
}

/// Why the perfect player has to search in some games; `None` if the databases are complete.
fn missing(truth: Truth) -> Result<Option<DbError>> {
    let db = truth.database();
    if let Err(reason) = truth.answer_or_reason(&Position::start(db.rules()), 0)? {
        return Ok(Some(reason));
    }
    let pairs = Pair::all(db.rules()).into_iter();
    Ok(pairs.map(|pair| db.file(pair)).find_map(Result::err))
}

/// Where a game begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    Empty,
    Drawn,
    Won,
}

/// The results of the exam and of the games against the perfect player.
#[derive(Serialize, JsonSchema)]
pub struct Judgement {
    engine: String,
    #[serde(flatten)]
    exam: ExamReport,
    from_start: ResultCounts,
    from_draws: ResultCounts,
    from_wins: ResultCounts,
}

fn write(out: &mut impl Write, judgement: &Judgement) -> io::Result<()> {
    let exam = &judgement.exam;
    writeln!(out, "{}", judgement.engine)?;
    let skill = percent(exam.score.skill);
    let interval = confidence(exam.score.skill_interval);
    writeln!(out, "skill {skill}{interval}, in the exam {}\n", exam.exam)?;
    let groups = exam.groups.iter();
    let groups = groups.map(|group| (group.by, group.name.as_str(), group.score));
    output::table(out, [("all", "", exam.score)].into_iter().chain(groups)).write(&[
        ("", |(by, ..)| Cell::text(by)),
        ("", |(_, name, _)| Cell::text(name)),
        ("asked", |(.., score)| Cell::count(score.asked as u64)),
        ("kept", |(.., score)| Cell::count(score.kept as u64)),
        ("share", |(.., score)| Cell::right(percent(score.share))),
        ("95 %", |(.., score)| {
            Cell::right(percents(score.share_interval))
        }),
        ("skill", |(.., score)| Cell::right(percent(score.skill))),
        ("95 %", |(.., score)| {
            Cell::right(percents(score.skill_interval))
        }),
    ])?;
    writeln!(out)?;
    let mut played = vec![
        ("the empty board", judgement.from_start),
        ("drawn positions", judgement.from_draws),
        ("won positions", judgement.from_wins),
    ];
    played.retain(|(_, results)| results.games() > 0);
    output::table(out, played).write(&[
        ("against the perfect player from", |(name, _)| {
            Cell::text(name)
        }),
        ("won", |(_, results)| Cell::count(results.wins)),
        ("drawn", |(_, results)| Cell::count(results.draws)),
        ("lost", |(_, results)| Cell::count(results.losses)),
    ])
}
