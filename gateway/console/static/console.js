// The operator's page: what is on, what is ready, what went wrong. No caller's word is fetched before it is asked for.

import { ask, askUnlocked, request, unlock } from "./access.js";
import { byId, make, show } from "./elements.js";
import { counters } from "./metrics.js";
import { forgetTurns, showTools, showTurns } from "./transcript.js";
import { known, localise, words } from "./words.js";

// Calls come and go in seconds; parts and counters are worth a look every few rounds.
const EVERY_MS = 2000;
const PARTS_EVERY = 3;
// The newest; a gateway may keep hundreds.
const ENDED_SHOWN = 20;
const COLUMNS = ["call", "platform", "bot", "since", "turns", "state"];

const ending = new Set();
let locked = false;
let reading = "";
let round = 0;

async function refresh() {
  try {
    const status = await ask("GET", "/console/status");
    show(byId("insecure"), status.insecure_dev);
    show(byId("draining"), status.draining);
    if (!locked) await refreshCalls();
    if (round % PARTS_EVERY === 0) await Promise.all([refreshParts(), refreshCounters()]);
    round += 1;
    show(byId("unreachable"), false);
  } catch {
    round = 0;
    show(byId("unreachable"), true);
  }
  document.body.classList.toggle("stale", !byId("unreachable").hidden);
}

async function refreshCalls() {
  try {
    renderCalls(await ask("GET", "/calls"));
    if (reading) await read(reading);
  } catch (error) {
    if (error.status !== 401) throw error;
    lock();
  }
}

async function refreshParts() {
  const parts = await (await request("GET", "/readyz")).json();
  const items = Object.entries(parts).map(([part, ready]) => {
    const name = known(`part_${part}`) ? words(`part_${part}`) : part;
    return make(
      "li",
      { class: ready ? "good" : "bad" },
      make("span", { class: "part" }, name),
      " ",
      make("span", { class: "ready" }, words(ready ? "ready" : "not_ready")),
    );
  });
  byId("parts").replaceChildren(...items);
}

async function refreshCounters() {
  const shown = counters(await (await request("GET", "/metrics")).text());
  const items = shown.map(({ key, sum, parts }) =>
    make(
      "div",
      {},
      make("dt", {}, words(key)),
      make("dd", {}, String(sum)),
      ...parts.map(([code, count]) => make("dd", { class: "hint" }, `${code} ${count}`)),
    ),
  );
  byId("counters").replaceChildren(...items);
}

function renderCalls(records) {
  const live = records.filter((record) => !record.ended);
  const ended = records.filter((record) => record.ended).slice(0, ENDED_SHOWN);
  show(byId("locked"), false);
  show(byId("no-calls"), live.length === 0);
  show(byId("live"), live.length > 0);
  show(byId("ended"), ended.length > 0);
  byId("live-count").textContent = live.length || "";
  fill(byId("live"), live, true);
  fill(byId("ended-calls"), ended, false);
}

/** Put calls into a table; rows that are there stay, so that keyboard focus does. */
function fill(table, records, live) {
  if (!table.tHead) {
    const titles = COLUMNS.map((name) => make("th", { scope: "col" }, words(`column_${name}`)));
    table.append(make("thead", {}, make("tr", {}, ...titles, make("td"))));
    table.append(make("tbody"));
  }
  const body = table.tBodies[0];
  const rows = new Map([...body.rows].map((row) => [row.dataset.call, row]));
  records.forEach((record, place) => {
    const row = rows.get(record.call_id) ?? newRow(record, live);
    rows.delete(record.call_id);
    update(row, record);
    if (body.rows[place] !== row) body.insertBefore(row, body.rows[place] ?? null);
  });
  for (const row of rows.values()) row.remove();
}

function newRow(record, live) {
  const read = make("button", { type: "button", onclick: () => open(record.call_id) }, words("transcript"));
  const end = make("button", { type: "button", class: "danger" }, words("hang_up"));
  end.setAttribute("aria-label", words("hang_up_call", { call: record.call_id }));
  end.addEventListener("click", () => hangUp(record.call_id, end));
  const cells = COLUMNS.map((name) =>
    make("td", { "data-title": words(`column_${name}`), class: `column-${name}` }),
  );
  return make(
    "tr",
    { "data-call": record.call_id },
    ...cells,
    make("td", { class: "actions" }, read, ...(live ? [end] : [])),
  );
}

function update(row, record) {
  const state = record.ended || words(ending.has(record.call_id) ? "ending" : "on");
  const texts = [record.call_id, record.platform, record.bot, since(record), String(record.turn_count), state];
  texts.forEach((text, column) => {
    if (row.cells[column].textContent !== text) row.cells[column].textContent = text;
  });
}

function since({ began_at, ended, duration_s }) {
  const began = new Date(began_at);
  const seconds = Math.max(0, Math.round(ended ? duration_s : (Date.now() - began) / 1000));
  const length = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  return `${began.toLocaleTimeString()} (${length})`;
}

async function hangUp(callId, button) {
  button.disabled = true;
  ending.add(callId);
  try {
    await askUnlocked("DELETE", `/calls/${encodeURIComponent(callId)}`);
  } catch {
    ending.delete(callId);
    button.disabled = false;
  }
  await refresh();
}

function open(callId) {
  reading = callId;
  byId("reader-title").textContent = words("transcript_of", { call: callId });
  byId("reader").showModal();
  refresh();
}

/** Show a call's words, growing while it is on. */
async function read(callId) {
  const text = byId("reader-text");
  try {
    const { tools, turns } = await ask("GET", `/calls/${encodeURIComponent(callId)}`);
    if (reading !== callId) return;
    showTurns(text, turns, "the_caller");
    showTools(byId("reader-tools"), tools);
  } catch (error) {
    if (error.status !== 404) throw error;
    if (reading === callId) text.replaceChildren(make("p", { class: "hint" }, words("not_kept")));
  }
}

function lock() {
  locked = true;
  reading = "";
  byId("reader").close();
  show(byId("locked"), true);
  for (const id of ["no-calls", "live", "ended"]) show(byId(id), false);
  byId("live-count").textContent = "";
}

async function unlocked() {
  if (!(await unlock())) return;
  locked = false;
  await refresh();
}

async function keepFresh() {
  for (;;) {
    if (!document.hidden) await refresh();
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
}

localise();
byId("unlock").addEventListener("click", unlocked);
byId("reader-close").addEventListener("click", () => byId("reader").close());
byId("reader").addEventListener("close", () => {
  reading = "";
  forgetTurns(byId("reader-text"));
  showTools(byId("reader-tools"), []);
});
document.addEventListener("visibilitychange", () => document.hidden || refresh());
keepFresh();
