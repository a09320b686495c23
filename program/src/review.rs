//! `millbase review`: the turns of games, graded.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Error, Result};
use clap::Args;
use indicatif::HumanCount;
use millbase::internals::coach::annotate;
use millbase::internals::coach::archive::{Archive, ArchiveReport, ArchiveRow};
use millbase::internals::coach::confidence::Interval;
use millbase::internals::coach::graph;
use millbase::internals::service::failure::ErrorAnswer;
use millbase::internals::service::game::EndingAnswer;
use millbase::internals::service::words::Fen;
use millbase::notation::{GameResult, Record, Remark};
use millbase::review::{GameReview, Summary, Truth};
use millbase::store::DbError;
use millbase::{Database, Side};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use crate::advice;
use crate::databases;
use crate::input;
use crate::options::Options;
use crate::output::{self, Cell};
use crate::status::{self, Failure, Status, refuse};

/// Grade the turns of a game or of an archive of games
///
/// The grades are: best, equally good, slower, gives up a draw, gives up a win. For one game the
/// report lists all turns with better ones, the first and the decisive error, and a summary by side
/// and phase. For several games it shows tables by player and by opening. docs/COACH.md defines
/// every number.
///
/// A file may hold many games, in any form that docs/NOTATION.md describes. A turn has a grade if the
/// databases know the values. Parts that cannot be read are reported with line and column; a game is
/// graded up to there, and the exit status is then 2. A file that cannot be read is named on stderr,
/// and the others are graded. A result that contradicts the last position is reported, too.
#[derive(Args)]
#[command(after_help = "\
Examples:
  millbase review game.txt --svg value.svg
  millbase review --text game.txt > annotated.txt
  millbase review --each --json - < games.txt > reviews.jsonl")]
pub struct Review {
    /// Files with games, or '-' to read games from stdin
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Write the games as annotated text, which 'review' reads again
    #[arg(long, conflicts_with_all = ["json", "each"])]
    text: bool,

    /// Instead of tables, write each game on one line as soon as it is graded; with --json one
    /// object on each line
    #[arg(long)]
    each: bool,

    /// Write a graph of the value over the game as SVG into this file; only for one game
    #[arg(long, value_name = "FILE", conflicts_with = "each")]
    svg: Option<PathBuf>,

    /// Number of turns from the empty board that define an opening
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = input::number::<u8>(1..=18))]
    opening_turns: u8,
}

/// How many games are graded in parallel.
const BATCH: usize = 256;

/// The most openings in the table for people; JSON has all.
const OPENINGS_SHOWN: usize = 20;

/// A game with its grades.
type Graded = (Record, GameReview);

/// A reviewed game.
#[derive(Serialize, JsonSchema)]
pub struct ReviewedGame<'a> {
    white: Option<&'a str>,
    black: Option<&'a str>,
    result: Option<GameResult>,
    start: Fen,
    /// The end of the game on the board or by the usual rule for draws.
    ending: Option<EndingAnswer>,
    #[serde(flatten)]
    review: &'a GameReview,
    missing: Option<String>,
    /// The remarks about the game's text.
    remarks: Vec<String>,
}

impl ReviewedGame<'_> {
    fn new((record, review): &Graded) -> ReviewedGame<'_> {
        ReviewedGame {
            white: record.player(Side::White),
            black: record.player(Side::Black),
            result: record.result,
            start: Fen::start_of(&record.game),
            ending: record.game.ending().map(EndingAnswer::from),
            review,
            missing: review.missing.as_ref().map(advice::sentence),
            remarks: record.remarks.iter().map(advised).collect(),
        }
    }
}

impl Review {
    /// Reads and grades all games.
    pub fn run(&self, options: &Options) -> Result<Status> {
        let db = databases::open(options)?;
        let mut reviewing = Reviewing {
            command: self,
            options,
            db: &db,
            archive: Archive::new(self.opening_turns.into()),
            first: None,
            unread: 0,
            gaps: 0,
            first_unread: None,
            failed: None,
            remarked: 0,
            missing: None,
            turns: 0,
            is_graded: false,
        };
        for file in &self.files {
            reviewing.read(file)?;
        }
        reviewing.finish()
    }
}

/// The games so far.
struct Reviewing<'a> {
    command: &'a Review,
    options: &'a Options,
    db: &'a Database,
    archive: Archive,
    /// The first game, as long as no other game was graded.
    first: Option<Graded>,
    unread: u64,
    /// The games of which something was left out.
    gaps: u64,
    /// Why the first of both kinds was not read.
    first_unread: Option<String>,
    /// The first failure of a file, with its status.
    failed: Option<(Status, ErrorAnswer)>,
    /// The games with remarks.
    remarked: u64,
    /// Why a turn has no grade.
    missing: Option<DbError>,
    /// The turns of all games, with and without a grade.
    turns: usize,
    is_graded: bool,
}

impl Reviewing<'_> {
    fn read(&mut self, file: &Path) -> Result<()> {
        let name = input::name(file);
        let lacks = "does not contain a game; see 'millbase review --help' for the forms";
        let mut records = input::games(file, self.db.rules(), lacks);
        let is_stdin = file == Path::new(input::STDIN);
        let batch = if is_stdin && self.command.each {
            1
        } else {
            BATCH
        };
        let rules = self.db.rules();
        let is_gradable = |record: &Record| !record.is_unread() && record.rules() == rules;
        loop {
            let games: Vec<_> = records.by_ref().take(batch).collect();
            if games.is_empty() {
                return Ok(());
            }
            // With `--each`, and from several files, other games may follow.
            let is_whole = !self.command.each && self.command.files.len() == 1;
            let truth = match is_whole && self.games() == 0 && games.len() == 1 {
                true => Truth::patient(self.db),
                false => Truth::brief(self.db),
            };
            let reviews = games.into_par_iter().map(|record| {
                let Ok(mut record) = record else {
                    return Ok((record, None));
                };
                let review = is_gradable(&record).then(|| GameReview::of(truth, &record.game));
                // The usual rule for draws ends games that state no result, too.
                let is_ended = record.result.is_none() && record.game.ending().is_some();
                record.result = is_ended.then_some(GameResult::Draw).or(record.result);
                Ok((Ok(record), review.transpose()?))
            });
            for (record, review) in reviews.collect::<Result<Vec<_>, DbError>>()? {
                match (record, review) {
                    (Err(error), _) => self.fail(error)?,
                    (Ok(record), None) => {
                        self.skip(format!("{name}, {}", self.refusal(&record)))?
                    }
                    (Ok(record), Some(review)) => {
                        if let Some(gap) = record.left_out() {
                            self.gaps += 1;
                            let sentence = format!("{name}, {}", advised(gap));
                            self.first_unread.get_or_insert(sentence);
                        }
                        self.add((record, review))?;
                    }
                }
            }
        }
    }

    /// Names a file that cannot be read. In a stream, the error takes the line of its answer.
    fn fail(&mut self, error: Error) -> Result<()> {
        let status = status::after_answer(&error);
        let answer = status::answer(&error);
        if self.command.each {
            output::object(self.options, &answer)?;
        }
        self.failed.get_or_insert((status, answer));
        Ok(())
    }

    /// Why a game cannot be graded.
    fn refusal(&self, record: &Record) -> String {
        if let Some(cut) = record.cut().filter(|_| record.is_unread()) {
            return advised(cut);
        }
        let (own, rules) = (self.db.rules(), record.rules());
        let number = self.games() + 1;
        format!(
            "game {number}: it was played by the rules {rules}, not by {own}; read it with --rules {rules}"
        )
    }

    fn skip(&mut self, sentence: String) -> Result<()> {
        self.unread += 1;
        if self.command.each {
            let error = ErrorAnswer::new(Status::Usage.code(), sentence.clone());
            output::object(self.options, &error)?;
        }
        self.first_unread.get_or_insert(sentence);
        Ok(())
    }

    fn add(&mut self, graded: Graded) -> Result<()> {
        let (record, review) = &graded;
        self.archive.add(record, review);
        self.remarked += u64::from(!record.remarks.is_empty());
        self.turns += review.turns.len();
        self.is_graded |= review.turns.iter().any(|turn| turn.verdict.is_some());
        if self.command.text {
            let mut out = output::stdout();
            if self.archive.games() > 1 {
                writeln!(out)?;
            }
            write!(out, "{}", annotate::annotated(record, review))?;
            out.flush()?;
        } else if self.command.each {
            output::answer(self.options, &ReviewedGame::new(&graded), |out| {
                writeln!(out, "{}", one_line(record, review))
            })?;
        }
        if self.missing.is_none() {
            self.missing.clone_from(&review.missing);
        }
        self.first = (self.archive.games() == 1).then_some(graded);
        Ok(())
    }

    /// The number of games in the input so far, with those that could not be read.
    fn games(&self) -> u64 {
        self.unread + self.archive.games()
    }

    /// The game, if the input has only one.
    fn only(&self) -> Option<&Graded> {
        self.first.as_ref().filter(|_| self.games() == 1)
    }

    fn finish(mut self) -> Result<Status> {
        if self.games() == 0
            && let Some((status, answer)) = &self.failed
        {
            if !self.command.each {
                output::object(self.options, answer)?;
            }
            return Ok(*status);
        }
        let is_nothing = self.archive.games() == 0;
        if let (true, Some(sentence)) = (is_nothing, &self.first_unread) {
            return self.refused(sentence.clone());
        }
        if self.turns == 0 {
            let cut = self.first.as_ref().and_then(|(record, _)| record.cut());
            let why = cut.map_or_else(String::new, |cut| format!(": {}", advised(cut)));
            return refuse(format!("there is no turn to grade{why}"));
        }
        if !self.is_graded
            && let Some(missing) = self.missing.take()
        {
            let error = Error::new(missing).context("no turn can be graded");
            return match self.unread_words() {
                Some(unread) => self.refused(format!("{}; {unread}", status::sentence(&error))),
                None => Err(error),
            };
        }
        if let Some(file) = &self.command.svg {
            let Some((_, review)) = self.only() else {
                let games = self.games();
                return refuse(format!("--svg draws one game, but the input has {games}"));
            };
            let svg = fs::canonicalize(file).ok();
            let mut games = self.command.files.iter();
            let name = file.display();
            if svg.is_some() && games.any(|game| fs::canonicalize(game).ok() == svg) {
                return refuse(format!(
                    "'{name}' is the game's own file; name another for --svg"
                ));
            }
            let written = output::write_file(file, &graph::svg(review));
            written.with_context(|| format!("cannot write '{name}'"))?;
        }
        if !self.command.each && !self.command.text {
            self.report()?;
        }
        if let Some(missing) = &self.missing {
            let note = format!(
                "note: some turns have no grade: {}",
                advice::sentence(missing)
            );
            output::note(self.options, note);
        }
        if self.remarked > self.gaps && self.only().is_none() {
            let games = output::counted(self.remarked, "game");
            let note = format!("note: {games} with remarks; '--each' shows them");
            output::note(self.options, note);
        }
        Ok(self.end())
    }

    /// Names the first place that could not be read.
    fn end(self) -> Status {
        let Some(words) = self.unread_words() else {
            return self.failed.map_or(Status::Done, |(status, _)| status);
        };
        output::to_stderr(&format!("error: {words}\n"));
        Status::Usage
    }

    /// The failure of a review without a grade; with `--each` the answers stand before it.
    fn refused(&self, sentence: String) -> Result<Status> {
        let error = Failure::question(sentence).into();
        match self.command.each {
            true => Ok(status::after_answer(&error)),
            false => Err(error),
        }
    }

    /// How many games could not be read, and why; `None` if all could.
    fn unread_words(&self) -> Option<String> {
        let sentence = self.first_unread.as_ref()?;
        let (unread, all) = (
            self.unread + self.gaps,
            output::counted(self.games(), "game"),
        );
        let how_far = if self.gaps > 0 { " in full" } else { "" };
        Some(format!(
            "{unread} of {all} could not be read{how_far}, the first: {sentence}"
        ))
    }

    fn report(&self) -> Result<()> {
        match self.only() {
            Some(graded) => {
                let game = ReviewedGame::new(graded);
                output::answer(self.options, &game, |out| write_game(out, graded))?;
            }
            None => {
                let report = self.archive.report(self.unread);
                output::answer(self.options, &report, |out| write_archive(out, &report))?;
            }
        }
        Ok(())
    }
}

/// A remark with the advice that follows from it.
pub fn advised(remark: &Remark) -> String {
    let advice = match remark.rules {
        Some(rules) => format!("; try --rules {rules}"),
        None if remark.cuts && remark.reason == "unknown_rules" => {
            "; name their file with --rules".to_owned()
        }
        None => String::new(),
    };
    format!("{remark}{advice}")
}

/// `Anna – Ben 1-0: 34 turns, 2 errors, first: turn 7 d6, decisive: turn 23 a1-a4`.
fn one_line(record: &Record, review: &GameReview) -> String {
    let errors = [Side::White, Side::Black].map(|side| review.summary.of_side(side).errors);
    let named = |number: Option<usize>| match number {
        Some(number) => format!("turn {number} {}", review.turns[number - 1].turn),
        None => no_error(review).to_owned(),
    };
    let remarks = record.remarks.iter().map(advised);
    let remarks: String = remarks.map(|remark| format!("; {remark}")).collect();
    format!(
        "{}: {}, {}, first: {}, decisive: {}{remarks}",
        title(record),
        output::counted(review.turns.len(), "turn"),
        output::counted(errors.iter().sum::<u32>(), "error"),
        named(review.first_error),
        named(review.decisive_error)
    )
}

/// The word for an error that is `None`.
fn no_error(review: &GameReview) -> &'static str {
    match review.is_complete() {
        true => "none",
        false => "not known",
    }
}

fn title(record: &Record) -> String {
    let [white, black] = [Side::White, Side::Black].map(|side| record.player_or_side(side));
    format!("{white} – {black} {}", record.result_text())
}

fn write_game(out: &mut impl Write, (record, review): &Graded) -> io::Result<()> {
    writeln!(out, "{}\n", title(record))?;
    if !review.turns.is_empty() {
        let turns = review.turns.iter();
        output::table(out, turns.map(|turn| (turn, turn.verdict.as_ref()))).write(&[
            ("", |(turn, _)| Cell::right(turn.number)),
            ("side", |(turn, _)| Cell::text(turn.side)),
            ("turn", |(turn, _)| Cell::text(turn.turn)),
            ("", |(turn, _)| Cell::text(annotate::mark(turn))),
            ("value", |(_, verdict)| match verdict {
                Some(verdict) => Cell::value(verdict.value),
                None => Cell::text("?"),
            }),
            ("grade", |(_, verdict)| {
                Cell::text(verdict.map_or("not known", |verdict| verdict.grade.words()))
            }),
            ("instead", |(_, verdict)| {
                Cell::text(verdict.and_then(annotate::instead).unwrap_or_default())
            }),
        ])?;
        writeln!(out)?;
    }
    for (name, number) in [
        ("first error", review.first_error),
        ("decisive error", review.decisive_error),
    ] {
        match number {
            None => writeln!(out, "{name}: {}", no_error(review))?,
            Some(number) => {
                let turn = &review.turns[number - 1];
                let comment = annotate::comment(turn).unwrap_or_default();
                let (side, turn) = (turn.side, turn.turn);
                writeln!(out, "{name}: turn {number}, {side} {turn}: {comment}")?;
            }
        }
    }
    if let Some(ending) = record.game.ending() {
        writeln!(out, "{ending}")?;
    }
    for remark in &record.remarks {
        writeln!(out, "remark: {}", advised(remark))?;
    }
    writeln!(out)?;
    write_summary(out, &review.summary)
}

fn write_summary(out: &mut impl Write, summary: &Summary) -> io::Result<()> {
    let entries = summary.0.iter();
    output::table(out, entries.filter(|entry| entry.tally.turns > 0)).write(&[
        ("side", |row| Cell::text(row.side)),
        ("phase", |row| Cell::text(row.phase.name())),
        ("turns", |row| Cell::count(row.tally.turns)),
        ("best", |row| Cell::count(row.tally.best)),
        ("equal", |row| Cell::count(row.tally.equal)),
        ("slower", |row| Cell::count(row.tally.slower)),
        ("draws given up", |row| Cell::count(row.tally.gives_up_draw)),
        ("wins given up", |row| Cell::count(row.tally.gives_up_win)),
        ("decisions", |row| Cell::count(row.tally.decisions)),
        ("only moves", |row| {
            Cell::right(format_args!("{}/{}", row.tally.only_found, row.tally.only))
        }),
        ("accuracy", |row| Cell::right(percent(row.tally.accuracy))),
    ])
}

/// A share as percent; empty for `None`.
pub fn percent(share: Option<f64>) -> String {
    share.map_or(String::new(), |share| format!("{:.1} %", 100.0 * share))
}

/// An interval of shares as percent; empty for `None`.
pub fn percents(interval: Option<Interval>) -> String {
    interval.map_or(String::new(), |[low, high]| {
        format!("{:.1}–{:.1} %", 100.0 * low, 100.0 * high)
    })
}

/// An interval of shares as the next part of a sentence; empty for `None`.
pub fn confidence(interval: Option<Interval>) -> String {
    match interval {
        Some(_) => format!(", 95 % confidence {}", percents(interval)),
        None => String::new(),
    }
}

fn write_archive(out: &mut impl Write, report: &ArchiveReport) -> io::Result<()> {
    let games = output::counted(HumanCount(report.games), "game");
    writeln!(out, "{games}\n")?;
    write_rows(out, "player", &report.players)?;
    let openings = &report.openings;
    let shown = &openings[..openings.len().min(OPENINGS_SHOWN)];
    if !shown.is_empty() {
        writeln!(out)?;
        write_rows(out, "opening", shown)?;
    }
    if shown.len() < openings.len() {
        let more = output::counted(openings.len() - shown.len(), "more opening");
        writeln!(out, "and {more}, see --json")?;
    }
    writeln!(out)?;
    write_summary(out, &report.summary)
}

fn write_rows(out: &mut impl Write, heading: &str, rows: &[ArchiveRow]) -> io::Result<()> {
    output::table(out, rows).write(&[
        (heading, |row| Cell::text(&row.name)),
        ("games", |row| Cell::count(row.games)),
        ("won", |row| Cell::count(row.results.wins)),
        ("drawn", |row| Cell::count(row.results.draws)),
        ("lost", |row| Cell::count(row.results.losses)),
        ("score", |row| Cell::right(percent(row.score))),
        ("95 %", |row| Cell::right(percents(row.score_interval))),
        ("errors", |row| Cell::count(row.tally.errors)),
        ("accuracy", |row| Cell::right(percent(row.tally.accuracy))),
        ("95 %", |row| Cell::right(percents(row.accuracy_interval))),
    ])
}
