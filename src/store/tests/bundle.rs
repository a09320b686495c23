//! Bundles give the members' bytes, and damage of their table of contents is always detected.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::specimen::{FOUR, folder_with, is_corrupt, pair, sources, write_ply};
use crate::probe::Database;
use crate::rules::Rules;
use crate::solve::load;
use crate::store::pair::stored_table;
use crate::store::*;

/// A bundle of two pairs of the standard rules and a ply of others, with the folder of the files.
fn bundled() -> (TempDir, PathBuf) {
    let (folder, _) = folder_with(&[pair(3, 3), pair(4, 3)], 3000);
    let own = folder_of(folder.path(), &FOUR);
    fs::create_dir(&own).unwrap();
    write_ply(&own, 5, 100);
    let ply = format!(
        "{}/placing-05.mill",
        own.file_name().unwrap().to_str().unwrap()
    );
    let names = ["3-3.mill", "4-3.mill", &ply];
    let files = names.map(|name| (name.to_owned(), folder.path().join(name)));
    let path = folder.path().join("all.mdb");
    let bytes = write_bundle(&path, &files).unwrap();
    assert_eq!(bytes, fs::metadata(&path).unwrap().len());
    (folder, path)
}

#[test]
fn a_bundle_has_the_bytes_of_its_members() {
    let (folder, path) = bundled();
    let bundle = Bundle::open(&path).unwrap();
    let whole = fs::read(&path).unwrap();
    assert_eq!(bundle.members().len(), 3);
    for member in bundle.members() {
        let bytes = fs::read(folder.path().join(&member.name)).unwrap();
        assert!(whole[member.start as usize..][..member.bytes as usize] == bytes);
        assert_eq!(bytes[12..16], member.head_bytes.to_le_bytes());
    }
    // The same databases by path, from memory, and from the middle of another file.
    let mut asset = vec![7; 100];
    asset.extend(&whole);
    asset.extend([9; 50]);
    let asset_path = folder.path().join("asset");
    fs::write(&asset_path, asset).unwrap();
    let file = OpenFile::new(File::open(&asset_path).unwrap()).unwrap();
    let range: Box<dyn ByteSource> = Box::new(ByteRange::new(file, 100, whole.len() as u64));
    let mut opened = vec![Database::open_in(&path, Rules::STANDARD).unwrap()];
    for source in [range, Box::new(whole)] {
        let bundle = Bundle::read(Path::new("asset"), source).unwrap();
        opened.push(Database::of_bundle(&bundle, Rules::STANDARD));
        let ply = Database::of_bundle(&bundle, FOUR);
        let own = Database::open_in(folder.path(), FOUR).unwrap();
        let stages = [&ply, &own].map(|database| {
            let stage = own.ply(5).unwrap().unwrap().stages().next().unwrap();
            crate::solve::ply::load(database, stage, crate::value::Metric::Depth).unwrap()
        });
        assert!(stages[0][..] == stages[1][..]);
    }
    let reference = Database::open(folder.path(), Rules::STANDARD).unwrap();
    for database in opened {
        for pair in [pair(3, 3), pair(4, 3)] {
            let [found, expected] = [&database, &reference]
                .map(|from| load(from, stored_table(pair, &Rules::STANDARD)).unwrap());
            assert!(found[..] == expected[..], "{pair}");
        }
    }
}

#[test]
fn every_damaged_byte_of_the_contents_is_detected() {
    let (_folder, path) = bundled();
    let whole = fs::read(&path).unwrap();
    let contents = Bundle::open(&path).unwrap().members()[0].start as usize;
    let open = |bytes: &[u8]| {
        let source = Box::new(bytes.to_vec());
        Bundle::read(Path::new("all.mdb"), source).err()
    };
    assert!(open(&whole).is_none());
    for place in 0..contents {
        for wrong in [0, 0xff, whole[place] ^ 1, whole[place] ^ 0x80] {
            let mut bytes = whole.clone();
            bytes[place] = wrong;
            match open(&bytes) {
                None => assert_eq!(wrong, whole[place], "byte {place}"),
                Some(DbError::NotDatabases(_)) => assert!(place < 8),
                Some(DbError::OtherVersion { .. }) => assert!((8..12).contains(&place)),
                Some(error) => assert!(is_corrupt(&error), "{error}"),
            }
        }
    }
    for length in [0, 7, 23, contents - 1, contents, whole.len() - 1] {
        for source in sources(&whole[..length]) {
            let error = Bundle::read(Path::new("all.mdb"), source).unwrap_err();
            match error {
                DbError::NotDatabases(_) => assert!(length < 8),
                error => assert!(is_corrupt(&error), "{length}: {error}"),
            }
        }
    }
    assert!(open(&[&whole[..], &[0]].concat()).is_some_and(|error| is_corrupt(&error)));
}
