//! Values of positions with stones in hand, found by searching to the positions where the last stone
//! is placed, which the databases know.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::core::{Bounds, Counts, Knowledge, Shared, Window, Worker};
use super::geometry::Geometry;
use super::node::Node;
use super::score::{Meaning, Score};
use super::table::Table;
use crate::db::{Database, DbError, rules_option};
use crate::placing;
use crate::position::Position;
use crate::rules::Rules;
use crate::value::{Dtw, Value};

/// With more stones in hand than this the search takes minutes; with so many, seconds.
pub(crate) const MOST_IN_HAND: u8 = 10;

/// How many positions a search may visit, for all turns of a position together: many times what
/// [`MOST_IN_HAND`] stones need.
pub(crate) const MOST_NODES: u64 = 20_000_000;

/// The answer for positions that would take too long.
pub(crate) fn too_early(rules: &Rules) -> DbError {
    let mut sentence =
        "so many stones are still in hand that a search would take too long".to_string();
    if placing::not_solved(rules).is_none() {
        sentence += &format!(
            "; make the databases of the placing phase with `millbase build --opening{}`",
            rules_option(rules)
        );
    }
    DbError::NotStored(sentence)
}

/// The databases as what is known.
struct Stored<'a> {
    database: &'a Database,
    geometry: Geometry,
    /// Set at the first failure, which ends the search.
    stop: AtomicBool,
    failure: Mutex<Option<DbError>>,
}

impl Knowledge for Stored<'_> {
    fn known(&self, node: &Node, _window: Window, counts: &mut Counts) -> Option<Score> {
        if node.in_hand() > 0 || node.end(self.database.rules(), &self.geometry).is_some() {
            return None;
        }
        counts.judged += 1;
        match self.database.probe(&node.position()) {
            Ok(value) => Some(value.into()),
            Err(error) => {
                if let Ok(mut failure) = self.failure.lock() {
                    failure.get_or_insert(error);
                }
                self.stop.store(true, Ordering::Relaxed);
                Some(Score::DRAW)
            }
        }
    }

    /// Never asked: the depth is that of the last stone, where everything is known.
    fn rate(&self, _node: &Node) -> Score {
        Score::DRAW
    }
}

/// The values of positions for their sides to move, where stones are in hand; with depths.
///
/// # Errors
///
/// Those of [`Database::probe`], and [`DbError::NotStored`] if more than `most_nodes` positions
/// would have to be visited.
pub(crate) fn values(
    database: &Database,
    positions: &[Position],
    most_nodes: u64,
) -> Result<Vec<Value>, DbError> {
    let nodes: Vec<Node> = positions.iter().map(Node::of).collect();
    let in_hand = nodes.iter().map(Node::in_hand).max().unwrap_or(0);
    let geometry = Geometry::new(database.rules());
    let stored = Stored {
        database,
        geometry,
        stop: AtomicBool::new(false),
        failure: Mutex::new(None),
    };
    // Most positions are asked about close to the end, or with few nodes, where a small table does.
    let most_bytes = most_nodes
        .saturating_mul(64)
        .try_into()
        .unwrap_or(usize::MAX);
    let table = Table::with_bytes(most_bytes.min(1 << (12 + 2 * in_hand.min(7))));
    let shared = Shared {
        rules: database.rules(),
        geometry: &geometry,
        table: &table,
        knowledge: &stored,
        bounds: Bounds {
            stop: &stored.stop,
            finished: &AtomicBool::new(false),
            deadline: None,
            nodes: most_nodes,
        },
        busy: None,
        pvs: true,
    };
    let mut worker = Worker::new(&shared, &[]);
    let found = nodes.iter().map(|node| value(&mut worker, node)).collect();
    let failure = stored.failure.into_inner().ok().flatten();
    match (failure, found) {
        (Some(failure), _) => Err(failure),
        (None, Some(values)) => Ok(values),
        (None, None) => Err(too_early(database.rules())),
    }
}

/// The node's value, `None` if the search was stopped. First whether it is won, drawn or lost; the
/// depth then needs only one half of the window.
fn value<K: Knowledge>(worker: &mut Worker<'_, K>, node: &Node) -> Option<Value> {
    let mut search = |window: Window| {
        let score = worker.search(node, window, node.in_hand(), 0);
        (!worker.is_stopped()).then_some(score)
    };
    let score = if search(Window::at_least(Score::DRAW))? < Score::DRAW {
        search(Window {
            beta: Score::DRAW,
            ..Window::ALL
        })?
    } else if search(Window::at_least(Score::DRAW.next()))? > Score::DRAW {
        search(Window {
            alpha: Score::DRAW,
            ..Window::ALL
        })?
    } else {
        Score::DRAW
    };
    Some(match score.meaning() {
        Meaning::Win(turns) => Value::Win(Dtw(turns)),
        Meaning::Loss(turns) => Value::Loss(Dtw(turns)),
        // Some files tell only who wins.
        Meaning::KnownWin => Value::Win(Dtw::UNKNOWN),
        Meaning::KnownLoss => Value::Loss(Dtw::UNKNOWN),
        Meaning::Evaluation(_) => Value::Draw,
    })
}
