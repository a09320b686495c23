//! Files of pairs and plies with made-up values, and two sources of their bytes.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::parts::{FileParts, Layout};
use crate::index::histogram::Histogram;
use crate::index::stages::{Stage, StageSets};
use crate::index::{Index, Pair};
pub(crate) use crate::random::Random;
use crate::rules::Rules;
use crate::store::cache::BlockCache;
pub(crate) use crate::store::pair::stored_table;
use crate::store::source;
use crate::store::table::Table;
use crate::store::*;

/// Four stones a side: some plies have several tables, all small.
pub(crate) const FOUR: Rules = Rules {
    stones: 4,
    ..Rules::STANDARD
};

pub(crate) fn pair(larger: u8, smaller: u8) -> Pair {
    Pair::new(larger, smaller).unwrap()
}

/// Values for a table: runs of equal bytes with few different values, so that models are small. No
/// stored position is lost in 0 turns, so a turn wins in one only by the rules.
fn runs(entries: u64, run: usize, seed: u64) -> Vec<u8> {
    const VALUES: [u8; 12] = [0, 2, 3, 4, 5, 7, 12, 41, 90, 91, 248, 249];
    let mut random = Random::new(0x5eed + seed);
    let mut value = 0;
    let values = (0..entries as usize).map(|entry| {
        if entry % run == 0 {
            value = VALUES[random.below(VALUES.len())];
        }
        value
    });
    values.collect()
}

/// Values for the stored table of a pair.
pub(crate) fn made_up(pair: Pair, run: usize) -> Vec<u8> {
    runs(
        stored_table(pair, &Rules::STANDARD).entries(),
        run,
        pair.stones().into(),
    )
}

/// Histograms for a pair with these values; that of the other table counts nothing.
pub(crate) fn histograms(pair: Pair, values: &[u8]) -> Vec<Histogram> {
    let index = Index::new(stored_table(pair, &Rules::STANDARD));
    let mut histograms = vec![Histogram::of_table(&index, values)];
    histograms.resize(pair.tables(&Rules::STANDARD).len(), Histogram::default());
    histograms
}

/// Writes the file of a pair.
pub(crate) fn write(
    folder: &Path,
    pair: Pair,
    values: &[u8],
    profile: Profile,
) -> Result<u64, DbError> {
    let histograms = histograms(pair, values);
    write_pair(folder, &Rules::STANDARD, profile, pair, values, &histograms)
}

/// Writes the file of a ply with [`FOUR`]; returns the values of its tables.
pub(crate) fn write_ply(folder: &Path, ply: u8, run: usize) -> Vec<Vec<u8>> {
    let stage_sets = StageSets::new(&FOUR, ply);
    let stages: Vec<Stage> = stage_sets.stages_of(ply).collect();
    let mut writer = PlyWriter::new(folder, &FOUR, &stage_sets, ply, Profile::default());
    let tables = stages.iter().zip(0..).map(|(&stage, seed)| {
        let values = runs(stage.material().entries(), run, seed);
        writer.add(stage, &values).unwrap();
        values
    });
    let tables = tables.collect();
    writer.finish().unwrap();
    tables
}

/// A folder with made-up databases of these pairs, and their values.
pub(crate) fn folder_with(pairs: &[Pair], run: usize) -> (TempDir, Vec<Vec<u8>>) {
    let folder = TempDir::new().unwrap();
    let values: Vec<_> = pairs.iter().map(|&pair| made_up(pair, run)).collect();
    for (&pair, values) in pairs.iter().zip(&values) {
        write(folder.path(), pair, values, Profile::default()).unwrap();
    }
    (folder, values)
}

/// A small file whose bytes can be changed: the pair 3-3, or a ply.
pub(crate) struct Specimen {
    pub name: String,
    pub bytes: Vec<u8>,
    pub parts: FileParts,
    pub layout: Layout,
    /// The values of each table, 0 for those that the file does not hold.
    pub values: Vec<Vec<u8>>,
    /// Only of the ply.
    stage_sets: Option<StageSets>,
}

/// The fifth ply with four stones a side: two tables, one for the turns that closed a mill.
const PLY: u8 = 5;

/// A specimen that was opened.
pub(crate) enum OpenSpecimen<'a> {
    Pair(PairFile),
    Ply(PlyFile, &'a StageSets),
}

impl Specimen {
    /// 3-3 in runs of equal values.
    pub fn pair(run: usize) -> Specimen {
        let (folder, values) = folder_with(&[pair(3, 3)], run);
        Specimen::new(&folder, file_name(pair(3, 3)), values, None)
    }

    /// The ply in runs of equal values.
    pub fn ply(run: usize) -> Specimen {
        let folder = TempDir::new().unwrap();
        let mut values = write_ply(folder.path(), PLY, run);
        let stage_sets = StageSets::new(&FOUR, PLY);
        assert_eq!(values.len(), 2);
        for (stage, values) in stage_sets.stages_of(PLY).zip(&mut values) {
            let index = Index::new(stage.material());
            for (entry, value) in values.iter_mut().enumerate() {
                let (mover, waiting) = index.sets(entry);
                *value *= u8::from(stage_sets.allows(stage, mover, waiting));
            }
        }
        Specimen::new(&folder, ply_file_name(PLY), values, Some(stage_sets))
    }

    /// A specimen of each schema.
    pub fn both(run: usize) -> [Specimen; 2] {
        [Specimen::pair(run), Specimen::ply(run)]
    }

    fn new(
        folder: &TempDir,
        name: String,
        values: Vec<Vec<u8>>,
        stage_sets: Option<StageSets>,
    ) -> Specimen {
        let bytes = fs::read(folder.path().join(&name)).unwrap();
        let parts = FileParts::of(&bytes);
        let (again, layout) = parts.put_together();
        assert!(again == bytes, "the writer and the parts disagree");
        let specimen = Specimen {
            name,
            bytes,
            parts,
            layout,
            values,
            stage_sets,
        };
        assert!(specimen.load(&specimen.bytes).unwrap() == specimen.values);
        specimen
    }

    /// The bytes with a change.
    pub fn changed(&self, change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
        let mut bytes = self.bytes.clone();
        change(&mut bytes);
        bytes
    }

    /// Opens these bytes as the file, from memory.
    pub fn open(&self, bytes: &[u8]) -> Result<OpenSpecimen<'_>, DbError> {
        self.open_from(Box::new(bytes.to_vec()))
    }

    /// Opens the file whose bytes come from this source.
    pub fn open_from(&self, source: Box<dyn ByteSource>) -> Result<OpenSpecimen<'_>, DbError> {
        let path = PathBuf::from(&self.name);
        Ok(match &self.stage_sets {
            None => {
                let file = PairFile::open(path, false, source, pair(3, 3), Rules::STANDARD)?;
                OpenSpecimen::Pair(file)
            }
            Some(stage_sets) => {
                let file = PlyFile::open(path, source, PLY, FOUR, stage_sets)?;
                OpenSpecimen::Ply(file, stage_sets)
            }
        })
    }

    /// All values of a file with these bytes.
    pub fn load(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, DbError> {
        self.open(bytes)?.load()
    }
}

impl OpenSpecimen<'_> {
    /// The table with this number.
    pub fn table(&self, number: usize) -> Result<Table<'_>, DbError> {
        match self {
            OpenSpecimen::Pair(file) => file.table(),
            OpenSpecimen::Ply(file, stage_sets) => {
                let stage = file.stages().nth(number).unwrap();
                Ok(file.table(stage, stage_sets)?.unwrap())
            }
        }
    }

    /// The values of a table, 0 if the file does not hold it.
    pub fn load_table(&self, number: usize) -> Result<Vec<u8>, DbError> {
        let table = self.table(number)?;
        let mut values = vec![0; table.index().len()];
        table.load(&mut values)?;
        Ok(values)
    }

    /// The values of all tables.
    pub fn load(&self) -> Result<Vec<Vec<u8>>, DbError> {
        let tables = match self {
            OpenSpecimen::Pair(_) => 1,
            OpenSpecimen::Ply(file, _) => file.stages().count(),
        };
        (0..tables).map(|number| self.load_table(number)).collect()
    }

    /// The value of a position, by its entry; 0 if the file does not hold it.
    pub fn probe(&self, number: usize, entry: usize, cache: &BlockCache) -> Result<u8, DbError> {
        let table = self.table(number)?;
        let (mover, waiting) = table.index().sets(entry);
        match table.find(mover) {
            Some(mut row) => row.value(row.column(waiting), cache),
            None => Ok(0),
        }
    }
}

pub(crate) fn is_corrupt(error: &DbError) -> bool {
    matches!(error, DbError::Corrupt { .. })
}

/// The same bytes from memory and from a file.
pub(crate) fn sources(bytes: &[u8]) -> [Box<dyn ByteSource>; 2] {
    // An open file stays usable when the folder is removed.
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("bytes");
    fs::write(&path, bytes).unwrap();
    [Box::new(bytes.to_vec()), source::open(&path).unwrap()]
}
