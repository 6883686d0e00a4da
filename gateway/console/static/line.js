// Twilio's media stream as the platform speaks it: JSON text, µ-law in base64. The other end is platforms/twilio.py.

const FRAME_MS = 20;
// Five seconds of frames that the socket could not send: the line is stuck, newer frames are dropped.
const MAX_UNSENT_BYTES = 64 * 1024;
const NORMAL_CLOSURE = 1000;

/** The messages of one stream; no socket, so that they can be tested alone. */
export class Dialect {
  #call;
  #sequence = 0;
  #chunk = 0;

  /** `call` has callId, streamId and token. */
  constructor(call) {
    this.#call = call;
  }

  opening() {
    const { callId, streamId, token } = this.#call;
    const start = {
      accountSid: "softphone",
      callSid: callId,
      streamSid: streamId,
      tracks: ["inbound"],
      mediaFormat: { encoding: "audio/x-mulaw", sampleRate: 8000, channels: 1 },
      customParameters: { token },
    };
    return [JSON.stringify({ event: "connected", protocol: "Call", version: "1.0.0" }), this.#message("start", start)];
  }

  media(payload) {
    this.#chunk += 1;
    return this.#message("media", {
      track: "inbound",
      chunk: String(this.#chunk),
      timestamp: String(this.#chunk * FRAME_MS),
      payload: btoa(String.fromCharCode(...payload)),
    });
  }

  digit(digit) {
    return this.#message("dtmf", { track: "inbound_track", digit });
  }

  mark(name) {
    return this.#message("mark", { name });
  }

  stop() {
    return this.#message("stop", { accountSid: "softphone", callSid: this.#call.callId });
  }

  #message(event, body) {
    this.#sequence += 1;
    return JSON.stringify({
      event,
      sequenceNumber: String(this.#sequence),
      streamSid: this.#call.streamId,
      [event]: body,
    });
  }
}

/** Read a message of the gateway: { audio }, { mark } or { clear }; {} for what means nothing to a phone. */
export function read(text) {
  const body = JSON.parse(text);
  if (body.event === "media") return { audio: Uint8Array.from(atob(body.media.payload), (c) => c.charCodeAt(0)) };
  if (body.event === "mark") return { mark: body.mark.name };
  return body.event === "clear" ? { clear: true } : {};
}

/** One call's socket. `on` has opened(), audio(payload), mark(name), clear() and closed(code), told once. */
export class PhoneLine {
  #socket;
  #dialect;

  constructor(url, call, on) {
    this.#dialect = new Dialect(call);
    this.#socket = new WebSocket(url);
    this.#socket.onopen = () => {
      for (const message of this.#dialect.opening()) this.#socket.send(message);
      on.opened();
    };
    this.#socket.onmessage = ({ data }) => {
      const { audio, mark, clear } = read(data);
      if (audio) on.audio(audio);
      if (mark !== undefined) on.mark(mark);
      if (clear) on.clear();
    };
    this.#socket.onclose = ({ code }) => on.closed(code);
  }

  audio(payload) {
    if (this.#socket.bufferedAmount < MAX_UNSENT_BYTES) this.#send(() => this.#dialect.media(payload));
  }

  digit(digit) {
    this.#send(() => this.#dialect.digit(digit));
  }

  mark(name) {
    this.#send(() => this.#dialect.mark(name));
  }

  /** End the call from our side; `closed` follows. */
  hangUp() {
    this.#send(() => this.#dialect.stop());
    this.#socket.close(NORMAL_CLOSURE);
  }

  #send(message) {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(message());
  }
}
