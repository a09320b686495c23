//! `millbase play`: a game in the terminal.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Error, Result};
use clap::{Args, ValueEnum};
use millbase::engine::{DrawnTurns, Game, Player, QuietCount, SkillLevel};
use millbase::internals::diagram::draw;
use millbase::notation::{RecordReader, protocol_game};
use millbase::search::{Limits, PrincipalVariation, Search};
use millbase::{Answer, Position, Rules, Side};

use crate::advice;
use crate::databases;
use crate::input::{self, LONGEST_LINE, LineBatches};
use crate::options::{DrawOptions, Options};
use crate::output::{self, Cell, ink};
use crate::review::advised;
use crate::status::{self, Failure, Status, refuse};

/// Play a game in the terminal, against the machine or another person
///
/// The machine plays perfectly where the databases know the position; otherwise it searches. Unless
/// options change it, a game is drawn when a position has occurred three times, or after 100 turns
/// in which no stone was placed or removed. The command 'help' lists all commands; while the
/// machine plays both sides, it obeys commands between its turns.
#[derive(Args)]
#[command(after_help = "\
Examples:
  millbase play
  millbase play --white machine --black human --level 10
  millbase play --load game.txt")]
pub struct Play {
    /// Player of White
    #[arg(long, value_name = "WHO", default_value = "human")]
    white: Seat,

    /// Player of Black
    #[arg(long, value_name = "WHO", default_value = "machine")]
    black: Seat,

    /// Level of the machine, 0 to 30; 30 plays as well as possible
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = input::number::<u8>(0..=30))]
    level: u8,

    /// Milliseconds that the machine searches if the databases do not know the position
    #[arg(long, value_name = "MS", default_value_t = 1000, value_parser = input::number::<u32>(1..=u32::MAX.into()))]
    movetime: u32,

    /// Seed of the machine's random choices; with 0 the machine at level 30 always plays the same
    /// turns
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = input::number::<u32>(0..=u32::MAX.into()))]
    seed: u32,

    #[command(flatten)]
    draws: DrawOptions,

    /// Begin with this position instead of the empty board
    #[arg(long, value_name = "POSITION", conflicts_with = "load")]
    position: Option<String>,

    /// Continue the game of a file, in any form that docs/NOTATION.md describes; --rules must be the
    /// rules by which it was played
    #[arg(long, value_name = "FILE")]
    load: Option<String>,
}

/// The player of a side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Seat {
    /// The user.
    Human,
    /// The program.
    Machine,
}

/// The list of the commands.
const HELP: &str = "\
d6, d6-d5      place a stone, move a stone
d6-d5xb4, xb4  with the removal of a stone, or the removal alone
hint           a best turn
analyse        all turns with their values
undo           take your last turn back
go             let the machine make this turn
white machine  let the machine play White; also 'human', also 'black'
level 10       how well the machine plays, 0 to 30
save FILE      write the game to a new file, or again to its own
replace FILE   write the game over another saved game
load FILE      go on with the game of a file
turns, board   show the game so far, show the board
new, quit      begin again, end";

/// The memory of the machine's search, in bytes.
const SEARCH_BYTES: usize = 64 << 20;

/// The number of variations shown if the values of all turns are not known.
const ANALYSED_LINES: usize = 5;

impl Play {
    /// Plays until the user or the input ends it.
    pub fn run(&self, options: &Options) -> Result<Status> {
        options.refuse_json("programs use 'millbase uci' or 'millbase probe --json -'")?;
        let rules = options.rules;
        let game = match (&self.position, &self.load) {
            (Some(text), _) => input::position(text, &rules)?.game(),
            (None, Some(file)) => load(file, &rules)?,
            (None, None) => Game::new(rules, Position::start(&rules)),
        };
        let session = GameSession {
            game: game.with_draws(self.draws.into()),
            file: self.load.as_ref().map(PathBuf::from),
            analysis: None,
            seats: [self.white, self.black],
            player: Player {
                database: Arc::new(databases::open(options)?),
                search: Arc::new(Search::new(rules, SEARCH_BYTES, options.threads())),
                level: SkillLevel::new(self.level),
                seed: self.seed.into(),
                drawn: DrawnTurns::default(),
            },
            time: Duration::from_millis(self.movetime.into()),
            out: output::stdout(),
        };
        session.play(&read_lines()?)
    }
}

/// A game with its players and the output that they see.
struct GameSession {
    game: Game,
    /// The file in which the game was saved, or from which it was loaded.
    file: Option<PathBuf>,
    /// The analysis of the position of a game, shared by `hint` and `analyse`.
    analysis: Option<(Game, Analysis)>,
    /// The players of White and Black.
    seats: [Seat; 2],
    player: Player,
    /// The time of the machine's search.
    time: Duration,
    out: output::Stdout,
}

/// The values or the best variations of a position.
#[derive(Clone)]
enum Analysis {
    /// The value of the position and of each turn; the turn that the machine prefers comes first.
    Known(Answer),
    /// The best variations of a search, the best first.
    Searched(Vec<PrincipalVariation>),
}

/// The lines of stdin; an error is the last of them.
type InputLines = Receiver<io::Result<input::InputLine>>;

/// Reads stdin on a separate thread, so that the machine does not wait for it.
fn read_lines() -> Result<InputLines> {
    let (sender, lines) = mpsc::sync_channel(16);
    let read = move || {
        let mut input = LineBatches::new(io::stdin(), LONGEST_LINE);
        while let Some(line) = input.line().transpose() {
            let is_last = line.is_err();
            if sender.send(line).is_err() || is_last {
                return;
            }
        }
    };
    let thread = thread::Builder::new().name("input".to_owned()).spawn(read);
    thread.context("cannot start the thread that reads stdin")?;
    Ok(lines)
}

impl GameSession {
    fn play(mut self, lines: &InputLines) -> Result<Status> {
        self.show()?;
        loop {
            let ending = self.game.ending();
            let line = if ending.is_none() && self.seats[self.side() as usize] == Seat::Machine {
                self.let_machine_play()?;
                // Two machines do not wait for input, but commands that have arrived are obeyed.
                let has_human = self.seats.contains(&Seat::Human);
                match (!has_human).then(|| lines.try_recv()) {
                    Some(Ok(line)) => Some(line),
                    _ => continue,
                }
            } else {
                if let Some(ending) = ending {
                    writeln!(self.out, "{ending}")?;
                }
                write!(self.out, "{}> ", self.side())?;
                self.out.flush()?;
                lines.recv().ok()
            };
            let Some(line) = line else {
                writeln!(self.out)?;
                break;
            };
            let line = line.context("cannot read from stdin")?;
            match line.map_err(Error::from).and_then(|line| self.obey(&line)) {
                Ok(true) => {}
                Ok(false) => break,
                // If stdout itself failed, no message can be written to it either.
                Err(error) if error.is::<io::Error>() => return Err(error),
                Err(error) => writeln!(self.out, "{}", status::sentence(&error))?,
            }
        }
        self.out.flush()?;
        Ok(Status::Done)
    }

    fn side(&self) -> Side {
        self.game.position().side_to_move()
    }

    /// Carries out the command or the turn of a line, and returns whether the game goes on; an error leaves it as it was.
    fn obey(&mut self, line: &str) -> Result<bool> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let name = word.to_ascii_lowercase();
        match (name.as_str(), rest.trim()) {
            ("", _) => Ok(()),
            ("quit" | "exit", "") => return Ok(false),
            ("save" | "replace" | "load", "") => refuse(format!("say '{name} FILE'")),
            ("save", file) => self.save(file),
            ("replace", file) => self.write(file),
            ("load", file) => load(file, self.game.rules())
                .and_then(|game| self.begin(game, Some(PathBuf::from(file)))),
            ("white", seat) => self.seat(Side::White, seat),
            ("black", seat) => self.seat(Side::Black, seat),
            ("level", level) => match level.parse() {
                Ok(level @ 0..=30) => {
                    self.player.level = SkillLevel::new(level);
                    Ok(())
                }
                _ => refuse("say 'level N' with a number from 0 to 30"),
            },
            ("hint", "") => self.hint(),
            ("analyse" | "analyze", "") => self.analyse(),
            ("undo", "") => self.undo(),
            ("go", "") => (self.check_under_way()).and_then(|()| self.let_machine_play()),
            ("board", "") => self.show(),
            ("turns", "") => self.list_turns(),
            ("new", "") => {
                let rules = *self.game.rules();
                self.begin(Game::new(rules, Position::start(&rules)), None)
            }
            ("help" | "?", "") => writeln!(self.out, "{HELP}").map_err(Into::into),
            (turn, "") => self.take_turn(turn),
            _ => refuse("that is neither a turn nor a command; 'help' lists them"),
        }?;
        Ok(true)
    }

    /// Gives a side the player of this name.
    fn seat(&mut self, side: Side, name: &str) -> Result<()> {
        let wrong = |_| Failure::question(format!("say '{side} human' or '{side} machine'"));
        self.seats[side as usize] = Seat::from_str(name, false).map_err(wrong)?;
        Ok(())
    }

    fn take_turn(&mut self, text: &str) -> Result<()> {
        self.check_under_way()?;
        let played = self.game.play(text);
        played.map_err(|error| Failure::question(error.to_string()))?;
        self.show()
    }

    fn check_under_way(&self) -> Result<()> {
        match self.game.ending() {
            None => Ok(()),
            Some(_) => {
                refuse("the game has ended; 'undo' takes back a turn, 'new' begins a new game")
            }
        }
    }

    /// Switches to another game, saved in this file.
    fn begin(&mut self, game: Game, file: Option<PathBuf>) -> Result<()> {
        self.game = game.with_draws(self.game.draws());
        self.file = file;
        self.show()
    }

    fn let_machine_play(&mut self) -> Result<()> {
        let side = self.side();
        if let Some(best) = self.choose(&self.player.clone(), 1)?.first() {
            let turn = best.turns[0];
            let made = self.game.make(turn);
            made.map_err(|error| Failure::question(error.to_string()))?;
            writeln!(self.out, "{side} plays {turn}")?;
        }
        self.show()
    }

    /// The best variations of a player, the first of which begins with its choice. Reports a
    /// database that could not be read.
    fn choose(&mut self, player: &Player, lines: usize) -> io::Result<Vec<PrincipalVariation>> {
        let limits = Limits {
            time: Some(self.time),
            lines,
            ..Limits::default()
        };
        let mut best: Vec<PrincipalVariation> = Vec::new();
        let never = AtomicBool::new(false);
        let choice = player.choose(&self.game, &limits, &never, &mut |variation| {
            // Each depth starts again with the first variation.
            best.truncate(variation.number - 1);
            best.push(variation.clone());
        });
        if let Some(failure) = choice.and_then(|choice| choice.failure) {
            writeln!(self.out, "{}", advice::sentence(&failure))?;
        }
        Ok(best)
    }

    /// Shows a best turn, whatever the level of the machine.
    fn hint(&mut self) -> Result<()> {
        let hint = match self.look()? {
            Analysis::Known(answer) => (answer.turns.first())
                .map(|best| format!("{}: {}", best.turn, output::painted(best.value))),
            Analysis::Searched(best) => (best.first())
                .map(|best| format!("{}: {} at depth {}", best.turns[0], best.score, best.depth)),
        };
        if let Some(hint) = hint {
            writeln!(self.out, "{hint}")?;
        }
        Ok(())
    }

    /// Shows all turns with their values, or the best variations of a search.
    fn analyse(&mut self) -> Result<()> {
        match self.look()? {
            Analysis::Known(answer) => {
                let value = output::painted(answer.value);
                writeln!(self.out, "{}: {value}", self.side())?;
                output::table(&mut self.out, answer.turns).write(&[
                    ("turn", |ranked| Cell::text(ranked.turn)),
                    ("value", |ranked| Cell::value(ranked.value)),
                ])?;
            }
            Analysis::Searched(best) => output::table(&mut self.out, best).write(&[
                ("depth", |found| Cell::right(found.depth)),
                ("score", |found| Cell::right(found.score)),
                ("line", |found| Cell::text(output::line(&found.turns))),
            ])?,
        }
        Ok(())
    }

    /// The analysis by a perfect machine, computed once for each position of the game.
    fn look(&mut self) -> Result<Analysis> {
        self.check_under_way()?;
        if let Some((game, analysis)) = &self.analysis
            && *game == self.game
        {
            return Ok(analysis.clone());
        }
        let perfect = Player {
            level: SkillLevel::PERFECT,
            ..self.player.clone()
        };
        let analysis = match perfect.look_up(&self.game) {
            Ok(mut answer) => {
                // The machine's choice comes first among the best turns.
                let best = self.choose(&perfect, 1)?;
                let chosen = best.first().map(|best| best.turns[0]);
                let turns = &mut answer.turns;
                turns.sort_by_key(|ranked| Some(ranked.turn) != chosen);
                Analysis::Known(answer)
            }
            Err(_) => Analysis::Searched(self.choose(&perfect, ANALYSED_LINES)?),
        };
        self.analysis = Some((self.game.clone(), analysis.clone()));
        Ok(analysis)
    }

    /// Takes back turns until a person is to move.
    fn undo(&mut self) -> Result<()> {
        let mut game = self.game.clone();
        loop {
            if game.undo().is_none() {
                return refuse("you have made no turn yet that could be taken back");
            }
            let seat = self.seats[game.position().side_to_move() as usize];
            if seat == Seat::Human || !self.seats.contains(&Seat::Human) {
                self.game = game;
                return self.show();
            }
        }
    }

    fn list_turns(&mut self) -> Result<()> {
        let mut side = self.game.start().side_to_move();
        for (number, turn) in (1..).zip(self.game.turns()) {
            writeln!(self.out, "{number:3} {side} {turn}")?;
            side = side.other();
        }
        Ok(())
    }

    /// Writes the game to a new file, or to its own file.
    fn save(&mut self, file: &str) -> Result<()> {
        let is_other = self.file.as_deref() != Some(Path::new(file));
        if is_other && is_saved_game(file, self.game.rules()) {
            return refuse(format!(
                "'{file}' contains another game; 'replace {file}' overwrites it"
            ));
        }
        self.write(file)
    }

    /// Writes the game as the two lines of the engine protocol that set its rules and its turns.
    /// Never replaces a file that contains anything other than such lines.
    fn write(&mut self, file: &str) -> Result<()> {
        let path = Path::new(file);
        let rules = self.game.rules();
        if path.exists() && !is_saved_game(file, rules) {
            return refuse(format!(
                "'{file}' exists and is not a saved game by these rules; choose another name"
            ));
        }
        let game = self.game.text();
        let text = format!("setoption name Rules value {rules}\n{game}\n");
        let written = output::write_file(path, &text);
        written.map_err(|error| Failure::question(format!("cannot write '{file}': {error}")))?;
        self.file = Some(path.to_owned());
        writeln!(self.out, "saved in '{file}'")?;
        Ok(())
    }

    /// Shows the board, the side to move and the stones in hand.
    fn show(&mut self) -> Result<()> {
        let position = self.game.position();
        let picture = draw(position, |_, side, letter| {
            let ink = match side {
                Some(Side::White) => ink::WHITE,
                Some(Side::Black) => ink::BLACK,
                None => ink::PLAIN,
            };
            output::paint(ink, letter)
        });
        // An empty line also ends the prompt's line where the input is not echoed.
        writeln!(self.out, "\n{picture}")?;
        let in_hand = |side| match position.in_hand(side) {
            0 => String::new(),
            stones => format!(", {side} has {stones} in hand"),
        };
        let [white, black] = [Side::White, Side::Black].map(in_hand);
        let phase = match position.removals_due(self.game.rules()) > 0 {
            true => "removing a stone, like xb4",
            false if position.must_pass(self.game.rules()) => "whose only turn is 'pass'",
            false => position.phase(self.game.rules()).name(),
        };
        let count = QuietCount::shown(&self.game);
        let counter = match count.is_late() {
            true => format!(", {} of {} quiet turns", count.turns(), count.limit()),
            false => String::new(),
        };
        let side = self.side();
        writeln!(self.out, "{side} to move, {phase}{white}{black}{counter}")?;
        Ok(())
    }
}

/// Reads a saved game, or a game in any other form that is alone in its file. Remarks about it go to
/// stderr.
fn load(file: &str, rules: &Rules) -> Result<Game> {
    if file == "-" {
        return refuse("commands are read from stdin, so it cannot be loaded; name a file");
    }
    let text = input::read_file(Path::new(file))?;
    match saved_game(file, &text, rules)? {
        Some(game) => Ok(game),
        None => only_game(file, &text, rules),
    }
}

/// Reads the only game of a text in any form.
fn only_game(file: &str, text: &str, rules: &Rules) -> Result<Game> {
    let mut records = RecordReader::new(*rules, text.as_bytes()).flatten();
    let Some(record) = records.next() else {
        return Err(not_saved(file, "it does not contain a game"));
    };
    if let Some(cut) = record.cut() {
        return Err(not_saved(file, &advised(cut)));
    }
    let others = records.count();
    if others > 0 {
        return Err(not_saved(file, &format!("it has {} games", others + 1)));
    }
    if record.rules() != rules {
        return Err(other_rules(file, &record.rules().to_string(), rules));
    }
    for remark in &record.remarks {
        output::to_stderr(&format!("'{file}', {}\n", advised(remark)));
    }
    Ok(record.game)
}

/// Reads a saved game; `None` if the text has other lines or another game, too. One that does not name its rules is
/// read by the given ones.
fn saved_game(file: &str, text: &str, rules: &Rules) -> Result<Option<Game>> {
    let (own, mut saved) = (rules.to_string(), None);
    let mut played = own.clone();
    for line in text.lines().map(str::trim) {
        if let Some(rules) = line.strip_prefix("setoption name Rules value ") {
            let named = Rules::named(rules.trim());
            played = named.map_or_else(|| rules.trim().to_owned(), |rules| rules.to_string());
        } else if saved.is_none() && line.starts_with("position") {
            saved = Some(line);
        } else if !line.is_empty() {
            return Ok(None);
        }
    }
    if played != own {
        return Err(other_rules(file, &played, rules));
    }
    let saved = saved.ok_or_else(|| not_saved(file, "it has no line 'position …'"))?;
    let game = protocol_game(saved, rules).map_err(|error| not_saved(file, &error))?;
    Ok(Some(game))
}

fn is_saved_game(file: &str, rules: &Rules) -> bool {
    let text = input::read_file(Path::new(file));
    text.is_ok_and(|text| matches!(saved_game(file, &text, rules), Ok(Some(_))))
}

fn not_saved(file: &str, why: &str) -> Error {
    Failure::question(format!("'{file}' is not a saved game: {why}")).into()
}

/// The error of a game that was played by other rules.
fn other_rules(file: &str, played: &str, rules: &Rules) -> Error {
    // Settings without a name are too long for a sentence.
    let sentence = match Rules::named(played) {
        Some(_) => format!(
            "'{file}' was played by the rules {played}, not by {rules}; \
             load it with --rules {played}"
        ),
        None => format!(
            "'{file}' was played by custom rules, not by {rules}; load it with --rules and \
            the file of these rules"
        ),
    };
    Failure::question(sentence).into()
}
