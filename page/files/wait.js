/* Resolves after a time in ms. */
export const wait = time => new Promise(done => setTimeout(done, time));
