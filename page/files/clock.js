/* The clocks of a game: the time that each side has left. They run while a turn of the game is awaited. */

const TICK = 200; // ms between two looks at the clock

/* The offers: minutes for the game, and seconds that each turn adds. */
export const CLOCKS = ["", "1+0", "3+2", "5+3", "10+5", "15+10"];

export class Clock {
  /* `changed` is called when a time shown changes, `fallen` with the side whose time is over. */
  constructor({ changed, fallen }) {
    Object.assign(this, { changed, fallen, left: null, side: null });
    setInterval(() => this.tick(), TICK);
  }

  get isOn() { return this.left !== null; }

  /* Sets both clocks, or puts them away: "5+3" gives five minutes, and three seconds for each turn. */
  set(offer) {
    const [minutes, seconds] = (offer || "").split("+").map(Number);
    this.left = offer ? { white: minutes * 60_000, black: minutes * 60_000 } : null;
    this.added = offer ? seconds * 1000 : 0;
    this.side = null;
  }

  /* The state as plain data, and clocks of such data. */
  get state() { return this.left && { left: { ...this.left }, added: this.added }; }
  resume(state) {
    this.left = state?.left ?? null;
    this.added = state?.added ?? 0;
    this.side = null;
  }

  /* Lets the clock of a side run, or none; the side that has moved gets its seconds. */
  run(side, hasMoved) {
    if (!this.isOn || side === this.side) return;
    if (hasMoved && this.side) this.left[this.side] += this.added;
    this.side = side;
    this.since = performance.now();
    this.changed();
  }

  tick() {
    const { side } = this;
    if (!this.isOn || !side) return;
    const now = performance.now();
    const before = this.words(side);
    this.left[side] = Math.max(0, this.left[side] - (now - this.since));
    this.since = now;
    if (this.words(side) !== before) this.changed();
    if (this.left[side] > 0) return;
    this.side = null;
    this.fallen(side);
  }

  /* The time left of a side, as a clock shows it. */
  words(side) {
    const seconds = this.left[side] / 1000;
    const whole = Math.ceil(seconds);
    if (seconds < 9.95) return `0:0${seconds.toFixed(1)}`;
    return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
  }
}
