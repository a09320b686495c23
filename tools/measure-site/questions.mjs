// Asks the npm package and counts what each question takes: in a worker of Chromium, and in Node where `run.mjs` imports it.
//
// A session is `{ kind, asks, measured }`: a new opened package, positions to rank in order, and how many of the last ones
// count; or `{ kind, turns, seed, prefetch }`: a game, with the options of reading ahead between two turns if there are any.

/** Numbers below `end`, the same for the same seed (xorshift). */
export function random(seed) {
  let state = (seed * 2654435761 + 0x9e3779b9) >>> 0 || 1;
  return (end) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % end;
  };
}

const counts = { rounds: 0, requests: 0, bytes: 0 };

/** Counts the bodies that come by `fetch`. */
export function countFetches() {
  const plain = globalThis.fetch;
  globalThis.fetch = async (url, options) => {
    const response = await plain(url, options);
    if (options?.headers) {
      counts.requests += 1;
      counts.bytes += Number(response.headers.get("Content-Length"));
    }
    return response;
  };
}

/** Counts how often a question is asked again. */
export function countRounds(Core) {
  const ask = Core.prototype.ask;
  Core.prototype.ask = function (...question) {
    const text = ask.apply(this, question);
    counts.rounds += text.startsWith('{"pending"');
    return text;
  };
}

async function ask(mill, fen) {
  const before = { ...counts };
  const begin = performance.now();
  let answer;
  try {
    answer = await mill.answer(fen);
  } catch (error) {
    answer = { error: `${error.code}: ${error.message}` };
  }
  const milliseconds = performance.now() - begin;
  const used = Object.fromEntries(Object.keys(counts).map((name) => [name, counts[name] - before[name]]));
  return [answer, { fen, milliseconds, ...used, error: answer.error, value: answer.wdl && `${answer.wdl} ${answer.dtw}` }];
}

/** What each measured question took. */
export async function session(open, files, { kind, asks, measured, turns, seed, prefetch }) {
  const mill = await open({ files });
  const results = [];
  if (asks) {
    for (const [at, fen] of asks.entries()) {
      const [, used] = await ask(mill, fen);
      if (at >= asks.length - measured) {
        results.push({ kind, ...used });
      }
    }
  } else {
    const below = random(seed);
    const each = [];
    const ahead = { requests: 0, bytes: 0 };
    const seen = new Set();
    let fen = mill.start();
    while (each.length < turns) {
      seen.add(fen);
      const [answer, used] = await ask(mill, fen);
      each.push({ kind: `${kind}, each question`, ...used });
      const legal = mill.position(fen).turns;
      if (legal.length === 0) break;
      // Half of the turns are the best ones, the others any that give nothing away: other games end too soon to count. None
      // repeats a position, which costs nothing, as long as another does not.
      const worth = answer.turns?.[0].wdl;
      const good = answer.turns?.filter(({ wdl }, at) => (wdl === worth && wdl !== "win") || at === 0);
      const fresh = good?.filter(({ position }) => !seen.has(position));
      const turns = (fresh?.length ? fresh : good)?.map(({ turn }) => turn) ?? legal;
      fen = mill.play(fen, turns[below(2) === 0 ? 0 : below(turns.length)]);
      // While a player looks at the board.
      if (prefetch) {
        const before = { ...counts };
        await mill.prefetch(fen, prefetch);
        for (const name of ["requests", "bytes"]) ahead[name] += counts[name] - before[name];
      }
    }
    const sum = (name) => each.reduce((sum, one) => sum + one[name], ahead[name] ?? 0);
    const whole = { kind: `${kind}, ${each.length === turns ? turns : "fewer"} turns` };
    for (const name of ["rounds", "requests", "bytes", "milliseconds"]) whole[name] = sum(name);
    whole.error = each.find((one) => one.error)?.error;
    results.push(whole, ...each);
  }
  mill.close();
  return results;
}

if (typeof WorkerGlobalScope !== "undefined") {
  onmessage = async ({ data: { files, task } }) => {
    const [{ open }, { Core }] = await Promise.all([import("/pkg/index.js"), import("/pkg/core.js")]);
    countFetches();
    countRounds(Core);
    try {
      (await open()).close();
      const [, file] = Object.entries(files)[0];
      const begin = performance.now();
      await (await fetch(file.url, { headers: { Range: "bytes=0-15" }, cache: "no-store" })).arrayBuffer();
      const one = { kind: "one request", rounds: 1, requests: 1, bytes: 16, milliseconds: performance.now() - begin };
      postMessage([one, ...(await session(open, files, task))]);
    } catch (error) {
      postMessage([{ kind: task.kind, error: String(error?.stack ?? error) }]);
    }
  };
}
