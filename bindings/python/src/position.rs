//! Positions as Python objects.

use millbase::{Rules, Side, Turn};
use pyo3::prelude::*;

use crate::errors;

/// A position under some rules. It never changes: `play` returns another one.
#[pyclass(frozen, eq, hash, module = "millbase")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Position {
    position: millbase::Position,
    rules: Rules,
}

/// The rules with this name.
pub fn rules_named(name: &str) -> PyResult<Rules> {
    Rules::named(name).ok_or_else(|| {
        let names = Rules::NAMED.map(|(name, _)| name);
        let names = names.join(", ");
        errors::position(format!(
            "the rules are '{name}', but must be one of {names}"
        ))
    })
}

impl Position {
    /// A position under these rules.
    pub fn of(position: millbase::Position, rules: Rules) -> Position {
        Position { position, rules }
    }
}

/// A position's text, or a position.
#[derive(FromPyObject)]
pub enum PositionOrText {
    #[pyo3(transparent, annotation = "str")]
    Text(String),
    #[pyo3(transparent, annotation = "Position")]
    Position(Py<Position>),
}

impl PositionOrText {
    /// The position under the rules of a database.
    pub fn position(&self, rules: &Rules) -> PyResult<millbase::Position> {
        match self {
            PositionOrText::Text(text) => {
                millbase::Position::parse(text, rules).map_err(errors::position)
            }
            PositionOrText::Position(position) if position.get().rules == *rules => {
                Ok(position.get().position)
            }
            PositionOrText::Position(_) => Err(errors::position(
                "the position is one of other rules than the databases; open those of its rules",
            )),
        }
    }
}

#[pymethods]
impl Position {
    /// Reads a position's text; without one, the empty board with White to place.
    #[new]
    #[pyo3(signature = (fen=None, rules="standard"))]
    fn new(fen: Option<&str>, rules: &str) -> PyResult<Position> {
        let rules = rules_named(rules)?;
        let position = match fen {
            Some(fen) => millbase::Position::parse(fen, &rules).map_err(errors::position)?,
            None => millbase::Position::start(&rules),
        };
        Ok(Position { position, rules })
    }

    /// The position's text in its canonical form.
    #[getter]
    fn fen(&self) -> String {
        self.position.text(&self.rules)
    }

    /// The name of the rules.
    #[getter]
    fn rules(&self) -> Option<&'static str> {
        self.rules.name()
    }

    /// The bits of White's stones: bit 0 is d5, the order is that of the position's text.
    #[getter]
    fn white(&self) -> u32 {
        self.position.stones(Side::White).bits()
    }

    /// The bits of Black's stones.
    #[getter]
    fn black(&self) -> u32 {
        self.position.stones(Side::Black).bits()
    }

    /// How many stones White has in hand.
    #[getter]
    fn white_in_hand(&self) -> u8 {
        self.position.in_hand(Side::White)
    }

    /// How many stones Black has in hand.
    #[getter]
    fn black_in_hand(&self) -> u8 {
        self.position.in_hand(Side::Black)
    }

    /// 'white' or 'black'.
    #[getter]
    fn side_to_move(&self) -> &'static str {
        self.position.side_to_move().name()
    }

    /// 'placing', 'moving', 'flying' or 'over'.
    #[getter]
    fn phase(&self) -> &'static str {
        self.position.phase(&self.rules).name()
    }

    /// Whether the game is over.
    #[getter]
    fn is_over(&self) -> bool {
        self.position.is_over(&self.rules)
    }

    /// The legal turns, in the order of their texts.
    fn turns(&self) -> Vec<String> {
        let turns = self.legal().into_iter();
        turns.map(|turn| turn.to_string()).collect()
    }

    /// The position after a legal turn.
    fn play(&self, turn: &str) -> PyResult<Position> {
        let wanted: Turn = turn.parse().map_err(errors::position)?;
        if !self.legal().contains(&wanted) {
            let side = self.position.side_to_move();
            return Err(errors::position(format!(
                "{wanted} is not a legal turn of {side} here"
            )));
        }
        Ok(Position::of(self.position.after(wanted), self.rules))
    }

    fn __str__(&self) -> String {
        self.fen()
    }

    fn __repr__(&self) -> String {
        match self.rules() {
            Some(rules) if self.rules != Rules::STANDARD => {
                format!("Position('{}', rules='{rules}')", self.fen())
            }
            _ => format!("Position('{}')", self.fen()),
        }
    }
}

impl Position {
    fn legal(&self) -> Vec<Turn> {
        match self.position.is_over(&self.rules) {
            true => Vec::new(),
            false => self.position.turns(&self.rules),
        }
    }
}
