//! The `info` lines of the engine.

use std::fmt::Write;

use super::options::EngineOptions;
use crate::engine::player::SkillLevel;
use crate::rules::position::{Position, Side};
use crate::search::{Evaluation, PrincipalVariation, Score, ScoreMeaning};
use crate::value::{Value, Wdl};

/// Whether scores for the side to move change their sign for the configured perspective.
pub(super) fn is_turned(position: &Position, options: &EngineOptions) -> bool {
    options.view == 1 && position.side_to_move() == Side::Black
}

/// The `info` line of a variation.
pub(super) fn line(
    variation: &PrincipalVariation,
    position: &Position,
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
    let (score, [win, draw, loss]) = match (
        is_turned(position, options),
        chances(variation, Curve::of(options)),
    ) {
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
        for (action, after) in position.actions(turn, &options.rules()).unwrap_or_default() {
            // Writing to a string cannot fail.
            let _ = write!(line, " {action}");
            position = after;
        }
    }
    line
}

/// A score as the protocol writes it: an estimate, or the number of the winner's own
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
/// known, otherwise guessed from the estimate.
fn chances(variation: &PrincipalVariation, curve: Curve) -> [u32; 3] {
    let known = variation.value.map(Value::wdl);
    match known.or(variation.score.result()) {
        Some(Wdl::Win) => [1000, 0, 0],
        Some(Wdl::Draw) => [0, 1000, 0],
        Some(Wdl::Loss) => [0, 0, 1000],
        None => curve.guess(variation.score),
    }
}

/// The chance to win by the estimate: `1 / (1 + e^((even - estimate) / scale))`.
#[derive(Clone, Copy)]
struct Curve {
    /// The estimate with which a side wins half of its games.
    even: f64,
    scale: f64,
}

impl Curve {
    /// Fits the results of 5,543 random positions, searched with the network to 5,000 nodes.
    const NETWORK: Curve = Curve {
        even: 140.0,
        scale: 40.0,
    };

    const BY_HAND: Curve = Curve {
        even: 200.0,
        scale: 60.0,
    };

    /// The curve for the estimates of the configured level.
    fn of(options: &EngineOptions) -> Curve {
        match Evaluation::best(&options.rules()) {
            Evaluation::Network(_) if options.skill() == SkillLevel::PERFECT => Curve::NETWORK,
            _ => Curve::BY_HAND,
        }
    }

    fn guess(self, score: Score) -> [u32; 3] {
        let ahead = f64::from(score.number());
        let chance = |ahead: f64| 1.0 / (1.0 + ((self.even - ahead) / self.scale).exp());
        let [win, loss] = [ahead, -ahead].map(|ahead| (1000.0 * chance(ahead)).round() as u32);
        [win, 1000 - win - loss, loss]
    }
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
        for curve in [Curve::NETWORK, Curve::BY_HAND] {
            for number in -20_000..=20_000 {
                let [win, draw, loss] = curve.guess(Score::evaluation(number));
                assert_eq!(win + draw + loss, 1000, "{number}");
            }
            assert_eq!(curve.guess(Score::DRAW)[0], curve.guess(Score::DRAW)[2]);
            assert!(curve.guess(Score::evaluation(500))[0] > 990);
        }
        let [win, ..] = Curve::NETWORK.guess(Score::evaluation(200));
        assert!(
            win > 800,
            "the network is surer than the evaluation by hand"
        );
    }
}
