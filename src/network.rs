//! Small networks that estimate positions of `standard` from patterns of stones: one the result, the other,
//! where the result is known, the turns to the end.
//!
//! A network looks at the board from each of its four sides, directly and in the mirror: eight
//! *views*. A view adds the vectors of four patterns, which tables hold for every state of the
//! pattern, and a vector for the numbers of stones of both sides:
//!
//! ```text
//! 7·0·1   the side: three points of each ring, with all four lines through them    2 · 27 · 27 · 27 rows
//! 7·0·1
//! 7·0·1
//! ring    the eight points of the inner, the middle and the outer ring, in this view   2 · 3 · 6,561 rows
//! stones  those of the mover, those of the waiting side, all in hand                   8 · 8 · 19 rows
//! ```
//!
//! The points of a pattern are the digits of its state, a number to the base three: 0 (empty), 1
//! (mover), 2 (waiting). Each pattern has two tables, and the positions two halves: with stones in hand and
//! without where the result is unknown, won and lost where it is known. The vectors of the views, each clamped, are
//! added, so positions that are equal under these eight symmetries have the same estimate. The exchange of the inner
//! and the outer ring remains: the ring of the smaller class becomes the inner one, and if both have the same class,
//! the estimate is the mean over both boards. Two small layers turn the sum into one number; their weights depend on
//! the phase.
//!
//! In memory, the vectors of a ring's state lie next to those of its images in the other views, and
//! those of a side next to those of its mirror image, so an estimate reads only a few runs of
//! bytes.

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
/// The rows of a side.
pub const SIDE_ROWS: usize = 27 * 27 * 27;
/// The rows of a ring.
pub const RING_ROWS: usize = 6561;
/// The rows of all patterns for one half of the positions.
pub const ROWS: usize = SIDE_ROWS + 3 * RING_ROWS;
/// The parts of all positions that have tables of their own.
pub const HALVES: usize = 2;
/// The rows for the stones of both sides.
pub const STONES_ROWS: usize = 8 * 8 * 19;
/// The phases with layers of their own.
pub const PHASES: usize = 9;
/// The number of phases that belong to the first half.
const FIRST_PHASES: u8 = 4;

/// The knowledge of a position's result before a network estimates it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Known {
    /// Nothing: the network estimates the result.
    Nothing,
    /// The mover wins: the network estimates the turns to the end.
    Win,
    /// The mover loses: the network estimates the turns to the end.
    Loss,
}

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

/// Facts that follow from the state of a ring.
#[derive(Clone, Copy, Default)]
struct Ring {
    /// The states of its three points in the side of each of the first four views, two bytes each.
    sides: u64,
    /// The least of its eight states under rotations and reflections.
    class: u16,
}

/// For each state of a ring.
static RINGS: LazyLock<Vec<Ring>> = LazyLock::new(|| {
    let mut rings = vec![Ring::default(); RING_ROWS];
    for_each_ring(|state, images| {
        // The lowest three points of a ring, once it is turned, are those of the side.
        let of_view = |view: usize| {
            let image = images[view];
            let (last, lowest_two) = (image / 2187, image % 9);
            u64::from(lowest_two * 3 + last) << (16 * view)
        };
        rings[usize::from(state)] = Ring {
            sides: (0..4).map(of_view).sum(),
            class: images.into_iter().fold(state, u16::min),
        };
    });
    rings
});

/// Calls `found` with each state of a ring, and that state in all views.
fn for_each_ring(mut found: impl FnMut(u16, [u16; VIEWS])) {
    for mover in 0..=255u8 {
        for waiting in (0..=255u8).filter(|waiting| waiting & mover == 0) {
            let sets = [mover, waiting].map(|byte| PointSet::from_bits(byte.into()));
            let images = array::from_fn(|view| {
                let turned = sets.map(|set| Symmetry::numbered(view as u32).apply(set));
                ring_state(turned.map(|set| set.bits() as u8))
            });
            found(images[0], images);
        }
    }
}

/// A state of a side in the mirror: the digits of each ring's three points in the other order.
fn mirrored_side(state: usize) -> usize {
    let mirror = |ring: usize| ring % 3 * 9 + ring / 3 % 3 * 3 + ring / 9;
    mirror(state / 729) * 729 + mirror(state / 27 % 27) * 27 + mirror(state % 27)
}

/// The state of a ring with these stones of the mover and of the waiting side, less than 3^8.
#[inline(always)]
pub(crate) fn ring_state([mover, waiting]: [u8; 2]) -> u16 {
    DIGITS[usize::from(mover)] + 2 * DIGITS[usize::from(waiting)]
}

/// The states of all patterns of a position. Those of the other views follow from these.
#[derive(Clone, Copy)]
struct States {
    /// Of the inner, the middle and the outer ring, as the first view sees them.
    rings: [u16; 3],
    /// Of the side that each of the first four views sees.
    sides: [u16; 4],
    /// The row for the stones of both sides.
    stones: u16,
    phase: u8,
}

impl States {
    #[inline(always)]
    fn new(mover: PointSet, waiting: PointSet, in_hand: [u8; 2], known: Known) -> States {
        let [movers, waitings] = [mover, waiting].map(|set| set.bits().to_le_bytes());
        let [own, other] = [(mover, in_hand[0]), (waiting, in_hand[1])]
            .map(|(set, in_hand)| set.len() as u16 + u16::from(in_hand));
        let hands = u16::from(in_hand[0] + in_hand[1]);
        let phase = match (known, hands, own, other) {
            (Known::Nothing, 1.., ..) => ((hands - 1) / 4).min(u16::from(FIRST_PHASES) - 1),
            (Known::Nothing, 0, 3, _) => 4,
            (Known::Nothing, 0, _, 3) => 5,
            (Known::Nothing, ..) => match own + other {
                ..=11 => 6,
                12..=14 => 7,
                _ => 8,
            },
            (Known::Win, 1.., ..) => 0,
            (Known::Win, 0, 3, _) | (Known::Win, 0, _, 3) => 1,
            (Known::Win, ..) => 2 + u16::from(own + other > 12),
            (Known::Loss, 1.., ..) => 4,
            (Known::Loss, 0, 3, _) => 5,
            (Known::Loss, 0, _, 3) => 6,
            (Known::Loss, ..) => 7 + u16::from(own + other > 12),
        };
        States {
            rings: [0; 3],
            sides: [0; 4],
            stones: (own.clamp(2, 9) - 2) * 8 * 19 + (other.clamp(2, 9) - 2) * 19 + hands.min(18),
            phase: phase as u8,
        }
        .with_rings([0, 1, 2].map(|ring| ring_state([movers[ring], waitings[ring]])))
    }

    #[inline(always)]
    fn with_rings(self, rings: [u16; 3]) -> States {
        let sides = rings.map(|state| RINGS[usize::from(state)].sides);
        // None of the four numbers overflows its two bytes.
        let sides = (sides[0] * 27 + sides[1]) * 27 + sides[2];
        States {
            rings,
            sides: [0, 16, 32, 48].map(|shift| (sides >> shift) as u16),
            ..self
        }
    }
}

/// The half that a phase belongs to.
fn half(phase: u8) -> usize {
    usize::from(phase >= FIRST_PHASES)
}

/// The features of a position that a network sees.
#[derive(Clone, Copy, Debug)]
pub struct Features {
    /// The rows of each view's patterns in the tables of the half.
    pub rows: [[u16; PATTERNS]; VIEWS],
    /// The row for the stones of both sides.
    pub stones: u16,
    /// The phase.
    pub phase: u8,
}

impl Features {
    /// The features of stones on the board and in hand, of the side to move and of the waiting
    /// side.
    pub fn new(mover: PointSet, waiting: PointSet, in_hand: [u8; 2], known: Known) -> Features {
        let of_view = |view| {
            let turn = Symmetry::numbered(view as u32);
            let states = States::new(turn.apply(mover), turn.apply(waiting), in_hand, known);
            let [inner, middle, outer] =
                array::from_fn(|ring| (SIDE_ROWS + ring * RING_ROWS) as u16 + states.rings[ring]);
            [states.sides[0], inner, middle, outer]
        };
        let States { stones, phase, .. } = States::new(mover, waiting, in_hand, known);
        Features {
            rows: array::from_fn(of_view),
            stones,
            phase,
        }
    }

    /// The half that the position belongs to, less than [`HALVES`].
    pub fn half(&self) -> usize {
        half(self.phase)
    }

    fn states(&self) -> States {
        States {
            rings: array::from_fn(|ring| {
                self.rows[0][1 + ring] - (SIDE_ROWS + ring * RING_ROWS) as u16
            }),
            sides: array::from_fn(|view| self.rows[view][0]),
            stones: self.stones,
            phase: self.phase,
        }
    }
}

/// Whether this is the small variant, with half of the weights: WebAssembly uses it, because a page
/// downloads the weights first. Elsewhere the compiler's option `--cfg small_network` selects it,
/// to train and to test it.
const SMALL: bool = cfg!(any(target_arch = "wasm32", small_network));
/// More than the turns of any position to the end.
pub const MOST_TURNS: u16 = 256;
/// The length of a vector.
pub const WIDTH: usize = if SMALL { 4 } else { 12 };
/// The length of a vector in memory, filled up with zeros, so that vector instructions apply.
const LANES: usize = WIDTH.next_multiple_of(8);
/// The outputs of the first layer.
pub const HIDDEN: usize = 16;
/// The integer that stands for one in the vectors.
pub const VECTOR_ONE: i16 = 64;
/// The integer that stands for one in the weights of the layers.
pub const LAYER_ONE: i16 = 256;
/// The integer that stands for one in the sums of the first layer, before they are clamped and
/// shifted.
const FIRST_ONE: i32 = VECTOR_ONE as i32 * LAYER_ONE as i32;
/// The number of low bits that the outputs of the first layer lose.
const FIRST_SHIFT: u32 = 7;
/// The integer that stands for one in the output.
pub const OUTPUT_ONE: i32 = (FIRST_ONE >> FIRST_SHIFT) * LAYER_ONE as i32;

/// The layers of a phase, with the biases in the units of the sums that they are added to.
#[derive(Clone, Debug)]
struct Layers {
    /// The weights of the first layer: for each pair of inputs, the weights to all outputs.
    first: [[[i16; 2]; HIDDEN]; LANES / 2],
    first_bias: [i32; HIDDEN],
    second: [i32; HIDDEN],
    second_bias: i32,
}

/// The weights.
#[derive(Clone, Debug)]
pub struct Network {
    /// For each half, ring and state of it, its vectors in all views.
    rings: Vec<[[i8; LANES]; VIEWS]>,
    /// For each half and state of a side, its vectors as it is and in the mirror.
    sides: Vec<[[i8; LANES]; 2]>,
    /// The vectors of the stones of both sides.
    stones: Vec<[i16; LANES]>,
    /// The layers of each phase.
    layers: Vec<Layers>,
}

struct Estimate<'a> {
    network: &'a Network,
    states: States,
}

impl Kernel for Estimate<'_> {
    type Output = i32;

    #[inline(always)]
    fn run<B: Bits>(self, bits: B) -> i32 {
        let Estimate { network, states } = self;
        let stones = &network.stones[usize::from(states.stones)];
        let half = half(states.phase);
        let rings = &network.rings[half * 3 * RING_ROWS..];
        let [inner, middle, outer] =
            [0, 1, 2].map(|ring| &rings[ring * RING_ROWS + usize::from(states.rings[ring])]);
        let sides = &network.sides[half * SIDE_ROWS..];
        let sides = states.sides.map(|state| &sides[usize::from(state)]);
        let mut sum = [0i16; LANES];
        for view in 0..VIEWS {
            // A view in the mirror has the same side at the top as the one that turns the other
            // way.
            let mirrored = view / 4;
            let side = &sides[if mirrored == 0 { view } else { 8 - view } % 4][mirrored];
            let [inner, middle, outer] = [&inner[view], &middle[view], &outer[view]];
            for (place, sum) in sum.iter_mut().enumerate() {
                let rings =
                    i16::from(inner[place]) + i16::from(middle[place]) + i16::from(outer[place]);
                let number = stones[place] + i16::from(side[place]) + rings;
                *sum += number.clamp(0, VECTOR_ONE);
            }
        }
        let layers = &network.layers[usize::from(states.phase)];
        let mut hidden = layers.first_bias;
        for (&numbers, weights) in sum.as_chunks().0.iter().zip(&layers.first) {
            hidden = bits.add_products(hidden, numbers, weights);
        }
        let mut output = layers.second_bias;
        for (hidden, weight) in hidden.iter().zip(&layers.second) {
            output += ((*hidden).clamp(0, FIRST_ONE) >> FIRST_SHIFT) * weight;
        }
        output
    }
}

fn filled_up<T: Copy + Default>(vector: [T; WIDTH]) -> [T; LANES] {
    array::from_fn(|place| vector.get(place).copied().unwrap_or_default())
}

/// The first bytes of a file of weights. Eight bytes follow that identify the data and the program
/// that it was made from, then the vectors of the patterns, one byte for each number, and all other
/// numbers in two bytes, the lower byte first.
pub const MAGIC: [u8; 8] = *b"MillNet2";
const HEAD: usize = 16;
const WORDS: usize = STONES_ROWS * WIDTH + PHASES * (HIDDEN * (WIDTH + 2) + 1);

static WEIGHTS: &[u8] = match SMALL {
    true => include_bytes!("network-small.bin"),
    false => include_bytes!("network.bin"),
};

static EMBEDDED: LazyLock<Option<Network>> = LazyLock::new(|| Network::parse(WEIGHTS));

/// The weights of the network for the turns to the end; WebAssembly goes without them.
static TURNS_WEIGHTS: &[u8] = match SMALL {
    true => &[],
    false => include_bytes!("network-turns.bin"),
};

static EMBEDDED_TURNS: LazyLock<Option<Network>> = LazyLock::new(|| Network::parse(TURNS_WEIGHTS));

impl Network {
    /// The network for results that is part of the library; `None` unless the rules are `standard`, with
    /// or without a limit of quiet turns.
    pub fn embedded(rules: &Rules) -> Option<&'static Network> {
        let uncounted = Rules {
            quiet_turns: 0,
            quiet_turns_flying: 0,
            ..*rules
        };
        (EMBEDDED.as_ref()).filter(|_| uncounted == Rules::STANDARD)
    }

    /// The network for the turns to the end that is part of the library; `None` in WebAssembly, and
    /// unless the rules are `standard`.
    pub fn embedded_for_turns(rules: &Rules) -> Option<&'static Network> {
        (EMBEDDED_TURNS.as_ref()).filter(|_| *rules == Rules::STANDARD)
    }

    /// The weights of a file; `None` if the bytes are not such a file.
    pub fn parse(bytes: &'static [u8]) -> Option<Network> {
        let (head, rest) = bytes.split_first_chunk::<HEAD>()?;
        let (patterns, rest) = rest.split_at_checked(HALVES * ROWS * WIDTH)?;
        let (words, odd) = rest.as_chunks();
        if !head.starts_with(&MAGIC) || words.len() != WORDS || !odd.is_empty() {
            return None;
        }
        let mut words = words.iter().map(|&word| i16::from_le_bytes(word));
        let mut word = || words.next().unwrap_or_default();
        let stones = (0..STONES_ROWS).map(|_| filled_up(array::from_fn(|_| word())));
        let stones = stones.collect();
        let layers = (0..PHASES).map(|_| {
            let mut inputs = || filled_up(array::from_fn(|_| word()));
            let by_output: [[i16; LANES]; HIDDEN] = array::from_fn(|_| inputs());
            let mut words = || array::from_fn(|_| i32::from(word()));
            Layers {
                first: array::from_fn(|pair| {
                    by_output.map(|row| [row[2 * pair], row[2 * pair + 1]])
                }),
                first_bias: words().map(|bias| bias * i32::from(VECTOR_ONE)),
                second: words(),
                second_bias: i32::from(word()) * (FIRST_ONE >> FIRST_SHIFT),
            }
        });
        let layers = layers.collect();
        let row =
            |row: usize| filled_up(array::from_fn(|place| patterns[row * WIDTH + place] as i8));
        let mut rings = vec![[[0; LANES]; VIEWS]; HALVES * 3 * RING_ROWS];
        for_each_ring(|state, images| {
            for (ring, vectors) in rings.chunks_mut(RING_ROWS).enumerate() {
                let start = ring / 3 * ROWS + SIDE_ROWS + ring % 3 * RING_ROWS;
                vectors[usize::from(state)] = images.map(|image| row(start + usize::from(image)));
            }
        });
        let of_side = |number: usize| {
            let (start, state) = (number / SIDE_ROWS * ROWS, number % SIDE_ROWS);
            [row(start + state), row(start + mirrored_side(state))]
        };
        let sides = (0..HALVES * SIDE_ROWS).map(of_side).collect();
        Some(Network {
            rings,
            sides,
            stones,
            layers,
        })
    }

    /// The estimate of a position without pending removals: the logarithm of the odds that the
    /// mover wins, where a draw is half a win, in hundredths.
    pub(crate) fn estimate(&self, position: &Position) -> i32 {
        // There are too few positions with at most one stone to learn from. All are drawn.
        match (position.mover | position.waiting).len() {
            ..2 => 0,
            _ => self.log_odds(position, Known::Nothing),
        }
    }

    /// The estimate of the turns to the end of a position without pending removals, by a network for those:
    /// the logarithm of the odds of its share in [`MOST_TURNS`], in hundredths. `wins` says
    /// whether the mover wins or loses.
    pub(crate) fn turns(&self, position: &Position, wins: bool) -> i32 {
        let known = if wins { Known::Win } else { Known::Loss };
        self.log_odds(position, known)
    }

    fn log_odds(&self, position: &Position, known: Known) -> i32 {
        let in_hand = [position.mover_in_hand, position.waiting_in_hand];
        let states = States::new(position.mover, position.waiting, in_hand, known);
        let [inner, middle, outer] = states.rings;
        let class = |ring: u16| RINGS[usize::from(ring)].class;
        let exchanged = || self.output_of(states.with_rings([outer, middle, inner]));
        let output = match class(inner).cmp(&class(outer)) {
            Ordering::Less => self.output_of(states),
            Ordering::Equal => (self.output_of(states) + exchanged()) / 2,
            Ordering::Greater => exchanged(),
        };
        output * 25 / (OUTPUT_ONE / 16)
    }

    /// [`OUTPUT_ONE`] times a quarter of the logarithm of the odds.
    pub fn output(&self, features: Features) -> i32 {
        self.output_of(features.states())
    }

    fn output_of(&self, states: States) -> i32 {
        let network = self;
        dispatch(Estimate { network, states })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::bits::Portable;
    use crate::index::Pair;
    use crate::random::Random;
    use crate::sample::{Family, mixed};

    fn features(position: &Position, known: Known) -> Features {
        let in_hand = [position.mover_in_hand, position.waiting_in_hand];
        Features::new(position.mover, position.waiting, in_hand, known)
    }

    fn of_all_phases() -> Vec<Position> {
        let pairs = Pair::all(&Rules::STANDARD).into_iter().map(Family::Pair);
        let families: Vec<_> = pairs.chain((0..18).map(Family::Placed)).collect();
        mixed(&Rules::STANDARD, &families, 0..2_000, 17)
    }

    #[test]
    fn the_estimate_is_the_same_for_equal_positions_and_on_every_processor() {
        let rules = Rules::STANDARD;
        let results = Network::embedded(&rules).map(|network| (network, Known::Nothing));
        let turns = [Known::Win, Known::Loss].into_iter();
        let turns = turns.filter_map(|known| Some((Network::embedded_for_turns(&rules)?, known)));
        let networks: Vec<_> = results.into_iter().chain(turns).collect();
        assert_eq!(networks.len(), if SMALL { 1 } else { 3 });
        for (position, (network, known)) in of_all_phases().iter().zip(networks.iter().cycle()) {
            let estimate = network.log_odds(position, *known);
            for symmetry in Symmetry::all() {
                let turned = position.with_board_turned(symmetry);
                assert_eq!(network.log_odds(&turned, *known), estimate);
            }
            let exchanged = position.with_colours_exchanged();
            assert_eq!(network.log_odds(&exchanged, *known), estimate);
            let features = features(position, *known);
            let states = features.states();
            let found = Estimate { network, states }.run(Portable);
            assert_eq!(found, network.output(features));
        }
    }

    #[test]
    fn the_arithmetic_is_the_same_everywhere() {
        let mut random = Random::new(23);
        let mut bytes = MAGIC.to_vec();
        bytes.resize(HEAD, 0);
        bytes.extend((0..HALVES * ROWS * WIDTH).map(|_| (random.below(64) as u8).wrapping_sub(32)));
        let words = (0..WORDS).flat_map(|_| (random.below(512) as i16 - 256).to_le_bytes());
        bytes.extend(words.collect::<Vec<_>>());
        let network = Network::parse(bytes.leak()).unwrap();
        let outputs = of_all_phases().into_iter();
        let outputs =
            outputs.map(|position| i64::from(network.output(features(&position, Known::Nothing))));
        let sum = outputs.fold(0i64, |sum, output| {
            sum.wrapping_mul(31).wrapping_add(output)
        });
        let expected = match SMALL {
            true => -8_031_072_688_985_690_911,
            false => -5_750_401_384_422_281_844,
        };
        assert_eq!(sum, expected);
    }

    #[test]
    fn the_first_placement_is_even() {
        let rules = Rules::STANDARD;
        let network = Network::embedded(&rules).unwrap();
        let start = Position::start(&rules);
        assert_eq!(network.estimate(&start), 0);
        for turn in start.turns(&rules) {
            assert_eq!(network.estimate(&start.after(turn)), 0, "{turn}");
        }
    }

    /// Of two positions of an independent solution that are 20 turns apart, the network rates four of five right.
    #[test]
    fn wins_far_away_are_rated_so() {
        let rules = Rules::STANDARD;
        let network = Network::embedded_for_turns(&rules);
        assert_eq!(network.is_none(), SMALL);
        let Some(network) = network else { return };
        let rows = include_str!("../tests/data/moving.csv").lines();
        let known = rows.filter_map(|row| {
            let [text, result, turns] = row.split(',').collect::<Vec<_>>()[..] else {
                return None;
            };
            let (turns, wins) = (turns.parse().ok()?, result == "win");
            let position = Position::parse(text, &rules).unwrap();
            Some((turns, network.turns(&position, wins)))
        });
        let known: Vec<(u16, i32)> = known.collect();
        let (mut right, mut all) = (0, 0);
        for (turns, estimate) in &known {
            for (_, other) in known.iter().filter(|(more, _)| *more >= turns + 20) {
                all += 1;
                right += usize::from(estimate < other);
            }
        }
        assert!(all > 500 && 5 * right > 4 * all, "{right} of {all}");
    }

    #[test]
    fn other_rules_have_no_network() {
        for (name, rules) in Rules::NAMED {
            let has_network = Network::embedded(&rules).is_some();
            assert_eq!(has_network, name.starts_with("standard"), "{name}");
            let has_network = Network::embedded_for_turns(&rules).is_some();
            assert_eq!(has_network, name == "standard" && !SMALL, "{name}");
        }
    }

    #[test]
    fn damaged_weights_are_refused() {
        assert!(Network::parse(WEIGHTS).is_some());
        assert!(Network::parse(&WEIGHTS[1..]).is_none());
        assert!(Network::parse(&WEIGHTS[..WEIGHTS.len() - 1]).is_none());
        assert!(Network::parse(b"").is_none());
    }
}
