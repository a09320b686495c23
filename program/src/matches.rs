//! `millbase match`: a match between two players.

use std::collections::HashSet;
use std::fmt::Display;
use std::fs::{self, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::mem;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::Args;
use indicatif::{HumanCount, ProgressBar};
use millbase::engine::{DrawRule, Game};
use millbase::internals::coach::contest::{Contest, MatchReport, PlayedGame};
use millbase::internals::locked;
use millbase::internals::service::words::Fen;
use millbase::review::Truth;
use millbase::sample::{self, Family};
use millbase::{Database, Position, Rules, Wdl};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::databases;
use crate::external_engine;
use crate::input;
use crate::options::Options;
use crate::output::{self, Cell};
use crate::players::PlayerSettings;
use crate::progress;
use crate::review::{confidence, percent};
use crate::status::{Failure, Status, refuse};

/// Play a match between two players, and report wins, draws, losses and first errors
///
/// A player is a line of settings: level=N (Millbase at level N, 30 is perfect), databases=no
/// (Millbase's search alone), errs=P (a random turn in P % of its turns), drawn=CHOICE (the choice
/// among drawn turns, see DrawnTurns in docs/FRONTENDS.md), depth=N, nodes=N and time=MS (limits of a
/// turn), name=TEXT. Another engine that speaks the protocol of 'millbase uci' is
/// command=PROGRAM ARGS, with option.NAME=VALUE before it.
///
/// The players play two games from each start, with colours exchanged and the same seeds. A game is
/// drawn at the third occurrence of a position, after --quiet-turns turns in a row in which no stone was
/// placed or removed, or after --max-turns turns in all. An engine that gives no legal turn in time loses the game. Ctrl-C
/// ends the match with the report of the finished games. The first error of a game is the first turn
/// that gives up a win or a draw according to the databases. docs/COACH.md defines every number.
#[derive(Args)]
#[command(after_help = "\
Examples:
  millbase match level=30 'level=10' --sample 100 --from 4-4 --value draw
  millbase match drawn=pressure 'errs=10 drawn=random' --sample 100 --from 8-7 --value draw
  millbase match 'databases=no depth=4' 'time=50 command=other-engine' --rounds 20 --log games.jsonl")]
pub struct Match {
    /// The first player, whose score the report gives
    #[arg(value_name = "PLAYER")]
    first: PlayerSettings,

    /// The second player
    #[arg(value_name = "PLAYER")]
    second: PlayerSettings,

    /// A position to start from; may be given several times. Its count of quiet turns goes on.
    /// Without any start the games begin with the empty board
    #[arg(long, value_name = "POSITION")]
    start: Vec<String>,

    /// File of starts, one position on each line
    #[arg(long, value_name = "FILE")]
    starts: Option<PathBuf>,

    /// Number of random starts
    #[arg(long, value_name = "N", requires = "from", value_parser = input::number::<u32>(1..=1_000_000))]
    sample: Option<u32>,

    /// Where to draw starts from: a pair like 8-7, or placed-8 for the positions after 8 random
    /// placements; several, separated by commas, take turns
    #[arg(
        long,
        value_name = "FAMILY",
        value_delimiter = ',',
        requires = "sample"
    )]
    from: Vec<Family>,

    /// Draw only starts of this value for the side to move: win, draw or loss
    #[arg(long, value_name = "VALUE", value_parser = wdl, requires = "sample")]
    value: Option<Wdl>,

    /// Number of pairs of games to play from each start
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = input::number::<u32>(1..=1_000_000))]
    rounds: u32,

    /// Seed of the random starts and of the players
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = input::seed())]
    seed: u64,

    /// Write each finished game into this file as a line of JSON; after an interruption the same
    /// command goes on with the match
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,

    /// Number of turns of both sides after which a game is drawn; 0 for no such draws
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = input::number::<u32>(0..=10_000))]
    max_turns: u32,

    /// Number of turns without a stone placed or removed after which a game is drawn; 0 for no such
    /// draws. Rules with a limit of their own keep it
    #[arg(long, value_name = "N", default_value_t = DrawRule::USUAL.quiet_turns, value_parser = input::number::<u32>(0..=10_000))]
    quiet_turns: u32,

    /// Seconds that an engine may take beyond its time limit
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = input::number::<u32>(1..=3600))]
    patience: u32,
}

/// The result that an argument names.
pub fn wdl(text: &str) -> Result<Wdl, String> {
    Wdl::named(text).ok_or_else(|| "expected win, draw or loss".to_owned())
}

/// The finished games of a match, and the bar that counts them.
type Playing = (Vec<PlayedGame>, ProgressBar);

impl Match {
    /// Plays the games that are not in the log yet, and prints the report.
    pub fn run(&self, options: &Options) -> Result<Status> {
        let begun = Instant::now();
        let database = Arc::new(databases::open(options)?);
        let draws = DrawRule {
            quiet_turns: self.quiet_turns,
            ..DrawRule::USUAL
        };
        let contest = Contest {
            starts: self.starts(&database, draws)?,
            rounds: self.rounds,
            seed: self.seed,
            draws,
            max_turns: self.max_turns,
        };
        let patience = Duration::from_secs(self.patience.into());
        let players = [&self.first, &self.second];
        let report = {
            let players = players.map(|player| (player.title(), player.to_string()));
            let starts = contest.starts.len();
            move |games: &[PlayedGame]| {
                let seconds = begun.elapsed().as_secs_f64();
                MatchReport::of(games, players.clone(), starts, seconds)
            }
        };
        let all = output::counted(contest.games(), "game");
        // `None` before the first game and from the report on.
        let playing: Arc<Mutex<Option<Playing>>> = Arc::default();
        external_engine::stop_on_signals({
            let (playing, report) = (Arc::clone(&playing), report.clone());
            let (options, all) = (options.clone(), all.clone());
            let goes_on = match self.log {
                Some(_) => "the same command goes on with the others",
                None => "with --log, the same command could go on with the others",
            };
            move || {
                let playing = locked(&playing);
                if let Some((games, bar)) = &*playing {
                    bar.finish_and_clear();
                    let report = report(games);
                    let _ = output::answer(&options, &report, |out| write(out, &report));
                    let games = report.games;
                    output::to_stderr(&format!("stopped after {games} of {all}; {goes_on}\n"));
                }
                // The lock holds back the next game and its line in the log, and a second report.
                mem::forget(playing);
            }
        })?;
        for player in players {
            let tried = player.try_out(&database, patience);
            tried.map_err(Failure::question)?;
        }
        let header = LogHeader::new(&contest, players, database.rules());
        let log = self.log.as_deref();
        let log = log.map(|path| Log::open(path, &header, &contest));
        let (mut log, done) = log.transpose()?.unzip();
        let done: Vec<PlayedGame> = done.unwrap_or_default();
        let numbers: HashSet<u64> = done.iter().map(|game| game.number).collect();
        let count = done.len();
        if count > 0 {
            output::note(options, format_args!("in the log: {count} of {all}"));
        }
        let bar = progress::counter(options, contest.games(), "games");
        bar.set_position(count as u64);
        let [first, second] = players.map(|player| || player.player(&database, patience));
        *locked(&playing) = Some((done, bar.clone()));
        let broken = contest.play(
            &database,
            [&first, &second],
            progress::cores(),
            &|number| numbers.contains(&number),
            &mut |game| {
                let mut playing = locked(&playing);
                bar.inc(1);
                let written = log.as_mut().map_or(Ok(()), |log| log.write(&game));
                if let Some((games, _)) = &mut *playing {
                    games.push(game);
                }
                match written {
                    Err(error) => ControlFlow::Break(error),
                    Ok(()) => ControlFlow::Continue(()),
                }
            },
        )?;
        bar.finish_and_clear();
        if let Some(error) = broken {
            return Err(error);
        }
        let mut playing = locked(&playing);
        let games = playing.take().map_or(Vec::new(), |(games, _)| games);
        let report = report(&games);
        output::answer(options, &report, |out| write(out, &report))?;
        drop(playing);
        if let Some(why) = games[count..].iter().find_map(|game| game.forfeit.as_ref()) {
            let note = format!("note: an engine lost games by forfeit; the first: {why}");
            output::note(options, note);
        }
        Ok(Status::Done)
    }

    fn starts(&self, database: &Database, draws: DrawRule) -> Result<Vec<Game>> {
        let rules = database.rules();
        let mut starts = Vec::new();
        for text in &self.start {
            starts.push(input::position(text, rules)?.game());
        }
        if let Some(path) = &self.starts {
            starts.extend(read_starts(path, rules)?);
        }
        for family in &self.from {
            family.check(rules).map_err(Failure::question)?;
        }
        for number in 0..self.sample.unwrap_or(0) {
            let family = self.from[number as usize % self.from.len()];
            let seed = self.seed.wrapping_add(u64::from(number) << 32);
            let found = match self.value {
                None => sample::any(rules, family, seed),
                Some(_) => Truth::brief(database)
                    .sample(family, self.value, seed)?
                    .map(|(position, _)| position),
            };
            let Some(position) = found else {
                let (valued, or_value) = match self.value {
                    Some(value) => (format!(" with the value {}", value.name()), " or --value"),
                    None => (String::new(), ""),
                };
                return refuse(format!(
                    "no random position of {family}{valued} was found; choose another --from{or_value}"
                ));
            };
            starts.push(Game::new(*rules, position));
        }
        if starts.is_empty() {
            starts.push(Game::new(*rules, Position::start(rules)));
        }
        for start in &starts {
            if let Some(ending) = start.clone().with_draws(draws).ending() {
                let start = Fen::start_of(start);
                return refuse(format!(
                    "a match cannot start at {start}: {ending}; choose another position"
                ));
            }
        }
        Ok(starts)
    }
}

/// Reads the positions of a file, one on each line; skips empty lines and those that begin with
/// `#`.
fn read_starts(path: &Path, rules: &Rules) -> Result<Vec<Game>> {
    let name = path.display();
    let text = input::read_file(path)?;
    let mut starts = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let position = input::position(line, rules);
        let position = position.with_context(|| format!("'{name}', line {number}"))?;
        starts.push(position.game());
    }
    match starts.is_empty() {
        false => Ok(starts),
        true => refuse(format!(
            "'{name}' does not contain a position; write one on each line"
        )),
    }
}

/// The first line of a log: the match that the games belong to.
#[derive(Serialize, JsonSchema, Deserialize, PartialEq, Eq, Debug)]
pub struct LogHeader {
    version: u32,
    first: String,
    second: String,
    rules: String,
    seed: u64,
    rounds: u32,
    starts: Vec<String>,
    /// The quiet turns that draw a game; 0 for no such draws.
    #[serde(default = "usual_quiet_turns")]
    quiet_turns: u32,
    /// The turns after which a game is drawn; 0 for no limit.
    #[serde(default)]
    max_turns: u32,
}

fn usual_quiet_turns() -> u32 {
    DrawRule::USUAL.quiet_turns
}

impl LogHeader {
    fn new(contest: &Contest, players: [&PlayerSettings; 2], rules: &Rules) -> LogHeader {
        let [first, second] = players.map(ToString::to_string);
        let starts = contest
            .starts
            .iter()
            .map(|start| Fen::start_of(start).to_string());
        LogHeader {
            version: 1,
            first,
            second,
            rules: rules.to_string(),
            seed: contest.seed,
            rounds: contest.rounds,
            starts: starts.collect(),
            quiet_turns: contest.draws.quiet_turns,
            max_turns: contest.max_turns,
        }
    }
}

/// The file of finished games.
struct Log {
    file: fs::File,
    name: String,
}

impl Log {
    /// Opens the log of this match and reads the games of earlier runs, or begins a log. Cuts off a
    /// last line that was not written completely, and refuses a file that this match did not begin
    /// or that another run writes to.
    fn open(path: &Path, header: &LogHeader, contest: &Contest) -> Result<(Log, Vec<PlayedGame>)> {
        let name = path.display().to_string();
        let failed = || format!("cannot write '{name}'");
        let opened = OpenOptions::new()
            .create(true)
            .read(true)
            .append(true)
            .open(path);
        let file = opened.with_context(failed)?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return refuse(format!(
                "another match writes to '{name}'; wait for its end, or name another file with --log"
            ));
        }
        let mut bytes = input::read_opened(path, &file)?;
        let last = bytes.iter().rposition(|&byte| byte == b'\n');
        let whole = last.map_or(0, |last| last + 1);
        let wrong = |number: usize, why: &dyn Display| {
            Failure::question(format!(
                "'{name}' is not the log of this match: line {number}: {why}; name another file \
                 with --log"
            ))
        };
        if whole == 0 && !serde_json::to_vec(header)?.starts_with(&bytes) {
            return Err(wrong(1, &"it is not the beginning of this match's first line").into());
        }
        bytes.truncate(whole);
        let text = input::text_of(path, bytes)?;
        let mut games: Vec<PlayedGame> = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let wrong = |why: &dyn Display| wrong(number, why);
            if number == 1 {
                let found: LogHeader = serde_json::from_str(line).map_err(|error| wrong(&error))?;
                if found != *header {
                    return Err(wrong(&"its players, starts, rounds, seed or limits differ").into());
                }
                continue;
            }
            let game: PlayedGame = serde_json::from_str(line).map_err(|error| wrong(&error))?;
            let number = game.number;
            if number >= contest.games() {
                return Err(wrong(&format!("this match has no game {number}")).into());
            }
            let (start, first) = (contest.start_of(number), Contest::first_side(number));
            if (game.start, game.first) != (start, first) {
                return Err(wrong(&format!(
                    "game {number} of this match has another start, or its first player another colour"
                ))
                .into());
            }
            if games.iter().any(|other| other.number == number) {
                return Err(wrong(&format!("game {number} is in it twice")).into());
            }
            games.push(game);
        }
        file.set_len(whole as u64).with_context(failed)?;
        let mut log = Log { file, name };
        if whole == 0 {
            log.write(header)?;
        }
        Ok((log, games))
    }

    fn write(&mut self, line: &impl Serialize) -> Result<()> {
        let text = serde_json::to_string(line)? + "\n";
        let written = self.file.write_all(text.as_bytes());
        written.with_context(|| format!("cannot write '{}'", self.name))
    }
}

fn write(out: &mut impl Write, report: &MatchReport) -> io::Result<()> {
    let [first, second] = &report.players;
    writeln!(out, "{} – {}", first.name, second.name)?;
    let starts = match report.starts {
        1 => "one start".to_owned(),
        several => format!("{} starts", HumanCount(several as u64)),
    };
    let (games, results) = (report.games, report.results);
    writeln!(
        out,
        "{} from {starts}: {} won, {} drawn, {} lost",
        output::counted(HumanCount(games), "game"),
        results.wins,
        results.draws,
        results.losses
    )?;
    let (score, interval) = (percent(report.score), confidence(report.score_interval));
    writeln!(out, "score {score}{interval}")?;
    let wins = (games > 0).then(|| results.wins as f64 / games as f64);
    let interval = confidence(report.wins_interval);
    writeln!(out, "won {}{interval}\n", percent(wins))?;
    output::table(out, &report.players).write(&[
        ("player", |player| Cell::text(&player.name)),
        ("first errors", |player| Cell::count(player.first_errors)),
        ("mean turn", |player| {
            let turn = player.first_error_turn;
            Cell::optional(turn.map(|turn| format!("{turn:.1}")))
        }),
        ("forfeits", |player| Cell::count(player.forfeits)),
    ])?;
    if report.reviewed < games {
        let missing = output::counted(HumanCount(games - report.reviewed), "game");
        let words = "with turns that no database at hand answers";
        writeln!(out, "\n{missing} {words}")?;
    }
    Ok(())
}
