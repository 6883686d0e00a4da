import assert from "node:assert/strict";
import test from "node:test";

import { Dialect, PhoneLine, read } from "../../../../gateway/console/static/line.js";

const CALL = { callId: "softphone-1", streamId: "stream-1", token: "secret" };

/** A socket that only notes; the test plays the gateway. */
class NotingSocket {
  static OPEN = 1;
  static last = null;
  readyState = 0;
  bufferedAmount = 0;
  sent = [];
  closedWith = null;

  constructor() {
    NotingSocket.last = this;
  }

  send(message) {
    this.sent.push(JSON.parse(message));
  }

  close(code) {
    this.closedWith = code;
  }
}

function opened(on = {}) {
  globalThis.WebSocket = NotingSocket;
  const line = new PhoneLine("ws://gateway/softphone/stream", CALL, { opened: () => undefined, ...on });
  const socket = NotingSocket.last;
  socket.readyState = NotingSocket.OPEN;
  socket.onopen();
  return { line, socket };
}

test("a stream opens with connected and start, the token in its parameters", () => {
  const [connected, start] = new Dialect(CALL).opening().map((message) => JSON.parse(message));
  assert.equal(connected.event, "connected");
  assert.equal(start.streamSid, "stream-1");
  assert.equal(start.start.callSid, "softphone-1");
  assert.deepEqual(start.start.customParameters, { token: "secret" });
  assert.deepEqual(start.start.mediaFormat, { encoding: "audio/x-mulaw", sampleRate: 8000, channels: 1 });
});

test("media counts its chunks and carries base64", () => {
  const dialect = new Dialect(CALL);
  dialect.media(Uint8Array.of(0, 127, 255));
  const { media, sequenceNumber } = JSON.parse(dialect.media(Uint8Array.of(0, 127, 255)));
  assert.deepEqual(media, { track: "inbound", chunk: "2", timestamp: "40", payload: "AH//" });
  assert.equal(sequenceNumber, "2");
});

test("the gateway's messages are read", () => {
  assert.deepEqual([...read('{"event":"media","media":{"payload":"AH//"}}').audio], [0, 127, 255]);
  assert.deepEqual(read('{"event":"mark","mark":{"name":"7"}}'), { mark: "7" });
  assert.deepEqual(read('{"event":"clear","streamSid":"stream-1"}'), { clear: true });
  assert.deepEqual(read('{"event":"something"}'), {});
});

test("what the gateway sends reaches sound, marks and clears", () => {
  const heard = [];
  const { socket } = opened({
    audio: (payload) => heard.push(payload.length),
    mark: (name) => heard.push(name),
    clear: () => heard.push("clear"),
  });
  socket.onmessage({ data: '{"event":"media","media":{"payload":"AH//"}}' });
  socket.onmessage({ data: '{"event":"mark","mark":{"name":"7"}}' });
  socket.onmessage({ data: '{"event":"clear"}' });
  assert.deepEqual(heard, [3, "7", "clear"]);
});

test("nothing is sent before the socket is open", () => {
  globalThis.WebSocket = NotingSocket;
  const line = new PhoneLine("ws://gateway/softphone/stream", CALL, {});
  line.audio(Uint8Array.of(255));
  line.digit("5");
  assert.deepEqual(NotingSocket.last.sent, []);
});

test("keys and reached marks are told to the gateway", () => {
  const { line, socket } = opened();
  line.digit("#");
  line.mark("3");
  const told = socket.sent.slice(2).map(({ event, dtmf, mark }) => [event, dtmf?.digit ?? mark?.name]);
  assert.deepEqual(told, [
    ["dtmf", "#"],
    ["mark", "3"],
  ]);
});

test("a socket that does not drain is given no more audio", () => {
  const { line, socket } = opened();
  socket.bufferedAmount = 1_000_000;
  line.audio(Uint8Array.of(255));
  assert.equal(socket.sent.length, 2);
});

test("hanging up says stop before it closes", () => {
  const { line, socket } = opened();
  line.hangUp();
  assert.equal(socket.sent.at(-1).event, "stop");
  assert.equal(socket.closedWith, 1000);
});
