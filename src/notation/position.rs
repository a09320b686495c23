//! Positions in the forms of other programs.
//!
//! | form | a position |
//! |---|---|
//! | [`Fen`](PositionForm::Fen) | ours, of [`Position::parse`] |
//! | [`Rings`](PositionForm::Rings) | `WW.W..WBBB..............\|W\|9\|9`: the points by rings, the side to move, the stones that each side has placed |
//! | [`Mfen`](PositionForm::Mfen) | `MFEN/1.0 mill24-state-v1 WW.W..WB/BB....../........ w m m 0,0 - 0 36 -`: the points by rings, side, phase, action, stones in hand, removals, quiet turns, actions, result |
//! | [`Rows`](PositionForm::Rows) | `W..BB................... W 8 7`: the points by rows, the side to move, the stones in hand |
//! | [`Json`](PositionForm::Json) | `{"board":"W..BB…","current_player":"W","men_to_deploy":[8,7]}` |

use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::numbering::PointOrder;
use crate::board::{POINTS, PointSet};
use crate::engine::game::shown;
use crate::names::names;
use crate::rules::Rules;
use crate::rules::position::text::read_number;
use crate::rules::position::{Position, PositionError, Side};

/// A form of positions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum PositionForm {
    /// The text of mill programs.
    Fen,
    /// The points by rings, and the stones that were placed.
    Rings,
    /// The versioned text with the points by rings.
    Mfen,
    /// The points by rows, and the stones in hand.
    Rows,
    /// An object with the points by rows.
    Json,
}

names! { PositionForm all { Fen: "fen", Rings: "rings", Mfen: "mfen", Rows: "rows", Json: "json" } }

/// The first word of the versioned text.
const MFEN: &str = "MFEN/1.0";

/// The second word of the versioned text.
const PROFILE: &str = "mill24-state-v1";

/// The form of a position's text by its first word; `None` if it does not begin a position.
pub fn form_of(word: &str) -> Option<PositionForm> {
    const FEWEST_LETTERS: usize = 20;
    let of = |word: &str, letters: &str| word.chars().all(|letter| letters.contains(letter));
    if word == MFEN {
        return Some(PositionForm::Mfen);
    }
    if word.starts_with('{') {
        return Some(PositionForm::Json);
    }
    if let Some((letters, _)) = word.split_once('|') {
        let is_board = letters.len() >= FEWEST_LETTERS && of(letters, "WB.");
        return is_board.then_some(PositionForm::Rings);
    }
    match word.len() {
        26 if of(word, "O@*/") && word.matches('/').count() == 2 => Some(PositionForm::Fen),
        24 if of(word, "WB.") => Some(PositionForm::Rows),
        _ => None,
    }
}

/// Parses a position in any form, and the number of quiet turns before it.
///
/// # Errors
///
/// A sentence about the first thing that is wrong.
pub fn parse(text: &str, rules: &Rules) -> Result<(Position, u32), PositionError> {
    let text = text.trim();
    let first = text.split_whitespace().next().unwrap_or_default();
    let stated = match form_of(first) {
        Some(PositionForm::Rings) => rings(text, rules)?.with_removal(rules),
        Some(PositionForm::Mfen) => mfen(text)?,
        Some(PositionForm::Rows) => rows(text)?.with_removal(rules),
        Some(PositionForm::Json) => object(text)?.with_removal(rules),
        Some(PositionForm::Fen) | None => return Position::parse_counted(text, rules),
    };
    stated.checked(rules)
}

/// A position as the other forms state it.
struct Stated {
    /// White's and Black's stones.
    stones: [PointSet; 2],
    in_hand: [u32; 2],
    side: Side,
    /// Whether the side to move has to remove a stone.
    removes: bool,
    /// Whether the text says that the placing phase goes on.
    places: bool,
    quiet_turns: u16,
}

impl Stated {
    /// The position, checked as a text in our form is.
    fn checked(self, rules: &Rules) -> Result<(Position, u32), PositionError> {
        let [white, black] = self.in_hand.map(|stones| stones.to_string());
        let in_hand = [
            read_number("White's stones in hand", &white)?,
            read_number("Black's stones in hand", &black)?,
        ];
        let is_before_pass = self.places && self.removes == (self.side == Side::Black);
        let position = Position {
            removals_owed: self.removes.into(),
            pass_to_come: is_before_pass && rules.first_to_move == Side::Black,
            ..Position::of_colours(self.stones, in_hand, self.side)
        };
        position.checked(self.quiet_turns, rules)
    }

    /// Infers a removal that the text does not state: the side to move has just placed its stone.
    /// Where pairs have stones in hand, these do not show this.
    fn with_removal(mut self, rules: &Rules) -> Stated {
        if rules.pairs_have_hands() {
            return self;
        }
        let [mine, others] = self.side.own_first(self.in_hand);
        let has_placed = match self.side {
            Side::White => mine + 1 == others,
            Side::Black => mine == others && mine > 0,
        };
        self.removes |= has_placed;
        self
    }
}

fn board(letters: &str, order: PointOrder) -> Result<[PointSet; 2], String> {
    let length = letters.chars().count();
    if length != POINTS as usize {
        return Err(format!(
            "the board has {length} letters, but needs {POINTS}"
        ));
    }
    let mut stones = [PointSet::EMPTY; 2];
    for (place, letter) in letters.chars().enumerate() {
        let side = match letter {
            'W' => 0,
            'B' => 1,
            '.' => continue,
            _ => {
                let letter = letter.escape_debug();
                return Err(format!(
                    "letter {} of the board is '{letter}', but must be W, B or '.'",
                    place + 1
                ));
            }
        };
        if let Some(point) = order.point(place) {
            stones[side] = stones[side].with(point);
        }
    }
    Ok(stones)
}

fn side(word: &str) -> Result<Side, String> {
    match word {
        "W" | "w" | "white" | "White" | "0" => Ok(Side::White),
        "B" | "b" | "black" | "Black" | "1" => Ok(Side::Black),
        _ => {
            let word = shown(word);
            Err(format!("the side to move is '{word}', but must be W or B"))
        }
    }
}

fn number(word: &str, what: &str) -> Result<u16, String> {
    read_number(what, word).map_err(|why: PositionError| why.to_string())
}

/// The stones in hand of White and Black.
fn both_hands(white: &str, black: &str) -> Result<[u32; 2], String> {
    let white = number(white, "White's hand")?;
    Ok([white, number(black, "Black's hand")?].map(u32::from))
}

fn rings(text: &str, rules: &Rules) -> Result<Stated, String> {
    let fields: Vec<&str> = text.split('|').map(str::trim).collect();
    let [letters, to_move, placed @ ..] = &fields[..] else {
        return Err("the position has no side to move; write it like …|W|9|9".to_owned());
    };
    let [white, black] = placed else {
        let words = "must end in the stones that White and Black have placed, like …|W|9|9";
        return Err(format!("the position {words}"));
    };
    let hand = |placed, of| {
        let placed = number(placed, &format!("{of} number of placed stones"))?;
        let most = rules.stones;
        let left = u16::from(most).checked_sub(placed).map(u32::from);
        left.ok_or_else(|| {
            format!("{placed} stones were placed, more than the {most} of a side under these rules")
        })
    };
    let in_hand = [hand(white, "White's")?, hand(black, "Black's")?];
    Ok(Stated {
        stones: board(letters, PointOrder::Rings)?,
        in_hand,
        side: side(to_move)?,
        removes: false,
        places: false,
        quiet_turns: 0,
    })
}

fn mfen(text: &str) -> Result<Stated, String> {
    let fields: Vec<&str> = text.split_whitespace().collect();
    let &[
        _,
        profile,
        letters,
        to_move,
        phase,
        action,
        hands,
        owed,
        quiet,
        _,
        result,
        ..,
    ] = &fields[..]
    else {
        return Err(format!(
            "a position that begins with {MFEN} has eleven fields"
        ));
    };
    if profile != PROFILE {
        let profile = shown(profile);
        return Err(format!(
            "the profile is '{profile}', but only {PROFILE} can be read"
        ));
    }
    if result != "-" || to_move == "-" {
        let words = "and the position does not say which side was to move";
        return Err(format!("the game is over, {words}"));
    }
    if letters.contains(['w', 'b']) {
        let words = "that removed stones leave marked, which these rules do not know";
        return Err(format!("the board has points {words}"));
    }
    let hands = hands.split_once(',');
    let (white, black) = hands.ok_or("the stones in hand must be like 9,9")?;
    if !["p", "m"].contains(&phase) {
        let phase = shown(phase);
        return Err(format!("the phase is '{phase}', but must be p or m"));
    }
    Ok(Stated {
        stones: board(&letters.replace('/', ""), PointOrder::Rings)?,
        in_hand: both_hands(white, black)?,
        side: side(to_move)?,
        removes: action == "r" || owed != "-",
        places: phase == "p",
        quiet_turns: number(quiet, "the count of quiet turns")?,
    })
}

fn rows(text: &str) -> Result<Stated, String> {
    let fields: Vec<&str> = text.split_whitespace().collect();
    let (letters, to_move, in_hand) = match &fields[..] {
        [letters, to_move] => (letters, to_move, [0, 0]),
        [letters, to_move, white, black] => (letters, to_move, both_hands(white, black)?),
        _ => {
            return Err("a board by rows needs the side to move and the stones in hand after it, like W 8 7".to_owned());
        }
    };
    Ok(Stated {
        stones: board(letters, PointOrder::Rows)?,
        in_hand,
        side: side(to_move)?,
        removes: false,
        places: false,
        quiet_turns: 0,
    })
}

fn object(text: &str) -> Result<Stated, String> {
    let object: Json =
        serde_json::from_str(text).map_err(|error| format!("the position is not JSON: {error}"))?;
    let letters = object["board"].as_str();
    let letters = letters.ok_or("the position has no field \"board\" with 24 letters")?;
    let pair = |name: &str| {
        let pair = Option::<[u16; 2]>::deserialize(&object[name]);
        pair.map(|pair| pair.map(|pair| pair.map(u32::from)))
            .map_err(|_| format!("the field \"{name}\" must be two numbers, White's first"))
    };
    let stones = board(letters, PointOrder::Rows)?;
    let in_hand = match (pair("men_to_deploy")?, pair("num_men")?) {
        (Some(in_hand), _) => in_hand,
        (None, Some(all)) => [0, 1].map(|side| all[side].saturating_sub(stones[side].len())),
        (None, None) => [0, 0],
    };
    let players = ["current_player", "player", "side_to_move", "turn"];
    let mut players = players.into_iter().map(|name| &object[name]);
    let player = players.find(|value| !value.is_null());
    let side = match (player, in_hand) {
        (Some(Json::String(word)), _) => side(word)?,
        (Some(value), _) => side(&value.to_string())?,
        (None, [white, black]) if white + black > 0 => match white == black {
            true => Side::White,
            false => Side::Black,
        },
        (None, _) => {
            return Err(
                "the position does not name the side to move; add \"current_player\": \"W\""
                    .to_owned(),
            );
        }
    };
    let phase = object["phase"].as_str().unwrap_or_default();
    let phase = phase.to_ascii_lowercase();
    let mut removing = ["remov", "captur", "mill"].iter();
    Ok(Stated {
        stones,
        in_hand,
        side,
        removes: removing.any(|word| phase.contains(word)),
        places: phase.contains("plac"),
        quiet_turns: 0,
    })
}

/// A position in a form.
///
/// # Errors
///
/// A sentence if the form cannot express all of the position, such as a pending removal.
pub fn text(
    position: &Position,
    quiet_turns: u32,
    rules: &Rules,
    form: PositionForm,
) -> Result<String, String> {
    let text = unchecked(position, quiet_turns, rules, form);
    let is_over = form == PositionForm::Mfen && position.is_over(rules);
    let is_whole = parse(&text, rules).is_ok_and(|(found, _)| found == *position);
    match is_whole && !is_over {
        true => Ok(text),
        false => Err(format!(
            "the form {} cannot state that a removal or a pass is due or that the game is over",
            form.name()
        )),
    }
}

fn unchecked(position: &Position, quiet_turns: u32, rules: &Rules, form: PositionForm) -> String {
    let letters = |order: PointOrder| -> String {
        let [white, black] = [Side::White, Side::Black].map(|side| position.stones(side));
        let letter = |point| match (white.contains(point), black.contains(point)) {
            (true, _) => 'W',
            (_, true) => 'B',
            _ => '.',
        };
        let points = (0..POINTS as usize).filter_map(|place| order.point(place));
        points.map(letter).collect()
    };
    let side = match position.side_to_move() {
        Side::White => 'W',
        Side::Black => 'B',
    };
    let [white, black] = [Side::White, Side::Black].map(|side| position.in_hand(side));
    match form {
        PositionForm::Fen => {
            let text = position.letters_counted(rules, quiet_turns);
            text.as_str().to_owned()
        }
        PositionForm::Rings => {
            let [white, black] = [white, black].map(|hand| rules.stones - hand);
            format!("{}|{side}|{white}|{black}", letters(PointOrder::Rings))
        }
        PositionForm::Rows => format!("{} {side} {white} {black}", letters(PointOrder::Rows)),
        PositionForm::Mfen => {
            let board = letters(PointOrder::Rings);
            let (outer, middle, inner) = (&board[..8], &board[8..16], &board[16..]);
            let phase = match position.is_before_first_move() {
                true => 'p',
                false => 'm',
            };
            let placed = 2 * u32::from(rules.stones) - u32::from(white) - u32::from(black);
            let side = side.to_ascii_lowercase();
            let quiet_turns = quiet_turns.min(u16::MAX.into());
            format!(
                "{MFEN} {PROFILE} {outer}/{middle}/{inner} {side} {phase} {phase} {white},{black} - {quiet_turns} \
                 {placed} -"
            )
        }
        PositionForm::Json => {
            let all = [Side::White, Side::Black].map(|side| position.total(side));
            let phase = match position.removal_owed() {
                true => "removing",
                false => position.phase(rules).name(),
            };
            json!({
                "board": letters(PointOrder::Rows),
                "current_player": side.to_string(),
                "men_to_deploy": [white, black],
                "num_men": all,
                "phase": phase,
            })
            .to_string()
        }
    }
}
