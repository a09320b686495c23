// The script of a worker for client.js, in browsers; node-worker.js is that for Node.

import { open } from "./index.js";
import { serve } from "./serve.js";

serve(globalThis, open);
