import { open } from "millbase";
import { connect } from "millbase/client";
import { check } from "./check.js";

check(() => open(), () => connect(new Worker(new URL("millbase/worker", import.meta.url), { type: "module" })));
