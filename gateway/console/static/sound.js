// The sound of one call in the browser: microphone or recordings in, the bot's frames out.

import { compand, expand, SILENCE } from "./g711.js";
import { Resampler } from "./resampler.js";

const LINE_HZ = 8000;
const FRAME_SAMPLES = 160;
const SILENT_FRAME = new Uint8Array(FRAME_SAMPLES).fill(SILENCE);
// A recording is heard beside the bot, and softer.
const RECORDING_GAIN = 0.5;

/** Opened by a click, closed by `close`. `on` has frame(payload), callerLevel(rms), botLevel(rms) and mark(name). */
export class Sound {
  muted = false;
  #context;
  #capture;
  #playback;
  #microphone = null;
  #recording = null;
  #on;
  #toLine;
  #fromLine;
  #samples = [];

  /** Begin to give frames, of silence until there is a source. */
  static async open(on) {
    const context = new AudioContext({ latencyHint: "interactive" });
    await context.audioWorklet.addModule(new URL("worklets.js", import.meta.url));
    await context.resume();
    return new Sound(context, on);
  }

  constructor(context, on) {
    this.#context = context;
    this.#on = on;
    this.#toLine = new Resampler(context.sampleRate, LINE_HZ);
    this.#fromLine = new Resampler(LINE_HZ, context.sampleRate);
    const mono = { channelCount: 1, channelCountMode: "explicit", outputChannelCount: [1] };
    this.#capture = new AudioWorkletNode(context, "caller-capture", mono);
    this.#playback = new AudioWorkletNode(context, "bot-playback", { ...mono, numberOfInputs: 0 });
    this.#capture.port.onmessage = ({ data }) => this.#captured(data);
    this.#playback.port.onmessage = ({ data }) => this.#played(data);
    this.#capture.connect(context.destination); // silent; only what is connected is run
    this.#playback.connect(context.destination);
  }

  /** Ask for the microphone and put it on the line; rejects when it is not given. */
  async useMicrophone() {
    const audio = { echoCancellation: true, noiseSuppression: true, autoGainControl: true };
    this.#microphone = await navigator.mediaDevices.getUserMedia({ audio });
    this.#context.createMediaStreamSource(this.#microphone).connect(this.#capture);
  }

  /** Play a recording as the caller's voice; one that is on already is broken off. */
  async say(wav) {
    const buffer = await this.#context.decodeAudioData(wav);
    this.#recording?.stop();
    const source = new AudioBufferSourceNode(this.#context, { buffer });
    const monitor = new GainNode(this.#context, { gain: RECORDING_GAIN });
    source.connect(this.#capture);
    source.connect(monitor).connect(this.#context.destination);
    source.onended = () => monitor.disconnect();
    source.start();
    this.#recording = source;
  }

  /** Queue a frame of the bot's. */
  play(payload) {
    this.#queue(this.#fromLine.feed(expand(payload)));
  }

  /** Have on.mark called when everything queued so far has been played. */
  mark(name) {
    this.#queue(this.#fromLine.flush());
    this.#playback.port.postMessage({ mark: name });
  }

  /** Be silent at once; waiting marks are told. */
  clear() {
    this.#fromLine.reset();
    this.#playback.port.postMessage({ clear: true });
  }

  /** Give the microphone back and end all sound; it may be called again. */
  async close() {
    for (const track of this.#microphone?.getTracks() ?? []) track.stop();
    this.#capture.port.postMessage("close");
    this.#playback.port.postMessage({ close: true });
    if (this.#context.state !== "closed") await this.#context.close();
  }

  #queue(samples) {
    if (samples.length > 0) this.#playback.port.postMessage({ samples }, [samples.buffer]);
  }

  #captured(block) {
    this.#samples.push(...this.#toLine.feed(block));
    while (this.#samples.length >= FRAME_SAMPLES) {
      const frame = this.#samples.splice(0, FRAME_SAMPLES);
      this.#on.callerLevel(this.muted ? 0 : rms(frame));
      this.#on.frame(this.muted ? SILENT_FRAME : compand(frame));
    }
  }

  #played({ mark, level }) {
    if (mark !== undefined) this.#on.mark(mark);
    if (level !== undefined) this.#on.botLevel(level);
  }
}

function rms(samples) {
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
}
