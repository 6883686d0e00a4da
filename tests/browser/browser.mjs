// What the browser tests share: Chromium by playwright-core, which lies in the folder of PLAYWRIGHT_DIR.

import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(join(process.env.PLAYWRIGHT_DIR, "package.json"));
const { chromium } = require("playwright-core");

export const DESKTOP = { width: 1280, height: 900 };
export const PHONE = { width: 390, height: 844 };

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--use-fake-device-for-media-stream",
  "--use-fake-ui-for-media-stream",
];

/** Open a page in a fresh browser, run `work(page, context)`, print what it returns with what the console said. */
export async function inBrowser(work, options = {}) {
  const context = await chromium.launchPersistentContext(process.env.PROFILE_DIR, {
    executablePath: process.env.CHROMIUM,
    args: FLAGS,
    viewport: DESKTOP,
    ...options,
  });
  context.setDefaultTimeout(20_000);
  const complaints = [];
  try {
    const page = context.pages()[0];
    page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) complaints.push(`${message.type()}: ${message.text()}`);
    });
    const seen = await work(page, context);
    console.log(JSON.stringify({ ...seen, complaints }));
  } finally {
    await context.close();
  }
}

/** The level that a meter shows, in dBFS. */
export async function level(page, id) {
  return Number(await page.locator(`#${id}`).getAttribute("aria-valuenow"));
}

/** The loudest level that a meter shows until `done` resolves. */
export async function loudest(page, id, done) {
  let over = false;
  done.finally(() => (over = true)).catch(() => undefined);
  let most = -Infinity;
  while (!over) {
    most = Math.max(most, await level(page, id));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await done;
  return most;
}
