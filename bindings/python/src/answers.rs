//! Values and ranked turns as Python objects.

use millbase::internals::numbers;
use millbase::internals::service::position::ValuedTurn;
use millbase::{Dtw, Wdl};
use pyo3::prelude::*;

use crate::position::Position;
use crate::{Reduced, errors, text};

/// The value of a position for its side to move.
#[pyclass(frozen, eq, hash, module = "millbase")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Value(pub millbase::Value);

/// A function of the module, which `pickle` calls with the arguments that `__reduce__` gives.
fn own<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("millbase._millbase")?.getattr(name)
}

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

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Reduced<'py, (&'static str, Option<u16>)>> {
        Ok((own(py, "_value")?, (self.name(), self.dtw())))
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<Value: {}>", self.0)
    }
}

/// The value with this name and depth.
#[pyfunction]
pub fn _value(name: &str, dtw: Option<u16>) -> PyResult<Value> {
    let dtw = dtw.map_or(Dtw::UNKNOWN, Dtw);
    let values = [
        millbase::Value::Win(dtw),
        millbase::Value::Draw,
        millbase::Value::Loss(dtw),
    ];
    let named = values.into_iter().find(|value| value.wdl().name() == name);
    let named = named.ok_or_else(|| {
        let names = [Wdl::Win, Wdl::Draw, Wdl::Loss].map(Wdl::name).join(", ");
        errors::position(format!("the value is '{name}', but must be one of {names}"))
    });
    named.map(Value)
}

/// A turn with its value for the side that makes it, and the position after it.
#[pyclass(frozen, eq, hash, module = "millbase")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct RankedTurn(pub ValuedTurn);

#[pymethods]
impl RankedTurn {
    /// The turn's text, as 'd6-d5xb4'.
    #[getter]
    fn turn(&self) -> String {
        self.0.turn.to_string()
    }

    /// The value of the turn for the side that makes it; the depth includes the turn.
    #[getter]
    fn value(&self) -> Value {
        Value(self.0.value)
    }

    /// The position after the turn.
    #[getter]
    fn position(&self) -> Position {
        Position(self.0.position)
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Reduced<'py, (String, Value, Position)>> {
        let parts = (self.turn(), self.value(), self.position());
        Ok((own(py, "_ranked_turn")?, parts))
    }

    fn __repr__(&self) -> String {
        format!("<RankedTurn {}: {}>", self.0.turn, self.0.value)
    }
}

/// The ranked turn with these parts.
#[pyfunction]
pub fn _ranked_turn(
    turn: &Bound<'_, PyAny>,
    value: &Bound<'_, Value>,
    position: &Bound<'_, Position>,
) -> PyResult<RankedTurn> {
    let turn = text(turn, "turn")?.parse().map_err(errors::position)?;
    Ok(RankedTurn(ValuedTurn {
        turn,
        value: value.get().0,
        position: position.get().0,
    }))
}
