import assert from "node:assert/strict";
import test from "node:test";

const QUANTUM = 128;
const PROCESSORS = new Map();
globalThis.sampleRate = 48000;
globalThis.AudioWorkletProcessor = class {
  port = {
    told: [],
    postMessage(message) {
      this.told.push(message);
    },
  };
};
globalThis.registerProcessor = (name, processor) => PROCESSORS.set(name, processor);
await import("../../../../gateway/console/static/worklets.js");

class Playback {
  constructor() {
    this.processor = new (PROCESSORS.get("bot-playback"))();
  }

  give(message) {
    this.processor.port.onmessage({ data: message });
  }

  /** Run the audio thread and return what it played. */
  play(quanta) {
    const heard = [];
    for (let n = 0; n < quanta; n++) {
      const output = new Float32Array(QUANTUM);
      this.alive = this.processor.process([], [[output]]);
      heard.push(...output);
    }
    return heard;
  }

  get marks() {
    return this.processor.port.told.filter((message) => "mark" in message).map(({ mark }) => mark);
  }
}

/** Samples that tell their own place: 1/65536, 2/65536, … */
function counting(length, from = 1) {
  return Float32Array.from({ length }, (_, n) => (from + n) / 65536);
}

test("blocks are played in order, without a gap, whatever their size", () => {
  const playback = new Playback();
  playback.give({ samples: counting(5000) });
  playback.give({ samples: counting(77, 5001) });
  playback.give({ samples: counting(3000, 5078) });
  assert.deepEqual(playback.play(63), [...counting(8064)]);
});

test("a sentence begins when a little of it is there", () => {
  const playback = new Playback();
  playback.give({ samples: counting(960) });
  assert.ok(playback.play(4).every((sample) => sample === 0));
  playback.give({ samples: counting(1920, 961) });
  assert.equal(playback.play(1)[0], counting(1)[0]);
});

test("a short sentence that is whole does not wait for more", () => {
  const playback = new Playback();
  playback.give({ samples: counting(200) });
  playback.give({ mark: "1" });
  assert.deepEqual(playback.play(2).slice(0, 200), [...counting(200)]);
});

test("a mark is told when what is before it has been played, and once", () => {
  const playback = new Playback();
  playback.give({ samples: counting(10 * QUANTUM) });
  playback.give({ mark: "1" });
  playback.give({ samples: counting(QUANTUM) });
  playback.play(9);
  assert.deepEqual(playback.marks, []);
  playback.play(1);
  assert.deepEqual(playback.marks, ["1"]);
  playback.play(50);
  assert.deepEqual(playback.marks, ["1"]);
});

test("a mark on an empty queue is reached at once", () => {
  const playback = new Playback();
  playback.give({ mark: "1" });
  playback.play(1);
  assert.deepEqual(playback.marks, ["1"]);
});

test("a clear silences at once and returns the waiting marks", () => {
  const playback = new Playback();
  playback.give({ samples: counting(48000) });
  playback.give({ mark: "1" });
  playback.give({ mark: "2" });
  playback.play(5);
  playback.give({ clear: true });
  assert.deepEqual(playback.marks, ["1", "2"]);
  assert.ok(playback.play(20).every((sample) => sample === 0));
});

test("an endless sender does not fill the memory", () => {
  const playback = new Playback();
  const second = counting(48000);
  for (let n = 0; n < 200; n++) playback.give({ samples: second });
  playback.give({ mark: "end" });
  playback.play((121 * 48000) / QUANTUM);
  assert.deepEqual(playback.marks, ["end"]);
});

test("a long call is heard to its end, each sentence with a little kept before it", () => {
  const playback = new Playback();
  const second = counting(48000);
  for (let n = 0; n < 130; n++) {
    playback.give({ samples: second });
    assert.equal(playback.play(375).at(-1), second.at(-1), `second ${n}`);
  }
  playback.give({ samples: counting(960) });
  assert.ok(playback.play(4).every((sample) => sample === 0));
});

test("the level of what is heard is told fifty times a second", () => {
  const playback = new Playback();
  playback.give({ samples: new Float32Array(48000).fill(0.25) });
  playback.play(375);
  const levels = playback.processor.port.told.map(({ level }) => level);
  assert.ok(levels.length >= 45 && levels.length <= 51, `${levels.length}`);
  assert.ok(levels.every((level) => Math.abs(level - 0.25) < 1e-6));
});

test("a closed playback lets its node go", () => {
  const playback = new Playback();
  playback.play(1);
  assert.equal(playback.alive, true);
  playback.give({ close: true });
  playback.play(1);
  assert.equal(playback.alive, false);
});

test("the capture gives every sample, and silence where nothing is connected", () => {
  const capture = new (PROCESSORS.get("caller-capture"))();
  const output = [new Float32Array(QUANTUM)];
  for (let n = 0; n < 4; n++) capture.process([[counting(QUANTUM, 1 + n * QUANTUM)]], [output]);
  for (let n = 0; n < 4; n++) assert.equal(capture.process([[]], [output]), true);
  assert.deepEqual([...capture.port.told[0]], [...counting(4 * QUANTUM)]);
  assert.deepEqual([...capture.port.told[1]], new Array(4 * QUANTUM).fill(0));
  capture.port.onmessage();
  assert.equal(capture.process([[]], [output]), false);
});
