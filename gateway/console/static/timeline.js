// Who speaks, now and in the last half minute: two meters and a moving picture.

import { words } from "./words.js";

const SPAN_S = 30;
// One bar of the picture.
const BAR_S = 0.1;
const BARS = SPAN_S / BAR_S;
// Below this a line is silent; speech lies 20 to 30 dB above it.
const FLOOR_DBFS = -60;
const SPEAKING_DBFS = -45;
// Speech pauses between words; the name of who speaks does not.
const HOLD_S = 0.6;
// How fast a meter falls, so that it can be read.
const FALL_DB_PER_S = 40;
// Twice a second is what a screen reader and an eye can follow.
const TELL_EVERY_S = 0.5;

/** Loudness of one side: a meter, and what happened in each tenth of a second. */
class Side {
  bars = new Map(); // bar number → dBFS
  shown = FLOOR_DBFS;
  spokeAt = -Infinity;
  #now;

  constructor(now) {
    this.#now = now;
  }

  /** Note the level of a piece of sound, as root mean square. */
  note(rms) {
    const now = this.#now();
    const dbfs = Math.max(FLOOR_DBFS, 20 * Math.log10(rms + 1e-9));
    const bar = Math.floor(now / BAR_S);
    this.bars.set(bar, Math.max(dbfs, this.bars.get(bar) ?? FLOOR_DBFS));
    this.bars.delete(bar - BARS - 1);
    this.shown = Math.max(this.shown, dbfs);
    if (dbfs > SPEAKING_DBFS) this.spokeAt = now;
  }

  get speaks() {
    return this.#now() - this.spokeAt < HOLD_S;
  }
}

/** Draws both sides until it is stopped. Elements: canvas, callerMeter, botMeter, who. */
export class Timeline {
  caller;
  bot;
  #elements;
  #drawnAt = 0;
  #toldAt = 0;
  #request = 0;

  constructor(elements) {
    this.#elements = elements;
    this.caller = new Side(seconds);
    this.bot = new Side(seconds);
  }

  start() {
    this.#drawnAt = seconds();
    this.#request = requestAnimationFrame(() => this.#draw());
  }

  /** Leave the picture, empty the meters. */
  stop() {
    cancelAnimationFrame(this.#request);
    this.caller.shown = this.bot.shown = FLOOR_DBFS;
    this.#drawMeters(0);
    this.#elements.who.textContent = "";
  }

  #draw() {
    const now = seconds();
    this.#drawMeters((now - this.#drawnAt) * FALL_DB_PER_S);
    this.#drawPicture(Math.floor(now / BAR_S));
    this.#drawnAt = now;
    if (now - this.#toldAt > TELL_EVERY_S) this.#tell(now);
    this.#request = requestAnimationFrame(() => this.#draw());
  }

  #drawMeters(fallDb) {
    for (const [side, meter] of [
      [this.caller, this.#elements.callerMeter],
      [this.bot, this.#elements.botMeter],
    ]) {
      side.shown = Math.max(FLOOR_DBFS, side.shown - fallDb);
      meter.setAttribute("aria-valuenow", side.shown.toFixed(0));
      meter.firstElementChild.style.setProperty("--level", (1 - side.shown / FLOOR_DBFS).toFixed(3));
    }
  }

  #tell(now) {
    const key = this.bot.speaks ? "bot_speaks" : this.caller.speaks ? "you_speak" : "quiet";
    this.#elements.who.textContent = words(key);
    this.#toldAt = now;
  }

  #drawPicture(newest) {
    const canvas = this.#elements.canvas;
    const scale = window.devicePixelRatio || 1;
    const width = canvas.clientWidth * scale;
    const height = canvas.clientHeight * scale;
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const pen = canvas.getContext("2d");
    pen.clearRect(0, 0, width, height);
    const colours = getComputedStyle(canvas);
    pen.fillStyle = colours.getPropertyValue("--border");
    pen.fillRect(0, Math.round(height / 2), width, scale);
    drawSide(pen, this.caller.bars, newest, colours.getPropertyValue("--caller"), -1);
    drawSide(pen, this.bot.bars, newest, colours.getPropertyValue("--bot"), 1);
  }
}

/** Bars from the middle line upwards (-1) or downwards (1), the newest at the right. */
function drawSide(pen, bars, newest, colour, direction) {
  const { width, height } = pen.canvas;
  const step = width / BARS;
  const gap = Math.min(1, step / 4);
  pen.fillStyle = colour;
  for (const [number, dbfs] of bars) {
    const length = (1 - dbfs / FLOOR_DBFS) * (height / 2 - 4);
    const x = width - (newest - number + 1) * step;
    if (length > 0) pen.fillRect(x, height / 2 + (direction < 0 ? -length - 1 : 2), step - gap, length);
  }
}

function seconds() {
  return performance.now() / 1000;
}
