// What a page does with the package: asks on its own thread, and in a worker, where it ends a search. Says what it found.

const WIN = "***O**@*/*O@***@*/**@**O** w m s 3 0 4 0 0 0";

async function find(open, connect) {
  const [near, far] = [await open(), await connect()];
  const begin = performance.now();
  const search = far.choose(near.start(), { milliseconds: 20_000, signal: AbortSignal.timeout(100) });
  const end = await search.catch(({ name }) => name);
  // The worker answers only once its search has ended.
  const answers = [(await near.answer(WIN)).dtw, (await far.answer(WIN)).dtw];
  return { answers, end, soon: performance.now() - begin < 10_000 };
}

export async function check(open, connect) {
  const found = await find(open, connect).catch((error) => ({ error: String(error?.stack ?? error) }));
  const address = new URLSearchParams(location.search).get("found");
  await fetch(address, { method: "POST", mode: "no-cors", body: JSON.stringify(found) });
}
