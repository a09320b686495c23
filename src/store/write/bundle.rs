//! The bytes of a bundle.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::{add_checksum, add_varint, write_file};
use crate::store::bundle::{MAGIC, Member, VERSION};
use crate::store::container::declared;
use crate::store::error::DbError;
use crate::store::fields::CHECKSUM;

/// Writes a bundle of these files, each with its name in the bundle and its path. Returns the size
/// of the bundle in bytes.
///
/// # Errors
///
/// [`DbError::Io`], which names the bundle or the file that cannot be read. An existing file at
/// `path` then stays as it was.
pub fn write_bundle(path: &Path, files: &[(String, PathBuf)]) -> Result<u64, DbError> {
    let mut opened = Vec::new();
    for (name, from) in files {
        let open = || {
            let mut file = File::open(from)?;
            let bytes = file.metadata()?.len();
            let mut prefix = [0; 16];
            file.read_exact(&mut prefix)?;
            Ok((bytes, declared(&prefix).unwrap_or(0) as u32))
        };
        let (bytes, head_bytes) = open().map_err(DbError::io(from))?;
        opened.push(Member {
            name: name.clone(),
            start: 0,
            bytes,
            head_bytes,
        });
    }
    // The offsets depend on the length of the table of contents, which depends on the lengths of
    // the offsets.
    let mut length = 0;
    let mut contents = loop {
        let mut start = length as u64;
        for member in &mut opened {
            member.start = start;
            start += member.bytes;
        }
        let mut contents = MAGIC.to_vec();
        contents.extend(VERSION.to_le_bytes());
        contents.extend((length as u32).to_le_bytes());
        contents.extend(start.to_le_bytes());
        add_varint(&mut contents, opened.len() as u64);
        for member in &opened {
            contents.push(u8::try_from(member.name.len()).expect("names of databases are short"));
            contents.extend(member.name.bytes());
            for number in [member.start, member.bytes, member.head_bytes.into()] {
                add_varint(&mut contents, number);
            }
        }
        match contents.len() + CHECKSUM {
            reached if reached == length => break contents,
            longer => length = longer,
        }
    };
    add_checksum(&mut contents);
    write_file(path, |bundle| {
        bundle.write_all(&contents)?;
        for ((_, from), member) in files.iter().zip(&opened) {
            let copied = io::copy(&mut File::open(from)?, bundle)?;
            if copied != member.bytes {
                let changed = format!("{} changed while it was copied", from.display());
                return Err(io::Error::other(changed));
            }
        }
        Ok(())
    })
}
