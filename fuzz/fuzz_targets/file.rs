//! Fuzzes malicious files with correct checksums: opening and probing them must return values or
//! errors.
//! An input is the number of a specimen and a list of changes to it, each a byte for its kind
//! followed by its arguments. Lengths and checksums are corrected after the changes of the parts,
//! so that an input reaches the code that interprets the parts; the last changes are to bytes of
//! the whole file. Everything is in memory, and the work for an input is bounded.
#![no_main]

#[path = "../../src/store/tests/parts.rs"]
#[allow(dead_code)]
mod parts;

use std::cell::RefCell;
use std::fs;
use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use millbase::internals::Index;
use millbase::internals::stages::Stage;
use millbase::solve::{BuildRequest, build};
use millbase::{Database, Material, Position, Rules};
use parts::{FILE_LENGTH, FileParts, Layout, repair_all};
use tempfile::TempDir;

/// Four stones a side: the fifth ply has two tables, both small.
const RULES: Rules = Rules {
    stones: 4,
    ..Rules::STANDARD
};
const PLY: u8 = 5;

fuzz_target!(|input: &[u8]| {
    thread_local!(static DATABASE: RefCell<Option<Database>> = const { RefCell::new(None) });
    let mut input = Input(input);
    let specimen = &SPECIMENS[usize::from(input.byte()) % SPECIMENS.len()];
    let bytes = specimen.changed(&mut input);
    DATABASE.with_borrow_mut(|kept| {
        let database = kept.take().unwrap_or_else(good_files);
        let database = database
            .with_file(specimen.name, Box::new(bytes))
            .with_cache_bytes(1 << 16);
        for position in &specimen.positions {
            let _ = database.probe(position);
            let _ = database.probe_wdl(position);
        }
        let _ = database.turns(&specimen.positions[0]);
        *kept = Some(database.with_file(specimen.name, Box::new(specimen.bytes.clone())));
    });
});

/// A file that inputs change, and positions that need it.
struct Specimen {
    name: &'static str,
    bytes: Vec<u8>,
    parts: FileParts,
    positions: Vec<Position>,
}

/// The pairs that are part of the program, for the positions that captures lead to.
const PAIRS: [(&str, &[u8]); 3] = [
    ("3-3.mill", include_bytes!("../../db/3-3.mill")),
    ("4-3.mill", include_bytes!("../../db/4-3.mill")),
    ("4-4.mill", include_bytes!("../../db/4-4.mill")),
];

fn good_files() -> Database {
    let start = Database::embedded(RULES).with_cache_bytes(1 << 16);
    let files = SPECIMENS
        .iter()
        .map(|specimen| (specimen.name, specimen.bytes.clone()));
    files.fold(start, |database, (name, bytes)| {
        database.with_file(name, Box::new(bytes))
    })
}

static SPECIMENS: LazyLock<[Specimen; 2]> = LazyLock::new(|| {
    let specimen = |name, bytes: Vec<u8>, positions| Specimen {
        name,
        parts: FileParts::of(&bytes),
        bytes,
        positions,
    };
    let pair = Index::new(Material::new(3, 3));
    let moving = entries(&pair).map(|entry| {
        let (mover, waiting) = pair.sets(entry);
        Position::moving(mover, waiting)
    });
    [
        specimen("3-3.mill", PAIRS[0].1.to_vec(), moving.collect()),
        specimen("placing-05.mill", ply_file(), games()),
    ]
});

/// Entries of the first rows, which inputs change most often, in the first and the last columns, and
/// of some other rows.
fn entries(index: &Index) -> impl Iterator<Item = usize> {
    let columns = index.columns().count();
    let rows = [0, 1, 2, 40, index.rows().len() - 1];
    rows.into_iter()
        .flat_map(move |row| [0, columns / 2, columns - 1].map(|column| row * columns + column))
}

/// The file of the fifth ply, solved.
fn ply_file() -> Vec<u8> {
    let folder = TempDir::new().expect("a folder for files");
    for (name, bytes) in PAIRS {
        fs::write(folder.path().join(name), bytes).expect("a file is written");
    }
    let request = BuildRequest {
        rules: RULES,
        pairs: Vec::new(),
        plies: [PLY].into(),
        profile: Default::default(),
    };
    build(folder.path(), &request, &mut |_| ()).expect("a small game");
    fs::read(folder.path().join("placing-05.mill")).expect("a file of the ply")
}

/// Positions of a few games after five and after four placements, with and without losses.
fn games() -> Vec<Position> {
    let mut positions = Vec::new();
    for skipped in [0, 3, 7, 50] {
        let mut position = Position::start(&RULES);
        while Stage::of(&position, &RULES).ply < PLY {
            if Stage::of(&position, &RULES).ply == PLY - 1 {
                positions.push(position);
            }
            let turns = position.turns(&RULES);
            let capture = turns.iter().find(|turn| !turn.removed().is_empty());
            position = position.after(*capture.unwrap_or(&turns[skipped % turns.len()]));
        }
        positions.insert(0, position);
    }
    positions
}

/// The remaining bytes of an input, followed by endless zeros.
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn byte(&mut self) -> u8 {
        match self.0.split_first() {
            Some((&byte, rest)) => {
                self.0 = rest;
                byte
            }
            None => 0,
        }
    }

    fn number(&mut self) -> usize {
        usize::from(self.byte()) | usize::from(self.byte()) << 8
    }

    fn slice(&mut self) -> Vec<u8> {
        let length = usize::from(self.byte()).min(self.0.len());
        let (slice, rest) = self.0.split_at(length);
        self.0 = rest;
        slice.to_vec()
    }

    /// Changes one of these bytes, if there are any.
    fn change(&mut self, bytes: &mut [u8]) {
        let place = self.number() % bytes.len().max(1);
        let value = self.byte();
        if let Some(byte) = bytes.get_mut(place) {
            *byte = value;
        }
    }

    /// Replaces the end of these bytes.
    fn change_end(&mut self, bytes: &mut Vec<u8>) {
        bytes.truncate(self.number());
        bytes.extend(self.slice());
    }
}

impl Specimen {
    /// The file with the changes of an input.
    fn changed(&self, input: &mut Input<'_>) -> Vec<u8> {
        /// The most changes; more would not make new kinds of files.
        const MOST: usize = 12;
        let mut parts = self.parts.clone();
        for _ in 0..MOST {
            let number = usize::from(input.byte());
            let tables = parts.tables.len().max(1);
            let Some(table) = parts.tables.get_mut(number / 16 % tables) else {
                break;
            };
            match number % 16 {
                0 => break,
                1 => input.change(&mut parts.prefix[24..]),
                2 => input.change(&mut parts.schema),
                3 => input.change_end(&mut parts.schema),
                4 => input.change(&mut table.model),
                5 => input.change_end(&mut table.model),
                6 => table.width = input.byte() % 4,
                7 => table.rows.truncate(input.number()),
                8 => drop(parts.tables.pop()),
                number => {
                    // The first rows, where the positions are.
                    let row = usize::from(input.byte()) % 3;
                    match table.rows.get_mut(row) {
                        Some(row) if number % 2 == 0 => {
                            input.change(Arc::make_mut(row).as_mut_slice())
                        }
                        Some(row) => input.change_end(Arc::make_mut(row)),
                        None => {}
                    }
                }
            }
        }
        // The directory cannot represent other widths, but the head can.
        let widths: Vec<u8> = parts.tables.iter().map(|table| table.width).collect();
        for table in &mut parts.tables {
            table.width = table.width.max(2);
        }
        let (mut bytes, layout) = parts.put_together();
        change_places(&mut bytes, &layout, &widths, input);
        bytes
    }
}

/// Changes of the whole file: wrong offsets and lengths in the head and the directory.
fn change_places(bytes: &mut Vec<u8>, layout: &Layout, widths: &[u8], input: &mut Input<'_>) {
    match input.byte() % 5 {
        1 => {
            let number = usize::from(input.byte());
            if let Some(page) = layout.pages.get(number % layout.pages.len().max(1)) {
                let place = page.start + input.number() % (page.len() - 8);
                let slice = input.slice();
                let end = (place + slice.len()).min(page.end - 8);
                bytes[place..end].copy_from_slice(&slice[..end - place]);
            }
        }
        2 => {
            let length = layout.head.end + input.number() % (bytes.len() - layout.head.end + 1);
            bytes.truncate(length);
            bytes[FILE_LENGTH].copy_from_slice(&(length as u64).to_le_bytes());
            parts::repair(bytes, [layout.head.clone()]);
            return;
        }
        3 => input.change(&mut bytes[..16]),
        4 => {
            for (&begin, &width) in layout.models.iter().map(|model| &model.start).zip(widths) {
                // The length of a model takes one to three bytes, after the byte of the width.
                let place = begin - 1 - usize::from(input.byte()) % 4;
                bytes[place] = width;
            }
        }
        _ => return,
    }
    repair_all(bytes, layout);
}
