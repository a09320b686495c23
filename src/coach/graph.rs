//! The graph of a game's value from turn to turn, as SVG.

use crate::coach::annotate::mark;
use crate::coach::review::GameReview;
use crate::rules::position::Side;
use crate::value::Value;

/// The height of the graph, in pixels.
const HEIGHT: f64 = 200.0;

/// The space around the curve, in pixels.
const MARGIN: f64 = 16.0;

/// The least width of a turn, in pixels; turns of short games are wider.
const STEP: f64 = 8.0;

/// The least width of the graph, in pixels.
const LEAST_WIDTH: f64 = 320.0;

/// The height of a value, from -1 where White has lost to 1 where White has won: a win in `d` turns
/// is `1/4 + 3/4 · 16 / (16 + d)`, so a near end is higher than a far one, and every win is well
/// above a draw.
///
/// ```
/// use millbase::internals::coach::graph::height;
/// use millbase::{Dtw, Value};
/// assert_eq!(height(Value::Draw), 0.0);
/// assert_eq!(height(Value::Win(Dtw(16))), 0.625);
/// assert_eq!(height(Value::Loss(Dtw(0))), -1.0);
/// ```
pub fn height(value: Value) -> f64 {
    const SCALE: f64 = 16.0;
    // An unknown depth counts as far.
    let depth = value.dtw().map_or(f64::INFINITY, |dtw| f64::from(dtw.0));
    let decided = 0.25 + 0.75 * SCALE / (SCALE + depth);
    match value {
        Value::Win(_) => decided,
        Value::Draw => 0.0,
        Value::Loss(_) => -decided,
    }
}

/// The graph: White's wins above the middle line, Black's below it, a dot at each error, gaps where
/// the value is unknown. Hovering over a dot shows the turn.
pub fn svg(review: &GameReview) -> String {
    let heights = heights(review);
    let width = (STEP * heights.len() as f64).max(LEAST_WIDTH);
    let step = (width - 2.0 * MARGIN) / (heights.len().max(2) - 1) as f64;
    let x = |place: usize| MARGIN + step * place as f64;
    let y = |height: f64| HEIGHT / 2.0 - (HEIGHT / 2.0 - MARGIN) * height;
    let (middle, right) = (HEIGHT / 2.0, width - MARGIN);

    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {HEIGHT}\" role=\"img\" \
         font-family=\"sans-serif\" font-size=\"11\">\n\
         <title>Value of the game from turn to turn</title>\n\
         <rect width=\"{width}\" height=\"{middle}\" fill=\"#f4efe2\"/>\n\
         <rect y=\"{middle}\" width=\"{width}\" height=\"{middle}\" fill=\"#d8d3c8\"/>\n\
         <text x=\"4\" y=\"12\">White wins</text>\n\
         <text x=\"4\" y=\"{}\">Black wins</text>\n\
         <path d=\"M{MARGIN} {middle}H{right}\" stroke=\"#999\" stroke-dasharray=\"4 3\"/>\n",
        HEIGHT - 5.0
    );
    let mut path = String::new();
    let mut is_open = false;
    for (place, height) in heights.iter().enumerate() {
        if let Some(height) = height {
            let command = if is_open { 'L' } else { 'M' };
            path += &format!("{command}{:.1} {:.1}", x(place), y(*height));
        }
        is_open = height.is_some();
    }
    svg += &format!(
        "<path d=\"{path}\" fill=\"none\" stroke=\"#1f4e79\" stroke-width=\"2\" \
         stroke-linejoin=\"round\"/>\n"
    );
    for (place, turn) in review.turns.iter().enumerate() {
        let (Some(grade), Some(after)) = (turn.grade(), heights[place + 1]) else {
            continue;
        };
        if grade.is_error() {
            let (number, side) = (turn.number, turn.side);
            svg += &format!(
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\" fill=\"#b3261e\"><title>turn {number}, \
                 {side}: {}{} {}</title></circle>\n",
                x(place + 1),
                y(after),
                turn.turn,
                mark(turn),
                grade.words()
            );
        }
    }
    svg + "</svg>\n"
}

/// The heights of the positions from the first to the last.
fn heights(review: &GameReview) -> Vec<Option<f64>> {
    // That of a value for this side.
    let of_side = |value: Value, side: Side| match side {
        Side::White => height(value),
        Side::Black => -height(value),
    };
    let before = review.turns.iter().map(|turn| {
        let verdict = turn.verdict.as_ref()?;
        Some(of_side(verdict.before, turn.side))
    });
    let side = review.last.position.side_to_move();
    let last = review.last.value.map(|value| of_side(value, side));
    before.chain([last]).collect()
}
