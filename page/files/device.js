/* Asks the WebAssembly module, which runs in a worker of this browser and reads the databases from a static
   host, and from those kept on this device. */

import { Refused } from "./backend.js";

/* `onLost` is called with the reason when the host gives no bytes of the databases, `onFound` when it does; `onKept` receives the
   progress while databases are being kept. */
export function device({ onLost, onFound, onKept }) {
  const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  const waiting = new Map();
  let last = 0;
  worker.addEventListener("message", ({ data }) => {
    if ("lost" in data) { if (data.lost) onLost(data.lost); else onFound(); return; }
    if ("kept" in data) { onKept(data.kept); return; }
    const question = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.error) question?.reject(new Refused(data.error));
    else question?.resolve(data.answer);
  });
  worker.addEventListener("error", event => {
    event.preventDefault();
    const failure = new Refused({ code: "system", message: event.message || "the module cannot be loaded" });
    for (const { reject } of waiting.values()) reject(failure);
    waiting.clear();
  });
  return (kind, question, { signal } = {}) => new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const id = ++last;
    waiting.set(id, { resolve, reject });
    signal?.addEventListener("abort", () => {
      if (!waiting.delete(id)) return;
      worker.postMessage({ abort: id });
      reject(signal.reason);
    });
    const fields = Object.fromEntries(Object.entries(question).filter(([, value]) => value != null && value !== ""));
    worker.postMessage({ id, kind, question: fields });
  });
}
