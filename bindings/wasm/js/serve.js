// A worker's part: opens databases and answers the questions of client.js.

/**
 * Answers the calls that come to a port; `open` is that of the package's entry.
 *
 *     { id, of, call, args, options }    a call of `open` or of a method; `of` numbers the databases
 *     { cancel }                         the call with this id is to end
 *
 * The answer to a call is `{ id, answer }` or `{ id, error }`.
 */
export function serve(port, open) {
  const opened = new Map();
  const running = new Map();

  const answer = async ({ of, call, args, options }, signal) => {
    if (call === "open") {
      const mill = await open({ ...options, signal });
      // Nobody knows of databases whose call was ended.
      if (signal.aborted) mill.close();
      else opened.set(of, mill);
      return undefined;
    }
    const found = await opened.get(of)[call](...args, { ...options, signal });
    if (call === "close") opened.delete(of);
    return found;
  };

  port.onmessage = async ({ data }) => {
    if (data.cancel !== undefined) {
      running.get(data.cancel)?.abort();
      return;
    }
    const { id } = data;
    const controller = new AbortController();
    running.set(id, controller);
    try {
      port.postMessage({ id, answer: await answer(data, controller.signal) });
    } catch (error) {
      const { name, code, message, reason, fields } = error;
      port.postMessage({ id, error: { name, code, message, reason, fields } });
    }
    running.delete(id);
  };
}
