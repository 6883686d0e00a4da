// The turns of one call as GET /calls/{id} tells them: what was said, and where the time went.

import { make } from "./elements.js";
import { known, words } from "./words.js";

const shown = new WeakMap(); // element → its turns as JSON

/**
 * Show a call's turns in an element; `caller` is the key of the words that name the caller to the reader.
 * What the reader has unfolded stays so, and nothing is touched when nothing is new.
 */
export function showTurns(element, turns, caller) {
  const json = JSON.stringify(turns);
  if (shown.get(element) === json && element.firstChild) return;
  const open = [...element.querySelectorAll(".turns > li")].map((item) => item.querySelector("details[open]") !== null);
  element.replaceChildren(list(turns, caller));
  element.querySelectorAll(".turns > li").forEach((item, place) => {
    if (open[place]) item.querySelector("details")?.setAttribute("open", "");
  });
  shown.set(element, json);
}

/** Empty the element, whose next call has nothing to do with the last. */
export function forgetTurns(element) {
  element.replaceChildren();
  shown.delete(element);
}

/** Show which tools the bot used in a call, when, for how long and how it went; nothing where it used none. */
export function showTools(element, tools) {
  const items = tools.map(({ name, outcome, began_s, duration_s }) => {
    const ran = words("tool", { name, at: clock(began_s), seconds: duration_s.toFixed(1) });
    const state = outcome === "ok" ? [] : [" ", make("span", { class: "note bad" }, outcome)];
    return make("li", {}, ran, ...state);
  });
  element.replaceChildren(...items);
  element.hidden = tools.length === 0;
}

function clock(seconds) {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}

function list(turns, caller) {
  if (turns.length === 0) return make("p", { class: "hint" }, words("no_turns"));
  return make("ol", { class: "turns" }, ...turns.map((turn) => turnItem(turn, caller)));
}

function turnItem(turn, caller) {
  const item = make("li");
  if (turn.caller_text) item.append(line("caller", words(caller), turn.caller_text));
  const heard = turn.heard_text || (turn.interrupted ? "" : turn.bot_text);
  if (heard) item.append(line("bot", words("bot"), heard));
  item.append(...notes(turn));
  return item;
}

function line(side, name, text) {
  return make("p", { class: `line ${side}` }, make("span", { class: "who" }, name), " ", text);
}

function notes(turn) {
  const found = [];
  if (turn.interrupted) found.push(make("span", { class: "note" }, words("interrupted")));
  if (turn.failure) found.push(make("span", { class: "note bad" }, words("failure", { code: turn.failure })));
  const { total, ...stages } = turn.latency_ms;
  if (total === undefined) return found;
  const answered = words("latency", { seconds: (total / 1000).toFixed(2) });
  const parts = Object.entries(stages).map(([stage, ms]) =>
    make("div", {}, make("dt", {}, stageName(stage)), make("dd", {}, `${ms.toFixed(0)} ms`)),
  );
  found.push(
    make("details", { class: "latency" }, make("summary", {}, answered), make("dl", { class: "stages" }, ...parts)),
  );
  return found;
}

function stageName(stage) {
  return known(`stage_${stage}`) ? words(`stage_${stage}`) : stage;
}
