//! A game: its start, the actions made so far, and the positions on the way.
//!
//! An *action* is one token of the engine protocol: placing, moving or removing a stone, or
//! passing. After an action that closes a mill, the same side removes one stone or several, one
//! after the other; together these actions are one turn. Text with a whole turn in one token
//! (`d6-d5xb4`) is accepted, too.

use std::fmt;

use crate::board::PointSet;
use crate::engine::ending::DrawRule;
use crate::engine::illegality::Illegality;
use crate::random::Random;
use crate::rules::Rules;
use crate::rules::position::{Position, PositionError, Side};
use crate::rules::turns::{Turn, TurnError, removable, removals_made};
use crate::value::Value;

/// A game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Game {
    rules: Rules,
    draws: DrawRule,
    /// The quiet turns before the start.
    pub(crate) quiet_before: u32,
    /// The position before each action, and the one after the last; never empty.
    positions: Vec<Position>,
    actions: Vec<Turn>,
}

/// The reason why a text is not an action of a game; displays as one sentence.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum GameError {
    /// The text is not a turn.
    Text {
        /// The input.
        text: String,
    },
    /// The turn is not legal in the current position.
    Illegal {
        /// The input.
        action: Turn,
        /// The side to move.
        side: Side,
        /// Why it is not legal.
        reason: Illegality,
    },
    /// The game is over.
    Over {
        /// The side that has lost; `None` if the game is drawn.
        loser: Option<Side>,
    },
}

impl fmt::Display for GameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GameError::Text { text } => write!(f, "'{text}' is not a turn; {TurnError}"),
            GameError::Illegal {
                action,
                side,
                reason,
            } => write!(f, "{action} is not a legal turn of {side} here: {reason}"),
            GameError::Over { loser: Some(loser) } => {
                write!(f, "the game is over: {loser} has lost")
            }
            GameError::Over { loser: None } => f.write_str("the game is over: it is drawn"),
        }
    }
}

impl std::error::Error for GameError {}

/// The form of the line that sets a position, for errors.
pub(crate) const POSITION_LINE: &str = "a position is set with 'position startpos' or 'position fen …', \
    optionally followed by 'moves …'";

/// The most characters of an invalid text that an error repeats.
const SHOWN_LETTERS: usize = 20;

impl Game {
    /// A game that begins with this position.
    pub fn new(rules: Rules, start: Position) -> Game {
        Game {
            rules,
            draws: DrawRule::USUAL,
            quiet_before: 0,
            positions: vec![start],
            actions: Vec::new(),
        }
    }

    /// The game of a position's text, after the [count of quiet turns](Position::parse_counted) that it states.
    ///
    /// # Errors
    ///
    /// As for [`Position::parse`].
    pub fn from_position(text: &str, rules: &Rules) -> Result<Game, PositionError> {
        let (start, quiet_turns) = Position::parse_counted(text, rules)?;
        Ok(Game::new(*rules, start).with_quiet_turns(quiet_turns))
    }

    /// The same game after this number of quiet turns before its start.
    #[must_use]
    pub fn with_quiet_turns(self, quiet_before: u32) -> Game {
        Game {
            quiet_before,
            ..self
        }
    }

    /// The same game with another rule for draws than [`DrawRule::USUAL`].
    #[must_use]
    pub fn with_draws(self, draws: DrawRule) -> Game {
        Game { draws, ..self }
    }

    /// The rules of the game.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The rule for draws of the game.
    pub fn draws(&self) -> DrawRule {
        self.draws
    }

    /// The start of the game.
    pub fn start(&self) -> &Position {
        &self.positions[0]
    }

    /// The current position.
    pub fn position(&self) -> &Position {
        &self.positions[self.actions.len()]
    }

    /// The turns so far, each with the position after it. The actions of a turn are joined; the last
    /// turn may lack removals.
    pub fn history(&self) -> Vec<(Turn, Position)> {
        let mut history: Vec<(Turn, Position)> = Vec::new();
        for (action, around) in self.actions.iter().zip(self.positions.windows(2)) {
            match history.last_mut() {
                Some((turn, after)) if around[0].removal_owed() => {
                    *turn = turn.removing(turn.removed() | action.removed());
                    *after = around[1];
                }
                _ => history.push((*action, around[1])),
            }
        }
        history
    }

    /// The turns of [`Game::history`].
    pub fn turns(&self) -> Vec<Turn> {
        self.history().into_iter().map(|(turn, _)| turn).collect()
    }

    /// All actions so far.
    pub fn actions(&self) -> &[Turn] {
        &self.actions
    }

    /// Random numbers for a choice in this position, which depend on the seed, the position and the
    /// number of actions so far.
    pub(crate) fn random(&self, seed: u64) -> Random {
        let bits = |side| u64::from(self.position().stones(side).bits());
        let words = [
            bits(Side::White) << 24 | bits(Side::Black),
            self.actions().len() as u64,
        ];
        let mix = |state: u64, word| Random::new(state ^ word).word();
        Random::new(words.into_iter().fold(seed, mix))
    }

    /// Makes the actions of a text: one, or those of a turn. The pass before the first move may be left out, see
    /// [`Rules::first_to_move`].
    ///
    /// # Errors
    ///
    /// [`GameError`]; the game then stays as it was.
    pub fn play(&mut self, text: &str) -> Result<(), GameError> {
        let turn: Turn = text
            .parse()
            .map_err(|_| GameError::Text { text: shown(text) })?;
        if self.position().is_played_through_pass(turn, &self.rules) {
            self.make(Turn::PASS)?;
        }
        self.make(turn)
    }

    /// Makes a turn, or the next of its actions.
    ///
    /// ```
    /// use millbase::engine::Game;
    /// use millbase::{Position, Rules, Side};
    /// let rules = Rules::STANDARD;
    /// let mut game = Game::new(rules, Position::start(&rules));
    /// for action in ["a7", "a1", "d7", "d1", "g7", "xa1"] {
    ///     game.play(action)?;
    /// }
    /// assert_eq!(game.turns().len(), 5);
    /// assert_eq!(game.position().side_to_move(), Side::Black);
    /// # Ok::<(), millbase::engine::GameError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`GameError`]; the game then stays as it was.
    pub fn make(&mut self, turn: Turn) -> Result<(), GameError> {
        for (action, after) in self.position().made(turn, &self.rules)? {
            self.actions.push(action);
            self.positions.push(after);
        }
        Ok(())
    }

    /// Takes back the last turn, complete or not; `None` if there is none.
    pub fn undo(&mut self) -> Option<()> {
        self.actions.pop()?;
        self.positions.pop();
        while self.position().removal_owed() && !self.actions.is_empty() {
            self.actions.pop();
            self.positions.pop();
        }
        Some(())
    }

    /// The positions before this one, after each action.
    pub(crate) fn before(&self) -> &[Position] {
        &self.positions[..self.actions.len()]
    }

    /// The positions before this one to which the game can come back: those since a stone was last
    /// placed or removed.
    pub fn earlier(&self) -> &[Position] {
        let mut made = self.positions.iter().zip(&self.actions);
        let since = made.rposition(|(position, &action)| !position.counts_as_quiet(action));
        &self.positions[since.map_or(0, |last| last + 1)..self.actions.len()]
    }

    /// The number of consecutive turns up to now that neither placed nor removed a stone, with those before the
    /// start of the game; 0 while a removal is owed, as in a [position's text](Position::parse_counted).
    pub fn quiet_turns(&self) -> u32 {
        let turns = self.earlier().len();
        match turns == self.actions.len() {
            _ if self.position().removal_owed() => 0,
            true => self.quiet_before.saturating_add(turns as u32),
            false => turns as u32,
        }
    }

    /// The number of occurrences of the current position, including this one.
    pub fn occurrences(&self) -> usize {
        self.occurrences_of(self.position())
    }

    /// The number of occurrences of a position that the game can come back to.
    pub(crate) fn occurrences_of(&self, position: &Position) -> usize {
        let stood = self.earlier().iter().chain([self.position()]);
        stood.filter(|earlier| *earlier == position).count()
    }

    /// Parses the line of the engine protocol that [`Game::text`] writes: `position startpos` or
    /// `position fen F`, then optionally `moves` and turns or their actions one by one.
    ///
    /// # Errors
    ///
    /// A sentence about the first thing that is wrong.
    pub fn parse(line: &str, rules: &Rules) -> Result<Game, String> {
        let mut words = line.split_whitespace();
        let (command, kind) = (words.next(), words.next());
        let before_moves = words.by_ref().take_while(|&word| word != "moves");
        let fen = before_moves.collect::<Vec<&str>>().join(" ");
        let mut game = match (command, kind, fen.is_empty()) {
            (Some("position"), Some("startpos"), true) => Game::new(*rules, Position::start(rules)),
            (Some("position"), Some("fen"), false) => {
                Game::from_position(&fen, rules).map_err(|error| error.to_string())?
            }
            _ => return Err(POSITION_LINE.to_owned()),
        };
        for action in words {
            game.play(action).map_err(|error| error.to_string())?;
        }
        Ok(game)
    }

    /// The game as the line of the engine protocol that leads to its position:
    /// `position fen … moves …`.
    pub fn text(&self) -> String {
        let mut text = match *self.start() == Position::start(&self.rules) {
            true => "position startpos".to_string(),
            false => {
                let start = self.start().letters_counted(&self.rules, self.quiet_before);
                format!("position fen {}", start.as_str())
            }
        };
        if !self.actions.is_empty() {
            text += " moves";
        }
        for action in &self.actions {
            text += &format!(" {action}");
        }
        text
    }
}

/// Whether a terminal may obey a character instead of showing it: control characters, separators of lines, and marks
/// that change the direction of writing.
pub fn is_hidden(letter: char) -> bool {
    let marks = ['\u{61c}', '\u{200e}', '\u{200f}'];
    letter.is_control()
        || marks.contains(&letter)
        || matches!(letter, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A user's text for messages: shortened, without [hidden](is_hidden) characters.
pub fn shown(text: &str) -> String {
    let letters = text.chars().filter(|&letter| !is_hidden(letter));
    let mut shown: String = letters.clone().take(SHOWN_LETTERS).collect();
    if letters.count() > SHOWN_LETTERS {
        shown += "…";
    }
    shown
}

impl Position {
    /// The actions of a turn, or of the first part of one, in an order in which they are legal, each
    /// with the position after it; `None` if there is none.
    ///
    /// ```
    /// use millbase::{Position, Rules};
    /// let rules = Rules::STANDARD;
    /// let text = "********/@*******/O*OO*@*@ w m s 3 0 3 0 0 0";
    /// let position = Position::parse(text, &rules)?;
    /// let actions = position.actions("d7-g7xd6".parse()?, &rules).unwrap_or_default();
    /// let texts: Vec<String> = actions.iter().map(|(action, _)| action.to_string()).collect();
    /// assert_eq!(texts, ["d7-g7", "xd6"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn actions(&self, turn: Turn, rules: &Rules) -> Option<Vec<(Turn, Position)>> {
        if self.removals_due(rules) > 0 {
            return turn
                .is_removal()
                .then(|| self.removals(turn.removed(), rules))?;
        }
        let step = turn.removing(PointSet::EMPTY);
        let mut found = None;
        self.for_each_step(rules, |legal, removals| {
            if legal == step {
                found = Some((legal, removals));
            }
        });
        let (step, removals) = found?;
        let after = self.after_action(step, removals);
        let mut actions = vec![(step, after)];
        if !turn.removed().is_empty() {
            if !after.removal_owed() {
                return None;
            }
            actions.extend(after.removals(turn.removed(), rules)?);
        }
        Some(actions)
    }

    /// Whether a turn is the other side's first move after the pass that is due, which few programs write.
    pub(crate) fn is_played_through_pass(&self, turn: Turn, rules: &Rules) -> bool {
        self.pass_is_due() && !turn.is_pass() && self.after(Turn::PASS).made(turn, rules).is_ok()
    }

    /// As [`Position::actions`], with the reason if there are none, or if the game is over.
    pub(crate) fn made(
        &self,
        turn: Turn,
        rules: &Rules,
    ) -> Result<Vec<(Turn, Position)>, GameError> {
        let side = self.side_to_move();
        if let Some(result) = self.result(rules) {
            let loser = (result == Value::LOST).then_some(side);
            return Err(GameError::Over { loser });
        }
        match self.why_illegal(turn, rules) {
            Some(reason) => Err(GameError::Illegal {
                action: turn,
                side,
                reason,
            }),
            None => Ok(self.actions(turn, rules).unwrap_or_default()),
        }
    }

    /// The position after an action, which the same side follows with this number of removals.
    fn after_action(&self, action: Turn, removals: u8) -> Position {
        let after = self.after(action);
        match removals {
            0 => after,
            // A pass gives the turn back.
            _ => Position {
                removals_owed: removals,
                pass_to_come: self.pass_to_come,
                ..after.after(Turn::PASS)
            },
        }
    }

    /// The pending removals of these stones, in an order in which they are legal.
    fn removals(&self, stones: PointSet, rules: &Rules) -> Option<Vec<(Turn, Position)>> {
        let waiting = self.waiting();
        let in_hand = self.in_hand(self.side_to_move.other());
        let owed = removals_made(self.removals_due(rules), waiting.len(), in_hand);
        if stones.len() > u32::from(owed) {
            return None;
        }
        let now = removable(waiting, rules);
        let all = Turn::PASS.removing(stones & now);
        all.removed_in_order().find_map(|point| {
            let action = Turn::PASS.removing(point.into());
            let after = self.after_action(action, owed - 1);
            let mut actions = vec![(action, after)];
            let rest = stones.without(point);
            if !rest.is_empty() {
                actions.extend(after.removals(rest, rules)?);
            }
            Some(actions)
        })
    }
}
