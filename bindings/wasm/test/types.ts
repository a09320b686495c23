// Compiled with tsc --strict beside the package: the types are those that users need.
import { open, Millbase, MillbaseError, type Answer, type Choice, type Score, type Source } from "./pkg/index.js";
import { connect, type WorkerLike } from "./pkg/client.js";

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
const step = await mill.ask("step", { fen: "start", moves: "d6" });
const occurrences: number = step.occurrences;
const winner: "white" | "black" | null | undefined = (await mill.ask("play", { fen: "start", level: 3 })).ending?.winner;
// @ts-expect-error there is no such question
void mill.ask("chess", { fen: "start" });
// @ts-expect-error the question has no such field
void mill.ask("probe", { fen: "start", depth: 3 });
// @ts-expect-error `open` makes it
void new Millbase();
declare const worker: WorkerLike;
using remote = await connect(worker, { files: { "9-8.mill": new URL("https://example.org/9-8.mill") } });
const start: string = await remote.start();
const far: Answer = await remote.answer(start, { signal: AbortSignal.timeout(1000) });
// @ts-expect-error a source with its own `read` cannot go to a worker
void connect(worker, { files: { "9-8.mill": source } });
const settings: string = "stones = 10";
void open({ rules: settings });
void open({ rules: { base: "twelve", flying: 0, blocked: "passes" } });
// @ts-expect-error there is no such setting
void open({ rules: { flyin: 0 } });
// @ts-expect-error a position is a text
void mill.probe(3);
console.log(depth, score, sum, ready, code, occurrences, winner, far);
