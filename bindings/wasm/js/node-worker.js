// The script of a worker for client.js, in Node; worker.js is that for browsers.

import { parentPort } from "node:worker_threads";
import { open } from "./node.js";
import { serve } from "./serve.js";

serve(parentPort, open);
