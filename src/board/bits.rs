//! Bit extraction and deposit, byte search and small vectors: hardware instructions where the
//! processor has them, portable code elsewhere.
//!
//! Hot loops are written once, generic over [`Bits`], and compiled twice: with [`Portable`], and
//! with [`Native`] inside a function that enables the instructions. [`dispatch`] chooses at run
//! time. All `unsafe` about instructions lives here.

use std::sync::LazyLock;

/// The operations that some processors have as instructions.
pub trait Bits: Copy + Send + Sync {
    /// Gathers the bits of `word` that are set in `mask` into the low bits of the result.
    fn pext(self, word: u32, mask: u32) -> u32;

    /// Spreads the low bits of `word` to the places that are set in `mask`.
    fn pdep(self, word: u32, mask: u32) -> u32;

    /// [`Bits::pext`] of a word of 64 bits.
    fn pext_wide(self, word: u64, mask: u64) -> u64;

    /// [`Bits::pdep`] of a word of 64 bits.
    fn pdep_wide(self, word: u64, mask: u64) -> u64;

    /// A bit for each of the 64 bytes that equals `byte`.
    fn equal_bytes(self, bytes: &[u8; 64], byte: u8) -> u64;

    /// Raises each byte of `best` to the one of `bytes` at the place that `places` names for it, 0
    /// to 15; [`NOWHERE`] leaves the byte as it is.
    fn raise_from(self, best: [u8; 16], bytes: &[u8; 16], places: &[u8; 16]) -> [u8; 16];

    /// Adds to each sum the products of both numbers with its two weights. No sum may overflow.
    fn add_products(
        self,
        sums: [i32; 16],
        numbers: [i16; 2],
        weights: &[[i16; 2]; 16],
    ) -> [i32; 16];
}

/// Stands for no place in [`Bits::raise_from`].
pub const NOWHERE: u8 = 0x80;

/// Code for every processor.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

impl Bits for Portable {
    #[inline(always)]
    fn pext(self, word: u32, mask: u32) -> u32 {
        BYTES.extract(word.to_le_bytes(), mask.to_le_bytes()) as u32
    }

    #[inline(always)]
    fn pdep(self, word: u32, mask: u32) -> u32 {
        u32::from_le_bytes(BYTES.deposit(word.into(), mask.to_le_bytes()))
    }

    #[inline(always)]
    fn pext_wide(self, word: u64, mask: u64) -> u64 {
        BYTES.extract(word.to_le_bytes(), mask.to_le_bytes())
    }

    #[inline(always)]
    fn pdep_wide(self, word: u64, mask: u64) -> u64 {
        u64::from_le_bytes(BYTES.deposit(word, mask.to_le_bytes()))
    }

    #[inline(always)]
    fn equal_bytes(self, bytes: &[u8; 64], byte: u8) -> u64 {
        const LOW: u64 = 0x0101_0101_0101_0101;
        const REST: u64 = 0x7f7f_7f7f_7f7f_7f7f;
        let wanted = LOW * u64::from(byte);
        let mut mask = 0;
        for (index, chunk) in bytes.as_chunks().0.iter().enumerate() {
            let difference = u64::from_le_bytes(*chunk) ^ wanted;
            // The top bit of each byte is set if the byte is zero, without a carry between
            // bytes.
            let zero = !(((difference & REST) + REST) | difference | REST);
            // Gathers the eight top bits into one byte.
            mask |= ((zero >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * index);
        }
        mask
    }

    #[inline(always)]
    fn raise_from(self, mut best: [u8; 16], bytes: &[u8; 16], places: &[u8; 16]) -> [u8; 16] {
        for (best, &place) in best.iter_mut().zip(places) {
            let byte = bytes[usize::from(place % 16)];
            *best = (*best).max(if place < NOWHERE { byte } else { 0 });
        }
        best
    }

    #[inline(always)]
    fn add_products(
        self,
        mut sums: [i32; 16],
        [first, second]: [i16; 2],
        weights: &[[i16; 2]; 16],
    ) -> [i32; 16] {
        for (sum, weights) in sums.iter_mut().zip(weights) {
            *sum += i32::from(first) * i32::from(weights[0]);
            *sum += i32::from(second) * i32::from(weights[1]);
        }
        sums
    }
}

/// Extractions from and deposits into one byte: the first index is the mask.
struct ByteTables {
    extract: Box<[[u8; 256]; 256]>,
    deposit: Box<[[u8; 256]; 256]>,
}

impl ByteTables {
    #[inline(always)]
    fn extract<const BYTES: usize>(&self, word: [u8; BYTES], mask: [u8; BYTES]) -> u64 {
        let (mut result, mut shift) = (0, 0);
        for (byte, mask) in word.into_iter().zip(mask) {
            let bits = self.extract[usize::from(mask)][usize::from(byte)];
            // Before the last byte, at most 56 bits have been extracted.
            result |= u64::from(bits) << shift;
            shift += mask.count_ones();
        }
        result
    }

    #[inline(always)]
    fn deposit<const BYTES: usize>(&self, mut rest: u64, mask: [u8; BYTES]) -> [u8; BYTES] {
        mask.map(|mask| {
            let byte = self.deposit[usize::from(mask)][(rest & 0xff) as usize];
            rest >>= mask.count_ones();
            byte
        })
    }
}

static BYTES: LazyLock<ByteTables> = LazyLock::new(|| {
    let mut extract = Box::new([[0; 256]; 256]);
    let mut deposit = Box::new([[0; 256]; 256]);
    for mask in 0..=255u8 {
        for byte in 0..=255u8 {
            let places = (0..8).filter(|place| mask >> place & 1 == 1).enumerate();
            for (low, place) in places {
                extract[usize::from(mask)][usize::from(byte)] |= (byte >> place & 1) << low;
                deposit[usize::from(mask)][usize::from(byte)] |= (byte >> low & 1) << place;
            }
        }
    }
    ByteTables { extract, deposit }
});

/// Code with the instructions of x86-64 processors since 2013: BMI1, BMI2, LZCNT, POPCNT and AVX2.
///
/// Only [`dispatch`] creates one, after it has detected all of these features.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub struct Native(());

#[cfg(target_arch = "x86_64")]
impl Native {
    fn detect() -> Option<Native> {
        static DETECTED: LazyLock<bool> = LazyLock::new(|| {
            is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt")
                && is_x86_feature_detected!("avx2")
        });
        DETECTED.then_some(Native(()))
    }
}

#[cfg(target_arch = "x86_64")]
impl Bits for Native {
    #[inline(always)]
    fn pext(self, word: u32, mask: u32) -> u32 {
        // SAFETY: a `Native` exists only where BMI2 was detected.
        unsafe { std::arch::x86_64::_pext_u32(word, mask) }
    }

    #[inline(always)]
    fn pdep(self, word: u32, mask: u32) -> u32 {
        // SAFETY: a `Native` exists only where BMI2 was detected.
        unsafe { std::arch::x86_64::_pdep_u32(word, mask) }
    }

    #[inline(always)]
    fn pext_wide(self, word: u64, mask: u64) -> u64 {
        // SAFETY: a `Native` exists only where BMI2 was detected.
        unsafe { std::arch::x86_64::_pext_u64(word, mask) }
    }

    #[inline(always)]
    fn pdep_wide(self, word: u64, mask: u64) -> u64 {
        // SAFETY: a `Native` exists only where BMI2 was detected.
        unsafe { std::arch::x86_64::_pdep_u64(word, mask) }
    }

    #[inline(always)]
    fn equal_bytes(self, bytes: &[u8; 64], byte: u8) -> u64 {
        use std::arch::x86_64::{
            _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_movemask_epi8, _mm256_set1_epi8,
        };
        // SAFETY: a `Native` exists only where AVX2 was detected; both loads lie within the 64
        // bytes.
        unsafe {
            let wanted = _mm256_set1_epi8(byte as i8);
            let half = |offset| {
                let loaded = _mm256_loadu_si256(bytes.as_ptr().add(offset).cast());
                _mm256_movemask_epi8(_mm256_cmpeq_epi8(loaded, wanted)) as u32
            };
            u64::from(half(0)) | u64::from(half(32)) << 32
        }
    }

    #[inline(always)]
    fn raise_from(self, mut best: [u8; 16], bytes: &[u8; 16], places: &[u8; 16]) -> [u8; 16] {
        use std::arch::x86_64::{
            _mm_loadu_si128, _mm_max_epu8, _mm_shuffle_epi8, _mm_storeu_si128,
        };
        // SAFETY: a `Native` exists only where AVX2 was detected, which includes these
        // instructions; all loads and the store have 16 bytes.
        unsafe {
            let bytes = _mm_loadu_si128(bytes.as_ptr().cast());
            let places = _mm_loadu_si128(places.as_ptr().cast());
            let found = _mm_shuffle_epi8(bytes, places);
            let old = _mm_loadu_si128(best.as_ptr().cast());
            _mm_storeu_si128(best.as_mut_ptr().cast(), _mm_max_epu8(old, found));
        }
        best
    }

    #[inline(always)]
    fn add_products(
        self,
        mut sums: [i32; 16],
        [first, second]: [i16; 2],
        weights: &[[i16; 2]; 16],
    ) -> [i32; 16] {
        use std::arch::x86_64::{
            _mm256_add_epi32, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_set1_epi32,
            _mm256_storeu_si256,
        };
        let both = i32::from(first) & 0xffff | i32::from(second) << 16;
        for (sums, weights) in sums.chunks_exact_mut(8).zip(weights.chunks_exact(8)) {
            // SAFETY: a `Native` exists only where AVX2 was detected; both loads and the store have
            // 32 bytes.
            unsafe {
                let weights = _mm256_loadu_si256(weights.as_ptr().cast());
                let products = _mm256_madd_epi16(_mm256_set1_epi32(both), weights);
                let sum = _mm256_add_epi32(_mm256_loadu_si256(sums.as_ptr().cast()), products);
                _mm256_storeu_si256(sums.as_mut_ptr().cast(), sum);
            }
        }
        sums
    }
}

/// A loop to be compiled for each kind of processor.
///
/// `run` and every function that it calls in its loops must be `#[inline(always)]`, or the
/// processor's operations become calls. Closures cannot have this attribute, so use iterators.
pub trait Kernel {
    /// The result of the loop.
    type Output;

    /// The loop, with the operations of the processor.
    fn run<B: Bits>(self, bits: B) -> Self::Output;
}

/// Runs the kernel with the best operations that this processor has.
pub fn dispatch<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt,avx2")]
        fn native<K: Kernel>(kernel: K, bits: Native) -> K::Output {
            kernel.run(bits)
        }
        if let Some(bits) = Native::detect() {
            // SAFETY: all five features were detected.
            return unsafe { native(kernel, bits) };
        }
    }
    kernel.run(Portable)
}

/// [`Bits::pext`] chosen at run time, for code outside hot loops.
pub fn pext(word: u32, mask: u32) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if let Some(native) = Native::detect() {
        return native.pext(word, mask);
    }
    Portable.pext(word, mask)
}

/// [`Bits::pdep`] chosen at run time, for code outside hot loops.
pub fn pdep(word: u32, mask: u32) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if let Some(native) = Native::detect() {
        return native.pdep(word, mask);
    }
    Portable.pdep(word, mask)
}

/// Finds `byte` among `bytes`: yields the start of each run of 64 bytes that contains it, with a
/// bit for each of its places in the run.
#[inline(always)]
pub fn find_bytes<B: Bits>(bits: B, bytes: &[u8], byte: u8) -> FindBytes<'_, B> {
    let (runs, rest) = bytes.as_chunks();
    FindBytes {
        bits,
        byte,
        runs: runs.iter(),
        rest,
        start: 0,
    }
}

/// The iterator of [`find_bytes`].
#[derive(Clone, Debug)]
pub struct FindBytes<'a, B> {
    bits: B,
    byte: u8,
    runs: std::slice::Iter<'a, [u8; 64]>,
    rest: &'a [u8],
    start: usize,
}

impl<B: Bits> Iterator for FindBytes<'_, B> {
    type Item = (usize, Ones);

    #[inline(always)]
    fn next(&mut self) -> Option<(usize, Ones)> {
        for run in self.runs.by_ref() {
            let start = self.start;
            self.start += 64;
            let mask = self.bits.equal_bytes(run, self.byte);
            if mask != 0 {
                return Some((start, Ones(mask)));
            }
        }
        if self.rest.is_empty() {
            return None;
        }
        let mut run = [!self.byte; 64];
        run[..self.rest.len()].copy_from_slice(self.rest);
        self.rest = &[];
        Some((self.start, Ones(self.bits.equal_bytes(&run, self.byte))))
    }
}

/// The places of the bits of a word that are set, lowest first.
#[derive(Clone, Copy, Debug)]
pub struct Ones(pub u64);

impl Iterator for Ones {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let place = self.0.trailing_zeros();
        self.0 &= self.0 - 1;
        Some(place as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition, bit by bit.
    fn plain_pext(word: u64, mask: u64) -> u64 {
        let places = (0..64).filter(|place| mask >> place & 1 == 1).enumerate();
        places.fold(0, |result, (low, place)| {
            result | (word >> place & 1) << low
        })
    }

    fn plain_pdep(word: u64, mask: u64) -> u64 {
        let places = (0..64).filter(|place| mask >> place & 1 == 1).enumerate();
        places.fold(0, |result, (low, place)| {
            result | (word >> low & 1) << place
        })
    }

    struct Check {
        /// The lower half is for the operations on 32 bits.
        word: u64,
        mask: u64,
        bytes: [u8; 64],
        byte: u8,
    }

    impl Check {
        /// The best so far, the bytes, and their places.
        fn raised(&self) -> [[u8; 16]; 3] {
            let part = |start| std::array::from_fn(|i| self.bytes[start + i]);
            let place = |byte: u8| if byte % 5 == 4 { NOWHERE } else { byte % 16 };
            [part(0), part(16), part(32).map(place)]
        }

        /// Two numbers and their weights.
        fn factors(&self) -> ([i16; 2], [[i16; 2]; 16]) {
            let weight = |i: usize| i16::from_le_bytes([self.bytes[i], self.bytes[i + 32]]);
            let weights = std::array::from_fn(|i| [weight(i), weight(i + 16)]);
            ([self.word as i16 >> 1, self.mask as i16 >> 1], weights)
        }
    }

    impl Kernel for &Check {
        type Output = ([u32; 2], [u64; 2], u64, [u8; 16], [i32; 16]);
        #[inline(always)]
        fn run<B: Bits>(self, bits: B) -> Self::Output {
            let [best, bytes, places] = self.raised();
            let (word, mask) = (self.word as u32, self.mask as u32);
            let (numbers, weights) = self.factors();
            (
                [bits.pext(word, mask), bits.pdep(word, mask)],
                [
                    bits.pext_wide(self.word, self.mask),
                    bits.pdep_wide(self.word, self.mask),
                ],
                bits.equal_bytes(&self.bytes, self.byte),
                bits.raise_from(best, &bytes, &places),
                bits.add_products([7; 16], numbers, &weights),
            )
        }
    }

    proptest::proptest! {
        #[test]
        fn every_implementation_follows_the_definition(
            word: u64, mask: u64, sparse: u64, bytes: [[u8; 32]; 2], byte: u8, narrow: bool,
        ) {
            // Few different values, so that equal bytes are common.
            let modulus = if narrow { 3 } else { 255 };
            let bytes: [u8; 64] = std::array::from_fn(|i| bytes[i / 32][i % 32] % modulus);
            let byte = byte % modulus;
            for mask in [mask, mask & sparse, mask | sparse, 0, u64::MAX, mask & 0xff_ffff] {
                let check = Check { word, mask, bytes, byte };
                let equal = (0..64).fold(0, |all, i| all | u64::from(bytes[i] == byte) << i);
                let [best, from, places] = check.raised();
                let raised = std::array::from_fn(|i| match places[i] {
                    NOWHERE => best[i],
                    place => best[i].max(from[usize::from(place)]),
                });
                let (numbers, weights) = check.factors();
                let products = weights.map(|weights| {
                    let products = [0, 1].map(|i| i32::from(numbers[i]) * i32::from(weights[i]));
                    7 + products.iter().sum::<i32>()
                });
                let (low, low_mask) = (word & 0xffff_ffff, mask & 0xffff_ffff);
                let short = [plain_pext(low, low_mask), plain_pdep(low, low_mask)];
                let short = short.map(|bits| bits as u32);
                let wide = [plain_pext(word, mask), plain_pdep(word, mask)];
                let expected = (short, wide, equal, raised, products);
                proptest::prop_assert_eq!((&check).run(Portable), expected);
                proptest::prop_assert_eq!(dispatch(&check), expected);
                proptest::prop_assert_eq!(pext(word as u32, mask as u32), short[0]);
                proptest::prop_assert_eq!(pdep(word as u32, mask as u32), short[1]);
            }
        }

        #[test]
        fn equal_bytes_are_found_in_order(bytes: Vec<u8>, byte: u8) {
            let bytes: Vec<u8> = bytes.iter().map(|b| b % 5).collect();
            let byte = byte % 5;
            let expected: Vec<usize> = (0..bytes.len()).filter(|&i| bytes[i] == byte).collect();
            let found: Vec<usize> = find_bytes(Portable, &bytes, byte)
                .flat_map(|(start, places)| places.map(move |place| start + place))
                .collect();
            proptest::prop_assert_eq!(found, expected);
        }
    }
}
