/* The sounds of the game, made of tones and of noise: one for each kind of event, so that they can be told apart. */

import { settings } from "./store.js";

/* Each sound is a list of [kind of wave, first frequency, last frequency, start, length, loudness], in Hz and s. */
const SOUNDS = {
  place: [["sine", 210, 120, 0, .09, .5], ["noise", 1800, 900, 0, .03, .25]],
  slide: [["noise", 700, 1500, 0, .14, .16], ["sine", 170, 110, .12, .08, .4]],
  mill: [["triangle", 523, 523, 0, .16, .25], ["triangle", 784, 784, .09, .3, .25]],
  removal: [["sine", 330, 90, 0, .22, .4], ["noise", 2600, 500, 0, .06, .2]],
  end: [["triangle", 392, 392, 0, .2, .22], ["triangle", 494, 494, .16, .2, .22], ["triangle", 587, 587, .32, .5, .22]],
};

let audio = null;

export class Sounds {
  constructor(game) {
    /* `last` is the node whose end is to be heard if the game ends there. */
    Object.assign(this, { game, last: null });
  }

  /* Plays a sound after a delay in s, if the user wants sounds. */
  hear(name, delay = 0) {
    if (!settings.sound) return;
    audio ??= new AudioContext();
    for (const part of SOUNDS[name]) tone(delay, ...part);
  }

  /* The sounds of a turn. A person who closes a mill has heard it before choosing the stone to remove. */
  hearTurn({ from, removed }, side) {
    this.last = this.game.node;
    const isMachine = this.game.players[side] === "machine";
    if (isMachine || removed.length === 0) this.hear(from ? "slide" : "place");
    if (removed.length === 0) return;
    if (isMachine) this.hear("mill", .25);
    this.hear("removal", isMachine ? .6 : 0);
  }

  /* The sound of the end of a game, once, if a turn has led there. */
  hearEnd() {
    if (this.last === this.game.node) this.hear("end", .7);
    this.last = null;
  }
}

function tone(delay, kind, first, last, start, length, loudness) {
  const begin = audio.currentTime + delay + start;
  const volume = audio.createGain();
  volume.gain.setValueAtTime(loudness, begin);
  volume.gain.exponentialRampToValueAtTime(.001, begin + length);
  volume.connect(audio.destination);
  const sweep = frequency => {
    frequency.setValueAtTime(first, begin);
    frequency.exponentialRampToValueAtTime(last, begin + length);
  };
  let source;
  if (kind === "noise") {
    source = audio.createBufferSource();
    source.buffer = noise(length);
    const filter = audio.createBiquadFilter();
    filter.type = "bandpass";
    sweep(filter.frequency);
    source.connect(filter).connect(volume);
  } else {
    source = audio.createOscillator();
    source.type = kind;
    sweep(source.frequency);
    source.connect(volume);
  }
  source.start(begin);
  source.stop(begin + length);
}

function noise(length) {
  const buffer = audio.createBuffer(1, Math.ceil(audio.sampleRate * length), audio.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let place = 0; place < samples.length; place++) samples[place] = 2 * Math.random() - 1;
  return buffer;
}
