//! Packs of puzzles in the JSON format that mill programs exchange, version 1.0.

use std::io::{self, Write};
use std::time::SystemTime;

use millbase::internals::coach::pack::{Claim, ClaimedLine};
use millbase::internals::coach::puzzle::{Goal, Puzzle};
use millbase::{Phase, Rules, Side};
use serde::{Deserialize, Serialize};

use super::make::NamedPuzzle;
use crate::output;

/// A pack. Reading ignores unknown fields.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExchangePack<P> {
    pub format_version: String,
    #[serde(default)]
    exported_by: Option<ExportedBy>,
    #[serde(default)]
    export_date: Option<String>,
    #[serde(default)]
    pub puzzle_count: Option<usize>,
    pub puzzles: Vec<P>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ExportedBy {
    #[serde(default)]
    app_name: String,
    #[serde(default)]
    platform: String,
}

/// A puzzle of a pack.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PackPuzzle {
    pub id: String,
    title: String,
    #[serde(default)]
    description: String,
    category: String,
    difficulty: String,
    initial_position: String,
    solutions: Vec<Solution>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rating: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rule_variant_id: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Solution {
    moves: Vec<ExchangedMove>,
    #[serde(default = "yes")]
    is_optimal: bool,
}

fn yes() -> bool {
    true
}

#[derive(Serialize, Deserialize)]
struct ExchangedMove {
    notation: String,
    side: String,
}

/// The name of the standard rules.
const STANDARD: &str = "standard_9mm";

/// The categories, levels, titles and descriptions that the format allows.
const CATEGORIES: &str = "formMill capturePieces winGame defend findBestMove endgame opening mixed";
const DIFFICULTIES: &str = "beginner easy medium hard expert master";
const TITLE: std::ops::RangeInclusive<usize> = 3..=100;
const SHORTEST_DESCRIPTION: usize = 10;

/// Writes a pack with an optimal solution for each puzzle.
pub fn write(out: &mut impl Write, puzzles: &[NamedPuzzle], rules: &Rules) -> io::Result<()> {
    let packed = puzzles.iter().map(|named| PackPuzzle::new(named, rules));
    let pack = ExchangePack {
        format_version: "1.0".to_owned(),
        exported_by: Some(ExportedBy {
            app_name: "Millbase".to_owned(),
            platform: std::env::consts::OS.to_owned(),
        }),
        export_date: Some(humantime::format_rfc3339_seconds(SystemTime::now()).to_string()),
        puzzle_count: Some(puzzles.len()),
        puzzles: packed.collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &pack)?;
    out.write_all(b"\n")
}

impl PackPuzzle {
    fn new(NamedPuzzle { id, puzzle }: &NamedPuzzle, rules: &Rules) -> PackPuzzle {
        let task = task(puzzle);
        let (category, objective, description) = match puzzle.goal {
            Goal::Win => (
                "winGame",
                "objective:win",
                format!("{task} against the best defence. Find the one turn that wins fastest."),
            ),
            Goal::Draw => (
                "defend",
                "objective:hold-draw",
                format!("{task}: every other turn loses. Find the one that holds."),
            ),
        };
        let phase = match puzzle.position.phase(rules) {
            Phase::Placing => "placement",
            Phase::Flying => "flying",
            Phase::Moving | Phase::Over => "movement",
        };
        let mut tags = vec![
            objective.to_owned(),
            format!("phase:{phase}"),
            format!("side:{}", puzzle.position.side_to_move()),
            "source:composed".to_owned(),
        ];
        if puzzle.goal == Goal::Win {
            let slower = puzzle.keeping - 1;
            let wrong = puzzle.legal - puzzle.keeping;
            tags.push(format!("win-in-{}", puzzle.turns));
            tags.push("shortest-first-turns:1".to_owned());
            tags.push(format!("slower-winning-first-turns:{slower}"));
            tags.push(format!("non-winning-first-turns:{wrong}"));
        }
        tags.extend(puzzle.themes.iter().map(|theme| theme.name().to_owned()));
        let mut before = puzzle.position;
        let mut moves = Vec::new();
        for step in &puzzle.solution {
            let actions = before.actions(step.turn, rules).unwrap_or_default();
            moves.extend(actions.into_iter().map(|(action, _)| ExchangedMove {
                notation: action.to_string(),
                side: step.side.name().to_owned(),
            }));
            before = step.after;
        }
        PackPuzzle {
            id: id.clone(),
            title: task,
            description,
            category: category.to_owned(),
            difficulty: puzzle.difficulty.level.to_owned(),
            initial_position: puzzle.text.clone(),
            solutions: vec![Solution {
                moves,
                is_optimal: true,
            }],
            tags,
            rating: Some(puzzle.difficulty.rating.into()),
            rule_variant_id: (*rules == Rules::STANDARD).then(|| STANDARD.to_owned()),
        }
    }

    /// The claim of the puzzle.
    pub fn claim(&self) -> Claim {
        let [is_draw, is_win] = self.goals();
        let action =
            |made: &ExchangedMove| (Side::named(&made.side), made.notation.to_ascii_lowercase());
        let lines = self.solutions.iter().map(|solution| ClaimedLine {
            actions: solution.moves.iter().map(action).collect(),
            is_optimal: solution.is_optimal,
        });
        Claim {
            position: self.initial_position.clone(),
            goal: match (is_draw, is_win) {
                (true, _) => Some(Goal::Draw),
                (_, true) => Some(Goal::Win),
                _ => None,
            },
            win_in: self.tagged().or_else(|| stated(&self.title)),
            lines: lines.collect(),
        }
    }

    /// Whether the puzzle is said to be about a draw, and about a win.
    fn goals(&self) -> [bool; 2] {
        [
            ("defend", "objective:hold-draw"),
            ("winGame", "objective:win"),
        ]
        .map(|(category, tag)| {
            self.category == category || self.tags.iter().any(|other| other == tag)
        })
    }

    /// The turns of the win, as a tag states them.
    fn tagged(&self) -> Option<u32> {
        let tagged = self
            .tags
            .iter()
            .find_map(|tag| tag.strip_prefix("win-in-"))?;
        tagged.parse().ok()
    }

    /// Violations of the format, one sentence each.
    pub fn form_problems(&self, rules: &Rules) -> Vec<String> {
        let mut problems = Vec::new();
        let named = |id: &str| match id {
            STANDARD => Some(Rules::STANDARD),
            _ => Rules::named(id),
        };
        if let Some(id) = &self.rule_variant_id
            && named(id).map_or(*rules == Rules::STANDARD, |named| named != *rules)
        {
            problems.push(format!(
                "it is for the rules '{id}', but was checked under others; name its rules with --rules"
            ));
        }
        // After its ten fields, a position may have counters and, as programs write it, the word ids:nodes.
        let mut others = self.initial_position.split_whitespace().skip(10);
        let is_usual = |word: &str| word == "ids:nodes" || word.parse::<i64>().is_ok();
        if let Some(other) = others.find(|word| !is_usual(word)) {
            problems.push(format!("'{other}' follows the position"));
        }
        if let (Some(tagged), Some(titled)) = (self.tagged(), stated(&self.title))
            && tagged != titled
        {
            problems.push(format!("the title says {titled} turns, a tag {tagged}"));
        }
        if self.goals() == [true; 2] {
            let category = &self.category;
            problems.push(format!("a tag contradicts the category '{category}'"));
        }
        let letters = self.title.chars().count();
        if !TITLE.contains(&letters) {
            let letters = output::counted(letters, "character");
            problems.push(format!("the title has {letters}, not 3 to 100"));
        }
        if self.description.chars().count() < SHORTEST_DESCRIPTION {
            problems.push("the description has fewer than 10 characters".to_owned());
        }
        for (word, name, words) in [
            (&self.category, "category", CATEGORIES),
            (&self.difficulty, "difficulty", DIFFICULTIES),
        ] {
            if !words.split(' ').any(|known| known == word) {
                problems.push(format!("'{word}' is not a {name} of the format"));
            }
        }
        let mut moves = self.solutions.iter().flat_map(|solution| &solution.moves);
        if let Some(wrong) = moves.find(|action| Side::named(&action.side).is_none()) {
            problems.push(format!("the side is '{}', not white or black", wrong.side));
        }
        problems
    }
}

/// The number in a title like "Win in 3".
fn stated(title: &str) -> Option<u32> {
    let lowered = title.to_ascii_lowercase();
    let words = lowered.split_whitespace();
    let mut words = words.skip_while(|word| !word.starts_with("win")).skip(1);
    let number = match words.next()? {
        "in" => words.next()?,
        _ => return None,
    };
    let digits = number.trim_end_matches(|letter: char| !letter.is_ascii_digit());
    digits.parse().ok()
}

/// The task of the solver, as a sentence.
pub(super) fn task(puzzle: &Puzzle) -> String {
    let side = match puzzle.position.side_to_move() {
        Side::White => "White",
        Side::Black => "Black",
    };
    match (puzzle.goal, puzzle.turns) {
        (Goal::Draw, _) => format!("{side} holds the draw"),
        (Goal::Win, turns) => format!("{side} wins in {}", output::counted(turns, "turn")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_state_a_number() {
        assert_eq!(stated("White wins in 3 turns"), Some(3));
        assert_eq!(stated("Win in 12!"), Some(12));
        assert_eq!(stated("A winding path in 7"), None);
        assert_eq!(stated("Hold"), None);
    }
}
