// Runs in a page and in a worker: the table of positions, from files of each kind. Says what it found to the test.

import { open } from "/pkg/index.js";

const NAMES = ["3-3.mill", "4-3.mill", "4-4.mill", "5-3.mill", "5-4.mill", "6-3.mill"];

async function table(mill, every) {
  const text = await (await fetch("/positions.csv")).text();
  const rows = text.trim().split("\n").slice(2).filter((_, at) => at % every === 0);
  for (const row of rows) {
    const [fen, wdl, dtw, turns, best] = row.split(",");
    const answer = await mill.answer(fen);
    const found = [answer.wdl, String(answer.dtw ?? ""), String(answer.turns.length), answer.turns[0]?.turn ?? ""];
    if (found.join() !== [wdl, dtw, turns, best].join()) {
      throw new Error(`${fen}: ${found} instead of ${[wdl, dtw, turns, best]}`);
    }
  }
  return rows.length;
}

export async function run() {
  const counts = {};
  counts.embedded = await table(await open(), 1);
  const urls = Object.fromEntries(NAMES.map((name) => [name, new URL(`/db/${name}`, location.origin)]));
  counts.urls = await table(await open({ files: urls }), 5);
  const bytes = await (await fetch("/db/4-3.mill")).arrayBuffer();
  const mill = await open({ files: { "4-3.mill": new File([bytes], "4-3.mill") } });
  counts.file = (await mill.line("***O**@*/*O@***@*/**@**O** w m s 3 0 4 0 0 0")).turns.length;
  const choice = await mill.choose(mill.start(), { milliseconds: 200 });
  counts.chosen = mill.position(mill.start()).turns.includes(choice.turn);
  return counts;
}

async function report(where) {
  let found;
  try {
    found = await run();
  } catch (error) {
    found = { error: String(error?.stack ?? error) };
  }
  await fetch(`/found/${where}`, { method: "POST", body: JSON.stringify(found) });
}

if (typeof document === "undefined") {
  await report("worker");
} else {
  new Worker("/browser.js", { type: "module" });
  await report("page");
}
