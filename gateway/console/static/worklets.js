// The two ends of a call on the audio thread, whose clock goes on when the page is in the background.

// A message of about 10 ms at 48 kHz: few enough a second, and short beside a frame.
const CAPTURE_QUANTA = 4;
// The gateway may send this late without a gap being heard; a phone's jitter buffer forgives as much.
const RECEIVER_BUFFER_S = 0.06;
// The gateway sends 0.1 s ahead. More than this unplayed means a broken peer; the rest is dropped.
const MAX_QUEUE_S = 120;
// How often the level of what is heard is told.
const LEVEL_EVERY_S = 0.02;

/** Posts what reaches it as blocks of samples, silence where nothing is connected. */
class CallerCapture extends AudioWorkletProcessor {
  #blocks = [];
  #open = true;

  constructor() {
    super();
    this.port.onmessage = () => (this.#open = false);
  }

  process([input], [output]) {
    this.#blocks.push(input[0]?.slice() ?? new Float32Array(output[0].length));
    if (this.#blocks.length === CAPTURE_QUANTA) {
      this.port.postMessage(joined(this.#blocks));
      this.#blocks = [];
    }
    return this.#open;
  }
}

/** Plays blocks of samples in order and tells when a mark among them is reached. */
class BotPlayback extends AudioWorkletProcessor {
  #queue = []; // { samples, at } or { mark }
  #queuedSamples = 0;
  #sounding = false;
  #open = true;
  #energy = 0;
  #measured = 0;

  constructor() {
    super();
    this.port.onmessage = ({ data }) => this.#receive(data);
  }

  #receive({ samples, mark, clear, close }) {
    if (samples && this.#queuedSamples < MAX_QUEUE_S * sampleRate) {
      this.#queue.push({ samples, at: 0 });
      this.#queuedSamples += samples.length;
    }
    if (mark !== undefined) this.#queue.push({ mark });
    if (clear) this.#clear();
    if (close) this.#open = false;
  }

  /** What was not played is dropped; its marks count as reached, as with Twilio. */
  #clear() {
    for (const entry of this.#queue) this.#reach(entry);
    this.#queue = [];
    this.#queuedSamples = 0;
    this.#sounding = false;
  }

  process(_inputs, [[output]]) {
    if (!this.#sounding) this.#sounding = this.#mayBegin();
    let filled = 0;
    while (this.#sounding && this.#queue.length > 0 && filled < output.length) filled += this.#fill(output, filled);
    if (this.#queue.length === 0) this.#sounding = false;
    this.#reachHead();
    this.#measure(output);
    return this.#open;
  }

  /** A little is kept before a sentence begins; one that ends with a mark is whole, however short. */
  #mayBegin() {
    const whole = this.#queue.some((entry) => entry.mark !== undefined);
    return whole || this.#queuedSamples >= RECEIVER_BUFFER_S * sampleRate;
  }

  #fill(output, filled) {
    const head = this.#queue[0];
    if (head.mark !== undefined) {
      this.#reach(this.#queue.shift());
      return 0;
    }
    const part = head.samples.subarray(head.at, head.at + output.length - filled);
    output.set(part, filled);
    head.at += part.length;
    this.#queuedSamples -= part.length;
    if (head.at === head.samples.length) this.#queue.shift();
    return part.length;
  }

  /** Marks behind the last sample that was played are reached with it. */
  #reachHead() {
    while (this.#queue[0]?.mark !== undefined) this.#reach(this.#queue.shift());
  }

  #reach({ mark }) {
    if (mark !== undefined) this.port.postMessage({ mark });
  }

  #measure(output) {
    for (const sample of output) this.#energy += sample * sample;
    this.#measured += output.length;
    if (this.#measured < LEVEL_EVERY_S * sampleRate) return;
    this.port.postMessage({ level: Math.sqrt(this.#energy / this.#measured) });
    this.#energy = 0;
    this.#measured = 0;
  }
}

function joined(blocks) {
  const whole = new Float32Array(blocks.reduce((sum, block) => sum + block.length, 0));
  let at = 0;
  for (const block of blocks) {
    whole.set(block, at);
    at += block.length;
  }
  return whole;
}

registerProcessor("caller-capture", CallerCapture);
registerProcessor("bot-playback", BotPlayback);
