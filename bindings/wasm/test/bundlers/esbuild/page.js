import { open } from "millbase";
import { connect } from "millbase/client";
import wasm from "millbase/core_bg.wasm";
import { check } from "./check.js";

check(() => open({ wasm }), () => connect(new Worker("worker.js", { type: "module" }), { wasm }));
