//! Plays a game of best turns against itself, from a lost position to the end.
//!
//! ```console
//! $ cargo run --release --example self_play
//! ```

use std::error::Error;

use millbase::{Database, Position, Rules};

fn main() -> Result<(), Box<dyn Error>> {
    let rules = Rules::STANDARD;
    let database = Database::embedded(rules);
    let start = "********/********/O@O*O@*@ w m s 3 0 3 0 0 0";
    let mut position = Position::parse(start, &rules)?;
    // Without a best turn the side to move has lost. The example begins with a lost position,
    // because a drawn game would go on forever.
    while let Some(best) = database.turns(&position)?.into_iter().next() {
        println!("{}: {}, {}", position.side_to_move(), best.turn, best.value);
        position = best.after;
    }
    println!("{} has won", position.side_to_move().other());
    Ok(())
}
