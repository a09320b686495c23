//! The `info` lines of the engine.

use std::fmt::Write;

use super::options::EngineOptions;
use crate::rules::Rules;
use crate::rules::position::{Position, Side};
use crate::search::{PrincipalVariation, Score, ScoreMeaning};
use crate::value::{Value, Wdl};

/// Whether scores for the side to move change their sign for the configured perspective.
pub(super) fn is_turned(position: &Position, options: &EngineOptions) -> bool {
    options.is_white_view() && position.side_to_move() == Side::Black
}

/// The `info` line of a variation.
pub(super) fn line(
    variation: &PrincipalVariation,
    position: &Position,
    rules: &Rules,
    options: &EngineOptions,
) -> String {
    let PrincipalVariation {
        turns,
        number,
        score,
        depth,
        seldepth,
        nodes,
        tb_hits,
        ..
    } = variation;
    let (score, [win, draw, loss]) = match (is_turned(position, options), chances(variation)) {
        (false, chances) => (*score, chances),
        (true, [win, draw, loss]) => (-*score, [loss, draw, win]),
    };
    let score = score_text(score);
    let wdl = match options.shows_wdl {
        true => format!(" wdl {win} {draw} {loss}"),
        false => String::new(),
    };
    let micros = variation.time.as_micros().max(1);
    let nps = u128::from(*nodes) * 1_000_000 / micros;
    let time = micros / 1000;
    let mut line = format!(
        "info depth {depth} seldepth {seldepth} multipv {number} score {score}{wdl} \
         nodes {nodes} nps {nps} tbhits {tb_hits} time {time} pv"
    );
    let mut position = *position;
    for &turn in turns {
        for (action, after) in position.actions(turn, rules).unwrap_or_default() {
            // Writing to a string cannot fail.
            let _ = write!(line, " {action}");
            position = after;
        }
    }
    line
}

/// A score as the protocol writes it: hundredths of a stone, or the number of the winner's own
/// turns to the end, negative for the loser.
pub(super) fn score_text(score: Score) -> String {
    match score.meaning() {
        ScoreMeaning::Win(turns) => format!("mate {}", turns.div_ceil(2)),
        ScoreMeaning::Loss(0) => "mate 0".to_string(),
        ScoreMeaning::Loss(turns) => format!("mate -{}", turns.div_ceil(2)),
        _ => format!("cp {}", score.number()),
    }
}

/// The chances of win, draw and loss for the side to move, in thousandths: certain if the value is
/// known, otherwise estimated from the evaluation.
fn chances(variation: &PrincipalVariation) -> [u32; 3] {
    let known = variation.value.map(Value::wdl);
    match known.or(variation.score.result()) {
        Some(Wdl::Win) => [1000, 0, 0],
        Some(Wdl::Draw) => [0, 1000, 0],
        Some(Wdl::Loss) => [0, 0, 1000],
        None => guess(variation.score),
    }
}

/// The estimate: a side that is ahead by `EVEN_CHANCE` hundredths of a stone wins half of its
/// games; a logistic curve gives the other chances.
fn guess(score: Score) -> [u32; 3] {
    const EVEN_CHANCE: f64 = 200.0;
    const SCALE: f64 = 60.0;
    let ahead = f64::from(score.number());
    let chance = |ahead: f64| 1.0 / (1.0 + ((EVEN_CHANCE - ahead) / SCALE).exp());
    let [win, loss] = [ahead, -ahead].map(|ahead| (1000.0 * chance(ahead)).round() as u32);
    [win, 1000 - win - loss, loss]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_count_the_moves_of_the_winner() {
        let texts = [
            (Score::win_in(1), "mate 1"),
            (Score::win_in(3), "mate 2"),
            (Score::loss_in(0), "mate 0"),
            (Score::loss_in(2), "mate -1"),
            (Score::loss_in(4), "mate -2"),
            (Score::evaluation(-35), "cp -35"),
            (Score::DRAW, "cp 0"),
        ];
        for (score, text) in texts {
            assert_eq!(score_text(score), text);
        }
    }

    #[test]
    fn guesses_add_up() {
        for number in -20_000..=20_000 {
            let [win, draw, loss] = guess(Score::evaluation(number));
            assert_eq!(win + draw + loss, 1000, "{number}");
        }
        assert_eq!(guess(Score::DRAW)[0], guess(Score::DRAW)[2]);
        assert!(guess(Score::evaluation(500))[0] > 990);
    }
}
