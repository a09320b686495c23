//! Negamax alpha-beta with a transposition table, for every use of the search. An [`Evaluator`]
//! supplies known values and the evaluation at the horizon.
//!
//! Several threads search the same tree and share the table. A thread defers the turns that another
//! one is searching, so that the threads spread over the tree. Results then depend on the timing of
//! the threads; only a search with one thread is deterministic.
//!
//! A repetition is a draw in the line where it happens, but the table stores the scores that follow
//! from it without the line. Far from the root, a score may therefore rest on a draw that another
//! line does not allow (graph-history interaction). Placements cannot repeat a position, so neither
//! the proof of the start position nor the exact values of the placing phase are affected.
//!
//! A selective search trusts the evaluation: it orders the turns by it, searches late ones less
//! deeply, and does not search positions near the horizon that it rates far better than the window.
//! Wins and losses that it finds are proved all the same, but it may find them only at a greater
//! depth.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use super::clock::Instant;
use super::key;
use super::order::{self, Histories, Order, Ranked};
use super::score::Score;
use super::table::{Bound, TableEntry, TranspositionTable};
use crate::rules::Rules;
use crate::rules::position::Position;
use crate::rules::turns::Turn;
use crate::value::{Value, Wdl};

/// The scores that a search does not find by itself.
pub(crate) trait Evaluator: Sync {
    /// The known score of a node for its side to move, ends counted from the node; `None` if the
    /// node must be searched. A score outside the window may be a bound.
    fn probe(&self, position: &Position, window: Window, counts: &mut NodeCounts) -> Option<Score>;

    /// Whether a probe, if it finds anything, finds a node better for its side to move than its static evaluation.
    fn only_raises(&self, _position: &Position) -> bool {
        false
    }

    /// The static evaluation of a node at the horizon, for its side to move. Searches that go on until every
    /// value is known need none.
    fn evaluate(&self, _position: &Position) -> Score {
        Score::DRAW
    }
}

/// The open interval of scores that matter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Window {
    pub alpha: Score,
    pub beta: Score,
}

impl Window {
    pub const ALL: Window = Window {
        alpha: Score::LEAST,
        beta: Score::MOST,
    };

    /// The null window that decides whether the score is at least `score`.
    pub fn null(score: Score) -> Window {
        Window {
            alpha: Score::from_number(score.number() - 1),
            beta: score,
        }
    }

    /// Finds a position's value, which is at least `least`, with searches that see every end: null windows decide
    /// win, draw or loss; a search for the depth, if wanted, then needs only half of the full window.
    pub fn value<E>(
        depth: bool,
        least: Wdl,
        mut search: impl FnMut(Window) -> Result<Score, E>,
    ) -> Result<Value, E> {
        let mut half = Window::ALL;
        let found = if least == Wdl::Loss && search(Window::null(Score::DRAW))? < Score::DRAW {
            half.beta = Score::DRAW;
            Score::LOST
        } else if least == Wdl::Win || search(Window::null(Score::DRAW.next()))? > Score::DRAW {
            half.alpha = Score::DRAW;
            Score::WON
        } else {
            return Ok(Value::Draw);
        };
        match depth {
            true => Ok(search(half)?.value()),
            false => Ok(found.value()),
        }
    }

    /// The same window for the other side after a turn, when ends are one turn nearer (mate-distance
    /// adjustment).
    pub fn after_turn(self) -> Window {
        Window {
            alpha: -self.beta.nearer(),
            beta: -self.alpha.nearer(),
        }
    }
}

/// Counters of the work done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct NodeCounts {
    /// Positions visited.
    pub nodes: u64,
    /// Positions whose value the databases knew.
    pub tb_hits: u64,
    /// The longest line, in turns.
    pub seldepth: u32,
}

/// The turns that other threads are searching at the moment. A thread searches the other turns
/// first, so that threads share the work of a node instead of repeating it. This is the simplified
/// form of ABDADA (J.-C. Weill, "The ABDADA distributed minimax search algorithm", ICCA Journal
/// 19(1), 1996).
#[derive(Debug)]
pub(crate) struct Abdada(Vec<AtomicU64>);

impl Abdada {
    const SLOTS: usize = 1 << 14;
    /// The least depth of a node that is shared: closer to the horizon it does not pay.
    const DEPTH: u32 = 3;

    pub fn new() -> Abdada {
        Abdada((0..Abdada::SLOTS).map(|_| AtomicU64::new(0)).collect())
    }

    /// The mark of a turn, and the slot that holds it while a thread searches the turn.
    fn mark(&self, key: u64, turn: Turn) -> (u64, &AtomicU64) {
        let mixed = key ^ u64::from(turn.number()) << 40 | 1;
        let mark = mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        (mark, &self.0[(mark >> 50) as usize % Abdada::SLOTS])
    }
}

/// The least depth of a node whose turns are all looked up in the table before the first is searched.
/// This pays only for placements: their order does not matter, so many lines lead to the same position.
const TRANSPOSITION_DEPTH: u32 = 3;

/// The least depth of a node whose turns are ordered by the evaluation of the positions after them.
const EVALUATED_DEPTH: u32 = 2;

/// Reverse futility pruning: up to this depth, a node is not searched if its evaluation exceeds the
/// window by at least the margin, in the unit of estimates, for each turn of depth.
const FUTILE_DEPTH: u32 = 3;
const FUTILE_MARGIN: i16 = 150;

/// The number of turns by which a node's turn is searched less deeply at first; `earlier` is the
/// number of turns searched before it.
fn reduction(depth: u32, earlier: usize) -> u32 {
    match (depth, earlier) {
        (..3, _) | (_, ..3) => 0,
        (3..5, _) | (_, ..8) => 1,
        _ => 2,
    }
}

/// The most turns looked up at once.
const AT_ONCE: usize = 32;

/// The state that all threads of a search share.
pub(crate) struct SearchContext<'a, E> {
    pub rules: &'a Rules,
    pub table: &'a TranspositionTable,
    pub evaluator: &'a E,
    /// Set by the caller of the search.
    pub stop: &'a AtomicBool,
    /// Set by the thread that has the result, for the others.
    pub finished: &'a AtomicBool,
    pub deadline: Option<Instant>,
    /// The most positions that each thread visits.
    pub nodes: u64,
    /// `None` if there is only one thread.
    pub abdada: Option<&'a Abdada>,
    /// Whether each turn after the first is searched with a null window before the full one.
    pub pvs: bool,
    /// Whether the evaluation orders the turns, and turns and positions that it rates low are
    /// searched less deeply.
    pub selective: bool,
}

impl<'a, E> SearchContext<'a, E> {
    /// A principal variation search on one thread, without limits.
    pub fn new(
        rules: &'a Rules,
        table: &'a TranspositionTable,
        evaluator: &'a E,
        stop: &'a AtomicBool,
    ) -> SearchContext<'a, E> {
        SearchContext {
            rules,
            table,
            evaluator,
            stop,
            finished: stop,
            deadline: None,
            nodes: u64::MAX,
            abdada: None,
            pvs: true,
            selective: false,
        }
    }
}

/// A position to search.
#[derive(Clone, Copy)]
pub(crate) struct Node {
    position: Position,
    /// Its static evaluation, if it is known already.
    estimate: Option<Score>,
}

impl From<Position> for Node {
    fn from(position: Position) -> Node {
        Node {
            position,
            estimate: None,
        }
    }
}

/// One thread of a search.
pub(crate) struct Worker<'a, E> {
    context: &'a SearchContext<'a, E>,
    pub counts: NodeCounts,
    histories: Histories,
    ranked: Vec<Ranked>,
    /// The positions of the game and of the line being searched, by their [exact](key::exact) keys.
    path: Vec<u64>,
    /// Whether the search was stopped; its last score is then invalid.
    pub stopped: bool,
}

impl<'a, E: Evaluator> Worker<'a, E> {
    /// A thread that begins after these positions of the game.
    pub fn new(context: &'a SearchContext<'a, E>, earlier: &[Position]) -> Worker<'a, E> {
        Worker {
            context,
            counts: NodeCounts::default(),
            histories: Histories::new(128),
            ranked: Vec::with_capacity(1024),
            path: earlier.iter().map(key::exact).collect(),
            stopped: false,
        }
    }

    fn check_bounds(&mut self) {
        // Databases may take a tenth of a millisecond for a node.
        const BETWEEN_LOOKS: u64 = 1 << 4;
        let context = self.context;
        if self.counts.nodes > context.nodes {
            self.stopped = true;
        } else if self.counts.nodes.is_multiple_of(BETWEEN_LOOKS) {
            let is_late = |deadline| Instant::now() >= deadline;
            self.stopped |= context.stop.load(Relaxed)
                || context.finished.load(Relaxed)
                || context.deadline.is_some_and(is_late);
        }
    }

    /// Whether the position occurred before, in the game or in the line; never true in the placing
    /// phase.
    fn repeats(&self, position: &Position) -> bool {
        let key = key::exact(position);
        !position.is_in_placing_phase(self.context.rules)
            && self.path.iter().rev().any(|&seen| seen == key)
    }

    /// The score of a node for its side to move, ends counted from the node. Scores outside the
    /// window are bounds.
    pub fn search(&mut self, node: Node, window: Window, depth: u32, ply: usize) -> Score {
        let position = &node.position;
        self.counts.nodes += 1;
        self.check_bounds();
        if self.stopped {
            return Score::DRAW;
        }
        if position.is_beaten() {
            return Score::loss_in(0);
        }
        if self.repeats(position) {
            return Score::DRAW;
        }
        let context = self.context;
        if depth == 0 && context.evaluator.only_raises(position) {
            let score = context.evaluator.evaluate(position);
            if score >= window.beta {
                return score;
            }
        }
        if let Some(score) = context.evaluator.probe(position, window, &mut self.counts) {
            return score;
        }
        self.counts.seldepth = self.counts.seldepth.max(ply as u32);
        if let Some(result) = position.result(context.rules) {
            return result.into();
        }
        let estimate = || (node.estimate).unwrap_or_else(|| context.evaluator.evaluate(position));
        if depth == 0 {
            return estimate();
        }
        if depth <= FUTILE_DEPTH && context.selective && window.beta < Score::WON {
            let margin = FUTILE_MARGIN * depth as i16;
            let score = estimate();
            if score.number() - margin >= window.beta.number() {
                return score;
            }
        }

        let (key, symmetry) = key::canonical(position);
        let mut first = Turn::PASS;
        if let Some(entry) = context.table.get(key) {
            first = entry.turn.turned(symmetry.inverse());
            if u32::from(entry.depth) >= depth {
                let enough = match entry.bound {
                    Bound::Exact => true,
                    Bound::AtLeast => entry.score >= window.beta,
                    Bound::AtMost => entry.score <= window.alpha,
                };
                if enough {
                    return entry.score;
                }
            }
        }

        self.path.push(key::exact(position));
        let (best, turn) = self.search_turns(position, key, first, window, depth, ply);
        self.path.pop();
        if self.stopped {
            return Score::DRAW;
        }
        let bound = if best >= window.beta {
            Bound::AtLeast
        } else if best <= window.alpha {
            Bound::AtMost
        } else {
            Bound::Exact
        };
        context.table.put(
            key,
            TableEntry {
                turn: turn.turned(symmetry),
                score: best,
                bound,
                depth: depth as u8,
            },
        );
        best
    }

    /// The best score of the node's turns, and the turn.
    fn search_turns(
        &mut self,
        position: &Position,
        key: u64,
        first: Turn,
        window: Window,
        depth: u32,
        ply: usize,
    ) -> (Score, Turn) {
        let context = self.context;
        let base = self.ranked.len();
        let order = Order {
            rules: context.rules,
            histories: &self.histories,
            ply,
            first,
        };
        match depth >= EVALUATED_DEPTH && context.selective {
            true => {
                let evaluate = |after: &Position| context.evaluator.evaluate(after);
                order.rank_by_evaluation(position, evaluate, &mut self.ranked);
            }
            false => order.rank(position, &mut self.ranked),
        }
        if position.is_in_placing_phase(context.rules)
            && depth >= TRANSPOSITION_DEPTH
            && let Some(known) = self.refutation(position, base, window.beta, depth)
        {
            self.ranked.truncate(base);
            return known;
        }
        let end = self.ranked.len();
        let abdada = context.abdada.filter(|_| depth >= Abdada::DEPTH);
        let (mut best, mut best_turn) = (Score::LEAST, Turn::PASS);
        let mut alpha = window.alpha;
        let mut place = base;
        // Steps from here to `end` are deferred because another thread searches them.
        let mut put_off = end;
        while place < end {
            let open = if place < put_off { put_off } else { end };
            let Some(Ranked { turn, estimate, .. }) = order::next(&mut self.ranked[place..open])
            else {
                break;
            };
            let marked = abdada.map(|abdada| abdada.mark(key, turn));
            if let Some((mark, slot)) = marked {
                if place > base && place < put_off && slot.load(Relaxed) == mark {
                    put_off -= 1;
                    self.ranked.swap(place, put_off);
                    continue;
                }
                slot.store(mark, Relaxed);
            }
            let inner = Window {
                alpha,
                beta: window.beta,
            };
            let after = Node {
                position: position.after(turn),
                estimate,
            };
            let reduction = match context.selective && !turn.removes() {
                true => reduction(depth, place - base),
                false => 0,
            };
            let score = match reduction {
                0 => self.search_turn(after, inner, place > base, depth, ply),
                _ => self.search_late_turn(after, inner, reduction, depth, ply),
            };
            if let Some((_, slot)) = marked {
                slot.store(0, Relaxed);
            }
            place += 1;
            if self.stopped {
                break;
            }
            if score > best {
                (best, best_turn) = (score, turn);
                alpha = alpha.max(score);
            }
            if best >= window.beta {
                let before = &self.ranked[base..place - 1];
                self.histories.refuted(ply, depth, turn, before);
                break;
            }
        }
        self.ranked.truncate(base);
        (best, best_turn)
    }

    /// The score of a turn that is probably not the best: a shallower search with a null window comes first, and
    /// the whole depth only if the turn is better than the best before it (late move reductions).
    fn search_late_turn(
        &mut self,
        after: Node,
        window: Window,
        reduction: u32,
        depth: u32,
        ply: usize,
    ) -> Score {
        let narrow = Window::null(window.alpha.next());
        let shallow = self.search(after, narrow.after_turn(), depth - 1 - reduction, ply + 1);
        let score = shallow.before_turn();
        match score > window.alpha && !self.stopped {
            true => self.search_turn(after, window, true, depth, ply),
            false => score,
        }
    }

    /// A turn ranked from `base` on that the table's entry for the position after it already proves to
    /// reach `beta`, and its score (enhanced transposition cutoff).
    fn refutation(
        &self,
        position: &Position,
        base: usize,
        beta: Score,
        depth: u32,
    ) -> Option<(Score, Turn)> {
        let turns = &self.ranked[base..];
        let table = self.context.table;
        let mut keys = [0; AT_ONCE];
        turns.chunks(AT_ONCE).find_map(|turns| {
            let keys = &mut keys[..turns.len()];
            for (found, &Ranked { turn, .. }) in keys.iter_mut().zip(turns) {
                (*found, _) = key::canonical(&position.after(turn));
            }
            table.fetch(keys);
            keys.iter().zip(turns).find_map(|(&key, candidate)| {
                let entry = table.get(key)?;
                let score = entry.score.before_turn();
                let valid = entry.bound != Bound::AtLeast && u32::from(entry.depth) >= depth - 1;
                (valid && score >= beta).then_some((score, candidate.turn))
            })
        })
    }

    /// The score of a turn for the side that makes it; `later` turns only have to be better than
    /// the best before them.
    pub fn search_turn(
        &mut self,
        after: Node,
        window: Window,
        later: bool,
        depth: u32,
        ply: usize,
    ) -> Score {
        let pvs = self.context.pvs;
        let mut search = |window: Window| {
            let score = self.search(after, window.after_turn(), depth - 1, ply + 1);
            score.before_turn()
        };
        if later && pvs {
            let narrow = Window::null(window.alpha.next());
            if narrow.beta < window.beta {
                let score = search(narrow);
                if score <= window.alpha || score >= window.beta {
                    return score;
                }
            }
        }
        search(window)
    }
}
