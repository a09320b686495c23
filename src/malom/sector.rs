//! The sectors: their names, sizes and positions.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use crate::index::stages::Stage;
use crate::index::{Material, Pair};
use crate::rules::{FEWEST_STONES, Rules};

/// The positions with these stones of the side to move and of the other side. There are 498.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Sector(Material);

impl Sector {
    /// Bytes before the slots.
    pub(crate) const HEADER: u64 = 64;

    /// Bytes of a slot.
    pub(crate) const SLOT: u64 = 3;

    /// Bytes after the slots of a sector without escapes.
    pub(crate) const TAIL: u64 = 4;

    /// The sector with these numbers of stones on the board and in hand; `None` if there is none.
    ///
    /// ```
    /// use millbase::malom::Sector;
    /// assert!(Sector::new(4, 3, 0, 0).is_some());
    /// assert!(Sector::new(0, 0, 9, 9).is_some());
    /// // No game reaches such numbers in hand.
    /// assert_eq!(Sector::new(3, 3, 1, 3), None);
    /// ```
    pub fn new(mover: u8, waiting: u8, mover_in_hand: u8, waiting_in_hand: u8) -> Option<Sector> {
        Sector::of(Material::new(mover, waiting).with_hands([mover_in_hand, waiting_in_hand]))
    }

    /// The sector of a table; `None` if there is none.
    pub(crate) fn of(table: Material) -> Option<Sector> {
        let place = Sector::all().binary_search(&Sector(table));
        place.ok().map(|_| Sector(table))
    }

    /// All sectors, ascending by their four numbers.
    ///
    /// ```
    /// use millbase::malom::Sector;
    /// let bytes: u64 = Sector::all().iter().map(|sector| sector.bytes()).sum();
    /// assert_eq!((Sector::all().len(), bytes), (498, 83_582_099_742));
    /// ```
    pub fn all() -> &'static [Sector] {
        static ALL: OnceLock<Vec<Sector>> = OnceLock::new();
        ALL.get_or_init(|| {
            let moving = Pair::all(&Rules::STANDARD).into_iter();
            let mut found: BTreeSet<Material> = moving
                .flat_map(|pair| pair.tables(&Rules::STANDARD))
                .collect();
            let mut open = vec![Material::new(0, 0).with_hands([Rules::STANDARD.stones; 2])];
            while let Some(table) = open.pop() {
                if table.has_hands() && found.insert(table) {
                    open.extend(after_placements(table));
                }
            }
            found.into_iter().map(Sector).collect()
        })
    }

    /// The file's name.
    ///
    /// ```
    /// use millbase::malom::Sector;
    /// assert_eq!(Sector::new(1, 2, 8, 7).unwrap().name(), "std_1_2_8_7.sec2");
    /// ```
    pub fn name(self) -> String {
        format!("std_{self}.sec2")
    }

    /// The numbers of stones: of the side to move and of the other on the board, then in hand.
    pub fn numbers(self) -> [u8; 4] {
        self.0.numbers()
    }

    /// The number of slots.
    pub fn slots(self) -> u64 {
        self.0.entries()
    }

    /// The size of the file in bytes.
    pub fn bytes(self) -> u64 {
        Sector::HEADER + Sector::SLOT * self.slots() + Sector::TAIL
    }

    /// Whether no stones are in hand.
    pub fn is_moving(self) -> bool {
        !self.0.has_hands()
    }

    /// The stones on the board.
    pub fn material(self) -> Material {
        Material::new(self.0.mover, self.0.waiting)
    }

    /// The pair of a sector without stones in hand.
    pub fn pair(self) -> Option<Pair> {
        self.material().pair().filter(|_| self.is_moving())
    }

    /// The stage with these numbers in a game with `stones` stones a side; `None` if there is none.
    pub(crate) fn stage(self, stones: u8) -> Option<Stage> {
        let fits = self.0.totals().into_iter().all(|total| total <= stones);
        fits.then(|| Stage::of_table(self.0, stones))
    }
}

/// The tables that a placement leads to if every placement could close a mill: the set of files
/// includes all numbers of stones that follow from this, as long as three stones are left.
fn after_placements(table: Material) -> impl Iterator<Item = Material> {
    let quiet = table.placed().map(Material::exchanged);
    let [_, left] = table.totals();
    let capture = quiet.filter(|after| after.mover > 0 && left > FEWEST_STONES);
    let capture = capture.map(|after| Material {
        mover: after.mover - 1,
        ..after
    });
    quiet.into_iter().chain(capture)
}

impl fmt::Display for Sector {
    /// The four numbers with underscores between them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.numbers().map(|number| number.to_string()).join("_"))
    }
}

impl FromStr for Sector {
    type Err = SectorError;

    /// Reads a file's name.
    fn from_str(text: &str) -> Result<Sector, SectorError> {
        let numbers = text
            .strip_prefix("std_")
            .and_then(|rest| rest.strip_suffix(".sec2"));
        let numbers = numbers.ok_or(SectorError)?.split('_');
        // Only the usual form of a number: a name stands for one sector, and a sector has one name.
        let numbers = numbers.map(|text| match text.as_bytes() {
            [digit @ b'0'..=b'9'] => Ok(digit - b'0'),
            _ => Err(SectorError),
        });
        let numbers: Vec<u8> = numbers.collect::<Result<_, _>>()?;
        match numbers[..] {
            [a, b, c, d] => Sector::new(a, b, c, d).ok_or(SectorError),
            _ => Err(SectorError),
        }
    }
}

/// A text that names no sector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SectorError;

impl fmt::Display for SectorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a sector is like std_4_3_0_0.sec2: the stones of the side to move and of the other on the board, then in hand")
    }
}

impl std::error::Error for SectorError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sectors_are_known_by_their_names_and_stages() {
        let moving = Sector::all().iter().filter(|sector| sector.is_moving());
        assert_eq!(moving.count(), 49);
        for &sector in Sector::all() {
            assert_eq!(sector.name().parse(), Ok(sector));
            let stage = sector.stage(9).unwrap();
            assert_eq!(stage.material(), sector.material());
            assert_eq!(Sector::of(stage.table(9)), Some(sector));
            let [.., mover, waiting] = sector.numbers();
            assert_eq!(stage.ply, 18 - mover - waiting);
            let [on_board, others, ..] = sector.numbers();
            let fits = on_board + mover <= 4 && others + waiting <= 4;
            assert_eq!(sector.stage(4).is_some(), fits);
        }
        for wrong in [
            "",
            "std_4_3_0_0",
            "std_4_3_0.sec2",
            "std_4_3_0_0_0.sec2",
            "std_04_3_0_0.sec2",
            "std_+4_3_0_0.sec2",
            "std_4_2_0_0.sec2",
            "lask_4_3_0_0.sec2",
        ] {
            assert_eq!(wrong.parse::<Sector>(), Err(SectorError), "{wrong}");
        }
    }
}
