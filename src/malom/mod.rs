//! Our values as the sector files of another program, Malom, which several programs read.
//!
//! ```
//! use std::io::{Read, Seek, SeekFrom};
//! use std::sync::Arc;
//! use millbase::malom::{Scheme, Sector, Sectors};
//! use millbase::{Database, Rules};
//!
//! let sector: Sector = "std_4_3_0_0.sec2".parse()?;
//! assert_eq!(sector.bytes(), 2_589_008);
//! let database = Database::embedded(Rules::STANDARD);
//! let sectors = Arc::new(Sectors::new(database, Scheme::complete())?);
//! # if cfg!(feature = "embedded") {
//! // It reads and seeks like an opened file.
//! let mut file = sectors.open(sector)?;
//! file.seek(SeekFrom::Start(64 + 3 * 37))?;
//! let mut slot = [0; 3];
//! file.read_exact(&mut slot)?;
//! assert_eq!(slot, [0, 0, 0]); // a draw
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A sector has the positions that share four numbers: the stones of the side to move and of the
//! other side, on the board and in hand. Its slots are in the order of our index, so a sector is
//! one walk over a table:
//!
//! ```text
//! std_{W}_{B}_{WF}_{BF}.sec2    W, B on the board and WF, BF in hand; W and WF of the side to move
//!
//! offset    bytes
//! 0         64       header: version 2, 3 bytes a slot, 12 bits of the first key, zeros
//! 64        3n       n slots: orbits(W) * C(24 - W, B)
//! 64 + 3n   4        number of escapes: 0
//!
//! slot = first key (12 bits, signed) | second key << 12
//! ```
//!
//! - `sector`: the sectors and their sizes
//! - `scheme`: the keys of a value; the text `std.secval`
//! - `slots`: values to slots and back; redirects
//! - `tables`: all values of a sector, and the value of one slot
//! - `file`: a sector as [`Read`](std::io::Read) and [`Seek`](std::io::Seek)
//! - `walk`: sectors written one after the other
//! - `compare`: files of another program compared with our values
//!
//! The format can grade draws by where ideal play of both sides leads. Our values do not grade
//! them, so all draws are equal. Of the placing phase our files hold the positions that a game can
//! reach; the other slots of a sector are marked as draws.

pub(crate) mod compare;
mod file;
mod scheme;
mod sector;
mod slots;
mod tables;
mod walk;

pub use file::SectorFile;
pub use scheme::{SECVAL, Scheme, SchemeError};
pub use sector::{Sector, SectorError};
pub use tables::Sectors;
pub use walk::{SectorValues, Walk};
