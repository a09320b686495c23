/** Perfect play for Nine Men's Morris. */

/// <reference lib="esnext.disposable" />

import type { Questions } from "./questions.js";

export type * from "./questions.js";

export type Wdl = "win" | "draw" | "loss";
export type Phase = "placing" | "moving" | "flying" | "over";
export type Side = "white" | "black";
export type RulesName = "standard" | "standard-100" | "no-flying" | "ten" | "lasker" | "twelve" | "morabaraba" | "dooz";
/** Where a value comes from: the rules, if the game is over, a database, or a search that ends in databases. */
export type ValueSource = "rules" | "database" | "search";

/** Settings of rules, as in the files that docs/RULES.md in the repository describes. */
export interface RuleSettings {
  stones?: number;
  diagonals?: boolean;
  flying?: number;
  removal_from_mills?: boolean;
  removal_per_mill?: boolean;
  removal_while_placing?: "board" | "hand";
  blocked?: "loses" | "passes";
  full_board?: "loses" | "draws" | "removes";
  moves_while_placing?: boolean;
  first_to_move?: "white" | "black";
  quiet_turns?: number;
  quiet_turns_flying?: number;
}

/** Settings that differ from those of a set, by default the standard one. */
export interface OwnRules extends RuleSettings {
  base?: RulesName;
}

/** The value of a position for its side to move. */
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
  source: ValueSource;
  /** The turns of the best line after which the usual 100 quiet turns draw the game, if they do. */
  drawn_after?: number;
  /** Best first. */
  turns: RankedTurn[];
}

export interface Line {
  turns: RankedTurn[];
  end: "over" | "repetition" | "quiet" | "limit";
}

/** What a search thinks, for the side to move: turns to the end, or an evaluation. */
export type Score = { win: number | null } | { loss: number | null } | { estimate: number };

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
  /** The name of a set, the text of a file with settings, or settings; "standard" without it. */
  rules?: RulesName | (string & {}) | OwnRules;
  /**
   * Files by their names, as "9-8.mill" or "placing-14.mill"; another name is `invalid`. A file takes the place of a built-in pair:
   * if it cannot be read, questions that need it fail.
   */
  files?: Record<string, FileSource>;
  /** A file that `millbase bundle` made: all databases in one. */
  bundle?: FileSource;
  /** Bytes of each file that stay in memory between questions; 64 MiB, Infinity for all. */
  cacheBytes?: number;
  /** The most bytes of decoded blocks and values that stay in memory; 48 MiB. */
  decodedBytes?: number;
  /** The module's bytes, or where they are; found beside this package without it. */
  wasm?: ArrayBuffer | ArrayBufferView | Response | URL | string;
  signal?: AbortSignal;
}

export interface AskOptions {
  /** Ends the question; bytes that have come stay. A search with a signal pauses for the event loop every 40 milliseconds. */
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
  /** `open` makes it. */
  private constructor();
  start(): string;
  /** The pairs, as "9-8", that are built in or whose files `open` was given, whether or not these have been read. */
  pairs(): string[];
  position(fen: string): PositionInfo;
  play(fen: string, turn: string): string;
  probe(fen: string, options?: AskOptions): Promise<Value>;
  answer(fen: string, options?: AskOptions): Promise<Answer>;
  /** The answer of `millbase serve` to a question with these fields at the path of this name. */
  ask<Kind extends keyof Questions>(kind: Kind, question: Questions[Kind]["question"], options?: AskOptions): Promise<Questions[Kind]["answer"]>;
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
  /**
   * A player's turn. Without a signal its search keeps the thread to the end. Below level 30 a turn may keep it for half a second
   * even with one.
   */
  choose(fen: string, options?: ChooseOptions): Promise<Choice>;
  /** Frees the memory. What is asked afterwards, or still waits for bytes, ends with the code `invalid`; a second call does nothing. */
  close(): void;
  /** `close`, for `using`; in environments that have the symbol. */
  [Symbol.dispose](): void;
}

export function open(options?: OpenOptions): Promise<Millbase>;
export function version(): Promise<string>;
