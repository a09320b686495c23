//! Files that somebody made to mislead, with right checksums: opening, probing and loading end with
//! values or with errors.
//!
//! An input is the fields of a [`Recipe`], then the model, then the bytes of the first rows; the
//! file around them is made here as docs/FORMAT.md says.
#![no_main]

use std::fs;

use libfuzzer_sys::fuzz_target;
use millbase::index::Index;
use millbase::{Database, Pair, Position, Rules, retro};
use tempfile::TempDir;
use xxhash_rust::xxh3::xxh3_64;

const RULES: Rules = Rules::STANDARD;

/// Pairs with few rows, and how many.
const PAIRS: [(u8, u8, usize); 3] = [(3, 3, 158), (4, 3, 757), (4, 4, 757)];

fuzz_target!(|input: &[u8]| {
    if let Some((recipe, rest)) = input.split_first_chunk() {
        probe_file(&Recipe(*recipe), rest);
    }
});

/// The fields of an input. What does not fit is taken modulo.
struct Recipe([u8; 14]);

impl Recipe {
    fn pair(&self) -> (u8, u8, usize) {
        PAIRS[usize::from(self.0[0]) % PAIRS.len()]
    }

    /// The prefix's fields *contents* and *stored*.
    fn kinds(&self) -> [u8; 2] {
        [self.0[1], self.0[2]]
    }

    /// The prefix's fields *columns*, *near* and *slides*.
    fn effort(&self) -> [u8; 4] {
        match self.0[3] {
            0 => [0, 1, 5, 3],
            1 => [0, 16, 15, 6],
            other => [other, 1, 5, 3],
        }
    }

    /// How many rows have the rest of the input as their bytes; the others have none.
    fn filled_rows(&self) -> usize {
        if self.0[4] == 0 {
            3
        } else {
            self.pair().2.min(158)
        }
    }

    /// What is put at some place of the file at last, behind all checks of checksums or in front.
    fn lie(&self) -> (u8, usize, u64) {
        let value = i32::from_le_bytes([self.0[8], self.0[9], self.0[10], self.0[11]]);
        let place = u16::from_le_bytes([self.0[6], self.0[7]]);
        (self.0[5], place.into(), i64::from(value) as u64)
    }

    fn model_length(&self) -> usize {
        u16::from_le_bytes([self.0[12], self.0[13]]).into()
    }
}

/// The bytes with their checksum behind them.
fn with_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.extend(xxh3_64(&bytes).to_le_bytes());
    bytes
}

fn file(recipe: &Recipe, rest: &[u8]) -> Vec<u8> {
    let (larger, smaller, rows) = recipe.pair();
    let (model, row) = rest.split_at(recipe.model_length().min(rest.len()));
    let (lie, place, value) = recipe.lie();
    let histograms = if larger == smaller { 1 } else { 2 };
    let header_length = 44 + 2048 * histograms + 8;
    let rows_start = header_length + model.len() + 8 + 16 * (rows + 1);
    let length = rows_start + row.len() * recipe.filled_rows();

    let mut header = Vec::new();
    header.extend(b"\x8eMILLDB\n");
    header.extend(2u32.to_le_bytes());
    header.extend((header_length as u32).to_le_bytes());
    header.extend([larger, smaller]);
    header.extend(recipe.kinds());
    header.extend(recipe.effort());
    header.extend(RULES.fingerprint().to_le_bytes());
    header.extend((length as u64).to_le_bytes());
    header.extend((model.len() as u32).to_le_bytes());
    header.resize(header_length - 8, 0);
    if lie == 1 {
        let place = place % (header.len() - 8);
        header[place..][..8].copy_from_slice(&value.to_le_bytes());
    }

    let mut fields = Vec::new();
    for number in 0..=rows {
        let start = rows_start + row.len() * number.min(recipe.filled_rows());
        let filled = number < recipe.filled_rows();
        let sum = xxh3_64(if filled { row } else { &[] });
        fields.extend((start as u64).to_le_bytes());
        fields.extend(sum.to_le_bytes());
    }
    if lie == 2 {
        let place = 8 * (place % 8);
        fields[place..][..8].copy_from_slice(&value.to_le_bytes());
    }

    let mut file = with_checksum(header);
    file.extend(with_checksum(model.to_vec()));
    file.extend(fields);
    file.extend(row.repeat(recipe.filled_rows()));
    if lie == 3 {
        file.truncate(place);
    }
    file
}

fn probe_file(recipe: &Recipe, rest: &[u8]) {
    thread_local!(static FOLDER: TempDir = TempDir::new().expect("a folder for files"));
    let (larger, smaller, _) = recipe.pair();
    let Some(pair) = Pair::new(larger, smaller) else {
        return;
    };
    let database = FOLDER.with(|folder| {
        let path = folder.path().join(millbase::db::file_name(pair));
        fs::write(&path, file(recipe, rest)).expect("a file is written");
        let database = Database::open(folder.path(), RULES);
        fs::remove_file(&path).expect("a file is removed");
        database
    });
    let Ok(database) = database else {
        return;
    };
    for material in pair.tables() {
        let index = Index::new(material);
        let columns = index.columns().count();
        // The first columns, the last ones, and some of blocks in between.
        for column in [0, 1, columns / 3, columns / 2, columns - 1] {
            probe_entry(&database, &index, column);
            probe_entry(&database, &index, 2 * columns + column);
        }
        if recipe.filled_rows() > 3 {
            let _ = retro::load(&database, material);
        }
    }
}

fn probe_entry(database: &Database, index: &Index, entry: usize) {
    let (mover, waiting) = index.sets(entry);
    let position = Position::moving(mover, waiting);
    let _ = database.probe(&position);
    let _ = database.probe_wdl(&position);
    let _ = database.turns(&position);
}
