//! Ranks the turns of a position, best first.
//!
//! ```console
//! $ cargo run --release --example rank_turns -- '*******O/*@O*OO**/*@@***** w m s 4 0 3 0 0 0'
//! ```

use std::env;
use std::error::Error;
use std::path::Path;

use millbase::{Database, Position, Rules};

fn main() -> Result<(), Box<dyn Error>> {
    let text = env::args().nth(1).ok_or("the position is missing")?;
    let rules = Rules::STANDARD;
    let position = Position::parse(&text, &rules)?;
    // The pairs with at most nine stones are part of the library; a folder may contain the others.
    let database = match Path::new("db") {
        folder if folder.is_dir() => Database::open_in(folder, rules)?,
        _ => Database::embedded(rules),
    };
    println!(
        "{} to move: {}",
        position.side_to_move(),
        database.probe(&position)?
    );
    for ranked in database.turns(&position)? {
        println!("{}  {}", ranked.turn, ranked.value);
    }
    Ok(())
}
