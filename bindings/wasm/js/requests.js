// How the ranges that a question needs become requests.

/**
 * Ranges no further apart than NEAR bytes are one request. While a round has more requests than MANY, the nearest ones are joined
 * if no more than WIDE bytes lie between them. Of files up to SMALL everything is fetched.
 */
const NEAR = 1024;
const MANY = 12;
const WIDE = 4096;
const SMALL = 16384;

/** Joins ranges, which come in the order of files and bytes, to requests. */
export function requestsFor(ranges, sizeOf) {
  const requests = [];
  for (const { file, start, length } of ranges) {
    const last = requests.at(-1);
    if (last?.file === file && start <= last.end + NEAR) {
      last.end = Math.max(last.end, start + length);
    } else if (sizeOf(file) <= SMALL) {
      requests.push({ file, start: 0, end: sizeOf(file) });
    } else {
      requests.push({ file, start, end: start + length });
    }
  }
  const gaps = requests.map(({ file, start }, at) => ({ at, gap: requests[at - 1]?.file === file ? start - requests[at - 1].end : Infinity }));
  const joined = gaps.filter(({ gap }) => gap <= WIDE).sort((one, other) => one.gap - other.gap);
  const few = joined.slice(0, Math.max(0, requests.length - MANY));
  for (const { at } of few.sort((one, other) => other.at - one.at)) {
    requests[at - 1].end = requests[at].end;
    requests.splice(at, 1);
  }
  return requests;
}
