//! The commands of the engine protocol.

use std::fmt;
use std::time::Duration;

use crate::engine::game::{Game, GameError, shown};
use crate::rules::Rules;
use crate::rules::position::{Position, PositionError};
use crate::search::Limits;

/// A command to the engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// `uci`: identify yourself and list the options.
    Uci,
    /// `isready`: answer when all earlier commands are done.
    IsReady,
    /// `ucinewgame`: forget the last game.
    NewGame,
    /// `setoption name N value V`.
    SetOption {
        /// The option's name, in any case.
        name: String,
        /// The text after `value`, empty without it.
        value: String,
    },
    /// `position startpos|fen F [moves …]`.
    Position(Setup),
    /// `go …`: choose a turn.
    Go(Go),
    /// `stop`: choose it now.
    Stop,
    /// `d`: show the position.
    Show,
    /// `eval`: show the value or the static evaluation of the position.
    Eval,
    /// `quit`: end the program.
    Quit,
}

/// A position and the actions from there.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Setup {
    /// The position's text; `None` for the empty board.
    pub fen: Option<String>,
    /// Turns, or their actions one by one.
    pub moves: Vec<String>,
}

/// The limits of `go`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Go {
    /// The depth in turns.
    pub depth: Option<u32>,
    /// The approximate number of positions to visit.
    pub nodes: Option<u64>,
    /// The time to search.
    pub time: Option<Duration>,
    /// Until `stop`.
    pub infinite: bool,
    /// What is left on White's and Black's clocks, and what each turn adds.
    pub clocks: [Clock; 2],
    /// The turns until the clocks get more time.
    pub turns_to_go: Option<u32>,
    /// The words that change nothing, as one sentence each.
    pub ignored: Vec<CommandError>,
}

/// A player's clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Clock {
    /// The time left, if the frontend keeps a clock.
    pub left: Option<Duration>,
    /// What each turn adds.
    pub increment: Duration,
}

impl Clock {
    /// The number of turns for which the time must last if the frontend does not send `movestogo`.
    const TURNS: u32 = 25;

    /// How long to think about one turn: an even share of what is left and most of what the turn adds,
    /// but never more than half of what is left.
    ///
    /// ```
    /// use std::time::Duration;
    /// use millbase::engine::uci::Clock;
    /// let clock = Clock { left: Some(Duration::from_secs(50)), increment: Duration::ZERO };
    /// assert_eq!(clock.share(None), Some(Duration::from_secs(2)));
    /// assert_eq!(clock.share(Some(1)), Some(Duration::from_secs(25)));
    /// assert_eq!(Clock::default().share(None), None);
    /// ```
    pub fn share(self, turns_to_go: Option<u32>) -> Option<Duration> {
        let left = self.left?;
        let turns = turns_to_go.unwrap_or(Clock::TURNS).clamp(1, Clock::TURNS);
        let share = left / turns + self.increment / 4 * 3;
        Some(share.min(left / 2))
    }
}

/// The reason why a line is not a command or cannot be obeyed; one sentence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommandError(pub(crate) String);

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for CommandError {}

impl From<PositionError> for CommandError {
    fn from(error: PositionError) -> CommandError {
        CommandError(error.to_string())
    }
}

impl From<GameError> for CommandError {
    fn from(error: GameError) -> CommandError {
        CommandError(error.to_string())
    }
}

fn error<T>(sentence: impl Into<String>) -> Result<T, CommandError> {
    Err(CommandError(sentence.into()))
}

impl Command {
    /// Parses a line; `None` if it is blank.
    ///
    /// ```
    /// use millbase::engine::uci::Command;
    /// assert_eq!(Command::parse("isready"), Ok(Some(Command::IsReady)));
    /// assert_eq!(Command::parse(" "), Ok(None));
    /// assert!(Command::parse("xyzzy").is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// A sentence that says what is wrong.
    pub fn parse(line: &str) -> Result<Option<Command>, CommandError> {
        let line = line.trim();
        let (word, rest) = line
            .split_once(|letter: char| letter.is_whitespace())
            .unwrap_or((line, ""));
        let command = match word {
            "" => return Ok(None),
            // Of other protocols' commands, those that need no answer.
            "debug" | "ponderhit" | "register" => return Ok(None),
            "setoption" => return set_option(rest).map(Some),
            "position" => return Ok(Some(Command::Position(Setup::parse(rest)?))),
            "go" => return Ok(Some(Command::Go(Go::parse(rest)))),
            "uci" => Command::Uci,
            "isready" => Command::IsReady,
            "ucinewgame" => Command::NewGame,
            "stop" => Command::Stop,
            "d" => Command::Show,
            "eval" => Command::Eval,
            "quit" => Command::Quit,
            _ => {
                let word = shown(word);
                return error(format!("'{word}' is not a command; see docs/FRONTENDS.md"));
            }
        };
        match rest.trim() {
            "" => Ok(Some(command)),
            _ => error(format!("nothing may follow '{word}'")),
        }
    }
}

/// Parses the rest of `setoption`. The value is taken literally, because names of folders may
/// contain spaces.
fn set_option(rest: &str) -> Result<Command, CommandError> {
    const FORM: &str = "an option is set with 'setoption name NAME value VALUE'";
    let Some(rest) = rest.trim().strip_prefix("name ") else {
        return error(FORM);
    };
    let (name, value) = match rest.split_once(" value ") {
        Some((name, value)) => (name, value),
        None => (rest.strip_suffix(" value").unwrap_or(rest), ""),
    };
    if name.trim().is_empty() {
        return error(FORM);
    }
    Ok(Command::SetOption {
        name: name.trim().to_string(),
        value: value.trim().to_string(),
    })
}

impl Setup {
    /// Parses the rest of `position`.
    fn parse(rest: &str) -> Result<Setup, CommandError> {
        const FORM: &str = "a position is set with 'position startpos' or 'position fen …', \
            optionally followed by 'moves …'";
        let mut words = rest.split_whitespace();
        let kind = words.next();
        let before_moves = words.by_ref().take_while(|&word| word != "moves");
        let place: Vec<&str> = before_moves.collect();
        let fen = match (kind, place.is_empty()) {
            (Some("startpos"), true) => None,
            (Some("fen"), false) => Some(place.join(" ")),
            _ => return error(FORM),
        };
        let moves = words.map(str::to_string).collect();
        Ok(Setup { fen, moves })
    }

    /// The game that the command describes.
    ///
    /// # Errors
    ///
    /// A sentence about the first thing that is wrong.
    pub fn game(&self, rules: &Rules) -> Result<Game, CommandError> {
        let start = match &self.fen {
            Some(fen) => Position::parse(fen, rules)?,
            None => Position::start(rules),
        };
        let mut game = Game::new(*rules, start);
        for action in &self.moves {
            game.play(action)?;
        }
        Ok(game)
    }
}

impl Go {
    /// Parses the rest of `go`. It refuses nothing: a frontend without an answer would wait forever.
    fn parse(rest: &str) -> Go {
        let mut go = Go::default();
        let mut words = rest.split_whitespace().peekable();
        while let Some(word) = words.next() {
            match word {
                "infinite" => go.infinite = true,
                "ponder" => go.ignore("'go ponder' is answered as 'go'"),
                "searchmoves" => {
                    while words.next_if(|word| !KEYWORDS.contains(word)).is_some() {}
                    go.ignore("'searchmoves' is ignored: all turns are considered");
                }
                _ if KEYWORDS.contains(&word) => {
                    let text = words.next_if(|word| !KEYWORDS.contains(word));
                    let text = text.unwrap_or_default();
                    match text.parse::<i128>() {
                        // Clocks that have run out are below zero in some frontends.
                        Ok(number) => go.limit(word, number.clamp(0, u64::MAX.into()) as u64),
                        Err(_) => go.ignore(format!(
                            "'go {word}' needs a whole number, not '{}'",
                            shown(text)
                        )),
                    }
                }
                _ => go.ignore(format!("'go' does not know '{}'", shown(word))),
            }
        }
        go
    }

    fn ignore(&mut self, sentence: impl Into<String>) {
        // One of each: a line may have many words.
        let sentence = CommandError(sentence.into());
        if self.ignored.len() < 10 && !self.ignored.contains(&sentence) {
            self.ignored.push(sentence);
        }
    }

    /// Takes note of a keyword with its number.
    fn limit(&mut self, word: &str, number: u64) {
        let short = u32::try_from(number).unwrap_or(u32::MAX);
        let time = Duration::from_millis(short.into());
        let [white, black] = &mut self.clocks;
        match word {
            "wtime" => white.left = Some(time),
            "btime" => black.left = Some(time),
            "winc" => white.increment = time,
            "binc" => black.increment = time,
            "movestogo" => self.turns_to_go = Some(short).filter(|&turns| turns > 0),
            "movetime" => self.time = Some(time),
            _ if number == 0 => self.ignore(format!("'go {word}' needs a number above zero")),
            "depth" => self.depth = Some(short.min(Limits::MOST_DEPTH)),
            "nodes" => self.nodes = Some(number),
            // `mate N`: N turns of ours, with those of the opponent between.
            _ => self.depth = Some(short.saturating_mul(2).min(Limits::MOST_DEPTH)),
        }
    }

    /// How long to think where `is_white` says who is to move: what the frontend names, or a share of
    /// the mover's clock.
    pub fn time_for(&self, is_white: bool) -> Option<Duration> {
        let [white, black] = self.clocks;
        let clock = if is_white { white } else { black };
        let share = clock.share(self.turns_to_go);
        match (self.time, share) {
            (Some(time), Some(share)) => Some(time.min(share)),
            (time, share) => time.or(share),
        }
    }
}

/// The words of `go` that mean something.
const KEYWORDS: [&str; 12] = [
    "binc",
    "btime",
    "depth",
    "infinite",
    "mate",
    "movestogo",
    "movetime",
    "nodes",
    "ponder",
    "searchmoves",
    "winc",
    "wtime",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn command(line: &str) -> Command {
        Command::parse(line).unwrap().unwrap()
    }

    #[test]
    fn commands_are_read() {
        assert_eq!(command("  ucinewgame\r"), Command::NewGame);
        assert_eq!(
            command("setoption name MillbasePath value /a folder/with  spaces "),
            Command::SetOption {
                name: "MillbasePath".to_string(),
                value: "/a folder/with  spaces".to_string()
            }
        );
        let Command::SetOption { value, .. } = command("setoption name MillbasePath value") else {
            panic!("an option");
        };
        assert_eq!(value, "");
        assert_eq!(
            command("position startpos moves d6 xb4"),
            Command::Position(Setup {
                fen: None,
                moves: vec!["d6".to_string(), "xb4".to_string()]
            })
        );
        assert_eq!(
            command("go depth 5 movetime 100 nodes 7"),
            Command::Go(Go {
                depth: Some(5),
                nodes: Some(7),
                time: Some(Duration::from_millis(100)),
                ..Go::default()
            })
        );
        let Command::Go(go) = command("go depth 99999999999") else {
            panic!("a search");
        };
        assert_eq!(go.depth, Some(Limits::MOST_DEPTH));
    }

    #[test]
    fn rubbish_is_refused() {
        for line in [
            "xyzzy",
            "\0",
            "UCI",
            "uci now",
            "position",
            "position moves d6",
            "position startpos d6",
            "position fen",
            "position fen moves d6",
            "setoption",
            "setoption value 3",
            "setoption name  value 3",
            "setoption Hash 3",
        ] {
            assert!(Command::parse(line).is_err(), "{line}");
        }
    }

    fn go(line: &str) -> Go {
        match command(line) {
            Command::Go(go) => go,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_go_searches() {
        for line in [
            "go depth",
            "go depth 0",
            "go depth -1",
            "go depth x",
            "go movetime x",
            "go nodes 99999999999999999999999999999999999999999999",
            "go fast",
            "go ponder",
            "go searchmoves d6 d5xb4",
            "go movestogo",
            "go \0",
        ] {
            let Go { ignored, .. } = go(line);
            assert_eq!(ignored.len(), 1, "{line}: {ignored:?}");
            assert_eq!(
                Go {
                    ignored,
                    ..Go::default()
                },
                go(line)
            );
        }
        let many = format!("go {}", "x y z ".repeat(1000));
        assert_eq!(go(&many).ignored.len(), 3);
        // What follows is read all the same.
        let mixed =
            go("go ponder fast searchmoves a1 b2 wtime 1000 btime 3000 winc 40 depth x movetime 7");
        assert_eq!(mixed.ignored.len(), 4);
        assert_eq!(mixed.time, Some(Duration::from_millis(7)));
        assert_eq!(mixed.clocks[1].left, Some(Duration::from_secs(3)));
        assert_eq!(go("go mate 3").depth, Some(6));
        assert_eq!(go("go movetime 99999999999999999999999").ignored, []);
    }

    #[test]
    fn clocks_are_shared_out() {
        let millis = |line: &str, is_white| {
            let time = go(line).time_for(is_white);
            time.map(|time| time.as_millis())
        };
        let clocks = "go wtime 1000 btime 5000";
        assert_eq!(millis(clocks, true), Some(40));
        assert_eq!(millis(clocks, false), Some(200));
        assert_eq!(millis("go wtime 1000 winc 400 btime 5000", true), Some(340));
        assert_eq!(millis("go wtime 100 winc 4000 btime 5000", true), Some(50));
        assert_eq!(millis("go wtime 1000 movestogo 10", true), Some(100));
        assert_eq!(millis("go wtime 1000 movestogo 1", true), Some(500));
        assert_eq!(millis("go wtime -20 btime 5000", true), Some(0));
        assert_eq!(millis("go wtime 1000", false), None);
        assert_eq!(millis("go wtime 100000 movetime 50", true), Some(50));
    }

    proptest::proptest! {
        #[test]
        fn any_line_is_a_command_or_an_error(line in ".{0,200}") {
            let _ = Command::parse(&line);
        }

        #[test]
        fn any_words_make_a_legal_game_or_an_error(
            words in proptest::collection::vec("startpos|fen|moves|[a-g][1-7]|x[a-g][1-7]|[*@O/]{24,28}|[wbpmosr?]|[0-9]", 0..40)
        ) {
            let line = format!("position {}", words.join(" "));
            if let Ok(Some(Command::Position(setup))) = Command::parse(&line)
                && let Ok(game) = setup.game(&Rules::STANDARD)
            {
                let again = Command::parse(&game.text()).unwrap().unwrap();
                let Command::Position(again) = again else {
                    panic!("{}", game.text());
                };
                assert_eq!(again.game(&Rules::STANDARD).unwrap(), game);
            }
        }

        /// Many of the first moves are legal, so that games get beyond them.
        #[test]
        fn any_placing_makes_a_legal_game_or_an_error(
            points in proptest::collection::vec("x?[a-g][1-7]", 0..30)
        ) {
            let rules = Rules::STANDARD;
            let mut game = Game::new(rules, Position::start(&rules));
            for point in points {
                let before = game.clone();
                if game.play(&point).is_err() {
                    assert_eq!(game, before);
                }
            }
            let text = game.position().text(&rules);
            assert_eq!(Position::parse(&text, &rules).as_ref(), Ok(game.position()));
        }
    }

    #[test]
    fn games_are_set_up_whole_or_not() {
        let rules = Rules::STANDARD;
        let game = |line: &str| match command(line) {
            Command::Position(setup) => setup.game(&rules),
            other => panic!("{other:?}"),
        };
        let mill = game("position startpos moves a7 a1 d7 d1 g7").unwrap();
        assert!(mill.position().removal_owed());
        for wrong in [
            "position startpos moves a7 a7",
            "position startpos moves a7 xx",
            "position fen nothing",
            "position startpos moves a7 a1 d7 d1 g7 b2",
        ] {
            assert!(game(wrong).is_err(), "{wrong}");
        }
    }
}
