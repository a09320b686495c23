//! Sets of rules.

use schemars::JsonSchema;
use serde::Serialize;

use crate::engine::ending::DrawRule;
use crate::rules::Rules;

/// One set of rules; except for the name, the keys are those of files with settings.
#[derive(Serialize, JsonSchema)]
pub struct RuleSet {
    /// `None` for settings without a name.
    name: Option<&'static str>,
    #[serde(flatten)]
    rules: Rules,
}

impl From<&Rules> for RuleSet {
    fn from(rules: &Rules) -> RuleSet {
        RuleSet {
            name: rules.name(),
            rules: *rules,
        }
    }
}

/// The sets of rules that questions can name, and the rules about draws.
#[derive(Serialize, JsonSchema)]
pub struct RuleSetsAnswer {
    /// The rules of questions that name none.
    own: RuleSet,
    named: Vec<RuleSet>,
    draws: DrawRule,
}

impl RuleSetsAnswer {
    /// All named sets; `own` are the rules of questions that name none.
    pub fn new(own: &Rules, draws: DrawRule) -> RuleSetsAnswer {
        let named = Rules::NAMED.iter();
        RuleSetsAnswer {
            own: RuleSet::from(own),
            named: named.map(|(_, rules)| RuleSet::from(rules)).collect(),
            draws,
        }
    }
}
