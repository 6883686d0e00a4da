import assert from "node:assert/strict";
import test from "node:test";

import { Resampler } from "../../../../gateway/console/static/resampler.js";

const RATES = [
  [48000, 8000],
  [44100, 8000],
  [8000, 48000],
  [8000, 44100],
];

function tone(hz, rateHz, seconds) {
  return Float32Array.from({ length: rateHz * seconds }, (_, n) => 0.5 * Math.sin((2 * Math.PI * hz * n) / rateHz));
}

function whole(resampler, ...parts) {
  return [...parts.flatMap((part) => [...resampler.feed(part)]), ...resampler.flush()];
}

function dbfs(samples) {
  const middle = samples.slice(samples.length / 4, (3 * samples.length) / 4);
  return 10 * Math.log10(middle.reduce((sum, x) => sum + x * x, 0) / middle.length);
}

for (const [from, to] of RATES) {
  test(`${from} to ${to} Hz keeps a tone's level, place and length`, () => {
    const output = whole(new Resampler(from, to), tone(1000, from, 0.5));
    assert.ok(Math.abs(output.length - to / 2) <= 1, `${output.length}`);
    const wanted = tone(1000, to, 0.5);
    const error = output.slice(to / 10, (to * 4) / 10).map((x, n) => x - wanted[n + to / 10]);
    assert.ok(dbfs(error) < -60, `${dbfs(error)}`);
  });

  test(`${from} to ${to} Hz gives the same however the input is cut`, () => {
    const input = tone(700, from, 0.2);
    const wanted = whole(new Resampler(from, to), input);
    for (const size of [1, 7, 128, 961]) {
      const parts = [];
      for (let at = 0; at < input.length; at += size) parts.push(input.slice(at, at + size));
      assert.deepEqual(whole(new Resampler(from, to), ...parts), wanted, `pieces of ${size}`);
    }
  });
}

test("what a telephone cannot carry is removed", () => {
  for (const hz of [4600, 5000, 9000, 15000]) {
    assert.ok(dbfs(whole(new Resampler(48000, 8000), tone(hz, 48000, 0.5))) < -60, `${hz} Hz`);
  }
});

test("after a flush the next stream is not touched by the last", () => {
  const resampler = new Resampler(48000, 8000);
  const first = whole(resampler, tone(500, 48000, 0.1));
  assert.deepEqual(whole(resampler, tone(500, 48000, 0.1)), first);
});
