//! The contexts and symbols of a block's values.

use crate::board::bits::{self, Bits, Kernel};
use crate::store::codec::context::{
    BlockScratch, BlockShape, Context, Facts, RowShape, Symbols, TableShape,
};
use crate::store::codec::{DRAWN, LOST, UNKNOWN, WON};
use crate::store::profile::{Compression, Profile};
use crate::value::Metric;

/// Maps values to the symbols of files with depths: wins first, the quickest at the front; then draws; then
/// losses, the slowest at the front.
pub(super) const fn symbol(value: u8) -> u8 {
    match value {
        0 => 127,
        win if win % 2 == 0 => win / 2 - 1,
        loss => 255 - loss / 2,
    }
}

/// Maps values to the symbols of files without depths.
pub(super) const fn symbol_of_result(value: u8) -> u8 {
    match value {
        0 => DRAWN,
        win if win % 2 == 0 => WON,
        _ => LOST,
    }
}

/// The symbols of all values by metric. A look-up has no branch to predict: neighbours often differ.
static SYMBOLS: [[u8; 256]; 2] = {
    let mut symbols = [[0; 256]; 2];
    let mut value = 0;
    while value < 256 {
        symbols[Metric::Depth as usize][value] = symbol(value as u8);
        symbols[Metric::Wdl as usize][value] = symbol_of_result(value as u8);
        value += 1;
    }
    symbols
};

/// Calls `see` with the contexts and symbols of the stored values of a block, in their order.
pub(super) fn contexts(
    shape: &TableShape,
    row: &RowShape,
    block: usize,
    values: &[u8],
    scratch: &mut BlockScratch,
    see: impl FnMut(Context, u8),
) {
    let block = shape.block(block);
    shape.places(row, block, values.len(), &mut scratch.places);
    bits::dispatch(SeeContexts {
        shape,
        row,
        block,
        values,
        places: &scratch.places,
        symbols: &mut scratch.symbols,
        see,
    });
    scratch.symbols[..values.len()].fill(UNKNOWN);
}

/// Makes the contexts of the stored values of a block.
struct SeeContexts<'a, See> {
    shape: &'a TableShape,
    row: &'a RowShape,
    block: &'a BlockShape,
    values: &'a [u8],
    places: &'a [u16],
    symbols: &'a mut Symbols,
    see: See,
}

impl<See: FnMut(Context, u8)> Kernel for SeeContexts<'_, See> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bits>(self, _bits: B) {
        let Profile {
            metric,
            compression,
        } = self.shape.parameters.profile;
        match (metric, compression) {
            (Metric::Depth, Compression::Quick) => self.see::<true, 5, 3>(),
            (Metric::Depth, Compression::Max) => self.see::<true, 15, 6>(),
            (Metric::Wdl, Compression::Quick) => self.see::<false, 10, 3>(),
            (Metric::Wdl, Compression::Max) => self.see::<false, 16, 6>(),
        }
    }
}

impl<See: FnMut(Context, u8)> SeeContexts<'_, See> {
    /// Finds the facts of some entries, then makes their contexts with vector instructions.
    #[inline(always)]
    fn see<const DEPTHS: bool, const NEAR: usize, const SLIDES: usize>(mut self) {
        const AT_ONCE: usize = 64;
        let SeeContexts {
            shape, row, block, ..
        } = self;
        let mut near = [[UNKNOWN; AT_ONCE]; NEAR];
        let mut after_slides = [[UNKNOWN; AT_ONCE]; SLIDES];
        let (mut threats, mut closing) = ([0; AT_ONCE], [0; AT_ONCE]);
        // The symbol before the first of these entries, then theirs.
        let mut coded = [UNKNOWN; AT_ONCE + 1];
        let mut contexts = [Context::default(); AT_ONCE];
        let symbol_of = &SYMBOLS[shape.parameters.profile.metric as usize];
        let permitted = |place: u16| row.permitted(block.subsets[usize::from(place)]);
        for places in self.places.chunks(AT_ONCE) {
            // Looked up one entry ahead, because the facts would wait for it.
            let mut next = permitted(places[0]);
            // `take` shows the compiler that `i` needs no check of bounds.
            for (i, &place) in places.iter().enumerate().take(AT_ONCE) {
                let now = next;
                next = permitted(*places.get(i + 1).unwrap_or(&place));
                let place = usize::from(place);
                let facts = shape.facts::<NEAR, SLIDES>(row, block, now, self.symbols, place);
                for (near, symbol) in near.iter_mut().zip(facts.near) {
                    near[i] = symbol;
                }
                for (after_slides, symbol) in after_slides.iter_mut().zip(facts.after_slides) {
                    after_slides[i] = symbol;
                }
                (threats[i], closing[i]) = (facts.threats, facts.closing);
                let symbol = symbol_of[usize::from(self.values[place])];
                self.symbols[place] = symbol;
                coded[i + 1] = symbol;
            }
            for (i, context) in contexts.iter_mut().enumerate() {
                let facts = Facts::<NEAR, SLIDES> {
                    near: std::array::from_fn(|k| near[k][i]),
                    after_slides: std::array::from_fn(|k| after_slides[k][i]),
                    threats: threats[i],
                    closing: closing[i],
                };
                *context = facts.context::<DEPTHS>(coded[i]);
            }
            for (&context, &symbol) in contexts[..places.len()].iter().zip(&coded[1..]) {
                (self.see)(context, symbol);
            }
            coded[0] = coded[places.len()];
        }
    }
}
