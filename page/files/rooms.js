/* The parts that the first turn does not need. A server sends them as a script of their own, which loads after the others. */

export { Builder } from "./builder.js";
export { Coach } from "./coach.js";
export { Gallery } from "./gallery.js";
export { drawGraph } from "./graph.js";
export { Keeper } from "./keeper.js";
export { savePicture } from "./picture.js";
export { Puzzles } from "./puzzles.js";
export { Sounds } from "./sound.js";
export { Stats } from "./stats.js";
export { Teacher } from "./teacher.js";
export { Trainer } from "./trainer.js";
