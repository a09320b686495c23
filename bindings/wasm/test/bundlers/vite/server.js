// Rendering on the server.

import { open } from "millbase";

const mill = await open();
console.log((await mill.answer("***O**@*/*O@***@*/**@**O** w m s 3 0 4 0 0 0")).dtw);
