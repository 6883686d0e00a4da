// A streaming resampler: windowed sinc, one set of taps for each position between two input samples.

// Zero crossings on either side: 32 leave a transition of 500 Hz at 8 kHz, below the band of a telephone.
const CROSSINGS = 32;
// Share of the narrower band that passes untouched.
const PASSBAND = 0.925;
// Kaiser window: images and aliases are 70 dB down.
const KAISER_BETA = 7;

/** Changes the sample rate of one stream. `feed` returns what is ready, `flush` the rest, `reset` forgets. */
export class Resampler {
  #up;
  #down;
  #half;
  #taps;
  #held;
  #at;
  #phase;

  constructor(fromHz, toHz) {
    const common = greatestCommonDivisor(fromHz, toHz);
    this.#up = toHz / common;
    this.#down = fromHz / common;
    const cutoff = 0.5 * Math.min(1, toHz / fromHz) * PASSBAND; // cycles a sample of the input
    this.#half = Math.ceil(CROSSINGS / (2 * cutoff));
    this.#taps = Array.from({ length: this.#up }, (_, phase) => tapsOf(cutoff, this.#half, phase / this.#up));
    this.reset();
  }

  /** Take samples, return those of the other rate that they complete. */
  feed(samples) {
    const input = new Float32Array(this.#held.length + samples.length);
    input.set(this.#held);
    input.set(samples, this.#held.length);
    const output = [];
    while (this.#at + this.#half < input.length) {
      output.push(this.#convolve(input));
      this.#phase += this.#down;
      this.#at += Math.floor(this.#phase / this.#up);
      this.#phase %= this.#up;
    }
    const used = Math.min(this.#at - this.#half + 1, input.length);
    this.#held = input.slice(used);
    this.#at -= used;
    return Float32Array.from(output);
  }

  /** Return what is still held, and begin anew. */
  flush() {
    const rest = this.feed(new Float32Array(this.#half));
    this.reset();
    return rest;
  }

  /** Forget the stream so far. */
  reset() {
    this.#held = new Float32Array(this.#half - 1); // silence before the first sample, so that nothing is delayed
    this.#at = this.#half - 1;
    this.#phase = 0;
  }

  #convolve(input) {
    const taps = this.#taps[this.#phase];
    const first = this.#at - this.#half + 1;
    let sum = 0;
    for (let i = 0; i < taps.length; i++) sum += input[first + i] * taps[i];
    return sum;
  }
}

/** Taps for an output that lies `fraction` after the input sample in the middle; they add up to one. */
function tapsOf(cutoff, half, fraction) {
  const taps = new Float64Array(2 * half);
  let sum = 0;
  for (let i = 0; i < taps.length; i++) {
    const distance = i - half + 1 - fraction;
    taps[i] = sinc(2 * cutoff * distance) * kaiser(distance / half);
    sum += taps[i];
  }
  return taps.map((tap) => tap / sum);
}

function sinc(x) {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

function kaiser(x) {
  return Math.abs(x) > 1 ? 0 : bessel(KAISER_BETA * Math.sqrt(1 - x * x)) / bessel(KAISER_BETA);
}

/** The modified Bessel function of order zero, by its series. */
function bessel(x) {
  let term = 1;
  let sum = 1;
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

function greatestCommonDivisor(a, b) {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
