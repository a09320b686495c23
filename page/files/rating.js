/* Ratings by Glicko-2, as Mark Glickman's "Example of the Glicko-2 system" describes it. */

const SCALE = 173.7178; // points of a rating for one unit of the formulas
const MIDDLE = 1500;
const RESTRAINT = .5; // τ: how little the volatility changes
const EXACT = 1e-6;

/* A rating of which little is known. */
export const unrated = rating => ({ rating, deviation: 350, volatility: .06 });

/* The rating after the results of a period, each { rival, score }: 1 for a win, 0 for a loss. */
export function rate({ rating, deviation, volatility }, results) {
  const own = (rating - MIDDLE) / SCALE;
  const spread = deviation / SCALE;
  let information = 0;
  let surprise = 0;
  for (const { rival, score } of results) {
    const weight = 1 / Math.sqrt(1 + 3 * (rival.deviation / SCALE / Math.PI) ** 2);
    const expected = 1 / (1 + Math.exp(weight * ((rival.rating - MIDDLE) / SCALE - own)));
    information += weight ** 2 * expected * (1 - expected);
    surprise += weight * (score - expected);
  }
  const restless = volatilityAfter(volatility, spread ** 2, 1 / information, surprise / information);
  const narrow = 1 / (1 / (spread ** 2 + restless ** 2) + information);
  return {
    rating: MIDDLE + SCALE * (own + narrow * surprise),
    deviation: SCALE * Math.sqrt(narrow),
    volatility: restless,
  };
}

/* Step 5 of the example: the root of a falling function, by regula falsi after Illinois. */
function volatilityAfter(volatility, square, variance, change) {
  const start = Math.log(volatility ** 2);
  const f = x => {
    const e = Math.exp(x);
    const sum = square + variance + e;
    return e * (change ** 2 - sum) / (2 * sum ** 2) - (x - start) / RESTRAINT ** 2;
  };
  let low = start;
  let high = Math.log(change ** 2 - square - variance);
  if (!(change ** 2 > square + variance)) {
    high = start - RESTRAINT;
    while (f(high) < 0) high -= RESTRAINT;
  }
  let [atLow, atHigh] = [f(low), f(high)];
  while (Math.abs(high - low) > EXACT) {
    const middle = low + (low - high) * atLow / (atHigh - atLow);
    const atMiddle = f(middle);
    if (atMiddle * atHigh <= 0) [low, atLow] = [high, atHigh];
    else atLow /= 2;
    [high, atHigh] = [middle, atMiddle];
  }
  return Math.exp(low / 2);
}
