//! The choice among turns that are equally good against a perfect opponent, by the chances that
//! they leave for errors. None of the choices gives up value.
//!
//! The opponent is modelled by the probability of each of its replies: all alike, or by a soft-max
//! over the scores of a search to a low depth without databases, as a player errs that looks only a
//! few turns ahead:
//!
//! ```text
//! p(reply) ~ exp((score(reply) - best score) / temperature)
//! chance(turn) = Σ p(reply) · { 1 if the reply is an error; else, if more turns are to be looked at,
//!                               the largest chance of the turns after the reply; else 0 }
//! ```
//!
//! To this, a choice may add the score of a search without databases, which brings what the chance
//! does not see: stones, mobility and threats, from which errors follow later.
//!
//! ```text
//! gain(turn) = chance(turn) + weight / (1 + exp(-score / a stone))
//! ```

use std::fmt;
use std::str::FromStr;

use super::known;
use crate::engine::game::shown;
use crate::probe::{Answer, Database, RankedTurn};
use crate::rules::position::Position;
use crate::search::Shallow;
use crate::value::Wdl;

/// The choice among drawn turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DrawnTurns {
    /// Any of them by chance.
    Random,
    /// The largest share of losing replies.
    #[default]
    LosingReplies,
    /// The largest chance of an error within two replies if all replies are equally likely.
    Uniform,
    /// The largest chance of an error in the reply of an opponent that searches two turns deep.
    Traps,
    /// The largest chance of an error within two replies of such an opponent.
    DeepTraps,
    /// The best score of a search without databases.
    Evaluation,
    /// The share of losing replies, and the score of a search without databases.
    Pressure,
}

/// The choice among turns of lost positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LostTurns {
    /// The longest resistance; among several, as for drawn turns.
    #[default]
    Longest,
    /// The largest gain, as for drawn turns.
    Chances,
}

/// The choices among turns that a perfect opponent could not tell apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Strategy {
    /// The choice among drawn turns.
    pub drawn: DrawnTurns,
    /// The choice among lost turns.
    pub lost: LostTurns,
}

impl DrawnTurns {
    /// All choices.
    pub const ALL: [DrawnTurns; 7] = [
        DrawnTurns::Random,
        DrawnTurns::LosingReplies,
        DrawnTurns::Uniform,
        DrawnTurns::Traps,
        DrawnTurns::DeepTraps,
        DrawnTurns::Evaluation,
        DrawnTurns::Pressure,
    ];

    /// The names, in the order of [`DrawnTurns::ALL`].
    pub const NAMES: &[&str] = &[
        "random",
        "losing-replies",
        "uniform",
        "traps",
        "deep-traps",
        "evaluation",
        "pressure",
    ];

    fn recipe(self) -> Recipe {
        let none = Recipe::default();
        let losing = Recipe { replies: 1, ..none };
        let traps = Recipe { depth: 2, ..losing };
        match self {
            DrawnTurns::Random => none,
            DrawnTurns::LosingReplies => losing,
            DrawnTurns::Uniform => Recipe {
                replies: 2,
                ..losing
            },
            DrawnTurns::Traps => traps,
            DrawnTurns::DeepTraps => Recipe {
                replies: 2,
                ..traps
            },
            DrawnTurns::Evaluation => Recipe {
                weight: 1.0,
                ..none
            },
            DrawnTurns::Pressure => Recipe {
                weight: 0.5,
                ..losing
            },
        }
    }
}

impl LostTurns {
    /// The names, in the order of the choices.
    pub const NAMES: &[&str] = &["longest", "chances"];

    /// All choices.
    pub const ALL: [LostTurns; 2] = [LostTurns::Longest, LostTurns::Chances];
}

/// The one of `all` whose name is at the same place.
fn named<T: Copy>(names: &[&str], all: &[T], text: &str) -> Result<T, String> {
    let place = names.iter().position(|name| *name == text);
    place.map(|place| all[place]).ok_or_else(|| {
        let (names, text) = (names.join(", "), shown(text));
        format!("the choice of turns must be one of {names}, not '{text}'")
    })
}

impl FromStr for DrawnTurns {
    type Err = String;

    fn from_str(text: &str) -> Result<DrawnTurns, String> {
        named(DrawnTurns::NAMES, &DrawnTurns::ALL, text)
    }
}

impl FromStr for LostTurns {
    type Err = String;

    fn from_str(text: &str) -> Result<LostTurns, String> {
        named(LostTurns::NAMES, &LostTurns::ALL, text)
    }
}

impl fmt::Display for DrawnTurns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(DrawnTurns::NAMES[*self as usize])
    }
}

impl fmt::Display for LostTurns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(LostTurns::NAMES[*self as usize])
    }
}

/// How a gain is computed.
#[derive(Clone, Copy, Default)]
struct Recipe {
    /// The number of the opponent's replies that are looked at; 0 for no chances.
    replies: u32,
    /// The depth of the model's search, in turns; 0 if all replies are equally likely.
    depth: u32,
    /// The weight of the evaluation; 0 for none.
    weight: f64,
}

/// The temperature of the soft-max, and a stone in the evaluation, in hundredths of a stone.
const TEMPERATURE: f64 = 30.0;
const STONE: f64 = 100.0;

/// The depth of the search for the evaluation, in turns after the player's own.
const EVALUATION_DEPTH: u32 = 2;

/// Beyond the first reply, only the best turns by that reply and only likely replies are looked at.
const BEST_TURNS: usize = 3;
const LIKELY: f64 = 0.05;

/// Computes gains.
pub(super) struct Gains<'a> {
    database: &'a Database,
    shallow: Shallow<'a>,
    recipe: Recipe,
    enough: &'a dyn Fn() -> bool,
    /// The number of values looked up.
    pub lookups: u64,
}

impl Gains<'_> {
    /// Once `enough` returns true, no more is looked up.
    pub fn new<'a>(
        database: &'a Database,
        choice: DrawnTurns,
        enough: &'a dyn Fn() -> bool,
    ) -> Gains<'a> {
        Gains {
            database,
            shallow: Shallow::new(database.rules()),
            recipe: choice.recipe(),
            enough,
            lookups: 0,
        }
    }

    /// The gain of each turn, given by the position after it; less than 0 if it is not known.
    pub fn of(&mut self, turns: &[Position]) -> Vec<f64> {
        let mut gains = self.with_replies(turns, self.recipe.replies);
        for (gain, after) in gains.iter_mut().zip(turns) {
            if self.recipe.weight > 0.0 && *gain >= 0.0 {
                let score = self.shallow.score(after, EVALUATION_DEPTH);
                *gain += self.recipe.weight / (1.0 + (f64::from(score.number()) / STONE).exp());
            }
        }
        gains
    }

    /// The chances of turns with this number of replies. Beyond the first reply only the best turns
    /// are looked at; the others come after them.
    fn with_replies(&mut self, turns: &[Position], replies: u32) -> Vec<f64> {
        if replies == 0 {
            return vec![0.0; turns.len()];
        }
        let mut chances: Vec<f64> = turns.iter().map(|after| self.chance(after, 1)).collect();
        if replies > 1 {
            let mut order: Vec<usize> = (0..turns.len()).collect();
            order.sort_by(|&left, &right| chances[right].total_cmp(&chances[left]));
            let (best, rest) = order.split_at(order.len().min(BEST_TURNS));
            for &place in best {
                chances[place] = self.chance(&turns[place], replies);
            }
            let least = best.iter().map(|&place| chances[place]).fold(1.0, f64::min);
            for &place in rest {
                chances[place] = chances[place].min(least);
            }
        }
        chances
    }

    /// The chance of an error within this number of replies to the position `after`; less than 0 if
    /// it is not known.
    fn chance(&mut self, after: &Position, replies: u32) -> f64 {
        const UNKNOWN: f64 = -1.0;
        if (self.enough)() {
            return UNKNOWN;
        }
        let Ok(Answer { turns, .. }) = known(self.database, after) else {
            return UNKNOWN;
        };
        self.lookups += turns.len() as u64;
        let Some(best) = turns.first().map(|best| best.value.wdl()) else {
            return 0.0;
        };
        let weights = self.weights(&turns);
        let all: f64 = weights.iter().sum();
        let replied = turns.iter().zip(weights);
        let chances = replied.map(|(reply, weight)| {
            if reply.value.wdl() < best {
                weight
            } else if replies > 1 && weight >= LIKELY * all && best == Wdl::Draw {
                weight * self.best(&reply.after, replies - 1)
            } else {
                0.0
            }
        });
        chances.sum::<f64>() / all
    }

    /// The largest chance of the drawn turns of a position.
    fn best(&mut self, position: &Position, replies: u32) -> f64 {
        let Ok(Answer { turns, .. }) = known(self.database, position) else {
            return 0.0;
        };
        self.lookups += turns.len() as u64;
        let drawn = turns.iter().filter(|turn| turn.value.wdl() == Wdl::Draw);
        let drawn: Vec<Position> = drawn.map(|turn| turn.after).collect();
        let chances = self.with_replies(&drawn, replies);
        chances.into_iter().fold(0.0, f64::max)
    }

    /// The model's probabilities of the replies, times a factor.
    fn weights(&self, replies: &[RankedTurn]) -> Vec<f64> {
        if self.recipe.depth == 0 {
            return vec![1.0; replies.len()];
        }
        let score = |reply: &RankedTurn| {
            let score = self.shallow.score(&reply.after, self.recipe.depth - 1);
            -f64::from(score.number())
        };
        let scores: Vec<f64> = replies.iter().map(score).collect();
        let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights = scores
            .iter()
            .map(|score| ((score - best) / TEMPERATURE).exp());
        weights.collect()
    }
}
