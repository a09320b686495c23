//! Bundles: the files of a folder of databases in one file, for programs that carry them as one
//! asset.
//!
//! ```text
//! magic                             8 bytes
//! version                           4 bytes
//! length of the table of contents   4 bytes, from the magic to its checksum
//! length of the bundle              8 bytes
//! number of members                 varint
//! of each member
//!     length of the name            1 byte
//!     name                          with the folder of its rules, such as `ten/9-8.mill`
//!     offset, length                varints, in bytes
//!     length of its head            varint
//! checksum of all bytes before      8 bytes
//! the members, as they are in the folder, one after the other
//! ```
//!
//! Opening reads only the table of contents. Each member has checksums of its own.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::container::read;
use super::error::DbError;
use super::fields::{CHECKSUM, HeadReader, checked};
use super::folder_of;
use super::source::{self, ByteRange, ByteSource};
use crate::rules::Rules;

/// The version that this program writes and reads.
pub(super) const VERSION: u32 = 1;

/// The first eight bytes of a bundle. The first one is not text, and a conversion of line ends
/// would change the last one.
pub(super) const MAGIC: [u8; 8] = *b"\x8eMILLBD\n";

/// The bytes of the fields before the number of members.
const PREFIX: usize = 24;

/// The most bytes of a table of contents: some thirty times what the files of Lasker Morris need.
const MOST_CONTENTS: u32 = 1 << 20;

/// A file in a bundle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    /// The name, with the folder of its rules: `9-8.mill` or `ten/9-8.mill`.
    pub name: String,
    /// The offset of the file in the bundle, in bytes.
    pub start: u64,
    /// The length of the file in bytes.
    pub bytes: u64,
    /// The length of the file's head in bytes, see [`ByteSource::head_bytes`].
    pub head_bytes: u32,
}

/// The files of a folder of databases in one file.
#[derive(Debug)]
pub struct Bundle {
    /// Stands for the bundle in errors.
    name: PathBuf,
    source: Arc<dyn ByteSource>,
    members: Vec<Member>,
}

impl Bundle {
    /// Opens the bundle at this path: reads and checks its table of contents.
    ///
    /// # Errors
    ///
    /// As for [`Bundle::read`].
    pub fn open(path: &Path) -> Result<Bundle, DbError> {
        let source = source::open(path).map_err(DbError::io(path))?;
        Bundle::read(path, source)
    }

    /// The bundle in these bytes; `name` stands for them in errors.
    ///
    /// # Errors
    ///
    /// [`DbError::NotDatabases`] if the bytes are not a bundle, [`DbError::Corrupt`] if they are damaged;
    /// [`DbError::OtherVersion`]; [`DbError::Io`]; [`DbError::Pending`] if the table of contents
    /// has not arrived.
    pub fn read(name: &Path, source: Box<dyn ByteSource>) -> Result<Bundle, DbError> {
        let size = source.size();
        let read = |length: usize| read(&*source, name, 0, length);
        let magic = read((MAGIC.len() as u64).min(size) as usize)?;
        if magic[..] != MAGIC {
            return Err(DbError::NotDatabases(name.to_path_buf()));
        }
        let prefix = read(PREFIX)?;
        let mut fields = HeadReader {
            rest: &prefix[MAGIC.len()..],
            at: MAGIC.len(),
            name,
        };
        fields.version(VERSION)?;
        let at = fields.at;
        let length = u32::from_le_bytes(fields.take()?);
        if length > MOST_CONTENTS || length as usize <= PREFIX + CHECKSUM {
            let what = format!("the table of contents cannot have {length} bytes");
            return Err(fields.corrupt(at, what));
        }
        let contents = read(length as usize)?;
        let Some(contents) = checked(&contents) else {
            let what = "wrong checksum of the table of contents";
            return Err(fields.corrupt(length as usize - CHECKSUM, what));
        };
        fields.rest = &contents[fields.at..];
        fields.size(size)?;
        let number = fields.varint()?;
        let members = (0..number).map(|_| member(&mut fields, size));
        let members = members.collect::<Result<_, _>>()?;
        fields.end()?;
        Ok(Bundle {
            name: name.to_path_buf(),
            source: source.into(),
            members,
        })
    }

    /// The files, in the order of their bytes.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The files of these rules, with the names that they have in their folder.
    pub fn members_of(&self, rules: &Rules) -> impl Iterator<Item = (&str, &Member)> + use<'_> {
        let folder = folder_of(Path::new(""), rules);
        self.members.iter().filter_map(move |member| {
            let path = Path::new(&member.name);
            let is_of_rules = path.parent() == Some(&*folder);
            let name = path.file_name()?.to_str().filter(|_| is_of_rules)?;
            Some((name, member))
        })
    }

    /// The path of a member, or what stands for it in errors.
    pub(crate) fn path_of(&self, member: &Member) -> PathBuf {
        self.name.join(&member.name)
    }

    /// The bytes of a member.
    pub(crate) fn bytes_of(&self, member: &Member) -> Arc<dyn ByteSource> {
        Arc::new(ByteRange {
            source: Arc::clone(&self.source),
            start: member.start,
            size: member.bytes,
            head: Some(member.head_bytes),
        })
    }
}

/// The next member of a bundle of this size.
fn member(fields: &mut HeadReader<'_>, size: u64) -> Result<Member, DbError> {
    let at = fields.at;
    let [length] = fields.take()?;
    let name = str::from_utf8(fields.take_slice(length.into())?);
    let [start, bytes, head] = [fields.varint()?, fields.varint()?, fields.varint()?];
    let fits = start.checked_add(bytes).is_some_and(|end| end <= size);
    match (name, u32::try_from(head)) {
        (Ok(name), Ok(head_bytes)) if fits => Ok(Member {
            name: name.to_owned(),
            start,
            bytes,
            head_bytes,
        }),
        _ => Err(fields.corrupt(at, "a member does not lie within the bundle")),
    }
}
