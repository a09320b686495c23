// Compiled with tsc --strict beside the package: the types are those that users need.
import { open, MillbaseError, type Answer, type Choice, type Score, type Source } from "./pkg/index.js";

const source: Source = { size: 3, read: async (start, length) => new Uint8Array(length).fill(start) };
const mill = await open({
  rules: "standard",
  files: {
    "9-8.mill": source,
    "9-7.mill": new ArrayBuffer(8),
    "8-8.mill": { size: 8, read: async () => new ArrayBuffer(8) },
    "8-7.mill": new URL("file:///db/8-7.mill"),
    "9-6.mill": "https://example.org/9-6.mill",
    "9-5.mill": { url: "https://example.org/9-5.mill", size: 32077834, head: 11491 },
  },
  wasm: new Uint8Array(8),
  signal: AbortSignal.timeout(1000),
});
const answer: Answer = await mill.answer(mill.start());
const depth: number | null = answer.turns[0]!.dtw;
const choice: Choice = await mill.choose(mill.start(), { turns: ["d6"], level: 3 });
const score: Score | undefined = choice.score;
const { wdl, dtw } = await mill.probeMany(Uint32Array.of(7), [56], [0]);
const sum: number = (wdl[0] ?? 0) + (dtw[0] ?? 0);
const ready: boolean = await mill.prefetch(mill.start(), { turns: 3, bytes: 1000 });
const code = (error: unknown): string => (error instanceof MillbaseError ? error.code : "unknown");
// @ts-expect-error there are no such rules
void open({ rules: "chess" });
// @ts-expect-error a position is a text
void mill.probe(3);
console.log(depth, score, sum, ready, code);
