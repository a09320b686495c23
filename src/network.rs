//! A small network that estimates positions of `standard` from patterns of stones.
//!
//! The network looks at the board from each of its four sides and in the mirror: eight *views*. A view adds
//! the vectors of four patterns, which tables hold for every state of their points, and a vector for the
//! stones of both sides:
//!
//! ```text
//! 7·0·1   the side: three points of each ring, with all four lines through them     27 · 27 · 27 rows
//! 7·0·1
//! 7·0·1
//! ring    the eight points of the inner, the middle and the outer ring, in this view    3 · 6,561 rows
//! stones  those of the mover, those of the waiting side, all in hand                 8 · 8 · 19 rows
//! ```
//!
//! The states of a pattern are the digits 0 (empty), 1 (mover), 2 (waiting) of a number to the base three.
//! The vectors of the views, each clamped, are added; so positions that are equal under these eight symmetries
//! have the same estimate. There remains the exchange of the inner and the outer ring: the ring of the smaller class
//! becomes the inner one, and where both have the same class the estimate is the mean of both boards. Two small
//! layers make one number of the sum; their weights depend on the phase.

use std::array;
use std::cmp::Ordering;
use std::sync::LazyLock;

use crate::board::PointSet;
use crate::board::bits::{Bits, Kernel, dispatch};
use crate::board::symmetry::Symmetry;
use crate::rules::Rules;
use crate::rules::position::Position;

/// The views: the board with each side at the top, as it is and in the mirror.
pub const VIEWS: usize = 8;
/// The patterns of a view.
pub const PATTERNS: usize = 4;
const SIDE_ROWS: usize = 27 * 27 * 27;
const RING_ROWS: usize = 6561;
/// The rows of all patterns.
pub const ROWS: usize = SIDE_ROWS + 3 * RING_ROWS;
/// The rows for the stones of both sides.
pub const STONES_ROWS: usize = 8 * 8 * 19;
/// The phases with layers of their own.
pub const PHASES: usize = 9;

/// For each set of eight points, the number with the digits 0 and 1 to the base three.
static DIGITS: [u16; 256] = {
    let mut digits = [0; 256];
    let mut byte = 1;
    while byte < 256 {
        digits[byte] = digits[byte / 2] * 3 + (byte % 2) as u16;
        byte += 1;
    }
    digits
};

/// For each state of a ring the least of the eight states that turns and mirrors make of it.
static CLASSES: LazyLock<Vec<u16>> = LazyLock::new(|| {
    let mut classes = vec![u16::MAX; RING_ROWS];
    for mover in 0..=255u8 {
        for waiting in (0..=255u8).filter(|waiting| waiting & mover == 0) {
            let sets = [mover, waiting].map(|byte| PointSet::from_bits(byte.into()));
            let image = |number: u32| {
                let turned = sets.map(|set| Symmetry::numbered(number).apply(set));
                ring_state(turned.map(|set| set.bits() as u8))
            };
            let class = (0..8).map(image).min();
            classes[usize::from(image(0))] = class.unwrap_or_default();
        }
    }
    classes
});

/// The state of a ring, or of the lowest points of one, with these stones of the mover and of the waiting side.
#[inline(always)]
fn ring_state([mover, waiting]: [u8; 2]) -> u16 {
    DIGITS[usize::from(mover)] + 2 * DIGITS[usize::from(waiting)]
}

/// The exchange of the inner and the outer ring.
const EXCHANGE: u32 = 8;

/// What the network sees of a position.
#[derive(Clone, Copy, Debug)]
pub struct Features {
    /// The rows of each view's patterns.
    pub rows: [[u16; PATTERNS]; VIEWS],
    /// The row for the stones of both sides.
    pub stones: u16,
    /// The phase.
    pub phase: u8,
}

impl Features {
    /// The features of stones on the board and in hand, of the side to move and of the waiting side.
    #[inline(always)]
    pub fn new(mover: PointSet, waiting: PointSet, in_hand: [u8; 2]) -> Features {
        let mut rows = [[0; PATTERNS]; VIEWS];
        for (view, rows) in rows.iter_mut().enumerate() {
            let turn = Symmetry::numbered(view as u32);
            let sets = [mover, waiting].map(|set| turn.apply(set).bits().to_le_bytes());
            for ring in 0..3 {
                let bytes = sets.map(|set| set[ring]);
                let start = SIDE_ROWS + ring * RING_ROWS;
                rows[0] = rows[0] * 27 + ring_state(bytes.map(|byte| byte.rotate_left(1) & 7));
                rows[1 + ring] = start as u16 + ring_state(bytes);
            }
        }
        let [own, other] = [(mover, in_hand[0]), (waiting, in_hand[1])]
            .map(|(set, in_hand)| set.len() as u16 + u16::from(in_hand));
        let hands = u16::from(in_hand[0] + in_hand[1]);
        let phase = match (hands, own, other) {
            (1.., ..) => ((hands - 1) / 4).min(3),
            (0, 3, _) => 4,
            (0, _, 3) => 5,
            _ => match own + other {
                ..=11 => 6,
                12..=14 => 7,
                _ => 8,
            },
        };
        Features {
            rows,
            stones: (own.clamp(2, 9) - 2) * 8 * 19 + (other.clamp(2, 9) - 2) * 19 + hands.min(18),
            phase: phase as u8,
        }
    }
}

/// The numbers of a vector.
pub const WIDTH: usize = 16;
/// The outputs of the first layer.
pub const HIDDEN: usize = 16;
/// What stands for one in the vectors.
pub const VECTOR_ONE: i16 = 64;
/// What stands for one in the weights of the layers.
pub const LAYER_ONE: i16 = 256;
/// What stands for one in the outputs of the first layer, before its clamped sums are the inputs of the
/// second.
const FIRST_ONE: i32 = VECTOR_ONE as i32 * LAYER_ONE as i32;
/// The bits that the outputs of the first layer lose.
const FIRST_SHIFT: u32 = 7;
/// What stands for one in the output.
pub const OUTPUT_ONE: i32 = (FIRST_ONE >> FIRST_SHIFT) * LAYER_ONE as i32;

/// The layers of a phase; all their numbers count in [`LAYER_ONE`].
#[derive(Clone, Debug)]
pub struct Layers {
    /// The weights of the first layer, by its output.
    pub first: [[i16; WIDTH]; HIDDEN],
    /// What is added to its outputs.
    pub first_bias: [i16; HIDDEN],
    /// The weights of the second layer.
    pub second: [i16; HIDDEN],
    /// What is added to the output.
    pub second_bias: i16,
}

/// The weights.
#[derive(Clone, Debug)]
pub struct Network {
    /// The vectors of the patterns, bytes of numbers with a sign.
    pub patterns: &'static [[u8; WIDTH]],
    /// The vectors of the stones of both sides.
    pub stones: Vec<[i16; WIDTH]>,
    /// The layers of each phase.
    pub layers: Vec<Layers>,
}

struct Estimate<'a> {
    network: &'a Network,
    features: Features,
}

impl Kernel for Estimate<'_> {
    type Output = i32;

    #[inline(always)]
    fn run<B: Bits>(self, _: B) -> i32 {
        let Estimate { network, features } = self;
        let stones = &network.stones[usize::from(features.stones)];
        let mut sum = [0i16; WIDTH];
        for rows in &features.rows {
            let mut view = *stones;
            for &row in rows {
                let row = &network.patterns[usize::from(row)];
                for (view, &weight) in view.iter_mut().zip(row) {
                    *view += i16::from(weight as i8);
                }
            }
            for (sum, view) in sum.iter_mut().zip(view) {
                *sum += view.clamp(0, VECTOR_ONE);
            }
        }
        let layers = &network.layers[usize::from(features.phase)];
        let mut output = i32::from(layers.second_bias) * (FIRST_ONE >> FIRST_SHIFT);
        for hidden in 0..HIDDEN {
            let products = sum.iter().zip(&layers.first[hidden]);
            let products = products.map(|(&sum, &weight)| i32::from(sum) * i32::from(weight));
            let bias = i32::from(layers.first_bias[hidden]) * i32::from(VECTOR_ONE);
            let found = bias + products.sum::<i32>();
            let found = found.clamp(0, FIRST_ONE) >> FIRST_SHIFT;
            output += found * i32::from(layers.second[hidden]);
        }
        output
    }
}

/// The first bytes of a file of weights; eight bytes follow that stand for the data and the program that it
/// was made from, then the vectors of the patterns, a byte for each number, and all other numbers with two
/// bytes, the lower byte first.
pub const MAGIC: [u8; 8] = *b"MillNet1";
const HEAD: usize = 16;
const WORDS: usize = STONES_ROWS * WIDTH + PHASES * (HIDDEN * (WIDTH + 2) + 1);

static EMBEDDED: LazyLock<Option<Network>> =
    LazyLock::new(|| Network::parse(include_bytes!("network.bin")));

impl Network {
    /// The weights that are part of the library; `None` if the rules are not those that they were learned
    /// for.
    pub fn embedded(rules: &Rules) -> Option<&'static Network> {
        let uncounted = Rules {
            quiet_turns: 0,
            quiet_turns_flying: 0,
            ..*rules
        };
        (EMBEDDED.as_ref()).filter(|_| uncounted == Rules::STANDARD)
    }

    /// The weights of a file; `None` if the bytes are not such a file.
    pub fn parse(bytes: &'static [u8]) -> Option<Network> {
        let (head, rest) = bytes.split_first_chunk::<HEAD>()?;
        let (patterns, rest) = rest.split_at_checked(ROWS * WIDTH)?;
        let (words, odd) = rest.as_chunks();
        if !head.starts_with(&MAGIC) || words.len() != WORDS || !odd.is_empty() {
            return None;
        }
        let mut words = words.iter().map(|&word| i16::from_le_bytes(word));
        let mut word = || words.next().unwrap_or_default();
        let stones = (0..STONES_ROWS).map(|_| array::from_fn(|_| word()));
        let stones = stones.collect();
        let layers = (0..PHASES).map(|_| Layers {
            first: array::from_fn(|_| array::from_fn(|_| word())),
            first_bias: array::from_fn(|_| word()),
            second: array::from_fn(|_| word()),
            second_bias: word(),
        });
        Some(Network {
            layers: layers.collect(),
            stones,
            patterns: patterns.as_chunks().0,
        })
    }

    /// The estimate of a position without pending removals: the logarithm of the odds that the mover wins, where a
    /// draw is half a win, in hundredths.
    pub(crate) fn estimate(&self, position: &Position) -> i32 {
        let sets = [position.mover, position.waiting];
        let in_hand = [position.mover_in_hand, position.waiting_in_hand];
        let [inner, outer] = [0, 2].map(|ring| {
            let state = ring_state(sets.map(|set| set.bits().to_le_bytes()[ring]));
            CLASSES[usize::from(state)]
        });
        let output = |exchange: u32| {
            let [mover, waiting] = sets.map(|set| Symmetry::numbered(exchange).apply(set));
            self.output(Features::new(mover, waiting, in_hand))
        };
        let output = match inner.cmp(&outer) {
            Ordering::Less => output(0),
            Ordering::Equal => (output(0) + output(EXCHANGE)) / 2,
            Ordering::Greater => output(EXCHANGE),
        };
        output * 25 / (OUTPUT_ONE / 16)
    }

    /// [`OUTPUT_ONE`] times a quarter of the logarithm of the odds.
    pub fn output(&self, features: Features) -> i32 {
        dispatch(Estimate {
            network: self,
            features,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::bits::Portable;
    use crate::index::Pair;
    use crate::random::Random;
    use crate::sample::{Family, mixed};

    fn positions(families: &[Family], count: u64) -> Vec<Position> {
        mixed(&Rules::STANDARD, families, 0..count, 17)
    }

    fn features(position: &Position) -> Features {
        let in_hand = [position.mover_in_hand, position.waiting_in_hand];
        Features::new(position.mover, position.waiting, in_hand)
    }

    fn of_all_phases() -> Vec<Position> {
        let pairs = Pair::all(&Rules::STANDARD).into_iter().map(Family::Pair);
        let families: Vec<_> = pairs.chain((0..18).map(Family::Placed)).collect();
        positions(&families, 2_000)
    }

    #[test]
    fn the_estimate_is_the_same_for_equal_positions_and_on_every_processor() {
        let network = Network::embedded(&Rules::STANDARD).unwrap();
        for position in of_all_phases() {
            let estimate = network.estimate(&position);
            for symmetry in Symmetry::all() {
                let turned = position.with_board_turned(symmetry);
                assert_eq!(network.estimate(&turned), estimate);
            }
            let exchanged = position.with_colours_exchanged();
            assert_eq!(network.estimate(&exchanged), estimate);
            let features = features(&position);
            let found = Estimate { network, features }.run(Portable);
            assert_eq!(found, network.output(features));
        }
    }

    #[test]
    fn the_arithmetic_is_the_same_everywhere() {
        let mut random = Random::new(23);
        let mut bytes = MAGIC.to_vec();
        bytes.resize(HEAD, 0);
        bytes.extend((0..ROWS * WIDTH).map(|_| (random.below(64) as u8).wrapping_sub(32)));
        let words = (0..WORDS).flat_map(|_| (random.below(512) as i16 - 256).to_le_bytes());
        bytes.extend(words.collect::<Vec<_>>());
        let network = Network::parse(bytes.leak()).unwrap();
        let outputs = of_all_phases().into_iter();
        let outputs = outputs.map(|position| i64::from(network.output(features(&position))));
        let sum = outputs.fold(0i64, |sum, output| {
            sum.wrapping_mul(31).wrapping_add(output)
        });
        assert_eq!(sum, 6_848_637_951_018_768_272);
    }

    #[test]
    fn other_rules_have_no_network() {
        let counted = Rules::STANDARD_100;
        assert!(Network::embedded(&counted).is_some());
        for (name, rules) in Rules::NAMED {
            let has_network = Network::embedded(&rules).is_some();
            assert_eq!(has_network, name.starts_with("standard"), "{name}");
        }
    }

    #[test]
    fn damaged_weights_are_refused() {
        let bytes: &'static [u8] = include_bytes!("network.bin");
        assert!(Network::parse(bytes).is_some());
        assert!(Network::parse(&bytes[1..]).is_none());
        assert!(Network::parse(&bytes[..bytes.len() - 1]).is_none());
        assert!(Network::parse(b"").is_none());
    }
}
