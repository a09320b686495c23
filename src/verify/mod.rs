//! Checks databases: derives every value again from those of the positions that its turns lead to.
//!
//! The derivation shares with the solver the board, the settings of the rules, the removals that
//! they allow, the index, the shuffles along placements, and the copying of a value to all entries
//! of its position, but none of the retrograde analysis: no retrograde steps, no counts, no order of solving.
//!
//! | file | contents |
//! |---|---|
//! | `pair`, `ply` | load the tables of a file, check them, count their values |
//! | `check`, `row` | the fast pass over a table, over one row |
//! | `placements` | the best placements in one row |
//! | `stage` | the tables that the turns of a stage lead to |
//! | `turns` | the turns of a table, and the values that they give |
//! | `report` | wrong values and counts |
//!
//! The rest of this page is about pairs.
//!
//! A file holds values with the larger side to move. From them the check derives the table with the
//! smaller side to move, and from that table the larger side's values again. Values of the larger
//! side that files omit are filled in by the solver's code when a table is loaded, and then checked
//! like the stored ones; that code and the check share the slides, and the placements without a mill,
//! of a whole row (`solve::slides`).
//!
//! # What a clean report proves
//!
//! Every value agrees with its successors, or with the rules where the game is over: a stored win
//! in n has a turn to a loss in n - 1 and none to a quicker loss, a stored loss in n has turns to
//! wins only, the slowest in n - 1, and a stored draw has a turn to a draw and none to a loss.
//! Depths fall along these turns and reach zero where the game ends. So, by induction on the depth,
//! stored wins and losses are won and lost, in exactly the stored number of turns. From a stored
//! draw both sides can go from draw to draw forever, and a side that leaves the draws loses; so it
//! is drawn. Therefore only one set of values passes the check. All this presumes that the values
//! of the smaller pairs, which captures lead to, are right; they need a clean report of their own.

mod check;
mod pair;
mod placements;
mod ply;
mod report;
mod row;
mod stage;
#[cfg(test)]
mod tests;
mod turns;

pub use pair::{Tables, verify_pair, verify_sample};
pub use ply::{verify_ply, verify_ply_sample};
pub use report::{Miscounted, Mismatch, Report};
