/* Asks the server of the page over HTTP. */

import { Refused } from "./backend.js";
import { wait } from "./wait.js";

const RETRY = 2000; // ms between attempts to reach the server
const MOST_BUSY = 4; // attempts while the server is busy

/* `onLost` is called when the server cannot be reached, `onFound` when it answers. */
export const server = ({ onLost, onFound }) => async (kind, { text, ...question }, how) => {
  const options = text === undefined ? how : { ...how, method: "POST", body: text };
  const fields = Object.entries(question).filter(([, value]) => value != null && value !== "");
  const address = `/${kind}?${new URLSearchParams(fields)}`;
  for (let attempt = 1; ; attempt++) {
    let response, body;
    try {
      response = await fetch(address, options);
      // A connection can be cut in the middle, and a proxy without its server answers in HTML.
      body = await response.json();
    } catch (failure) {
      if (failure.name === "AbortError") throw failure;
      onLost();
      await wait(RETRY);
      continue;
    }
    onFound();
    if (response.ok) return body;
    if (response.status === 503 && body.error.code === "busy" && attempt < MOST_BUSY) {
      await wait(500 * attempt);
      continue;
    }
    throw new Refused(body.error);
  }
};
