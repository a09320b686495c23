//! Sets of rules by the names that programs write in tags, and those by which a game would make sense.

use super::line::{Built, Part, TextPlace, build};
use super::numbering::PointNaming;
use super::position;
use crate::engine::game::Game;
use crate::rules::position::{Position, PositionError, Side};
use crate::rules::{Blocked, RemovalWhilePlacing, Rules};

/// The names of sets of rules, in small letters without spaces and signs.
const NAMES: [(Rules, &str); Rules::NAMED.len()] = [
    (
        Rules::STANDARD,
        "standard standard9mm std 9mm nmm ninemensmorris ninemenmorris ninemansmorris 9mensmorris \
         morris mill mills merels mühle muehle malom",
    ),
    (Rules::STANDARD_100, "standard100"),
    (Rules::NO_FLYING, "noflying"),
    (Rules::TEN, "ten tenmensmorris"),
    (Rules::LASKER, "lasker laskermorris laskersmorris"),
    (
        Rules::TWELVE,
        "twelve 12mm twelvemensmorris twelvemenmorris 12mensmorris",
    ),
    (Rules::MORABARABA, "morabaraba mora"),
    (Rules::DOOZ, "dooz"),
];

/// The rules that a tag names. Rules that differ from `given` only in their limits of quiet turns
/// count as `given`.
pub fn named(name: &str, given: &Rules) -> Option<Rules> {
    let letters = name.chars().filter(|letter| letter.is_alphanumeric());
    let plain: String = letters.flat_map(char::to_lowercase).collect();
    let is_named = |names: &str| names.split(' ').any(|known| known == plain);
    let rules = (NAMES.iter()).find_map(|&(rules, names)| is_named(names).then_some(rules))?;
    let counts = |rules: &Rules| Rules {
        quiet_turns: 0,
        quiet_turns_flying: 0,
        ..*rules
    };
    match rules.quiet_turns == 0 && counts(given) == rules {
        true => Some(*given),
        false => Some(rules),
    }
}

/// The least number of further turns by other rules that do not explain all of a game.
const FURTHER: usize = 4;

/// Other rules by which a game that was cut goes on, and the sentence about them; `begin` makes its start.
pub fn explanation(
    built: &Built,
    points: PointNaming,
    parts: &[(TextPlace, Part)],
    begin: impl Fn(&Rules) -> Option<Game>,
) -> Option<(Option<&'static str>, String)> {
    let failure = built.failure.as_ref()?;
    failure.error.as_ref()?;
    let own = built.game.rules();
    let turns = |built: &Built| built.line.turns.len();
    let [
        mut blocked,
        mut per_mill,
        mut from_mills,
        mut first,
        mut hand,
    ] = [*own; 5];
    let word;
    (blocked.blocked, word) = match own.blocked {
        Blocked::Loses => (Blocked::Passes, "passes"),
        Blocked::Passes => (Blocked::Loses, "loses"),
    };
    let (each, mills) = (!own.removal_per_mill, !own.removal_from_mills);
    (per_mill.removal_per_mill, from_mills.removal_from_mills) = (each, mills);
    if !own.pairs_have_hands() {
        first.first_to_move = own.first_to_move.other();
    }
    if own.first_to_move == Side::White && !own.removal_per_mill {
        hand.removal_while_placing = RemovalWhilePlacing::Hand;
    }
    let settings = [
        (
            first,
            format!("first_to_move = \"{}\"", first.first_to_move),
        ),
        (hand, "removal_while_placing = \"hand\"".to_owned()),
        (blocked, format!("blocked = \"{word}\"")),
        (per_mill, format!("removal_per_mill = {each}")),
        (from_mills, format!("removal_from_mills = {mills}")),
    ];
    let named = Rules::NAMED.map(|(name, rules)| (rules, format!("the rules {name}")));
    let settings = settings.map(|(rules, setting)| (rules, format!("rules with {setting}")));
    let mut best: Option<(Built, String)> = None;
    for (rules, words) in named.into_iter().chain(settings) {
        if rules == *own {
            continue;
        }
        let Some(start) = begin(&rules) else { continue };
        let other = build(&start, points, parts);
        let is_whole = other.failure.is_none();
        let goes_on = is_whole || turns(&other) >= turns(built) + FURTHER;
        let rank = |built: &Built| (built.failure.is_none(), turns(built));
        if goes_on && (best.as_ref()).is_none_or(|(best, _)| rank(&other) > rank(best)) {
            best = Some((other, words));
        }
    }
    let (other, rules) = best?;
    let turns = other.game.turns();
    let placed = |first: usize| {
        let own = turns.iter().skip(first).step_by(2);
        own.filter(|turn| turn.places()).count()
    };
    let most = placed(0).max(placed(1));
    let reason = match most > own.stones.into() {
        true => format!("this game has {most} placements a side, as by {rules}"),
        false => format!("by {rules} the game goes on"),
    };
    Some((other.game.rules().name(), reason))
}

/// The start of a game under rules; `text` is that of its position, if it does not begin with the empty board.
///
/// # Errors
///
/// Those of [`position::parse`].
pub fn start(text: Option<&str>, rules: &Rules) -> Result<Game, PositionError> {
    match text {
        None => Ok(Game::new(*rules, Position::start(rules))),
        Some(text) => {
            let (start, quiet_turns) = position::parse(text, rules)?;
            Ok(Game::new(*rules, start).with_quiet_turns(quiet_turns))
        }
    }
}
