//! Sets of rules.

use serde::Serialize;

use crate::engine::ending::DrawRule;
use crate::rules::{Blocked, FullBoard, Rules};

/// One set of rules; except for the name, the keys are those of the files that `--rules` reads.
#[derive(Serialize)]
pub struct JsonRules {
    /// `None` for settings without a name.
    name: Option<&'static str>,
    stones: u8,
    diagonals: bool,
    flying: u8,
    removal_from_mills: bool,
    removal_per_mill: bool,
    blocked: Blocked,
    full_board: FullBoard,
}

impl From<&Rules> for JsonRules {
    fn from(rules: &Rules) -> JsonRules {
        JsonRules {
            name: rules.name(),
            stones: rules.stones,
            diagonals: rules.diagonals,
            flying: rules.flying,
            removal_from_mills: rules.removal_from_mills,
            removal_per_mill: rules.removal_per_mill,
            blocked: rules.blocked,
            full_board: rules.full_board,
        }
    }
}

/// The sets of rules that questions can name, and the rules about draws.
#[derive(Serialize)]
pub struct RuleSets {
    /// The rules of questions that name none.
    own: JsonRules,
    named: Vec<JsonRules>,
    draws: DrawRule,
}

impl RuleSets {
    /// All named sets; `own` are the rules of questions that name none.
    pub fn new(own: &Rules, draws: DrawRule) -> RuleSets {
        let named = Rules::NAMED.iter();
        RuleSets {
            own: JsonRules::from(own),
            named: named.map(|(_, rules)| JsonRules::from(rules)).collect(),
            draws,
        }
    }
}
