/* The pairs of numbers of stones, as those of databases. */

/* The most stones of a set of pairs that is built or kept. */
export const SETS = [10, 12, 14, 16, 18];

/* The stones of a pair or of its file. */
export const stonesIn = name => name.split(/[-.]/).slice(0, 2).reduce((sum, stones) => sum + Number(stones), 0);
