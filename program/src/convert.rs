//! `millbase convert`: games and positions from one form to another.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Args, ValueEnum};
use millbase::internals::service::failure::ErrorAnswer;
use millbase::internals::service::record::RecordAnswer;
use millbase::internals::service::words::Fen;
use millbase::notation::{GameForm, PointNaming, PositionForm, Record, game_text, position_text};
use millbase::{Position, Rules};

use crate::input;
use crate::options::Options;
use crate::output;
use crate::review::advised;
use crate::status::{self, Status, refuse};

/// Turn games and positions from any form into another
///
/// The input may have any forms that docs/NOTATION.md describes; each is recognised by itself. A file
/// or a place that cannot be read is reported on stderr, a place with its line and column; the games before
/// and after it are written, and the exit status is 2. Rules come from the tags of a game, else from --rules.
///
/// Forms of games: text (tags, numbered turns, comments, variations), numbers (the same with the points 1
/// to 24), list (a line of turns), actions (a line of action numbers from 0), coordinates, protocol (a line
/// for engines). Forms of positions: fen, rings, mfen, rows, json. A game becomes its last position, or all
/// of its positions with --every.
#[derive(Args)]
#[command(after_help = "\
Examples:
  millbase convert --to text games.txt > games.pgn
  millbase convert --to actions - < games.pgn
  millbase convert --to fen --every games.txt | millbase probe --json -")]
pub struct Convert {
    /// The form to write; with --json in its place, each game is an object on a line
    #[arg(long, value_name = "FORM")]
    to: Option<Form>,

    /// Write all positions of a game, one on each line, not only the last
    #[arg(long, requires = "to")]
    every: bool,

    /// Files with games or positions, or '-' to read stdin
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// A form of games or of positions.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Tags, numbered turns, comments and variations
    Text,
    /// The same with the points 1 to 24
    Numbers,
    /// The turns in a line
    List,
    /// The numbers of actions in a line
    Actions,
    /// Ring and place of each point in a line
    Coordinates,
    /// The line of the engine protocol
    Protocol,
    /// A position in the form of mill programs
    Fen,
    /// A position by rings with the number of placed stones
    Rings,
    /// A position in the versioned form MFEN
    Mfen,
    /// A position by rows with the stones in hand
    Rows,
    /// A position as JSON with the board by rows
    Json,
}

impl Form {
    fn of_games(self) -> Result<GameForm, PositionForm> {
        Ok(match self {
            Form::Text => GameForm::Text(PointNaming::Names),
            Form::Numbers => GameForm::Text(PointNaming::Numbers),
            Form::List => GameForm::List(PointNaming::Names),
            Form::Actions => GameForm::List(PointNaming::Actions),
            Form::Coordinates => GameForm::List(PointNaming::Coordinates),
            Form::Protocol => GameForm::Protocol,
            Form::Fen => return Err(PositionForm::Fen),
            Form::Rings => return Err(PositionForm::Rings),
            Form::Mfen => return Err(PositionForm::Mfen),
            Form::Rows => return Err(PositionForm::Rows),
            Form::Json => return Err(PositionForm::Json),
        })
    }
}

impl Convert {
    /// Converts all files.
    pub fn run(&self, options: &Options) -> Result<Status> {
        let wrong = match self.to {
            None if !options.json => {
                Some("name the form to write with --to, such as --to text, or choose --json")
            }
            Some(_) if options.json => Some("--json writes objects; leave out --to"),
            Some(form) if self.every && form.of_games().is_ok() => {
                Some("--every writes positions; name a form of positions, such as --to fen")
            }
            _ => None,
        };
        if let Some(sentence) = wrong {
            return refuse(sentence);
        }
        let mut status = Status::Done;
        let mut out = output::stdout();
        let (mut games, mut sets_rules) = (0, false);
        let form = self.to.map(Form::of_games);
        let lacks = "has neither a game nor a position";
        for file in &self.files {
            let name = file.display();
            for record in input::games(file, &options.rules, lacks) {
                let mut record = match record {
                    Ok(record) => record,
                    Err(error) => {
                        status = status.or(status::after_answer(&error));
                        output::object(options, &status::answer(&error))?;
                        continue;
                    }
                };
                games += 1;
                // Other forms have the last turn of a game even where the removal that it earns is still due.
                if !matches!(form, None | Some(Ok(GameForm::Text(_)))) {
                    record
                        .remarks
                        .retain(|remark| !remark.cuts || remark.reason != "removal_missing");
                }
                for remark in &record.remarks {
                    output::to_stderr(&format!("'{name}', {}\n", advised(remark)));
                }
                let has_gap = record.left_out().is_some();
                let written =
                    self.write(record, options, file, games, &mut sets_rules, &mut out)?;
                if let Err(sentence) = &written {
                    output::to_stderr(&format!("'{name}', game {games}: {sentence}\n"));
                }
                if has_gap || written.is_err() {
                    status = status.or(Status::Usage);
                }
            }
            out.flush()?;
        }
        Ok(status)
    }

    /// Writes a game; the inner error says why the form cannot hold it. `sets_rules` says whether a game before it set
    /// the rules of an engine.
    fn write(
        &self,
        record: Record,
        options: &Options,
        file: &Path,
        number: u64,
        sets_rules: &mut bool,
        out: &mut impl Write,
    ) -> Result<Result<(), String>> {
        if let Some(cut) = record.cut().filter(|_| record.is_unread()) {
            let sentence = format!("{}, {}", input::name(file), advised(cut));
            let error = ErrorAnswer::new(Status::Usage.code(), sentence);
            output::object(options, &error)?;
            return Ok(Ok(()));
        }
        let Some(form) = self.to else {
            output::object(options, &RecordAnswer::from(record))?;
            return Ok(Ok(()));
        };
        let (game, rules) = (&record.game, record.rules());
        let (text, written) = match form.of_games() {
            Ok(GameForm::List(_))
                if Fen::start_of(game) != Fen::new(&Position::start(rules), rules) =>
            {
                let why = "a list of turns cannot state the position that it begins with; choose another form";
                (String::new(), Err(why.to_owned()))
            }
            Ok(form) => {
                let gap = match form {
                    GameForm::Text(_) if number > 1 => "\n",
                    // Lines of one turn each would be one game together.
                    GameForm::List(_) if number > 1 && game.turns().len() < 2 => "\n",
                    // An engine keeps the rules of the game before.
                    GameForm::Protocol if *sets_rules && *rules == Rules::STANDARD => {
                        "setoption name Rules value standard\n"
                    }
                    _ => "",
                };
                *sets_rules |= *rules != Rules::STANDARD;
                (gap.to_owned() + &game_text(&record, form), Ok(()))
            }
            Err(form) => self.positions(&record, form),
        };
        out.write_all(text.as_bytes())?;
        Ok(written)
    }

    /// The last position of a game or all of them, a line each, without those that the form cannot state;
    /// and the reason of the first of these.
    fn positions(&self, record: &Record, form: PositionForm) -> (String, Result<(), String>) {
        let (game, rules) = (&record.game, record.rules());
        let stated = Fen::start_of(game).quiet_turns;
        let has_count = matches!(form, PositionForm::Fen | PositionForm::Mfen);
        let line = |position: &Position, quiet: u32| {
            if stated > 0 && quiet > 0 && !has_count {
                let (form, turns) = (form.name(), output::counted(quiet, "quiet turn"));
                return Err(format!(
                    "the form {form} cannot state the count of {turns}, but fen and mfen can"
                ));
            }
            position_text(position, quiet, rules, form)
        };
        let lines = match self.every {
            false => vec![line(game.position(), game.quiet_turns())],
            true => {
                let mut quiet = stated;
                let start = line(game.start(), quiet);
                let mut before = *game.start();
                let later = game.history().into_iter().map(|(turn, position)| {
                    quiet = match position.removal_owed() {
                        true => 0,
                        false => before.quiet_turns_after(turn, quiet),
                    };
                    before = position;
                    line(&position, quiet)
                });
                [start].into_iter().chain(later).collect()
            }
        };
        let (mut text, mut written) = (String::new(), Ok(()));
        for line in lines {
            match line {
                Ok(line) => text += &(line + "\n"),
                Err(why) => written = written.and(Err(why)),
            }
        }
        (text, written)
    }
}
