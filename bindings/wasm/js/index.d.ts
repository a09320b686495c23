/** Perfect play for Nine Men's Morris. */

export type Wdl = "win" | "draw" | "loss";
export type Phase = "placing" | "moving" | "flying" | "over";
export type Side = "white" | "black";
export type RulesName = "standard" | "no-flying" | "ten" | "twelve" | "morabaraba";

/** What a position is worth to its side to move. */
export interface Value {
  wdl: Wdl;
  /** Turns to the end; null for a draw, and where the files hold no depths. */
  dtw: number | null;
}

/** A turn with its value for the side that makes it, and the text of the position after it. */
export interface RankedTurn extends Value {
  turn: string;
  position: string;
}

export interface PositionFields {
  /** The position's text in its canonical form. */
  position: string;
  side_to_move: Side;
  phase: Phase;
}

/** What `position` says without any file. */
export interface PositionInfo extends PositionFields {
  /** The bits of the stones: bit 0 is d5, the order is that of the position's text. */
  white: number;
  black: number;
  white_in_hand: number;
  black_in_hand: number;
  /** The legal turns, in the order of their texts. */
  turns: string[];
}

/** The answer of `millbase --json probe`. */
export interface Answer extends PositionFields, Value {
  version: 1;
  source: "rules" | "database" | "search";
  /** Best first. */
  turns: RankedTurn[];
}

export interface Line {
  turns: RankedTurn[];
  end: "over" | "repetition" | "limit";
}

/** What a search thinks, for the side to move: turns to the end, or an evaluation. */
export type Score = { win: number | null } | { loss: number | null } | { centistones: number };

export interface Choice {
  /** null when the game is over. */
  turn: string | null;
  score?: Score;
  known?: Value | null;
  depth?: number;
  nodes?: number;
  line?: string[];
}

/**
 * Anything that gives bytes. `read` gives `length` bytes or more as an `ArrayBuffer` or a view of one, such as a `Uint8Array` or a
 * `Buffer`, or it rejects, and the question with it; `again` says that the bytes given before were damaged, so that none should
 * come from a cache.
 */
export interface Source {
  size: number;
  /** The length of the head: see `RemoteFile`. */
  head?: number;
  read(start: number, length: number, signal?: AbortSignal, again?: boolean): Promise<ArrayBuffer | ArrayBufferView>;
}

/** A file on a server that answers ranges, or with a `file:` URL one that Node reads, whose size is known. */
export interface RemoteFile {
  url: string | URL;
  /** Its size in bytes, and the number in its bytes 12 to 15, little-endian. Without these, `open` asks the server for them. */
  size?: number;
  head?: number;
}

export type FileSource = ArrayBuffer | ArrayBufferView | Blob | string | URL | RemoteFile | Source;

export interface OpenOptions {
  rules?: RulesName;
  /** Files by their names, as "9-8.mill" or "placing-14.mill"; another name is `invalid`. */
  files?: Record<string, FileSource>;
  /** Bytes of each file that stay in memory between questions; 64 MiB, Infinity for all. */
  cacheBytes?: number;
  /** The module's bytes, or where they are; found beside this package without it. */
  wasm?: ArrayBuffer | ArrayBufferView | Response | URL | string;
  signal?: AbortSignal;
}

export interface AskOptions {
  /** Ends the question; bytes that have come stay. */
  signal?: AbortSignal;
}

export interface ChooseOptions extends AskOptions {
  /** The turns of the game so far. */
  turns?: string[];
  /** 0 to 30, which is perfect. */
  level?: number;
  /** 0 to 2 ** 32 - 1. */
  seed?: number;
  /** Limits; 0 or Infinity for none. */
  milliseconds?: number;
  nodes?: number;
  depth?: number;
}

/**
 * Why there is no answer. Other errors come from outside: an aborted question rejects with the signal's reason, a `read` of your
 * own that fails with its error; arguments that are not of the types here may give a `TypeError`.
 */
export class MillbaseError extends Error {
  code: "invalid" | "missing" | "corrupt" | "system" | "source";
  /** Why, as an identifier with names and numbers, where the sentence has them; docs/JSON.md lists them. */
  reason?: string;
  fields?: Record<string, string>;
  constructor(code: MillbaseError["code"], message: string, options?: ErrorOptions);
}

/** The rules, the databases and a player. */
export class Millbase {
  private constructor();
  start(): string;
  /** The pairs whose files can be used now, as "9-8". */
  pairs(): string[];
  position(fen: string): PositionInfo;
  play(fen: string, turn: string): string;
  probe(fen: string, options?: AskOptions): Promise<Value>;
  answer(fen: string, options?: AskOptions): Promise<Answer>;
  /** The answer of `millbase serve` to a question with these fields at the path of this name. */
  ask(
    kind: "probe" | "rank" | "line" | "play" | "random" | "turns" | "game" | "rulesets",
    question: Record<string, unknown>,
    options?: AskOptions,
  ): Promise<Record<string, unknown>>;
  /**
   * Fetches ahead what `answer` takes after each of the best turns, for example while a player thinks: two turns, and at most
   * 65536 bytes besides those that nearby ranges share, Infinity for no limit. Whether everything is there now.
   */
  prefetch(fen: string, options?: AskOptions & { turns?: number; bytes?: number }): Promise<boolean>;
  /** At most `limit` turns, 300 without it; Infinity for no limit. */
  line(fen: string, options?: AskOptions & { limit?: number }): Promise<Line>;
  /** Bits of the stones, and 0 where White is to move, 1 where Black is; 1, 0 or -1, and turns to the end or -1. */
  probeMany(
    white: ArrayLike<number>,
    black: ArrayLike<number>,
    toMove: ArrayLike<number>,
    options?: AskOptions,
  ): Promise<{ wdl: Int8Array; dtw: Int16Array }>;
  choose(fen: string, options?: ChooseOptions): Promise<Choice>;
  /** Frees the memory. What is asked afterwards, or still waits for bytes, ends with the code `invalid`; a second call does nothing. */
  close(): void;
}

export function open(options?: OpenOptions): Promise<Millbase>;
export function version(): Promise<string>;
