//! Values to slots and back.
//!
//! ```text
//! first key    second key    meaning
//! not 0        n             value = first key + the sector's number: a win or a loss in n turns,
//!                            or a draw
//! 0            0 or more     a draw
//! 0            -1 to -16     redirect: turn the board by symmetry (-1 - second key), look there
//! ```
//!
//! A row whose set has a stabiliser holds each of its positions several times. Of these slots, that
//! with the smallest set of the waiting side has the value, and the others redirect to it.

use super::scheme::{MOST, Scheme};
use super::sector::Sector;
use crate::board::PointSet;
use crate::board::symmetry::Symmetry;
use crate::index::Index;
use crate::value::{Dtw, Value};

/// The symmetries of the format in its order, by our numbers. Its points are numbered as ours except for
/// a quarter turn and the order of the rings, so "bit k of a ring" is the same in both.
const SYMMETRIES: [u8; Symmetry::COUNT] = [1, 2, 3, 6, 4, 5, 7, 8, 9, 10, 11, 14, 12, 13, 15, 0];

/// The symmetry with a number of the format.
fn symmetry(number: usize) -> Symmetry {
    Symmetry::numbered(SYMMETRIES[number].into())
}

/// The bytes of a slot.
const BYTES: usize = Sector::SLOT as usize;

/// A slot as it stands in a file.
fn pack(first: i16, second: i16) -> [u8; BYTES] {
    let [first, second] = [first, second].map(|key| u32::from(key as u16 & 0xfff));
    let [a, b, c, _] = (first | second << 12).to_le_bytes();
    [a, b, c]
}

/// The two keys of a slot.
fn unpack(bytes: [u8; BYTES]) -> (i16, i16) {
    let word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], 0]);
    let signed = |key: u32| (key as i16) << 4 >> 4;
    (signed(word & 0xfff), signed(word >> 12))
}

/// The meaning of a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Meaning {
    /// A value byte, see [`Value::from_byte`](crate::Value::from_byte).
    Value(u8),
    /// A win or a loss too deep for a value byte, without its depth.
    TooDeep(Value),
    /// Look at the slot to which this symmetry turns the board.
    Redirect(Symmetry),
    /// The second key is in the list of escapes.
    Escape,
    /// Nothing that the format knows.
    Unknown,
}

/// Writes and reads the slots of one sector.
pub(super) struct Slots {
    pub index: Index,
    /// By value byte.
    packed: Box<[[u8; BYTES]; 256]>,
    /// The sector's number, and that of a win.
    value: i16,
    win: i16,
}

impl Slots {
    pub fn new(sector: Sector, scheme: &Scheme) -> Slots {
        let index = Index::new(sector.material());
        let (value, win) = (scheme.value(sector), scheme.win());
        let slot = |byte: usize| match byte as i16 {
            0 => pack(-value, 0),
            byte if byte % 2 == 0 => pack(win - value, byte - 1),
            byte => pack(-win - value, byte - 1),
        };
        Slots {
            packed: Box::new(std::array::from_fn(slot)),
            index,
            value,
            win,
        }
    }

    pub fn columns(&self) -> usize {
        self.index.columns().count()
    }

    /// The header of the file.
    pub fn header() -> [u8; Sector::HEADER as usize] {
        const VERSION: u32 = 2;
        const FIRST_KEY_BITS: u32 = 12;
        let mut header = [0; Sector::HEADER as usize];
        let fields = [VERSION, BYTES as u32, FIRST_KEY_BITS].map(u32::to_le_bytes);
        header[..12].copy_from_slice(fields.as_flattened());
        header
    }

    /// Writes the slots of a row from its values.
    pub fn write_row(&self, row: usize, values: &[u8], out: &mut [u8]) {
        let (slots, _) = out.as_chunks_mut::<BYTES>();
        for (slot, &value) in slots.iter_mut().zip(values) {
            *slot = self.packed[usize::from(value)];
        }
        let symmetries = self.symmetries_of(row);
        if symmetries.is_empty() {
            return;
        }
        for (slot, subset) in slots.iter_mut().zip(self.index.columns().iter()) {
            if let Some(number) = redirect(&symmetries, self.index.waiting(row, subset)) {
                *slot = pack(0, -1 - number);
            }
        }
    }

    /// The bytes of one slot; `value` is called only if the slot has a value of its own.
    pub fn write_slot<E>(
        &self,
        row: usize,
        waiting: PointSet,
        value: impl FnOnce() -> Result<u8, E>,
    ) -> Result<[u8; BYTES], E> {
        let symmetries = self.symmetries_of(row);
        Ok(match redirect(&symmetries, waiting) {
            Some(number) => pack(0, -1 - number),
            None => self.packed[usize::from(value()?)],
        })
    }

    /// The meaning of a slot, by this sector's number.
    pub fn read(&self, bytes: [u8; BYTES]) -> Meaning {
        let (first, second) = unpack(bytes);
        let value = first + self.value;
        match (first, second) {
            (_, second) if second < -MOST => Meaning::Escape,
            (0, 0..) => Meaning::Value(0),
            (0, second @ -16..=-1) => Meaning::Redirect(symmetry((-1 - second) as usize)),
            (0, _) => Meaning::Unknown,
            (_, depth @ 0..) if value == self.win && depth % 2 == 1 => byte(depth + 1),
            (_, depth @ 0..) if value == -self.win && depth % 2 == 0 => byte(depth + 1),
            _ if value.abs() < self.win => Meaning::Value(0),
            _ => Meaning::Unknown,
        }
    }

    /// The meaning of a slot with an escape: a draw, as the depths of wins and losses need none.
    pub fn read_escaped(&self, bytes: [u8; BYTES]) -> Meaning {
        let (first, _) = unpack(bytes);
        match first + self.value {
            value if value.abs() < self.win => Meaning::Value(0),
            1.. => Meaning::TooDeep(Value::Win(Dtw::UNKNOWN)),
            _ => Meaning::TooDeep(Value::Loss(Dtw::UNKNOWN)),
        }
    }

    /// The column of a row to which a redirect leads; `None` if it does not stay in the row.
    pub fn redirected(&self, row: usize, waiting: PointSet, symmetry: Symmetry) -> Option<usize> {
        let mover = self.index.rows().set(row);
        let stays = symmetry.apply(mover) == mover;
        stays.then(|| self.index.column(row, symmetry.apply(waiting)))
    }

    /// The stabiliser of a row's set in the order of the format, with its numbers there; without the
    /// identity, so empty for a row whose slots are all different positions.
    fn symmetries_of(&self, row: usize) -> Vec<(i16, Symmetry)> {
        let mover = self.index.rows().set(row);
        let numbered = (0..Symmetry::COUNT).map(|number| (number as i16, symmetry(number)));
        let others = numbered.filter(|&(_, symmetry)| {
            symmetry != Symmetry::IDENTITY && symmetry.apply(mover) == mover
        });
        others.collect()
    }
}

/// The number of the first symmetry that turns the waiting side's set into the smallest; `None` if it
/// is the smallest already.
fn redirect(symmetries: &[(i16, Symmetry)], waiting: PointSet) -> Option<i16> {
    let images = symmetries.iter();
    let images = images.map(|(number, symmetry)| (symmetry.apply(waiting), *number));
    let (smallest, number) = images.min_by_key(|&(image, _)| image)?;
    (smallest < waiting).then_some(number)
}

/// A value byte, if the depth fits one.
fn byte(byte: i16) -> Meaning {
    let result = [Value::Win, Value::Loss][usize::from(byte % 2 != 0)];
    let too_deep = |_| Meaning::TooDeep(result(Dtw::UNKNOWN));
    u8::try_from(byte).map_or_else(too_deep, Meaning::Value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let sector = Sector::new(4, 3, 0, 0).unwrap();
        let text = Scheme::complete().text().to_owned();
        let graded = text
            .replace("-1\n", "-299\n")
            .replace(": 1\n", ": 299\n")
            .replace("\n4 3 0 0  0", "\n4 3 0 0  -17");
        for text in [text, graded] {
            let slots = Slots::new(sector, &Scheme::compatible(&text).unwrap());
            for value in 0..=255u8 {
                let slot = slots.packed[usize::from(value)];
                assert_eq!(slots.read(slot), Meaning::Value(value));
            }
            for number in 0..16 {
                let redirect = slots.read(pack(0, -1 - number));
                assert_eq!(redirect, Meaning::Redirect(symmetry(number as usize)));
            }
            assert_eq!(slots.read(pack(1, -2048)), Meaning::Escape);
            assert_eq!(slots.read(pack(0, -17)), Meaning::Unknown);
            assert_eq!(slots.read(pack(2047, 1)), Meaning::Unknown);
            let (win, value) = (slots.win, slots.value);
            assert_eq!(slots.read(pack(win - value, 300)), Meaning::Unknown);
            assert_eq!(
                slots.read(pack(win - value, 301)),
                Meaning::TooDeep(Value::Win(Dtw::UNKNOWN))
            );
            assert_eq!(
                slots.read(pack(-win - value, 300)),
                Meaning::TooDeep(Value::Loss(Dtw::UNKNOWN))
            );
            assert_eq!(slots.read(pack(-win - value, 1)), Meaning::Unknown);
        }
        assert_eq!(Slots::header()[..12], [2, 0, 0, 0, 3, 0, 0, 0, 12, 0, 0, 0]);
    }
}
