//! The commands of `millbase play`.

use clap::ValueEnum;
use millbase::Side;

use crate::status::{Failure, refuse};

/// A command of the user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlayCommand {
    /// Make a turn, or one of its actions.
    Turn(String),
    /// Show a best turn.
    Hint,
    /// Show the value of each turn.
    Analyse,
    /// Take back the last turn.
    Undo,
    /// Let the machine make this turn.
    Go,
    /// Show the board.
    Board,
    /// Show the game so far.
    Turns,
    /// Begin a new game.
    New,
    /// Write the game to a new file, or to the one it was saved in or loaded from.
    Save(String),
    /// Write the game to a file, replacing the saved game in it.
    Replace(String),
    /// Continue the game of a file.
    Load(String),
    /// The player of a side.
    Seat(Side, Seat),
    /// The level of the machine, 0 to 30.
    Level(u8),
    /// List the commands.
    Help,
    /// Quit.
    Quit,
}

/// The player of a side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Seat {
    /// The user.
    Human,
    /// The program.
    Machine,
}

/// The list of the commands.
pub const HELP: &str = "\
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

impl PlayCommand {
    /// Reads a line, `None` if it is empty.
    pub fn parse(line: &str) -> Result<Option<PlayCommand>, Failure> {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let name = word.to_ascii_lowercase();
        let command = match (name.as_str(), rest) {
            ("", _) => return Ok(None),
            ("save" | "replace" | "load", "") => return refuse(format!("say '{name} FILE'")),
            ("save", file) => PlayCommand::Save(file.to_owned()),
            ("replace", file) => PlayCommand::Replace(file.to_owned()),
            ("load", file) => PlayCommand::Load(file.to_owned()),
            ("white", seat) => PlayCommand::Seat(Side::White, parse_seat(&name, seat)?),
            ("black", seat) => PlayCommand::Seat(Side::Black, parse_seat(&name, seat)?),
            ("level", level) => match level.parse() {
                Ok(level @ 0..=30) => PlayCommand::Level(level),
                _ => return refuse("say 'level N' with a number from 0 to 30"),
            },
            (_, "") => match name.as_str() {
                "hint" => PlayCommand::Hint,
                "analyse" | "analyze" => PlayCommand::Analyse,
                "undo" => PlayCommand::Undo,
                "go" => PlayCommand::Go,
                "board" => PlayCommand::Board,
                "turns" => PlayCommand::Turns,
                "new" => PlayCommand::New,
                "help" | "?" => PlayCommand::Help,
                "quit" | "exit" => PlayCommand::Quit,
                _ => PlayCommand::Turn(name),
            },
            _ => return refuse("that is neither a turn nor a command; 'help' lists them"),
        };
        Ok(Some(command))
    }
}

fn parse_seat(side: &str, text: &str) -> Result<Seat, Failure> {
    let wrong = |_| Failure::question(format!("say '{side} human' or '{side} machine'"));
    Seat::from_str(text, false).map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Option<PlayCommand> {
        PlayCommand::parse(line).ok().flatten()
    }

    #[test]
    fn wishes_are_understood() {
        assert_eq!(
            parsed(" D6-d5xB4 "),
            Some(PlayCommand::Turn("d6-d5xb4".to_owned()))
        );
        assert_eq!(
            parsed("save my Game.txt"),
            Some(PlayCommand::Save("my Game.txt".to_owned()))
        );
        assert_eq!(
            parsed("black machine"),
            Some(PlayCommand::Seat(Side::Black, Seat::Machine))
        );
        assert_eq!(parsed("level 30"), Some(PlayCommand::Level(30)));
        assert_eq!(parsed("  "), None);
        for wrong in [
            "level 31",
            "white",
            "white queen",
            "save",
            "hint please",
            "d6 d5",
        ] {
            assert!(PlayCommand::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn help_names_every_command() {
        for line in HELP.lines() {
            let (commands, _) = line.split_once("  ").unwrap();
            for command in commands.split(", ") {
                assert!(PlayCommand::parse(command).is_ok(), "{command}");
            }
        }
    }
}
