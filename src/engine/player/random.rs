//! Random numbers that are the same for a seed on every machine (SplitMix64).

use crate::rules::position::{Position, Side};

/// A random number generator.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// A generator with this seed.
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// A generator for the choice in a position of a game, seeded with the seed, the position and
    /// the number of actions so far.
    pub(crate) fn of(seed: u64, position: &Position, actions: usize) -> Random {
        let mut random = Random(seed);
        let [white, black] =
            [Side::White, Side::Black].map(|side| u64::from(position.stones(side).bits()));
        for word in [white << 24 | black, actions as u64] {
            random.0 ^= word;
            random.0 = random.next();
        }
        random
    }

    /// The next number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below `end`, which is at least 1.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// A number from 0 to below 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}
