// Asking the gateway, with the admin token that the operator has typed into this tab.

import { make } from "./elements.js";
import { words } from "./words.js";

const KEPT_AS = "voicebot.admin_token";
// A gateway that does not answer within this is told as unreachable.
const TIMEOUT_MS = 8000;

/** The gateway said no: `status` is HTTP's, `code` the gateway's own. */
export class Refusal extends Error {
  constructor(status, code) {
    super(`${status} ${code}`);
    this.status = status;
    this.code = code;
  }
}

/** Send a request and return the response, whatever its status; rejects when the gateway cannot be reached. */
export function request(method, path) {
  const token = sessionStorage.getItem(KEPT_AS);
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  return fetch(path, { method, headers, cache: "no-store", signal: AbortSignal.timeout(TIMEOUT_MS) });
}

/** Send a request and return the JSON of its answer; Refusal when the gateway says no. */
export async function ask(method, path) {
  const response = await request(method, path);
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refusal(response.status, body.error ?? "");
  return body;
}

/** As `ask`, but asks the operator for the token when it is missing or wrong. */
export async function askUnlocked(method, path) {
  for (;;) {
    try {
      return await ask(method, path);
    } catch (error) {
      if (error.status !== 401 || !(await unlock())) throw error;
    }
  }
}

/** Ask the operator for the token; false when they do not give one. */
export function unlock() {
  const input = make("input", { type: "password", id: "token", autocomplete: "off", required: "" });
  const accept = make("button", { type: "submit", class: "primary" }, words("unlock"));
  const cancel = make("button", { type: "button" }, words("cancel"));
  const form = make(
    "form",
    {},
    make("label", { for: "token" }, words("ask_token")),
    input,
    make("p", { class: "hint" }, words("ask_token_why")),
    make("div", { class: "actions" }, cancel, accept),
  );
  const dialog = make("dialog", { class: "small" }, form);
  document.body.append(dialog);
  return new Promise((resolve) => {
    cancel.addEventListener("click", () => dialog.close());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      sessionStorage.setItem(KEPT_AS, input.value);
      dialog.close("given");
    });
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "given");
    });
    dialog.showModal();
  });
}
