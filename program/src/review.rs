//! `millbase review`: the turns of games, graded.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;

use anyhow::{Context, Error, Result};
use clap::Args;
use indicatif::HumanCount;
use millbase::coach::annotate;
use millbase::coach::archive::{Archive, PHASES, Row};
use millbase::coach::confidence::Interval;
use millbase::coach::graph;
use millbase::coach::record::{Record, RecordError, Records};
use millbase::coach::review::{self, Grade, Reviewed, Tally};
use millbase::coach::truth::Truth;
use millbase::service::failure::JsonError;
use millbase::store::DbError;
use millbase::{Database, Phase, Rules, Side, Value};
use rayon::prelude::*;
use serde::Serialize;

use crate::advice;
use crate::databases;
use crate::input::MARK;
use crate::options::Options;
use crate::output::{self, Cell, TextTable};
use crate::status::{Status, Usage};

/// Grade the turns of a game or of an archive of games
///
/// The grades are: best, equally good, slower, gives up a draw, gives up a win. For one game the
/// report lists all turns with better ones, the first and the decisive error, and a summary by side
/// and phase. For several games it shows tables by player and by opening. docs/COACH.md defines
/// every number.
///
/// Games are files that 'millbase play' saved, lines of turns, or text like PGN with tags, numbered
/// turns, comments and variations; one file may hold many games. A turn has a grade if the
/// databases know the values.
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
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=18))]
    opening_turns: u8,
}

/// How many games are graded in parallel.
const BATCH: usize = 256;

/// The most openings in the table for people; JSON has all.
const OPENINGS_SHOWN: usize = 20;

/// A game with its grades.
type Graded = (Record, review::Review);

impl Review {
    /// Reads and grades all games.
    pub fn run(&self, options: &Options) -> Result<Status> {
        let db = databases::open(options)?;
        let mut session = Session {
            command: self,
            options,
            db: &db,
            archive: Archive::new(self.opening_turns.into()),
            first: None,
            unread: 0,
            first_unread: None,
            missing: None,
            turns: 0,
            is_graded: false,
        };
        for file in &self.files {
            session.read(file)?;
        }
        session.finish()
    }
}

/// The games so far.
struct Session<'a> {
    command: &'a Review,
    options: &'a Options,
    db: &'a Database,
    archive: Archive,
    /// The first game, as long as no other game was graded.
    first: Option<Graded>,
    unread: u64,
    first_unread: Option<String>,
    /// Why a turn has no grade.
    missing: Option<DbError>,
    /// The turns of all games, with and without a grade.
    turns: usize,
    is_graded: bool,
}

impl Session<'_> {
    fn read(&mut self, file: &PathBuf) -> Result<()> {
        let name = file.display().to_string();
        if name == "-" {
            let batch = if self.command.each { 1 } else { BATCH };
            return self.take("stdin", BufReader::new(io::stdin()), batch);
        }
        let opened = File::open(file);
        let opened = opened.map_err(|error| Usage(format!("cannot read '{name}': {error}")))?;
        self.take(&format!("'{name}'"), BufReader::new(opened), BATCH)
    }

    fn take(&mut self, name: &str, mut input: impl BufRead, batch: usize) -> Result<()> {
        let mark = MARK.as_bytes();
        if input.fill_buf().is_ok_and(|bytes| bytes.starts_with(mark)) {
            input.consume(mark.len());
        }
        let mut records = Records::new(*self.db.rules(), input);
        let mut found = 0;
        loop {
            let batch: Vec<_> = records.by_ref().take(batch).collect();
            if batch.is_empty() {
                break;
            }
            found += batch.len();
            let mut games = Vec::with_capacity(batch.len());
            for record in batch {
                match record {
                    Ok(record) => games.push(record),
                    Err(error @ RecordError::Text { .. }) => self.skip(name, &error)?,
                    Err(RecordError::Io(error)) => {
                        return Err(Error::new(error).context(format!("cannot read {name}")));
                    }
                }
            }
            let truth = match self.games() == 0 && games.len() == 1 {
                true => Truth::patient(self.db),
                false => Truth::brief(self.db),
            };
            let reviews: Vec<_> = games
                .into_par_iter()
                .map(|record| {
                    let review = review::Review::of(truth, &record.game)?;
                    Ok((record, review))
                })
                .collect::<Result<_, DbError>>()?;
            for graded in reviews {
                self.add(graded)?;
            }
        }
        if found == 0 {
            let sentence = format!(
                "{name} does not contain a game; see 'millbase review --help' for the forms"
            );
            return Err(Usage(sentence).into());
        }
        Ok(())
    }

    fn skip(&mut self, name: &str, error: &RecordError) -> Result<()> {
        self.unread += 1;
        let sentence = format!("{name}, {error}");
        if self.command.each && self.options.json {
            let error = JsonError::new(Status::Usage.code(), sentence.clone());
            output::answer(self.options, &error, |_| Ok(()))?;
        }
        self.first_unread.get_or_insert(sentence);
        Ok(())
    }

    fn add(&mut self, (record, review): Graded) -> Result<()> {
        self.archive.add(&record, &review);
        self.turns += review.turns.len();
        self.is_graded |= review.turns.iter().any(|turn| turn.verdict.is_some());
        let rules = self.db.rules();
        if self.command.text {
            let mut out = output::stdout();
            if self.archive.games() > 1 {
                writeln!(out)?;
            }
            write!(out, "{}", annotate::annotated(&record, &review))?;
            out.flush()?;
        } else if self.command.each {
            let object = JsonGame::new(&record, &review, rules);
            output::answer(self.options, &object, |out| {
                writeln!(out, "{}", one_line(&record, &review))
            })?;
        }
        if self.missing.is_none() {
            self.missing.clone_from(&review.missing);
        }
        self.first = (self.archive.games() == 1).then_some((record, review));
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
        let is_nothing = self.archive.games() == 0;
        if let (true, Some(sentence)) = (is_nothing, &self.first_unread) {
            return Err(Usage(sentence.clone()).into());
        }
        if self.turns == 0 {
            return Err(Usage("there is no turn to grade".to_owned()).into());
        }
        let is_unanswered = !self.is_graded && self.missing.is_some();
        if let (true, Some(missing)) = (is_unanswered, self.missing.take()) {
            return Err(Error::new(missing).context("no turn can be graded"));
        }
        if let Some(file) = &self.command.svg {
            let Some((_, review)) = self.only() else {
                let games = self.games();
                let sentence = format!("--svg draws one game, but the input has {games}");
                return Err(Usage(sentence).into());
            };
            let svg = fs::canonicalize(file).ok();
            let mut games = self.command.files.iter();
            if svg.is_some() && games.any(|game| fs::canonicalize(game).ok() == svg) {
                let sentence = format!(
                    "'{}' is the game's own file; name another for --svg",
                    file.display()
                );
                return Err(Usage(sentence).into());
            }
            let written = fs::write(file, graph::svg(review));
            let name = file.display();
            written.with_context(|| format!("cannot write '{name}'"))?;
        }
        if !self.command.each && !self.command.text {
            self.report()?;
        }
        if let Some(missing) = &self.missing {
            output::note(
                self.options,
                format_args!(
                    "note: some turns have no grade: {}",
                    advice::sentence(missing)
                ),
            );
        }
        let (unread, all) = (self.unread, self.games());
        let Some(sentence) = self.first_unread else {
            return Ok(Status::Done);
        };
        output::to_stderr(&format!(
            "error: {unread} of {all} games could not be read, the first: {sentence}\n"
        ));
        Ok(Status::Usage)
    }

    fn report(&self) -> Result<()> {
        match self.only() {
            Some((record, review)) => {
                let object = JsonGame::new(record, review, self.db.rules());
                output::answer(self.options, &object, |out| write_game(out, record, review))?;
            }
            None => {
                let (archive, object) =
                    (&self.archive, JsonArchive::new(&self.archive, self.unread));
                output::answer(self.options, &object, |out| write_archive(out, archive))?;
            }
        }
        Ok(())
    }
}

/// `Anna – Ben 1-0: 34 turns, 2 errors, first 7. d6?, decisive 23. a1-a4`.
fn one_line(record: &Record, review: &review::Review) -> String {
    let errors: u32 = [Side::White, Side::Black]
        .map(|side| review.tally(side, None).errors())
        .iter()
        .sum();
    let named = |place: Option<usize>| match place {
        Some(place) => format!("turn {} {}", place + 1, review.turns[place].turn),
        None => no_error(review).to_owned(),
    };
    format!(
        "{}: {} turns, {errors} errors, first: {}, decisive: {}",
        title(record),
        review.turns.len(),
        named(review.first_error(None)),
        named(review.decisive_error())
    )
}

/// The word for an error that is `None`.
fn no_error(review: &review::Review) -> &'static str {
    match review.is_complete() {
        true => "none",
        false => "not known",
    }
}

fn title(record: &Record) -> String {
    let [white, black] = [(Side::White, "White"), (Side::Black, "Black")]
        .map(|(side, name)| record.player(side).unwrap_or(name));
    let result = record.result.map_or("*", |result| result.text());
    format!("{white} – {black} {result}")
}

fn write_game(out: &mut impl Write, record: &Record, review: &review::Review) -> io::Result<()> {
    writeln!(out, "{}\n", title(record))?;
    let mut table = TextTable::new(&["", "side", "turn", "", "value", "grade", "instead"]);
    for (number, turn) in (1..).zip(&review.turns) {
        let mut cells = vec![
            Cell::right(number),
            Cell::text(turn.side()),
            Cell::text(turn.turn),
            Cell::text(annotate::mark(turn)),
        ];
        match &turn.verdict {
            None => cells.extend(["?", "not known", ""].map(Cell::text)),
            Some(verdict) => {
                let instead = match verdict.grade {
                    Grade::Best | Grade::Equal => String::new(),
                    _ => annotate::instead(verdict),
                };
                cells.push(Cell::value(verdict.value));
                cells.push(Cell::text(verdict.grade.words()));
                cells.push(Cell::text(instead));
            }
        }
        table.row(cells);
    }
    if !review.turns.is_empty() {
        table.write(out)?;
        writeln!(out)?;
    }
    for (name, place) in [
        ("first error", review.first_error(None)),
        ("decisive error", review.decisive_error()),
    ] {
        match place {
            None => writeln!(out, "{name}: {}", no_error(review))?,
            Some(place) => {
                let turn = &review.turns[place];
                let comment = annotate::comment(turn).unwrap_or_default();
                let (number, side) = (place + 1, turn.side());
                writeln!(
                    out,
                    "{name}: turn {number}, {side} {}: {comment}",
                    turn.turn
                )?;
            }
        }
    }
    writeln!(out)?;
    write_tallies(out, |side, phase| review.tally(side, Some(phase)))
}

/// The summary by side and phase.
fn write_tallies(out: &mut impl Write, tally: impl Fn(Side, Phase) -> Tally) -> io::Result<()> {
    let mut table = TextTable::new(&[
        "side",
        "phase",
        "turns",
        "best",
        "equal",
        "slower",
        "draws given up",
        "wins given up",
        "decisions",
        "only moves",
        "accuracy",
    ]);
    for side in [Side::White, Side::Black] {
        for phase in PHASES {
            let tally = tally(side, phase);
            if tally.turns == 0 {
                continue;
            }
            let mut cells = vec![
                Cell::text(side),
                Cell::text(phase.name()),
                Cell::count(tally.turns.into()),
            ];
            cells.extend(tally.grades.map(|count| Cell::count(count.into())));
            cells.push(Cell::count(tally.decisions.into()));
            cells.push(Cell::right(format!("{}/{}", tally.only_found, tally.only)));
            cells.push(Cell::right(percent(tally.accuracy())));
            table.row(cells);
        }
    }
    table.write(out)
}

/// A share as percent; empty for `None`.
pub fn percent(share: Option<f64>) -> String {
    share.map_or(String::new(), |share| format!("{:.1} %", 100.0 * share))
}

/// An interval of shares as percent; empty for `None`.
pub fn percents(interval: Option<Interval>) -> String {
    interval.map_or(String::new(), |interval| {
        format!("{:.1}–{:.1} %", 100.0 * interval.low, 100.0 * interval.high)
    })
}

/// An interval of shares as the next part of a sentence; empty for `None`.
pub fn confidence(interval: Option<Interval>) -> String {
    match interval {
        Some(_) => format!(", 95 % confidence {}", percents(interval)),
        None => String::new(),
    }
}

fn write_archive(out: &mut impl Write, archive: &Archive) -> io::Result<()> {
    let plural = if archive.games() == 1 { "" } else { "s" };
    writeln!(out, "{} game{plural}\n", HumanCount(archive.games()))?;
    write_rows(out, "player", &archive.players())?;
    let openings = archive.openings();
    let shown = &openings[..openings.len().min(OPENINGS_SHOWN)];
    if !shown.is_empty() {
        writeln!(out)?;
        write_rows(out, "opening", shown)?;
    }
    if shown.len() < openings.len() {
        let more = openings.len() - shown.len();
        writeln!(out, "and {more} more openings, see --json")?;
    }
    writeln!(out)?;
    write_tallies(out, |side, phase| archive.tally(side, phase))
}

fn write_rows(out: &mut impl Write, heading: &'static str, rows: &[Row]) -> io::Result<()> {
    let mut table = TextTable::new(&[
        heading, "games", "won", "drawn", "lost", "score", "95 %", "errors", "accuracy", "95 %",
    ]);
    for row in rows {
        let mut cells = vec![Cell::text(&row.name), Cell::count(row.games.into())];
        cells.extend(row.results.map(|count| Cell::count(count.into())));
        cells.push(Cell::right(percent(row.score)));
        cells.push(Cell::right(percents(row.score_interval)));
        cells.push(Cell::count(row.tally.errors().into()));
        cells.push(Cell::right(percent(row.tally.accuracy())));
        cells.push(Cell::right(percents(row.accuracy_interval)));
        table.row(cells);
    }
    table.write(out)
}

/// A reviewed game, for JSON answers.
#[derive(Serialize)]
struct JsonGame {
    white: Option<String>,
    black: Option<String>,
    result: Option<&'static str>,
    start: String,
    turns: Vec<JsonReviewed>,
    last: JsonLast,
    first_error: Option<usize>,
    first_error_white: Option<usize>,
    first_error_black: Option<usize>,
    decisive_error: Option<usize>,
    summary: Vec<JsonPart>,
    missing: Option<String>,
}

#[derive(Serialize)]
struct JsonLast {
    position: String,
    value: Option<Value>,
}

#[derive(Serialize)]
struct JsonReviewed {
    number: usize,
    side: &'static str,
    phase: &'static str,
    position: String,
    turn: String,
    #[serde(flatten)]
    verdict: JsonVerdict,
}

/// The verdict's fields; all are null where the value is not known.
#[derive(Serialize, Default)]
struct JsonVerdict {
    grade: Option<&'static str>,
    wdl: Option<&'static str>,
    dtw: Option<u16>,
    before: Option<Value>,
    best: Option<Vec<String>>,
    keeping: Option<usize>,
    legal: Option<usize>,
    only: Option<bool>,
}

/// The counts of a side in a phase.
#[derive(Serialize)]
struct JsonPart {
    side: &'static str,
    phase: &'static str,
    #[serde(flatten)]
    tally: JsonTally,
}

/// Counts of turns, for JSON answers.
#[derive(Serialize)]
pub struct JsonTally {
    turns: u32,
    graded: u32,
    best: u32,
    equal: u32,
    slower: u32,
    gives_up_draw: u32,
    gives_up_win: u32,
    decisions: u32,
    errors: u32,
    accuracy: Option<f64>,
    only: u32,
    only_found: u32,
    half_points_lost: u32,
}

impl From<&Tally> for JsonTally {
    fn from(tally: &Tally) -> JsonTally {
        let [best, equal, slower, gives_up_draw, gives_up_win] = tally.grades;
        JsonTally {
            turns: tally.turns,
            graded: tally.graded(),
            best,
            equal,
            slower,
            gives_up_draw,
            gives_up_win,
            decisions: tally.decisions,
            errors: tally.errors(),
            accuracy: tally.accuracy(),
            only: tally.only,
            only_found: tally.only_found,
            half_points_lost: tally.half_points_lost,
        }
    }
}

impl JsonReviewed {
    fn new(number: usize, turn: &Reviewed, rules: &Rules) -> JsonReviewed {
        let verdict = turn.verdict.as_ref().map(|verdict| JsonVerdict {
            grade: Some(verdict.grade.name()),
            wdl: Some(verdict.value.wdl().name()),
            dtw: verdict.value.dtw().map(|dtw| dtw.0),
            before: Some(verdict.before),
            best: Some(verdict.best.iter().map(ToString::to_string).collect()),
            keeping: Some(verdict.keeping),
            legal: Some(verdict.legal),
            only: Some(verdict.is_only()),
        });
        JsonReviewed {
            number,
            side: turn.side().name(),
            phase: turn.phase.name(),
            position: turn.position.text(rules),
            turn: turn.turn.to_string(),
            verdict: verdict.unwrap_or_default(),
        }
    }
}

impl JsonGame {
    fn new(record: &Record, review: &review::Review, rules: &Rules) -> JsonGame {
        let number = |place: Option<usize>| place.map(|place| place + 1);
        let turns = (1..).zip(&review.turns);
        JsonGame {
            white: record.player(Side::White).map(str::to_owned),
            black: record.player(Side::Black).map(str::to_owned),
            result: record.result.map(|result| result.text()),
            start: record.game.start().text(rules),
            turns: turns
                .map(|(number, turn)| JsonReviewed::new(number, turn, rules))
                .collect(),
            last: JsonLast {
                position: review.last.text(rules),
                value: review.last_value,
            },
            first_error: number(review.first_error(None)),
            first_error_white: number(review.first_error(Some(Side::White))),
            first_error_black: number(review.first_error(Some(Side::Black))),
            decisive_error: number(review.decisive_error()),
            summary: parts(|side, phase| review.tally(side, Some(phase))),
            missing: review.missing.as_ref().map(advice::sentence),
        }
    }
}

fn parts(tally: impl Fn(Side, Phase) -> Tally) -> Vec<JsonPart> {
    let tally = &tally;
    let sides = [Side::White, Side::Black].into_iter();
    sides
        .flat_map(|side| {
            PHASES.into_iter().map(move |phase| JsonPart {
                side: side.name(),
                phase: phase.name(),
                tally: (&tally(side, phase)).into(),
            })
        })
        .collect()
}

/// The tables of an archive, for JSON answers.
#[derive(Serialize)]
struct JsonArchive {
    games: u64,
    unread: u64,
    players: Vec<JsonRow>,
    openings: Vec<JsonRow>,
    summary: Vec<JsonPart>,
}

#[derive(Serialize)]
struct JsonRow {
    name: String,
    games: u32,
    wins: u32,
    draws: u32,
    losses: u32,
    score: Option<f64>,
    score_interval: Option<[f64; 2]>,
    #[serde(flatten)]
    tally: JsonTally,
    accuracy_interval: Option<[f64; 2]>,
}

/// The two ends of an interval, for JSON answers.
pub fn ends(interval: Option<Interval>) -> Option<[f64; 2]> {
    interval.map(|interval| [interval.low, interval.high])
}

impl JsonArchive {
    fn new(archive: &Archive, unread: u64) -> JsonArchive {
        let rows = |rows: Vec<Row>| rows.iter().map(JsonRow::from).collect();
        JsonArchive {
            games: archive.games(),
            unread,
            players: rows(archive.players()),
            openings: rows(archive.openings()),
            summary: parts(|side, phase| archive.tally(side, phase)),
        }
    }
}

impl From<&Row> for JsonRow {
    fn from(row: &Row) -> JsonRow {
        let [wins, draws, losses] = row.results;
        JsonRow {
            name: row.name.clone(),
            games: row.games,
            wins,
            draws,
            losses,
            score: row.score,
            score_interval: ends(row.score_interval),
            tally: (&row.tally).into(),
            accuracy_interval: ends(row.accuracy_interval),
        }
    }
}
