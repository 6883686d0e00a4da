// The softphone's page: one call at a time, as a phone platform would hold it.

import { ask, askUnlocked, Refusal, request } from "./access.js";
import { byId, make, show } from "./elements.js";
import { PhoneLine } from "./line.js";
import { Sound } from "./sound.js";
import { Timeline } from "./timeline.js";
import { forgetTurns, showTurns } from "./transcript.js";
import { known, localise, words } from "./words.js";

const KEYS = "123456789*0#";
// The record of a call is asked for while it is on; a turn is in it when it is over.
const TRANSCRIPT_EVERY_MS = 1500;
// After the line is closed the gateway ends the call's record within a second.
const LAST_TRIES = 5;
// WebSocket close codes that mean a call was ended, not lost.
const ENDED_WELL = new Set([1000, 1005]);

const timeline = new Timeline({
  canvas: byId("timeline"),
  callerMeter: byId("caller-level"),
  botMeter: byId("bot-level"),
  who: byId("who"),
});

/** The call that is on or being placed; null between calls. */
let call = null;

class Call {
  #sound = null;
  #line = null;
  #callId = "";
  #connectedAt = 0;
  #clock = 0;
  #over = false;

  /** Take microphone, place and line, in this order: a refused microphone keeps no place at the gateway. */
  async place() {
    this.#sound = await Sound.open({
      frame: (payload) => this.#line?.audio(payload),
      callerLevel: (rms) => timeline.caller.note(rms),
      botLevel: (rms) => timeline.bot.note(rms),
      mark: (name) => this.#line?.mark(name),
    });
    if (!this.#over && chosenSource() === "microphone") await useMicrophone(this.#sound);
    if (this.#over) return this.#sound.close(); // hung up meanwhile
    const { stream_url, call_id, token } = await askUnlocked("POST", `/softphone/call${chosenBot()}`);
    if (this.#over) return; // the gateway gives the place back when the token's time is over
    this.#callId = call_id;
    this.#open(stream_url, { callId: call_id, streamId: `stream-${crypto.randomUUID()}`, token });
  }

  #open(streamUrl, ids) {
    // By the way that this page came: the public address may not be reachable from here.
    const url = new URL(new URL(streamUrl).pathname, location.href);
    url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    const line = new PhoneLine(url, ids, {
      opened: () => this.#connected(line),
      audio: (payload) => this.#sound.play(payload),
      mark: (name) => this.#sound.mark(name),
      clear: () => this.#sound.clear(),
      closed: (code) => ended(this, this.#connectedAt && ENDED_WELL.has(code) ? "" : words("call_lost")),
    });
    this.#closing = () => line.hangUp();
  }

  #closing = () => ended(this, "");

  #connected(line) {
    this.#line = line;
    this.#connectedAt = Date.now();
    this.#clock = setInterval(() => this.#tick(), 250);
    render("call_on");
    timeline.start();
    this.#follow();
  }

  #tick() {
    const seconds = Math.floor((Date.now() - this.#connectedAt) / 1000);
    byId("clock").textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  }

  hangUp() {
    this.#closing();
  }

  digit(digit) {
    this.#line?.digit(digit);
  }

  mute(muted) {
    this.#sound.muted = muted;
  }

  get connected() {
    return this.#line !== null && !this.#over;
  }

  /** Say a recording on the line; rejects when it cannot be had. */
  async say(file) {
    const response = await request("GET", `/softphone/callers/${file}`);
    const wav = await response.arrayBuffer();
    if (!this.#over) await this.#sound.say(wav);
  }

  /** Release everything; once. */
  async close() {
    this.#over = true;
    this.#line = null;
    clearInterval(this.#clock);
    await this.#sound?.close();
  }

  /** Show the transcript while the call is on, and a last time when its record is complete. */
  async #follow() {
    let left = LAST_TRIES;
    while (left > 0) {
      await new Promise((resolve) => setTimeout(resolve, TRANSCRIPT_EVERY_MS));
      if (call !== this && call !== null) return; // the next call has the page
      if (this.#over) left -= 1;
      const record = await ask("GET", `/calls/${this.#callId}`).catch((error) => error);
      if (record.turns) showTurns(byId("transcript"), record.turns, "caller");
      if (record.status === 404) byId("transcript").append(make("p", { class: "hint" }, words("not_kept")));
      if (record.ended || record.status) return;
    }
  }
}

/** No microphone; the message is for the reader. */
class NoMicrophone extends Error {}

async function useMicrophone(sound) {
  if (!navigator.mediaDevices) throw new NoMicrophone(words("mic_insecure"));
  try {
    await sound.useMicrophone();
  } catch (error) {
    throw new NoMicrophone(words("mic_failed", { reason: error.name }), { cause: error });
  }
}

/** What the reader is told of a call that could not be placed. */
function problemOf(error) {
  if (error instanceof NoMicrophone) return error.message;
  if (!(error instanceof Refusal)) return words("no_answer");
  if (error.status === 401) return words("locked");
  return known(error.code) ? words(error.code) : `${error.status} ${error.code}`;
}

async function pressed() {
  if (call) return call.hangUp();
  call = new Call();
  const placed = call;
  render("connecting");
  show(byId("problem"), false);
  forgetTurns(byId("transcript"));
  showTurns(byId("transcript"), [], "caller");
  try {
    await placed.place();
  } catch (error) {
    ended(placed, problemOf(error));
  }
}

/** The call is over; `problem` is shown, where there is one. */
async function ended(over, problem) {
  if (call !== over) return;
  call = null;
  timeline.stop();
  render(problem ? "call_failed" : "call_ended");
  show(byId("problem"), Boolean(problem), problem);
  await over.close();
}

function render(state) {
  const button = byId("call");
  byId("state").textContent = words(state);
  button.textContent = words(call ? "hang_up" : "call");
  button.classList.toggle("on", call !== null);
  const connected = call?.connected ?? false;
  byId("mute").disabled = !connected;
  if (!connected) setMute(false);
  byId("sources").disabled = call !== null;
  for (const key of document.querySelectorAll("#keypad button, #caller-list button")) key.disabled = !connected;
}

function setMute(muted) {
  const button = byId("mute");
  button.setAttribute("aria-pressed", String(muted));
  button.textContent = words(muted ? "muted" : "mute");
  if (call?.connected) call.mute(muted);
}

function chosenSource() {
  return document.querySelector("input[name=source]:checked").value;
}

function showSource() {
  show(byId("callers"), chosenSource() === "recordings");
}

function say(file) {
  call.say(file).catch(() => show(byId("problem"), true, words("no_answer")));
}

/** The bot that the page's own address names, as /softphone?bot=billing does. */
function chosenBot() {
  const bot = new URLSearchParams(location.search).get("bot");
  return bot ? `?bot=${encodeURIComponent(bot)}` : "";
}

async function listCallers() {
  const items = (await ask("GET", "/softphone/callers")).map(({ file, text }) => {
    const button = make("button", { type: "button", disabled: "", "data-file": file }, text);
    button.addEventListener("click", () => say(file));
    return make("li", { lang: "en" }, button);
  });
  byId("caller-list").replaceChildren(...items);
  for (const button of byId("caller-list").querySelectorAll("button")) button.disabled = !call?.connected;
}

function typed(event) {
  const inField = event.target.closest("input, dialog");
  if (KEYS.includes(event.key) && !inField && !event.repeat) call?.digit(event.key);
}

localise();
for (const key of KEYS) byId("keypad").append(make("button", { type: "button", onclick: () => call.digit(key) }, key));
byId("call").addEventListener("click", pressed);
byId("mute").addEventListener("click", () => setMute(byId("mute").getAttribute("aria-pressed") !== "true"));
byId("sources").addEventListener("change", showSource);
document.addEventListener("keydown", typed);
window.addEventListener("pagehide", () => call?.hangUp());
render("idle");
showSource();
listCallers().catch(() => show(byId("problem"), true, words("no_answer")));
ask("GET", "/console/status")
  .then(({ insecure_dev }) => show(byId("insecure"), insecure_dev))
  .catch(() => show(byId("problem"), true, words("no_answer")));
