//! The turns of a game and of its variations, made from the parts of its text and checked by the rules.

use super::numbering::PointNaming;
use super::record::{GameResult, Line, NotedTurn, Remark};
use super::words::{TurnWords, atoms, meanings};
use crate::engine::game::{Game, GameError, shown};
use crate::rules::position::{Position, Side};
use crate::rules::turns::{Turn, TurnError};
use crate::rules::{Rules, counted};

/// A place in a text: the line and the character in it, both from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TextPlace {
    /// The line.
    pub line: usize,
    /// The character in the line.
    pub column: usize,
}

impl TextPlace {
    /// The place after a text that begins here, on the same line.
    pub fn after(self, text: &str) -> TextPlace {
        TextPlace {
            column: self.column + text.chars().count(),
            ..self
        }
    }

    /// The remark about a game or variation that stops after a turn without its removal.
    pub fn removal_missing(self, what: &str, turn: Turn) -> Remark {
        let message = format!(
            "the {what} stops after {turn}, before the removal that it earns, so this turn is left out"
        );
        self.remark("removal_missing", [("turn", turn.to_string())], message)
    }

    /// The remark about a text at this place: the text in quotes, and this predicate.
    pub fn remark_on(self, text: &str, reason: &'static str, predicate: &str) -> Remark {
        let text = shown(text);
        let message = format!("'{text}' {predicate}");
        self.remark(reason, [("text", text)], message)
    }

    /// A remark about this place, which does not cut the game.
    pub fn remark<const N: usize>(
        self,
        reason: &'static str,
        fields: [(&'static str, String); N],
        message: impl Into<String>,
    ) -> Remark {
        Remark {
            line: self.line,
            column: self.column,
            cuts: false,
            rules: None,
            reason,
            fields: fields.into(),
            message: message.into(),
        }
    }
}

/// A part of a game's text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// A turn or a part of one.
    Word(Box<str>),
    /// The number of a turn.
    Number,
    /// A mark of the turn before it that stands alone, such as `$4`.
    Mark(Box<str>),
    /// A comment.
    Comment(Box<str>),
    /// A variation begins.
    Open,
    /// A variation ends.
    Close,
    /// The result, or `*`.
    Result(Box<str>),
}

/// The most turns of a game with its variations.
const MOST_TURNS: usize = 10_000;

/// The deepest nesting of variations.
const DEEPEST: usize = 100;

/// The turns that the parts of a text make.
#[derive(Clone, Debug)]
pub struct Built {
    /// The turns of the main line.
    pub game: Game,
    /// The main line with comments and variations.
    pub line: Line,
    /// The result at its end.
    pub result: Option<GameResult>,
    /// Remarks about everything strange in the text.
    pub remarks: Vec<Remark>,
    /// The reason why the main line ends before its text.
    pub failure: Option<LineFailure>,
}

/// Why the main line cannot go on.
#[derive(Clone, Debug)]
pub struct LineFailure {
    /// The place of its remark in the list.
    pub remark: usize,
    /// Why the turn that was tried is not possible; `None` if the text is not a turn.
    pub error: Option<GameError>,
}

/// A line that is being made.
struct Frame {
    /// The turns, from the first position of the line on.
    game: Game,
    /// The same with comments and variations.
    line: Line,
    /// The position before the last turn.
    before: Position,
    words: TurnWords,
    /// Where the words begin, and their text.
    place: TextPlace,
    text: String,
    /// Whether the line cannot go on.
    is_cut: bool,
}

impl Frame {
    fn new(start: Game) -> Frame {
        Frame {
            before: *start.position(),
            game: start,
            line: Line::default(),
            words: TurnWords::default(),
            place: TextPlace::default(),
            text: String::new(),
            is_cut: false,
        }
    }
}

struct LineBuilder<'a> {
    rules: &'a Rules,
    points: PointNaming,
    /// The main line and the variations that are open.
    frames: Vec<Frame>,
    /// The number of variations that are too deep.
    ignored: usize,
    turns: usize,
    /// The result; `Some(None)` for `*`.
    result: Option<Option<GameResult>>,
    remarks: Vec<Remark>,
    failure: Option<LineFailure>,
    /// The parts that follow the failure.
    left_out: usize,
}

/// Makes the turns of a text after a start.
pub fn build(start: &Game, points: PointNaming, parts: &[(TextPlace, Part)]) -> Built {
    let mut builder = LineBuilder {
        rules: start.rules(),
        points,
        frames: vec![Frame::new(start.clone())],
        ignored: 0,
        turns: 0,
        result: None,
        remarks: Vec::new(),
        failure: None,
        left_out: 0,
    };
    for (place, part) in parts {
        builder.part(*place, part);
    }
    let last = parts.last().map(|(place, _)| *place);
    builder.finish(last.unwrap_or_default())
}

impl LineBuilder<'_> {
    fn frame(&mut self) -> &mut Frame {
        // The first frame stays.
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    fn is_main(&self) -> bool {
        self.frames.len() == 1
    }

    /// The number of the next turn, as texts count: the n-th turn of each side has the number n.
    fn number(&self) -> usize {
        let made = self.frames.iter().map(|frame| frame.line.turns.len());
        let replaced = self.frames.len() - 1;
        let is_black = self.frames[0].game.start().side_to_move() == Side::Black;
        (made.sum::<usize>() + usize::from(is_black)).saturating_sub(replaced) / 2 + 1
    }

    fn part(&mut self, place: TextPlace, part: &Part) {
        match part {
            Part::Open => return self.open(place),
            Part::Close => return self.close(place),
            _ if self.ignored > 0 => return,
            Part::Word(_) => {}
            _ => self.flush(),
        }
        if self.frame().is_cut {
            self.left_out += usize::from(self.is_main() && !matches!(part, Part::Result(..)));
        }
        match part {
            Part::Result(text) => self.result(place, text),
            _ if self.frame().is_cut => {}
            Part::Word(word) => self.word(place, word),
            Part::Comment(comment) => self.comment(comment),
            Part::Mark(mark) => self.mark(place, &format!(" {mark}")),
            Part::Number | Part::Open | Part::Close => {}
        }
    }

    /// Begins a variation in place of the last turn.
    fn open(&mut self, place: TextPlace) {
        if self.ignored > 0 {
            self.ignored += 1;
            return;
        }
        self.flush();
        if self.frames.len() > DEEPEST {
            let message = format!(
                "a variation inside {DEEPEST} others is left out with all that it contains"
            );
            self.remarks
                .push(place.remark("variation_left_out", [], message));
            self.ignored = 1;
            return;
        }
        let frame = self.frame();
        let (before, is_cut) = (frame.before, frame.is_cut);
        let has_turn = !frame.line.turns.is_empty();
        let mut frame = Frame::new(Game::new(*self.rules, before));
        frame.is_cut = is_cut || !has_turn;
        if !is_cut && !has_turn {
            let message = "a variation before the first turn is left out";
            self.remarks
                .push(place.remark("variation_left_out", [], message));
        }
        self.frames.push(frame);
    }

    fn close(&mut self, place: TextPlace) {
        if self.ignored > 0 {
            self.ignored -= 1;
            return;
        }
        self.flush();
        if self.is_main() {
            let message = "a variation ends with ')' that did not begin with '('";
            let remark = place.remark("variation_closed", [], message);
            return self.remarks.push(remark);
        }
        let Some(Frame { game, mut line, .. }) = self.frames.pop() else {
            return;
        };
        if let Some(last) = line.turns.pop_if(|_| game.position().removal_owed()) {
            let remark = place.removal_missing("variation", last.turn);
            self.remarks.push(remark);
        }
        let is_empty = line.turns.is_empty() && line.comment.is_empty();
        if let (false, Some(turn)) = (is_empty, self.frame().line.turns.last_mut()) {
            turn.variations.push(line);
        }
    }

    fn comment(&mut self, comment: &str) {
        let line = &mut self.frame().line;
        let noted = match line.turns.last_mut() {
            Some(turn) => &mut turn.comment,
            None => &mut line.comment,
        };
        if !noted.is_empty() && !comment.is_empty() {
            noted.push(' ');
        }
        noted.push_str(comment);
    }

    fn mark(&mut self, place: TextPlace, mark: &str) {
        match self.frame().line.turns.last_mut() {
            Some(turn) if turn.marks.is_empty() => turn.marks = mark.trim_start().to_owned(),
            Some(turn) => {
                // Marks with numbers stand alone.
                if turn.marks.contains('$') && !mark.starts_with(' ') {
                    turn.marks.push(' ');
                }
                turn.marks += mark;
            }
            None => {
                let predicate = "stands before the first turn";
                self.remarks
                    .push(place.remark_on(mark.trim(), "early_mark", predicate));
            }
        }
    }

    fn result(&mut self, place: TextPlace, text: &str) {
        // `0-1` and `1/2` are also moves.
        let (rules, meanings) = (self.rules, meanings(text, self.points));
        let frame = self.frame();
        let is_legal = |&turn: &Turn| frame.game.position().actions(turn, rules).is_some();
        if !frame.is_cut && meanings.iter().any(is_legal) {
            return self.word(place, text);
        }
        if !self.is_main() {
            return self.comment(text);
        }
        self.result = Some(GameResult::parse(text));
    }

    fn word(&mut self, place: TextPlace, word: &str) {
        let plain = word.trim_end_matches(['!', '?', '+', '#', '‼', '⁇', '⁉']);
        if self.result.is_some() && self.is_main() && !plain.is_empty() {
            let remark = place.remark_on(word, "after_result", "follows the result of the game");
            return self.cut(remark, None);
        }
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let is_clock = || {
            let mut parts = plain.split([':', '.']);
            parts.clone().count() > 1 && parts.all(|part| !part.is_empty() && is_number(part))
        };
        if self.points == PointNaming::Names && !plain.is_empty() && is_number(plain) {
            self.flush();
            if plain.parse() != Ok(self.number()) {
                self.not_a_turn(place, word);
            }
            return;
        }
        if self.points.has_places() && is_clock() {
            self.flush();
            return self.comment(word);
        }
        let points = self.points;
        let mut found = Vec::new();
        if atoms(plain, points, &mut |atom| found.push(atom)).is_none() {
            self.flush();
            return self.not_a_turn(place, word);
        }
        for atom in found {
            if !self.frame().words.take(atom) {
                self.flush();
                self.frame().words.take(atom);
            }
            let frame = self.frame();
            if frame.is_cut {
                self.left_out += usize::from(self.is_main());
                return;
            }
            if frame.text.is_empty() {
                frame.place = place;
            }
        }
        let frame = self.frame();
        if !frame.words.is_empty() && frame.text.len() < plain.len().max(80) {
            frame.text += plain;
        }
        if plain.len() < word.len() {
            self.flush();
            if !self.frame().is_cut {
                self.mark(place, &word[plain.len()..]);
            }
        }
    }

    fn not_a_turn(&mut self, place: TextPlace, word: &str) {
        if self.frame().is_cut {
            return;
        }
        let form = match self.points {
            PointNaming::Names => TurnError.to_string(),
            points => format!("the game is written with {points}"),
        };
        let predicate = format!("is not a turn; {form}");
        self.go_no_further(place.remark_on(word, "not_a_turn", &predicate), None);
    }

    /// Makes the turn of the words so far.
    fn flush(&mut self) {
        let frame = self.frame();
        let words = std::mem::take(&mut frame.words);
        let (place, text) = (frame.place, std::mem::take(&mut frame.text));
        if words.is_empty() || frame.is_cut {
            return;
        }
        let meanings = words.meanings();
        let Some(&first) = meanings.first() else {
            return self.not_a_turn(place, &text);
        };
        if self.turns >= MOST_TURNS {
            let message = format!("the game has more than {MOST_TURNS} turns");
            return self.go_no_further(place.remark("too_long", [], message), None);
        }
        self.add_passes(&meanings, place);
        let Err(error) = self.make(first) else { return };
        if meanings[1..].iter().any(|&turn| self.make(turn).is_ok()) {
            return;
        }
        let mut remark = place.remark("over", [("turn", first.to_string())], error.to_string());
        if let GameError::Illegal { side, reason, .. } = &error {
            remark.reason = "illegal";
            remark.fields.insert("side", side.to_string());
            remark.fields.insert("why", reason.name.to_owned());
            let point = reason.point.map(|point| ("point", point.to_string()));
            remark.fields.extend(point);
        }
        self.go_no_further(remark, Some(error));
    }

    /// Makes the passes that stand before a turn with one of these meanings and are not written: each is the only
    /// turn of its side.
    fn add_passes(&mut self, meanings: &[Turn], place: TextPlace) {
        // If neither side can move, no turn follows.
        for _ in 0..2 {
            let (position, rules) = (*self.frame().game.position(), self.rules);
            if !position.must_pass(rules) || meanings[0].is_pass() {
                return;
            }
            // Few write the pass before the first move.
            if position.pass_is_due() {
                let is_next = |&turn| position.is_played_through_pass(turn, rules);
                if !position.after(Turn::PASS).must_pass(rules) && !meanings.iter().any(is_next) {
                    return;
                }
            } else {
                let side = position.side_to_move();
                let message = format!("{side} cannot move, and its pass is not written");
                let fields = [("side", side.to_string())];
                self.remarks
                    .push(place.remark("pass_missing", fields, message));
            }
            let _ = self.make(Turn::PASS);
        }
    }

    /// Makes a turn or the next of its actions.
    fn make(&mut self, turn: Turn) -> Result<(), GameError> {
        let frame = self.frame();
        let before = *frame.game.position();
        frame.game.make(turn)?;
        match frame.line.turns.last_mut() {
            Some(last) if before.removal_owed() => {
                last.turn = last.turn.removing(last.turn.removed() | turn.removed());
            }
            _ => {
                frame.line.turns.push(NotedTurn::from(turn));
                frame.before = before;
                self.turns += 1;
            }
        }
        Ok(())
    }

    /// Ends the line here, for the reason of a remark.
    fn go_no_further(&mut self, mut why: Remark, error: Option<GameError>) {
        let what = match self.is_main() {
            true => "game",
            false => "variation",
        };
        let turns = counted(self.frame().line.turns.len(), "turn");
        why.message = format!("the {what} cannot go on after {turns}: {}", why.message);
        self.cut(why, error);
    }

    fn cut(&mut self, mut remark: Remark, error: Option<GameError>) {
        remark.cuts = self.is_main();
        if remark.cuts {
            self.failure = Some(LineFailure {
                remark: self.remarks.len(),
                error,
            });
        } else {
            remark.message += "; what follows in it is left out";
        }
        self.remarks.push(remark);
        self.frame().is_cut = true;
    }

    fn finish(mut self, last: TextPlace) -> Built {
        self.flush();
        if !self.is_main() || self.ignored > 0 {
            let message = "a variation is not closed before the game ends";
            self.remarks
                .push(last.remark("variation_open", [], message));
            self.ignored = 0;
            while !self.is_main() {
                self.close(last);
            }
        }
        if let (Some(failure), true) = (&self.failure, self.left_out > 0) {
            let remark = &mut self.remarks[failure.remark];
            remark.message += "; what follows is left out";
        }
        let Frame { game, mut line, .. } = self.frames.swap_remove(0);
        line.turns.pop_if(|_| game.position().removal_owed());
        Built {
            game,
            line,
            result: self.result.flatten(),
            remarks: self.remarks,
            failure: self.failure,
        }
    }
}
