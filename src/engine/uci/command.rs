//! The commands of the engine protocol, and how long `go` lets the engine think.

use std::time::Duration;

use crate::engine::game::shown;
use crate::rules::position::Side;
use crate::search::Limits;

/// A command to the engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum UciCommand {
    /// `uci`: identify yourself and list the options.
    Uci,
    /// `isready`: answer when all earlier commands are done, or at once during a search.
    IsReady,
    /// `ucinewgame`: forget the last game.
    NewGame,
    /// `setoption name N value V`; the value is empty without the word `value`.
    SetOption { name: String, value: String },
    /// `position …`: the whole line.
    Position(String),
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

impl UciCommand {
    /// Parses a line; `None` if it is blank or a command of other protocols that needs no answer.
    ///
    /// # Errors
    ///
    /// A sentence that says what is wrong.
    pub fn parse(line: &str) -> Result<Option<UciCommand>, String> {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let command = match word {
            "" | "debug" | "ponderhit" | "register" => return Ok(None),
            "setoption" => return set_option(rest).map(Some),
            "position" => return Ok(Some(UciCommand::Position(line.to_owned()))),
            "go" => return Ok(Some(UciCommand::Go(Go::parse(rest)))),
            "uci" => UciCommand::Uci,
            "isready" => UciCommand::IsReady,
            "ucinewgame" => UciCommand::NewGame,
            "stop" => UciCommand::Stop,
            "d" => UciCommand::Show,
            "eval" => UciCommand::Eval,
            "quit" => UciCommand::Quit,
            _ => {
                let word = shown(word);
                return Err(format!("'{word}' is not a command; see docs/FRONTENDS.md"));
            }
        };
        match rest.trim() {
            "" => Ok(Some(command)),
            _ => Err(format!("nothing may follow '{word}'")),
        }
    }
}

/// The text before and after the first such word.
fn split_at_word<'a>(text: &'a str, word: &str) -> Option<(&'a str, &'a str)> {
    text.match_indices(word).find_map(|(start, _)| {
        let (before, after) = (&text[..start], &text[start + word.len()..]);
        let ends = [before.chars().next_back(), after.chars().next()];
        let is_word = ends.iter().all(|end| end.is_none_or(char::is_whitespace));
        is_word.then_some((before, after))
    })
}

/// Parses the rest of `setoption`. The value is taken literally, because names of folders may
/// contain spaces.
fn set_option(rest: &str) -> Result<UciCommand, String> {
    let named = match split_at_word(rest, "name") {
        Some((before, rest)) if before.trim().is_empty() => {
            split_at_word(rest, "value").or(Some((rest, "")))
        }
        _ => None,
    };
    match named {
        Some((name, value)) if !name.trim().is_empty() => Ok(UciCommand::SetOption {
            name: name.trim().to_owned(),
            value: value.trim().to_owned(),
        }),
        _ => Err("an option is set with 'setoption name NAME value VALUE'".to_owned()),
    }
}

/// The limits of `go`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Go {
    /// The depth in turns.
    pub depth: Option<u32>,
    /// The approximate number of positions to visit.
    pub nodes: Option<u64>,
    /// The time of `movetime`.
    movetime: Option<Duration>,
    /// Whether to search until `stop`.
    pub is_infinite: bool,
    /// White's and Black's time left and increment.
    clocks: [(Option<Duration>, Duration); 2],
    /// The turns until the clocks get more time.
    turns_to_go: Option<u32>,
    /// A sentence for each kind of word that changes nothing.
    pub ignored: Vec<String>,
}

/// The keywords of `go`.
const KEYWORDS: &str = "binc btime depth infinite mate movestogo movetime nodes ponder searchmoves \
    winc wtime";

fn is_keyword(word: &str) -> bool {
    KEYWORDS.split(' ').any(|keyword| keyword == word)
}

impl Go {
    /// Parses the rest of `go`. It refuses nothing: a frontend that gets no answer would wait
    /// forever.
    fn parse(rest: &str) -> Go {
        let mut go = Go::default();
        let mut words = rest.split_whitespace().peekable();
        while let Some(word) = words.next() {
            match word {
                "infinite" => go.is_infinite = true,
                "ponder" => go.ignore("'go ponder' is answered as 'go'".to_owned()),
                "searchmoves" => {
                    while words.next_if(|word| !is_keyword(word)).is_some() {}
                    go.ignore("'searchmoves' is ignored: all turns are considered".to_owned());
                }
                _ if is_keyword(word) => {
                    let text = words.next_if(|word| !is_keyword(word)).unwrap_or_default();
                    match text.parse::<i128>() {
                        // Clocks that have run out are below zero in some frontends.
                        Ok(number) => go.limit(word, number.clamp(0, u64::MAX.into()) as u64),
                        Err(_) => {
                            let text = shown(text);
                            go.ignore(format!("'go {word}' needs a whole number, not '{text}'"));
                        }
                    }
                }
                _ => go.ignore(format!("'go' does not know '{}'", shown(word))),
            }
        }
        go
    }

    /// Notes a sentence once: a line may have many words.
    fn ignore(&mut self, sentence: String) {
        if self.ignored.len() < 10 && !self.ignored.contains(&sentence) {
            self.ignored.push(sentence);
        }
    }

    /// Notes a keyword with its number.
    fn limit(&mut self, word: &str, number: u64) {
        let short = u32::try_from(number).unwrap_or(u32::MAX);
        let time = Duration::from_millis(short.into());
        let [white, black] = &mut self.clocks;
        match word {
            "wtime" => white.0 = Some(time),
            "btime" => black.0 = Some(time),
            "winc" => white.1 = time,
            "binc" => black.1 = time,
            "movestogo" => self.turns_to_go = Some(short).filter(|&turns| turns > 0),
            "movetime" => self.movetime = Some(time),
            _ if number == 0 => self.ignore(format!("'go {word}' needs a number above zero")),
            "depth" => self.depth = Some(short.min(Limits::MOST_DEPTH)),
            "nodes" => self.nodes = Some(number),
            // `mate N`: N turns of ours, with those of the opponent between.
            _ => self.depth = Some(short.saturating_mul(2).min(Limits::MOST_DEPTH)),
        }
    }

    /// How long this side may think: `movetime`, or its share of the clock if that is less. The
    /// share of a turn is an even part of the time left and most of the increment, at most half of
    /// the time left. `None` without either.
    pub fn time(&self, side: Side) -> Option<Duration> {
        /// The number of turns for which the time must last if there is no `movestogo`.
        const TURNS: u32 = 25;
        let (left, increment) = self.clocks[side as usize];
        let turns = self.turns_to_go.unwrap_or(TURNS).clamp(1, TURNS);
        let share = left.map(|left| (left / turns + increment / 4 * 3).min(left / 2));
        [self.movetime, share].into_iter().flatten().min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(line: &str) -> UciCommand {
        UciCommand::parse(line).unwrap().unwrap()
    }

    fn go(line: &str) -> Go {
        match command(line) {
            UciCommand::Go(go) => go,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn commands_are_read() {
        assert_eq!(command("  ucinewgame\r"), UciCommand::NewGame);
        let spaces = "/a folder/with  spaces";
        let named = format!("setoption name A B value {spaces} ");
        for (line, value) in [
            (&named[..], spaces),
            ("setoption name A B value", ""),
            ("setoption name A B", ""),
        ] {
            let (name, value) = ("A B".to_owned(), value.to_owned());
            assert_eq!(command(line), UciCommand::SetOption { name, value });
        }
        for (line, depth, nodes) in [
            ("go depth 5 movetime 100 nodes 7", Some(5), Some(7)),
            ("go depth 99999999999", Some(Limits::MOST_DEPTH), None),
            ("go mate 3", Some(6), None),
            ("go infinite", None, None),
        ] {
            let go = go(line);
            assert_eq!((go.depth, go.nodes), (depth, nodes), "{line}");
            assert_eq!(go.is_infinite, line.ends_with("infinite"));
        }
        for line in [
            "xyzzy",
            "\0",
            "UCI",
            "uci now",
            "setoption",
            "setoption value 3",
            "setoption name  value 3",
            "setoption Hash 3",
        ] {
            assert!(UciCommand::parse(line).is_err(), "{line}");
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
            let nothing_else = Go {
                ignored,
                ..Go::default()
            };
            assert_eq!(nothing_else, go(line));
        }
        let many = format!("go {}", "x y z ".repeat(1000));
        assert_eq!(go(&many).ignored.len(), 3);
        // The words after one that is ignored are read all the same.
        let mixed =
            go("go ponder fast searchmoves a1 b2 wtime 1000 btime 3000 winc 40 depth x movetime 7");
        assert_eq!(mixed.ignored.len(), 4);
        assert_eq!(mixed.movetime, Some(Duration::from_millis(7)));
        assert_eq!(mixed.clocks[1].0, Some(Duration::from_secs(3)));
        let long = go("go movetime 99999999999999999999999");
        assert!(long.ignored.is_empty() && long.movetime.is_some());
    }

    #[test]
    fn clocks_are_shared_out() {
        for (line, side, millis) in [
            ("go wtime 1000 btime 5000", Side::White, Some(40)),
            ("go wtime 1000 btime 5000", Side::Black, Some(200)),
            ("go wtime 1000 winc 400 btime 5000", Side::White, Some(340)),
            ("go wtime 100 winc 4000 btime 5000", Side::White, Some(50)),
            ("go wtime 1000 movestogo 10", Side::White, Some(100)),
            ("go wtime 1000 movestogo 1", Side::White, Some(500)),
            ("go wtime -20 btime 5000", Side::White, Some(0)),
            ("go wtime 1000", Side::Black, None),
            ("go wtime 100000 movetime 50", Side::White, Some(50)),
        ] {
            let time = go(line).time(side).map(|time| time.as_millis());
            assert_eq!(time, millis, "{line}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_line_is_a_command_or_an_error(line in ".{0,200}") {
            let _ = UciCommand::parse(&line);
        }
    }
}
