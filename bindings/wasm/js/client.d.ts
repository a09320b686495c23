/** Databases and a player in a worker whose script is `millbase/worker`. */

import type { Millbase, OpenOptions, PositionInfo, RemoteFile } from "./index.js";

export { MillbaseError } from "./index.js";

/** A worker of the browser, or of `node:worker_threads`. */
export interface WorkerLike {
  postMessage(message: unknown): void;
}

/** What `open` takes, as far as it can go to a worker. */
export interface ConnectOptions extends Omit<OpenOptions, "files" | "wasm"> {
  /** Addresses are those of the page. A `read` of your own is an error with the code `source`. */
  files?: Record<string, ArrayBuffer | ArrayBufferView | Blob | string | URL | RemoteFile>;
  wasm?: ArrayBuffer | ArrayBufferView | URL | string;
}

/** `Millbase` in a worker: every method gives a promise, and a signal ends it at once. */
export class WorkerMillbase implements Pick<Millbase, "probe" | "answer" | "ask" | "prefetch" | "line" | "probeMany" | "choose"> {
  /** `connect` makes it. */
  private constructor();
  start(): Promise<string>;
  pairs(): Promise<string[]>;
  position(fen: string): Promise<PositionInfo>;
  play(fen: string, turn: string): Promise<string>;
  probe: Millbase["probe"];
  answer: Millbase["answer"];
  ask: Millbase["ask"];
  prefetch: Millbase["prefetch"];
  line: Millbase["line"];
  probeMany: Millbase["probeMany"];
  choose: Millbase["choose"];
  /** Frees the memory of the databases; what is asked afterwards, or still waits, ends with the code `invalid`. The worker stays. */
  close(): void;
  /** `close`, for `using`; in environments that have the symbol. */
  [Symbol.dispose](): void;
}

/** Opens databases in a worker, which may hold those of several calls. */
export function connect(worker: WorkerLike, options?: ConnectOptions): Promise<WorkerMillbase>;
