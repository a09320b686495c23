/* The only interface to the rules and the values. It asks by a function `ask(kind, question, options)`, of
   which server.js has one that asks the server and device.js one that asks the module in this browser.

   Positions and turns are texts. An answer about a position has `position`, `side`, `phase`, `turns`,
   and where it is known `value`, for the side to move: { wdl, dtw }, that of a turn with `by_repetition` if it is a draw by
   repetition.

     rules()                        the sets of rules, and the rules about draws
     databases(rules)               the pairs that are present
     step(rules, start, moves)      all that the page shows of the position after these turns: legal turns, ending,
                                    and what is known at once of values, replies and the best `line`
     rank(rules, start, moves)      the values and replies that a step leaves out, because they take a search or bytes from elsewhere
     line(rules, position, limit)   a best continuation
     explain(rules, position, turn)  the facts about a turn: its `value`, the value `before` it, the points at which it
                                    `allows` a mill, and the `refutation` of an error
     game(rules, start, moves)      the game with all its positions
     read(rules, text)              the games and positions of a text: { games, left_out }
     play(rules, start, moves, how) the player's turn; `how` is { level, seed, movetime }
     random(rules, pair, wdl, seed) a position to practise with
     stats(rules, pair)             how many positions of a pair have which value, for each side to move
     building(rules), build(rules, stones, placing), stopBuild()
                                    returns the state of a build, starts or stops one; only a server builds
     forget()                       asks anew, after databases were added

   Each may fail with `Refused`, whose `code` is a word; `reason` and `fields` say more. A failed connection is not a failure: the
   question waits until the connection is back or its signal is aborted. */

/* The header that pages of other origins cannot send. */
const OWN = { "X-Millbase": "build" };

export class Refused extends Error {
  constructor({ message, ...rest }) {
    super(message);
    Object.assign(this, rest);
  }

  /* Whether the same question may have an answer at another time or on another server. */
  get isUnknown() {
    return ["missing", "busy", "late"].includes(this.code);
  }
}

/* Splits a turn's text into its points. */
export function readTurn({ turn, position, wdl, dtw, by_repetition, ...rest }) {
  const [, from, to, removals] = /^(?:(..)-)?([a-g]\d)?((?:x..)*)$/.exec(turn) ?? [];
  const removed = (removals ?? "").split("x").slice(1);
  return { ...rest, text: turn, from, to, removed, position, value: wdl ? { wdl, dtw, by_repetition } : null };
}

function readAnswer(body) {
  return {
    ...body,
    side: body.side_to_move,
    turns: body.turns.map(readTurn),
    value: body.wdl ? { wdl: body.wdl, dtw: body.dtw } : null,
  };
}

export function backend(ask) {
  const present = new Map();
  /* The last question for a step, and its answer. */
  let last = {};
  return {
    rules: () => ask("rulesets", {}),
    databases(rules) {
      if (!present.has(rules)) {
        present.set(rules, ask("databases", { rules }));
        present.get(rules).catch(() => present.delete(rules));
      }
      return present.get(rules);
    },
    forget() {
      present.clear();
      last = {};
    },
    async game(rules, start, moves) {
      const body = await ask("game", { rules, fen: start, moves: moves.join(" ") });
      return { ...readAnswer(body), game: body.game.map(readTurn) };
    },
    async step(rules, start, moves, signal) {
      const question = { rules, fen: start, moves: moves.join(" ") };
      const key = JSON.stringify(question);
      // A question that somebody else may abort is not waited for.
      const isShared = last.key === key && [undefined, signal].includes(last.signal);
      if (!isShared) last = { key, signal, answer: ask("step", question, { signal }) };
      const asked = last;
      asked.answer.catch(() => { if (last === asked) last = {}; });
      const body = await asked.answer;
      return { ...readAnswer(body), line: body.line?.map(readTurn) ?? null };
    },
    read: (rules, text) => ask("read", { rules, text }),
    rank: async (rules, start, moves, signal) =>
      readAnswer(await ask("rank", { rules, fen: start, moves: moves.join(" ") }, { signal })),
    async line(rules, position, limit, signal) {
      const body = await ask("line", { rules, fen: position, limit }, { signal });
      return { ...body, line: body.line.map(readTurn) };
    },
    async explain(rules, position, turn) {
      const { turns: [facts], wdl, dtw } = await ask("explain", { rules, fen: position, turn });
      return { ...readTurn(facts), before: { wdl, dtw }, refutation: facts.refutation.map(readTurn) };
    },
    play: (rules, start, moves, how, signal) =>
      ask("play", { rules, fen: start, moves: moves.join(" "), ...how }, { signal }),
    random: (rules, pair, wdl, seed) => ask("random", { rules, pair, wdl, seed }),
    stats: (rules, pair) => ask("stats", { rules, pair }),
    building: rules => ask("build", { rules }),
    build: (rules, stones, placing) => ask("build", { rules, stones, placing }, { method: "POST", headers: OWN }),
    stopBuild: () => ask("build", {}, { method: "DELETE", headers: OWN }),
  };
}
