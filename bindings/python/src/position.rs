//! Positions as Python objects.

use millbase::internals::service::words::Fen;
use millbase::{Masks, Rules, Side, Turn};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::{Reduced, errors, rules, text};

/// A position under some rules, with the count of quiet turns before it. It never changes: `play` returns another
/// one.
#[pyclass(frozen, eq, hash, module = "millbase")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Position(pub Fen);

/// The position of an argument, a text or a position, under the rules of a database.
pub fn read(argument: &Bound<'_, PyAny>, rules: &Rules) -> PyResult<Fen> {
    if let Ok(position) = argument.cast::<Position>() {
        let position = position.get().0;
        return match position.rules == *rules {
            true => Ok(position),
            false => Err(errors::position(
                "the position is one of other rules than the databases; open those of its rules",
            )),
        };
    }
    if !argument.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err(format!(
            "position must be a str or a Position, not {}",
            argument.get_type()
        )));
    }
    parse(&text(argument, "position")?, rules)
}

/// Parses a position's text. Positions that differ in a count that no rule limits are equal.
fn parse(text: &str, rules: &Rules) -> PyResult<Fen> {
    let position = Fen::parse(text, rules).map_err(errors::position)?;
    Ok(match rules.quiet_turns {
        0 => Fen::new(&position, rules),
        _ => position,
    })
}

/// The side with this name.
fn side(name: &str) -> PyResult<Side> {
    Side::named(name).ok_or_else(|| {
        errors::position(format!(
            "the side to move is '{name}', but must be 'white' or 'black'"
        ))
    })
}

#[pymethods]
impl Position {
    /// Reads a position's text; without one, the empty board with White to place.
    #[new]
    #[pyo3(signature = (fen=None, rules=None), text_signature = "(fen=None, rules='standard')")]
    fn new(fen: Option<&Bound<'_, PyAny>>, rules: Option<&Bound<'_, PyAny>>) -> PyResult<Position> {
        let rules = rules::read(rules)?;
        let position = match fen {
            Some(fen) => parse(&text(fen, "fen")?, &rules)?,
            None => Fen::new(&millbase::Position::start(&rules), &rules),
        };
        Ok(Position(position))
    }

    /// The position with these stones and no pending removal: bits as `white` and `black` have them, and
    /// stones in hand.
    #[staticmethod]
    #[pyo3(
        signature = (white, black, side_to_move="white", white_in_hand=0, black_in_hand=0, rules=None),
        text_signature = "(white, black, side_to_move='white', white_in_hand=0, black_in_hand=0, rules='standard')"
    )]
    fn from_bits(
        white: u32,
        black: u32,
        side_to_move: &str,
        white_in_hand: u8,
        black_in_hand: u8,
        rules: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Position> {
        let rules = rules::read(rules)?;
        let masks = Masks {
            white: &[white],
            black: &[black],
            to_move: &[side(side_to_move)? as u8],
            in_hand: Some([&[white_in_hand], &[black_in_hand]]),
        };
        let position = masks.position(0, &rules).map_err(errors::position)?;
        Ok(Position(Fen::new(&position, &rules)))
    }

    /// The position's text in its canonical form.
    #[getter]
    fn fen(&self) -> String {
        self.0.to_string()
    }

    /// The name of the rules, or their settings if they have none.
    #[getter]
    fn rules<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        rules::write(py, &self.0.rules)
    }

    /// The bits of White's stones: bit 0 is d5, the order is that of the position's text.
    #[getter]
    fn white(&self) -> u32 {
        self.0.stones(Side::White).bits()
    }

    /// The bits of Black's stones.
    #[getter]
    fn black(&self) -> u32 {
        self.0.stones(Side::Black).bits()
    }

    /// How many stones White has in hand.
    #[getter]
    fn white_in_hand(&self) -> u8 {
        self.0.in_hand(Side::White)
    }

    /// How many stones Black has in hand.
    #[getter]
    fn black_in_hand(&self) -> u8 {
        self.0.in_hand(Side::Black)
    }

    /// How many stones the side to move still has to remove after closing mills, 0 to 3.
    #[getter]
    fn removals_owed(&self) -> u8 {
        self.0.removals_owed()
    }

    /// The quiet turns before the position: those in a row that neither placed nor removed a stone. Rules with a
    /// limit count them; the text has them only under such rules.
    #[getter]
    fn quiet_turns(&self) -> u32 {
        self.0.quiet_turns
    }

    /// 'white' or 'black'.
    #[getter]
    fn side_to_move(&self) -> &'static str {
        self.0.side_to_move().name()
    }

    /// 'placing', 'moving', 'flying' or 'over'.
    #[getter]
    fn phase(&self) -> &'static str {
        self.0.phase(&self.0.rules).name()
    }

    /// Whether the game is over.
    #[getter]
    fn is_over(&self) -> bool {
        self.0.is_over(&self.0.rules)
    }

    /// The legal turns, in the order of their texts.
    fn turns(&self) -> Vec<String> {
        let turns = self.0.turns(&self.0.rules).into_iter();
        turns.map(|turn| turn.to_string()).collect()
    }

    /// The position after a legal turn.
    fn play(&self, turn: &Bound<'_, PyAny>) -> PyResult<Position> {
        let turn: Turn = text(turn, "turn")?.parse().map_err(errors::position)?;
        let after = self.0.play(turn).map_err(|why| {
            let side = self.0.side_to_move();
            errors::position(format!("{turn} is not a legal turn of {side} here: {why}"))
        })?;
        Ok(Position(after))
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Reduced<'py, (String, Bound<'py, PyAny>)>> {
        Ok((
            py.get_type::<Position>().into_any(),
            (self.fen(), self.rules(py)?),
        ))
    }

    fn __str__(&self) -> String {
        self.fen()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(match self.0.rules == Rules::STANDARD {
            true => format!("Position('{}')", self.fen()),
            false => format!(
                "Position('{}', rules={})",
                self.fen(),
                self.rules(py)?.repr()?
            ),
        })
    }
}
