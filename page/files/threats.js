/* Threats: turns by which the side that waits would close a mill if it were to move. */

import { stonesOf } from "./board.js";
import { other, sideOf } from "./tree.js";

/* The threats of a position on a board with these lines, where a side with `flying` stones flies. */
export function threats(position, lines, flying) {
  const side = other(sideOf(position));
  const stones = stonesOf(position);
  const [, , , , , whiteHand, , blackHand] = position.split(" ").map(Number);
  const own = Object.keys(stones).filter(name => stones[name] === side);
  const inHand = side === "white" ? whiteHand : blackHand;
  const isNext = (from, to) => lines.some(line => Math.abs(line.indexOf(from) - line.indexOf(to)) === 1 && line.includes(from) && line.includes(to));
  const found = [];
  for (const line of lines) {
    const open = line.filter(name => !stones[name]);
    if (open.length !== 1 || line.filter(name => stones[name] === side).length !== 2) continue;
    const [to] = open;
    if (inHand > 0) { found.push({ from: null, to, removed: [] }); continue; }
    const flies = own.length <= flying;
    for (const from of own.filter(name => !line.includes(name) && (flies || isNext(name, to)))) found.push({ from, to, removed: [] });
  }
  return found;
}
