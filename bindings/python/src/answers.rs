//! Values, ranked turns and lines as Python objects.

use millbase::Rules;
use millbase::internals::numbers;
use pyo3::prelude::*;

use crate::position::Position;

/// What a position is worth to its side to move.
#[pyclass(frozen, eq, hash, module = "millbase")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Value(pub millbase::Value);

#[pymethods]
impl Value {
    /// 1 for a win, 0 for a draw, -1 for a loss.
    #[getter]
    fn wdl(&self) -> i8 {
        numbers(self.0).0
    }

    /// 'win', 'draw' or 'loss'.
    #[getter]
    fn name(&self) -> &'static str {
        self.0.wdl().name()
    }

    /// Turns to the end; None for a draw, and where the files hold no depths.
    #[getter]
    fn dtw(&self) -> Option<u16> {
        self.0.dtw().map(|dtw| dtw.0)
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<Value: {}>", self.0)
    }
}

/// A turn with its value for the side that makes it, and the position after it.
#[pyclass(frozen, module = "millbase")]
#[derive(Clone)]
pub struct RankedTurn {
    turn: millbase::RankedTurn,
    rules: Rules,
}

impl RankedTurn {
    /// The turns of an answer under these rules.
    pub fn all(turns: Vec<millbase::RankedTurn>, rules: Rules) -> Vec<RankedTurn> {
        let turns = turns.into_iter();
        turns.map(|turn| RankedTurn { turn, rules }).collect()
    }
}

#[pymethods]
impl RankedTurn {
    /// The turn's text, as 'd6-d5xb4'.
    #[getter]
    fn turn(&self) -> String {
        self.turn.turn.to_string()
    }

    /// What the turn is worth to the side that makes it, the turn counted.
    #[getter]
    fn value(&self) -> Value {
        Value(self.turn.value)
    }

    /// The position after the turn.
    #[getter]
    fn position(&self) -> Position {
        Position::of(self.turn.after, self.rules)
    }

    fn __repr__(&self) -> String {
        format!("<RankedTurn {}: {}>", self.turn.turn, self.turn.value)
    }
}

/// A game in which both sides always make their best turn.
#[pyclass(frozen, module = "millbase")]
pub struct Line {
    line: millbase::BestLine,
    rules: Rules,
}

impl Line {
    /// A line under these rules.
    pub fn of(line: millbase::BestLine, rules: Rules) -> Line {
        Line { line, rules }
    }
}

#[pymethods]
impl Line {
    /// The turns; each value is for the side that makes the turn.
    #[getter]
    fn turns(&self) -> Vec<RankedTurn> {
        RankedTurn::all(self.line.turns.clone(), self.rules)
    }

    /// Why the line ends: 'over', 'repetition' or 'limit'.
    #[getter]
    fn end(&self) -> &'static str {
        self.line.end.name()
    }

    fn __len__(&self) -> usize {
        self.line.turns.len()
    }

    fn __repr__(&self) -> String {
        let turns = self.line.turns.iter().map(|turn| turn.turn.to_string());
        let turns: Vec<String> = turns.collect();
        format!("<Line {} ({})>", turns.join(" "), self.end())
    }
}
