//! A position's text, the FEN dialect of mill frontends:
//!
//! ```text
//! ***O**@*/*O@***@*/O**@**O* w m s 4 0 4 0 0 0 -1 -1 -1 -1 0 34 80
//! |        |        |        | | | | | | | | | |             |  `-- ignored, like anything after it
//! |        |        |        | | | | | | | | | |             `-- quiet turns before the position
//! |        |        |        | | | | | | | | | `-- ignored: the last mills, and the mills on the board
//! |        |        |        | | | | | | | `-- removals that White and Black still have to make
//! |        |        |        | | | | | `-- Black's stones on the board and in hand
//! |        |        |        | | | `-- White's stones on the board and in hand
//! |        |        |        | | `-- action: p(lace), s(elect), r(emove) or ?
//! |        |        |        | `-- phase: p(lacing), m(oving) or o(ver)
//! |        |        |        `-- side to move: w or b
//! inner    middle   outer ring, O White, @ Black, * empty
//! ```
//!
//! On a full board that takes a stone, the action is r. If Black makes the first move, the placing phase ends with
//! White's pass: before it, the text has the phase `p` and the action `s`.

use std::fmt;
use std::str::FromStr;

use super::{Phase, Position, Side};
use crate::board::{POINTS, Point, PointSet};
use crate::rules::{FEWEST_STONES, Rules, counted};

/// The number of characters of the board: three rings and two slashes.
const LETTERS: usize = POINTS as usize + 2;

impl Position {
    /// Parses a position's text.
    ///
    /// ```
    /// use millbase::{Position, Rules, Side};
    /// let text = "********/********/O@O*O@*@ w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 1";
    /// let position = Position::parse(text, &Rules::STANDARD)?;
    /// assert_eq!(position.stones(Side::Black).len(), 3);
    /// assert_eq!(position.text(&Rules::STANDARD), text);
    /// # Ok::<(), millbase::PositionError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A sentence that names the first contradiction found.
    pub fn parse(text: &str, rules: &Rules) -> Result<Position, PositionError> {
        Ok(Position::parse_counted(text, rules)?.0)
    }

    /// Parses a position's text and the count of quiet turns before it, the sixteenth field. The
    /// count is 0 where the field is missing or not a number, while stones in hand keep both sides
    /// from moving, and while a removal is owed; it is at most 65,535.
    ///
    /// ```
    /// use millbase::{Position, Rules};
    /// let text = "********/********/O@O*O@*@ w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 34 80";
    /// let (position, quiet) = Position::parse_counted(text, &Rules::STANDARD)?;
    /// assert_eq!((position.side_to_move().name(), quiet), ("white", 34));
    /// # Ok::<(), millbase::PositionError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`Position::parse`].
    pub fn parse_counted(text: &str, rules: &Rules) -> Result<(Position, u32), PositionError> {
        Fields::read(text)?.checked(rules)
    }

    /// The position and a count of quiet turns before it, if a text may state them: see [`Position::parse_counted`].
    pub(crate) fn checked(
        self,
        quiet_turns: u16,
        rules: &Rules,
    ) -> Result<(Position, u32), PositionError> {
        let removes = self.removal_owed() && !self.is_beaten();
        let fields = Fields {
            position: self,
            // This phase and the action `?` contradict no number of stones.
            phase: 'o',
            action: if removes { 'r' } else { '?' },
            on_board: [Side::White, Side::Black].map(|side| self.stones(side).len() as u8),
            owed: self.side_to_move.own_first([self.removals_owed, 0]),
            quiet_turns,
        };
        fields.checked(rules)
    }

    /// The position's text in its canonical form.
    pub fn text(&self, rules: &Rules) -> String {
        self.letters(rules).as_str().to_owned()
    }

    /// The position's text in its canonical form, without allocation.
    pub fn letters(&self, rules: &Rules) -> Letters {
        self.letters_counted(rules, 0)
    }

    /// The position's text with a count of quiet turns before it, as [`Position::parse_counted`]
    /// reads it; more than 65,535 turns are stated as 65,535.
    pub fn letters_counted(&self, rules: &Rules, quiet_turns: u32) -> Letters {
        let mut board = [b'/'; LETTERS];
        let side = self.side_to_move;
        let [white, black] = side.own_first([self.mover, self.waiting]);
        for bit in 0..POINTS {
            // A ring has eight letters, followed by a slash.
            let letter = &mut board[(bit + bit / 8) as usize];
            *letter = match (white.bits() >> bit & 1, black.bits() >> bit & 1) {
                (1, _) => b'O',
                (_, 1) => b'@',
                _ => b'*',
            };
        }
        let mut text = Letters {
            letters: [0; 80],
            length: 0,
        };
        text.push(&board);
        let (phase, action) = match self.phase(rules) {
            Phase::Over => (b'o', b'?'),
            phase => (
                match self.is_before_first_move() {
                    true => b'p',
                    false => b'm',
                },
                match phase {
                    _ if self.removals_due(rules) > 0 => b'r',
                    Phase::Placing if !self.pass_is_due() => b'p',
                    _ => b's',
                },
            ),
        };
        let letter = match side {
            Side::White => b'w',
            Side::Black => b'b',
        };
        for letter in [letter, phase, action] {
            text.push(&[b' ', letter]);
        }
        for side in [Side::White, Side::Black] {
            text.push_number(self.stones(side).len());
            text.push_number(self.in_hand(side).into());
        }
        for owed in side.own_first([self.removals_due(rules), 0]) {
            text.push_number(owed.into());
        }
        text.push(b" -1 -1 -1 -1 0");
        text.push_number(quiet_turns.min(u16::MAX.into()));
        text.push(b" 1");
        text
    }
}

/// The text of a position, without allocation.
#[derive(Clone, Copy, Debug)]
pub struct Letters {
    letters: [u8; 80],
    length: usize,
}

impl Letters {
    fn push(&mut self, letters: &[u8]) {
        self.letters[self.length..][..letters.len()].copy_from_slice(letters);
        self.length += letters.len();
    }

    fn push_number(&mut self, number: u32) {
        self.push(b" ");
        let digits = number.checked_ilog10().unwrap_or(0);
        for place in (0..=digits).rev() {
            self.push(&[b'0' + (number / 10_u32.pow(place) % 10) as u8]);
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        // All characters are ASCII.
        str::from_utf8(&self.letters[..self.length]).unwrap_or_default()
    }
}

/// The reason why a text is not a position: a sentence for the user, and an identifier for
/// programs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PositionError {
    reason: &'static str,
    fields: Vec<(&'static str, String)>,
    message: String,
}

impl PositionError {
    /// The reason as an identifier for programs, such as `too_many_stones`.
    pub fn reason(&self) -> &'static str {
        self.reason
    }

    /// The names and numbers of the sentence, such as `("side", "white")`: the same fields for the
    /// same reason.
    pub fn fields(&self) -> &[(&'static str, String)] {
        &self.fields
    }
}

impl fmt::Display for PositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for PositionError {}

/// An error about a position in another program's form; its reason is `unread`.
impl From<String> for PositionError {
    fn from(message: String) -> PositionError {
        PositionError {
            reason: "unread",
            fields: Vec::new(),
            message,
        }
    }
}

/// An error: `refused!(reason { field: value, … }, "the sentence", arguments)`.
macro_rules! refused {
    ($reason:ident { $($field:ident: $value:expr),* }, $($message:tt)+) => {
        PositionError {
            reason: stringify!($reason),
            fields: vec![$((stringify!($field), $value.to_string())),*],
            message: format!($($message)+),
        }
    };
}

macro_rules! ensure {
    ($condition:expr, $($error:tt)+) => {
        if !$condition {
            return Err(refused!($($error)+));
        }
    };
}

/// The fields of a position's text, each valid alone.
struct Fields {
    /// The position, whose removals follow from the other fields.
    position: Position,
    phase: char,
    action: char,
    /// White's and Black's numbers of stones on the board, as the text says.
    on_board: [u8; 2],
    /// White's and Black's removals.
    owed: [u8; 2],
    /// The quiet turns before the position; 0 without such a field.
    quiet_turns: u16,
}

/// The fields between the last of the numbers and the count of quiet turns: the points of the last
/// mills, and the mills on the board.
const FIELDS_BEFORE_COUNT: usize = 5;

impl Fields {
    /// Reads the ten required fields and the count of quiet turns. Programs append others: marks of
    /// mills, the number of the turn, and notes about the position such as `ids:nodes`.
    fn read(text: &str) -> Result<Fields, PositionError> {
        ensure!(
            !text.trim_ascii().is_empty(),
            empty {},
            "the position is empty"
        );
        let mut words = text.split_ascii_whitespace();
        let mut next = |what: &str| {
            words.next().ok_or_else(|| {
                refused!(
                    too_short {},
                    "the position ends before {what}; it needs ten fields, as in \
                     '********/********/******** w p p 0 9 0 9 0 0'"
                )
            })
        };
        let stones = read_board(next("the board")?)?;
        let side = match next("the side to move")? {
            "w" => Side::White,
            "b" => Side::Black,
            other => return Err(one_of("side to move", other, "w or b")),
        };
        let phase = read_letter("phase", next("the phase")?, "pmo")?;
        let action = read_letter("action", next("the action")?, "psr?")?;
        let mut numbers = [0; 6];
        let names = [
            "White's stones on the board",
            "White's stones in hand",
            "Black's stones on the board",
            "Black's stones in hand",
            "White's removals",
            "Black's removals",
        ];
        for (number, name) in numbers.iter_mut().zip(names) {
            *number = read_number(name, next(name)?)?;
        }
        // In its place, other programs may have notes.
        let count = words
            .nth(FIELDS_BEFORE_COUNT)
            .filter(|word| is_number(word));
        let count = count.map(|word| read_number("the count of quiet turns", word));
        let [white, white_in_hand, black, black_in_hand, owed @ ..] = numbers;
        Ok(Fields {
            position: Position::of_colours(stones, [white_in_hand, black_in_hand], side),
            phase,
            action,
            on_board: [white, black],
            owed,
            quiet_turns: count.transpose()?.unwrap_or(0),
        })
    }

    /// The position and the count of quiet turns, if the fields agree with each other and with the rules.
    fn checked(mut self, rules: &Rules) -> Result<(Position, u32), PositionError> {
        let takes_from_full_board = self.action == 'r' && self.position.removals_due(rules) == 1;
        if self.action == 'r' && !takes_from_full_board {
            self.position.removals_owed = self.owed[0].max(self.owed[1]);
        }
        let is_black = self.position.side_to_move == Side::Black;
        // After the last placement, the phase shows whether the pass before the first move is still to come.
        let is_to_come = self.position.is_placing()
            || self.phase == 'p' && self.position.removal_owed() == is_black;
        self.position.pass_to_come |=
            rules.first_to_move == Side::Black && is_to_come && self.position.pass_can_follow();
        let position = &self.position;
        for (side, on_board) in [Side::White, Side::Black].into_iter().zip(self.on_board) {
            let (stones, in_hand) = (position.stones(side).len(), position.in_hand(side));
            ensure!(
                stones == u32::from(on_board),
                other_count {
                    side: side,
                    said: on_board,
                    count: stones
                },
                "the text says that {side} has {} on the board, but the board shows {stones}",
                counted(on_board, "stone")
            );
            ensure!(
                stones + u32::from(in_hand) <= u32::from(rules.stones),
                too_many_stones {
                    side: side,
                    count: stones,
                    hand: in_hand,
                    most: rules.stones
                },
                "{side} has {} on the board and {in_hand} in hand, more than the {} of a side under these \
                 rules",
                counted(stones, "stone"),
                rules.stones
            );
        }
        self.check_removals(rules)?;
        self.check_phase(rules)?;
        for side in [Side::White, Side::Black] {
            let total = position.total(side);
            let beaten = self.phase == 'o'
                && side == position.side_to_move
                && total + 1 == u32::from(FEWEST_STONES);
            ensure!(
                total >= u32::from(FEWEST_STONES) || beaten,
                too_few_stones {
                    side: side,
                    count: total,
                    fewest: FEWEST_STONES
                },
                "{side} has {}, fewer than {FEWEST_STONES}; only the side to move can have {}, when the game \
                 is over (phase 'o')",
                counted(total, "stone"),
                FEWEST_STONES - 1
            );
        }
        match rules.counts_quiet_turns(position) {
            true => Ok((self.position, self.quiet_turns.into())),
            false => Ok((self.position, 0)),
        }
    }

    fn check_removals(&self, rules: &Rules) -> Result<(), PositionError> {
        let (position, [white_owes, black_owes]) = (&self.position, self.owed);
        ensure!(
            white_owes == 0 || black_owes == 0,
            both_remove {},
            "both sides are said to remove a stone, White {white_owes} and Black {black_owes}; \
             only the side to move can"
        );
        let side = position.side_to_move;
        let [mine, others] = side.own_first(self.owed);
        ensure!(
            others == 0,
            other_side_removes { side: side },
            "{} is said to remove a stone, but {side} is to move",
            side.other()
        );
        let expected = u8::from(self.action == 'r');
        ensure!(
            (mine > 0) == (expected > 0),
            other_action {
                action: self.action,
                count: mine
            },
            "the action '{}' and the number of stones to remove, {mine}, contradict each other; it must be {expected}",
            self.action
        );
        ensure!(
            mine <= 1 || rules.removal_per_mill,
            too_many_removals {
                side: side,
                count: mine,
                most: 1
            },
            "{side} is said to remove {mine} stones, but by these rules a turn earns no more than 1"
        );
        if mine > self.position.removals_due(rules) - self.position.removals_owed {
            let stones = position.mover();
            let mills = stones
                .into_iter()
                .map(|point| rules.board().mills_through(point, stones));
            let most = mills.max().unwrap_or(0);
            ensure!(
                most > 0,
                no_mill { side: side },
                "{side} is said to remove a stone, but has no mill on the board"
            );
            ensure!(
                u32::from(mine) <= most,
                too_many_removals {
                    side: side,
                    count: mine,
                    most: most
                },
                "{side} is said to remove {mine} stones, but no stone of its stands in more than {most} of its \
                 mills"
            );
            ensure!(
                !position.waiting().is_empty(),
                nothing_to_remove { side: side.other() },
                "{side} is said to remove a stone, but {} has none on the board",
                side.other()
            );
        }
        Ok(())
    }

    fn check_phase(&self, rules: &Rules) -> Result<(), PositionError> {
        let (position, side) = (&self.position, self.position.side_to_move);
        let [white, black] = [Side::White, Side::Black].map(|side| position.in_hand(side));
        // White places first; a side with a pending removal has already placed its stone.
        let in_turn = match (side, position.removal_owed()) {
            (Side::White, false) | (Side::Black, true) => white == black,
            (Side::White, true) | (Side::Black, false) => {
                white + 1 == black || white == 0 && black == 0
            }
        };
        let hands = || {
            let black = counted(black, "stone");
            format!("white has {white} and black {black} in hand")
        };
        ensure!(
            in_turn || rules.pairs_have_hands(),
            hands {
                white: white,
                black: black,
                side: side
            },
            "{}, which cannot be when {side} is to {}",
            hands(),
            if position.removal_owed() {
                "remove"
            } else {
                "move"
            }
        );
        let placing = position.is_placing();
        let may_move = position.may_move(side, rules);
        // Where mills take stones from the hand, one side may move while the other still places.
        let is_moving = rules.pairs_have_hands() && position.in_hand(side) == 0;
        let (word, contradicts) = match (self.phase, self.action, placing) {
            ('m', _, true) if !is_moving => ('m', "the phase is 'm' (moving)"),
            ('p', _, false) if position.removals_due(rules) == 0 && !position.pass_to_come => {
                ('p', "the phase is 'p' (placing)")
            }
            (_, 's', true) if !may_move => ('s', "the action is 's' (select)"),
            _ => return Ok(()),
        };
        let hands = match placing {
            true => hands(),
            false => "both sides have 0 stones in hand".to_owned(),
        };
        Err(refused!(
            other_phase {
                word: word,
                white: white,
                black: black
            },
            "{contradicts}, but {hands}"
        ))
    }
}

/// White's and Black's stones from the three rings.
fn read_board(word: &str) -> Result<[PointSet; 2], PositionError> {
    let length = word.chars().count();
    ensure!(
        length == LETTERS || word.chars().all(|letter| "O@*/".contains(letter)),
        other_form {},
        "this is not a position in the form of mill programs, which is like \
         '********/********/******** w p p 0 9 0 9 0 0': the board (its rings from the inner to the outer, \
         each from its top point clockwise; O white, @ black, * empty), the side to move, phase, action, and six \
         numbers"
    );
    ensure!(
        length == LETTERS,
        board_length { count: length },
        "the board has {}, but needs 26: three rings of 8, with '/' between them",
        counted(length, "character")
    );
    let (mut white, mut black) = (PointSet::EMPTY, PointSet::EMPTY);
    let mut points = Point::all();
    for (place, letter) in (1..).zip(word.chars()) {
        let is_slash = place == 9 || place == 18;
        let point = if is_slash { None } else { points.next() };
        match (point, letter) {
            (None, '/') | (Some(_), '*') => {}
            (Some(point), 'O') => white = white.with(point),
            (Some(point), '@') => black = black.with(point),
            _ => {
                let (allowed, words) = match is_slash {
                    true => ("/", "'/'"),
                    false => ("O, @, *", "'O', '@' or '*'"),
                };
                let letter = letter.escape_debug();
                return Err(refused!(
                    board_letter {
                        place: place,
                        letter: letter,
                        allowed: allowed
                    },
                    "character {place} of the board is '{letter}', but must be {words}"
                ));
            }
        }
    }
    Ok([white, black])
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

pub(crate) fn read_number<T: FromStr>(field: &str, word: &str) -> Result<T, PositionError> {
    word.parse().map_err(|_| {
        let what = match is_number(word) {
            true => format!("is too large a number for {field}"),
            false => format!("is not a number, but {field} must be one"),
        };
        let word = shown(word);
        refused!(not_a_number { word: word }, "'{word}' {what}")
    })
}

fn read_letter(field: &str, word: &str, allowed: &str) -> Result<char, PositionError> {
    let mut letters = word.chars();
    match (letters.next(), letters.next()) {
        (Some(letter), None) if allowed.contains(letter) => Ok(letter),
        _ => {
            let list: Vec<String> = allowed.chars().map(String::from).collect();
            Err(one_of(field, word, &list.join(", ")))
        }
    }
}

fn one_of(field: &str, word: &str, allowed: &str) -> PositionError {
    let word = shown(word);
    refused!(
        other_word {
            word: word,
            allowed: allowed
        },
        "the {field} is '{word}', but must be one of {allowed}"
    )
}

/// A word of the input for a message: shortened, without control characters.
fn shown(word: &str) -> String {
    const LONGEST: usize = 20;
    let mut short: String = word
        .chars()
        .take(LONGEST)
        .flat_map(char::escape_debug)
        .collect();
    if word.chars().count() > LONGEST {
        short.push('…');
    }
    short
}
