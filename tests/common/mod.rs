//! Shared code of the integration tests: the data files, random numbers, the symmetries of the
//! board by the names of its points, and conversions between the library and the plain
//! implementation.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use crate::plain::check::Set;
use crate::plain::{NAMES, PlainPosition, PlainRules, PlainTurn, Side as PlainSide, point};
use millbase::Pair;
use millbase::solve::{BuildPlan, BuildRequest};
use millbase::store::Profile;
use millbase::{Blocked, FullBoard, Point, PointSet, Position, RemovalWhilePlacing, Rules, Side};

/// The empty board of the standard rules.
pub const START: &str = "********/********/******** w p p 0 9 0 9 0 0";

/// White is to move and wins in 21.
pub const WON: &str = "***O**@*/*O@***@*/**@**O** w m s 3 0 4 0 0 0";

/// White is to move and loses in 26.
pub const FLYING: &str = "********/********/O@O*O@*@ w m s 3 0 3 0 0 0";

/// White has four stones and no turn.
pub const BLOCKED: &str = "********/@*****@*/OO@**@OO w o ? 4 0 4 0 0 0";

/// White has closed a mill and has to remove a stone.
pub const REMOVAL: &str = "********/@*****@*/OO@**@*O w m r 3 0 4 0 1 0";

/// Six stones against four: not among the built-in pairs.
pub const LARGER: &str = "OOO*****/O*O**O**/@*@**@*@ w m s 6 0 4 0 0 0";

/// White's stones a7, d7 and e3 against c4, d1 and g1, White to move: White can close a mill at g7, Black
/// at a1, and the first mill wins.
pub const RACE: &str = "***O**@*/********/O**@@**O w m s 3 0 3 0 0 0";

/// Checks that an action can be as quick as this, and returns its result. Other load on the machine
/// may delay it many times, but not every time.
pub fn quick<T>(limit: Duration, mut action: impl FnMut() -> T) -> T {
    const ATTEMPTS: usize = 40;
    let mut quickest = Duration::MAX;
    for _ in 0..ATTEMPTS {
        let start = Instant::now();
        let result = action();
        let time = start.elapsed();
        if time <= limit {
            return result;
        }
        quickest = quickest.min(time);
    }
    panic!("the quickest of {ATTEMPTS} took {quickest:?}, more than {limit:?}");
}

/// The rows of a data file, after the source in the first line and the names of the columns in the
/// second.
pub fn rows(file: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    file.lines().skip(2).map(|line| line.split(',').collect())
}

/// The root of the repository.
pub fn root() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    match package.join("tests").exists() {
        true => package,
        false => package.parent().expect("the folder of the workspace"),
    }
}

/// The names of all files in a folder, sorted.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder");
    let names = entries.map(|entry| entry.expect("a file").file_name());
    let mut names: Vec<String> = names
        .map(|name| name.into_string().expect("a name in Unicode"))
        .collect();
    names.sort();
    names
}

/// The databases in a folder, with their bytes.
pub fn databases(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut names = names(folder);
    names.retain(|name| name.ends_with(".mill"));
    let read = |name: String| {
        let bytes = fs::read(folder.join(&name)).expect("the bytes");
        (name, bytes)
    };
    names.into_iter().map(read).collect()
}

/// Builds the pairs that a folder lacks, and those that they need, then the files of some plies.
pub fn build(folder: &Path, rules: &Rules, pairs: &[Pair], plies: &[u8]) {
    for (pairs, plies) in [(pairs, &[][..]), (&[], plies)] {
        let request = request(rules, pairs, plies);
        millbase::solve::build(folder, &request, &mut |_| ()).expect("a build");
    }
}

/// Builds as [`build`] does, with these contents and compression.
pub fn build_with(folder: &Path, rules: &Rules, pairs: &[Pair], profile: Profile, plies: &[u8]) {
    let request = BuildRequest {
        profile,
        ..request(rules, pairs, plies)
    };
    millbase::solve::build(folder, &request, &mut |_| ()).expect("a build");
}

/// The request for some pairs and plies.
pub fn request(rules: &Rules, pairs: &[Pair], plies: &[u8]) -> BuildRequest {
    BuildRequest {
        rules: *rules,
        pairs: pairs.to_vec(),
        plies: plies.iter().copied().collect(),
        profile: Profile::default(),
    }
}

/// The plan of the files that a folder lacks.
pub fn plan(folder: &Path, rules: &Rules, pairs: &[Pair], plies: &[u8]) -> BuildPlan {
    BuildPlan::new(folder, &request(rules, pairs, plies)).expect("a plan")
}

/// Random choices that are the same for a seed on every machine.
pub struct Random(millbase::internals::Random);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(millbase::internals::Random::new(seed))
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.0.below(end)
    }

    /// One of the items.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// This number of random points of a set.
    pub fn points_of(&mut self, set: PointSet, count: u32) -> PointSet {
        let mut left: Vec<Point> = set.into_iter().collect();
        (0..count)
            .map(|_| left.swap_remove(self.below(left.len())))
            .collect()
    }

    /// A position without stones in hand, White to move.
    pub fn position(&mut self, white: u32, black: u32) -> Position {
        let white = self.points_of(PointSet::ALL, white);
        Position::moving(white, self.points_of(!white, black))
    }
}

/// The plain implementation's settings for the library's rules.
pub fn plain_rules(rules: &Rules) -> PlainRules {
    PlainRules {
        stones: rules.stones,
        diagonals: rules.diagonals,
        flying: (rules.flying > 0).then_some(rules.flying),
        remove_any: rules.removal_from_mills,
        removal_per_mill: rules.removal_per_mill,
        blocked_passes: rules.blocked == Blocked::Passes,
        full_board_draws: rules.full_board == FullBoard::Draws,
        full_board_removes: rules.full_board == FullBoard::Removes,
        mills_take_from_hand: rules.removal_while_placing == RemovalWhilePlacing::Hand,
        moves_while_placing: rules.moves_while_placing,
        black_moves_first: rules.first_to_move == Side::Black,
    }
}

fn plain_side(side: Side) -> PlainSide {
    match side {
        Side::White => PlainSide::White,
        Side::Black => PlainSide::Black,
    }
}

fn library_point(name: &str) -> Point {
    Point::named(name).expect("a point of the board")
}

/// The plain implementation's form of a position, point by point.
pub fn plain_position(position: &Position) -> PlainPosition {
    static POINTS: LazyLock<[Point; 24]> = LazyLock::new(|| NAMES.map(library_point));
    PlainPosition {
        board: POINTS.map(|point| {
            let holds = |side: &Side| position.stones(*side).contains(point);
            [Side::White, Side::Black]
                .into_iter()
                .find(holds)
                .map(plain_side)
        }),
        side: plain_side(position.side_to_move()),
        white_hand: position.in_hand(Side::White),
        black_hand: position.in_hand(Side::Black),
        owed: position.removals_owed(),
    }
}

/// The position in the middle of a turn, where only its removals are pending.
pub fn before_removal(position: &Position, turn: &PlainTurn, rules: &Rules) -> Position {
    let plain_rules = plain_rules(rules);
    let to = turn.to.expect("a turn with a step");
    let middle = PlainPosition {
        owed: turn.removed.len() as u8,
        ..plain_position(position).with_step(turn.from, to)
    };
    Position::parse(&middle.text(&plain_rules), rules).expect("a position of a game")
}

/// The library's form of the plain implementation's set.
pub fn library_set(set: Set) -> PointSet {
    /// The images of all sets, as the union of the images of their bytes.
    static IMAGES: LazyLock<[[PointSet; 256]; 3]> = LazyLock::new(|| {
        [0, 1, 2].map(|byte| {
            std::array::from_fn(|bits| {
                let held = (0..8).filter(|bit| bits >> bit & 1 == 1);
                held.map(|bit| library_point(NAMES[8 * byte + bit]))
                    .collect()
            })
        })
    });
    let [a, b, c, _] = set.to_le_bytes().map(usize::from);
    IMAGES[0][a] | IMAGES[1][b] | IMAGES[2][c]
}

/// The 16 symmetries, each as the list of the points to which it takes the points of [`NAMES`]:
/// made from the files and ranks of the names, with d4 as the middle of the board.
pub fn symmetries() -> Vec<[usize; 24]> {
    type Step = fn((i32, i32)) -> (i32, i32);
    let turn: Step = |(x, y)| (y, -x);
    let reflect: Step = |(x, y)| (-x, y);
    let exchange_rings: Step = |(x, y)| {
        let ring = x.abs().max(y.abs());
        ((4 - ring) * x / ring, (4 - ring) * y / ring)
    };
    let place = |name: &str| {
        let [file, rank] = [0, 1].map(|at| i32::from(name.as_bytes()[at]));
        (file - i32::from(b'd'), rank - i32::from(b'4'))
    };
    let named = |(x, y): (i32, i32)| {
        let [file, rank] = [x + i32::from(b'd'), y + i32::from(b'4')].map(|byte| byte as u8);
        let name = [char::from(file), char::from(rank)]
            .iter()
            .collect::<String>();
        point(&name).expect("symmetries take points to points")
    };
    let mut symmetries = Vec::new();
    for turns in 0..4 {
        for reflections in 0..2 {
            for exchanges in 0..2 {
                symmetries.push(NAMES.map(|name| {
                    let mut image = place(name);
                    for (step, times) in [
                        (turn, turns),
                        (reflect, reflections),
                        (exchange_rings, exchanges),
                    ] {
                        for _ in 0..times {
                            image = step(image);
                        }
                    }
                    named(image)
                }));
            }
        }
    }
    symmetries
}

/// The image of a set, whose bits are points in any order, under a symmetry that lists the images of these points.
pub fn plain_turned(symmetry: &[usize; 24], set: Set) -> Set {
    let held = (0..24).filter(|point| set >> point & 1 == 1);
    held.map(|point| 1 << symmetry[point]).sum()
}

/// The image of a set under one of [`symmetries`].
pub fn turned(symmetry: &[usize; 24], set: PointSet) -> PointSet {
    let image = |stone: Point| {
        let name = NAMES[symmetry[point(stone.name()).expect("a point of the board")]];
        library_point(name)
    };
    set.into_iter().map(image).collect()
}

/// Checks that `main`, the text of `main.rs` in a folder of tests, has a line for each other file.
pub fn check_modules(folder: &str, main: &str) {
    let folder = root().join("tests").join(folder);
    for name in names(&folder) {
        if let Some(module) = name.strip_suffix(".rs").filter(|&module| module != "main") {
            assert!(
                main.contains(&format!("\nmod {module};\n")),
                "main.rs has no line 'mod {module};'"
            );
        }
    }
}

/// A list of the sectors in which each has a number of its own.
pub fn graded() -> String {
    let sectors = millbase::malom::Sector::all();
    let mut text = format!(
        "virt_loss_val: -299\nvirt_win_val: 299\n{}\n",
        sectors.len()
    );
    for (place, sector) in sectors.iter().enumerate() {
        let numbers = sector.numbers().map(|number| number.to_string()).join(" ");
        text += &format!("{numbers}  {}\n", place as i32 - 249);
    }
    text
}
