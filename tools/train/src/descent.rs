//! Learns the weights of the network by gradient descent (Adam) on the cross-entropy between its estimate
//! and the result of positions.

use std::array::from_fn;
use std::iter::once;

use millbase::internals::bits::{Bits, Kernel, dispatch};
use millbase::internals::network::{
    Features, HALVES, HIDDEN, PATTERNS, PHASES, RING_ROWS, ROWS, SIDE_ROWS, STONES_ROWS, VIEWS,
    WIDTH,
};
use rayon::prelude::*;

/// A vector of the network.
type Vector = [f32; WIDTH];

/// Weights, or a number for each of them.
#[derive(Clone)]
pub struct Weights {
    pub patterns: Vec<Vector>,
    pub stones: Vec<Vector>,
    pub layers: Vec<Layers>,
}

/// The two small layers of a phase.
#[derive(Clone)]
pub struct Layers {
    pub first: [[f32; HIDDEN]; WIDTH],
    pub first_bias: [f32; HIDDEN],
    pub second: [f32; HIDDEN],
    pub second_bias: f32,
}

impl Layers {
    const ZERO: Layers = Layers {
        first: [[0.0; HIDDEN]; WIDTH],
        first_bias: [0.0; HIDDEN],
        second: [0.0; HIDDEN],
        second_bias: 0.0,
    };
}

impl Weights {
    pub fn zero() -> Weights {
        Weights {
            patterns: vec![[0.0; WIDTH]; HALVES * ROWS],
            stones: vec![[0.0; WIDTH]; STONES_ROWS],
            layers: vec![Layers::ZERO; PHASES],
        }
    }

    pub fn random(mut unit: impl FnMut() -> f32) -> Weights {
        let mut weights = Weights::zero();
        let mut around = |range: f32| (2.0 * unit() - 1.0) * range;
        for row in weights.patterns.iter_mut() {
            *row = from_fn(|_| around(0.1));
        }
        for row in weights.stones.iter_mut() {
            *row = from_fn(|_| 0.2 + around(0.1));
        }
        for layers in weights.layers.iter_mut() {
            layers.first = from_fn(|_| from_fn(|_| around((WIDTH as f32).sqrt().recip())));
            layers.first_bias = [0.1; HIDDEN];
            layers.second = from_fn(|_| around(0.4));
        }
        weights
    }

    /// The parts as slices of numbers, cut where threads share the work.
    pub fn slices(&mut self) -> Vec<&mut [f32]> {
        let layers = self.layers.iter_mut().flat_map(|layers| {
            [
                layers.first.as_flattened_mut(),
                &mut layers.first_bias,
                &mut layers.second,
                std::slice::from_mut(&mut layers.second_bias),
            ]
        });
        let patterns = self.patterns.chunks_mut(1 << 11);
        let patterns = patterns.chain(self.stones.chunks_mut(1 << 11));
        patterns
            .map(|rows| rows.as_flattened_mut())
            .chain(layers)
            .collect()
    }
}

/// A position with the target of its estimate: the mover's chance, from 0 to 1.
pub struct Example {
    pub features: Features,
    pub target: f32,
}

/// The scale of the output: log-odds.
const SCALE: f32 = 4.0;

/// The derivatives of an example's loss by the sum of each view.
type ViewGradients = [Vector; VIEWS];

struct Shard<'a> {
    weights: &'a Weights,
    examples: &'a [Example],
}

struct ShardResult {
    loss: f64,
    views: Vec<ViewGradients>,
    layers: Vec<Layers>,
}

#[inline(always)]
fn clamped(value: f32) -> f32 {
    value.clamp(0.0, 1.0)
}

#[inline(always)]
fn passes(value: f32) -> f32 {
    if value > 0.0 && value < 1.0 { 1.0 } else { 0.0 }
}

struct Forward {
    views: [Vector; VIEWS],
    sum: Vector,
    hidden: [f32; HIDDEN],
    output: f32,
}

#[inline(always)]
fn forward(weights: &Weights, features: &Features) -> Forward {
    let stones = &weights.stones[usize::from(features.stones)];
    let patterns = &weights.patterns[features.half() * ROWS..];
    let mut views = [*stones; VIEWS];
    let mut sum = [0.0; WIDTH];
    for view in 0..VIEWS {
        for pattern in 0..PATTERNS {
            let row = &patterns[usize::from(features.rows[view][pattern])];
            for d in 0..WIDTH {
                views[view][d] += row[d];
            }
        }
        for d in 0..WIDTH {
            sum[d] += clamped(views[view][d]);
        }
    }
    let layers = &weights.layers[usize::from(features.phase)];
    let mut hidden = layers.first_bias;
    for d in 0..WIDTH {
        for h in 0..HIDDEN {
            hidden[h] += sum[d] * layers.first[d][h];
        }
    }
    let mut output = layers.second_bias;
    for h in 0..HIDDEN {
        output += clamped(hidden[h]) * layers.second[h];
    }
    Forward {
        views,
        sum,
        hidden,
        output: SCALE * output,
    }
}

impl Kernel for Shard<'_> {
    type Output = ShardResult;

    #[inline(always)]
    fn run<B: Bits>(self, _: B) -> ShardResult {
        let mut result = ShardResult {
            loss: 0.0,
            views: Vec::with_capacity(self.examples.len()),
            layers: vec![Layers::ZERO; PHASES],
        };
        for example in self.examples {
            let features = &example.features;
            let found = forward(self.weights, features);
            let chance = 1.0 / (1.0 + (-found.output).exp());
            let (target, small) = (example.target, 1e-7);
            result.loss -= f64::from(
                target * (chance + small).ln() + (1.0 - target) * (1.0 - chance + small).ln(),
            );
            let by_output = SCALE * (chance - target);
            let phase = usize::from(features.phase);
            let (layers, gradients) = (&self.weights.layers[phase], &mut result.layers[phase]);
            gradients.second_bias += by_output;
            let mut by_hidden = [0.0; HIDDEN];
            for h in 0..HIDDEN {
                gradients.second[h] += by_output * clamped(found.hidden[h]);
                by_hidden[h] = by_output * layers.second[h] * passes(found.hidden[h]);
                gradients.first_bias[h] += by_hidden[h];
            }
            let mut by_sum = [0.0; WIDTH];
            for d in 0..WIDTH {
                let mut by = [0.0; HIDDEN];
                for h in 0..HIDDEN {
                    gradients.first[d][h] += found.sum[d] * by_hidden[h];
                    by[h] = layers.first[d][h] * by_hidden[h];
                }
                by_sum[d] = by.iter().sum();
            }
            let mut views = [[0.0; WIDTH]; VIEWS];
            for view in 0..VIEWS {
                for d in 0..WIDTH {
                    views[view][d] = by_sum[d] * passes(found.views[view][d]);
                }
            }
            result.views.push(views);
        }
        result
    }
}

/// The weights and the state of the descent.
pub struct Descent {
    pub weights: Weights,
    gradients: Weights,
    mean: Weights,
    square: Weights,
    step: i32,
}

/// The number of parts of a batch. It decides the order of additions, so this is the same for any
/// number of threads.
const SHARDS: usize = 4;

impl Descent {
    pub fn new(weights: Weights) -> Descent {
        Descent {
            weights,
            gradients: Weights::zero(),
            mean: Weights::zero(),
            square: Weights::zero(),
            step: 0,
        }
    }

    /// One step for a batch; returns its loss.
    pub fn step(&mut self, batch: &[Example], rate: f32, decay: f32) -> f64 {
        let weights = &self.weights;
        let parts: Vec<_> = batch.chunks(batch.len().div_ceil(SHARDS)).collect();
        let results: Vec<_> = parts
            .par_iter()
            .map(|examples| dispatch(Shard { weights, examples }))
            .collect();
        let loss: f64 = results.iter().map(|result| result.loss).sum();
        self.gradients = Weights::zero();
        let Weights {
            patterns,
            stones,
            layers,
        } = &mut self.gradients;
        let examples = || {
            let views = results.iter().flat_map(|result| &result.views);
            batch.iter().zip(views)
        };
        // Each pattern of a half has its own rows.
        let tables = patterns.chunks_mut(ROWS).enumerate();
        let tables = tables.flat_map(|(half, rows)| {
            let (side, rings) = rows.split_at_mut(SIDE_ROWS);
            let patterns = once(side).chain(rings.chunks_mut(RING_ROWS)).enumerate();
            patterns.map(move |(pattern, table)| (half, pattern, table))
        });
        let tables: Vec<_> = tables.collect();
        let first = [0, 1, 2, 3].map(|pattern: usize| match pattern {
            0 => 0,
            _ => SIDE_ROWS + (pattern - 1) * RING_ROWS,
        });
        rayon::join(
            || {
                tables.into_par_iter().for_each(|(half, pattern, table)| {
                    let of_half = |(example, _): &(&Example, _)| example.features.half() == half;
                    for (example, views) in examples().filter(of_half) {
                        for (rows, by) in example.features.rows.iter().zip(views) {
                            let row = &mut table[usize::from(rows[pattern]) - first[pattern]];
                            for d in 0..WIDTH {
                                row[d] += by[d];
                            }
                        }
                    }
                });
            },
            || {
                for (example, views) in examples() {
                    let row = &mut stones[usize::from(example.features.stones)];
                    for by in views {
                        for d in 0..WIDTH {
                            row[d] += by[d];
                        }
                    }
                }
            },
        );
        for result in &results {
            for (all, part) in layers.iter_mut().zip(&result.layers) {
                for d in 0..WIDTH {
                    for h in 0..HIDDEN {
                        all.first[d][h] += part.first[d][h];
                    }
                }
                for h in 0..HIDDEN {
                    all.first_bias[h] += part.first_bias[h];
                    all.second[h] += part.second[h];
                }
                all.second_bias += part.second_bias;
            }
        }
        self.adam(rate, decay, (batch.len() as f32).recip());
        loss / batch.len() as f64
    }

    /// Adam (D. P. Kingma, J. Ba, 2015).
    fn adam(&mut self, rate: f32, decay: f32, scale: f32) {
        const KEPT: [f32; 2] = [0.9, 0.999];
        self.step += 1;
        let corrections = KEPT.map(|kept| 1.0 - kept.powi(self.step));
        let weights = self.weights.slices().into_par_iter();
        let state = (self.gradients.slices().into_par_iter())
            .zip(self.mean.slices())
            .zip(self.square.slices());
        weights
            .zip(state)
            .for_each(|(weights, ((gradients, mean), square))| {
                for at in 0..weights.len() {
                    let gradient = gradients[at] * scale;
                    mean[at] += (1.0 - KEPT[0]) * (gradient - mean[at]);
                    square[at] += (1.0 - KEPT[1]) * (gradient * gradient - square[at]);
                    let (mean, square) = (mean[at] / corrections[0], square[at] / corrections[1]);
                    weights[at] -= rate * (mean / (square.sqrt() + 1e-8) + decay * weights[at]);
                }
            });
    }
}

/// The estimates of positions, as log-odds.
pub fn estimates(weights: &Weights, features: &[Features]) -> Vec<f32> {
    (features
        .par_iter()
        .map(|features| forward(weights, features).output))
    .collect()
}
