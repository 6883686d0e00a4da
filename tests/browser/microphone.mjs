// A call with the (fake) microphone on a small screen in Indonesian, muted, and hung up from the console.

import { inBrowser, level, loudest, PHONE } from "./browser.mjs";

const url = process.argv[2];

function overflow(page) {
  return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
}

await inBrowser(
  async (page, context) => {
    await page.goto(`${url}/softphone`);
    const title = await page.locator("h1").textContent();
    const button = await page.locator("#call").textContent();
    await page.locator("#call").click();
    await page.locator("#state", { hasText: "Tersambung" }).waitFor();
    const callerLevel = await loudest(page, "caller-level", page.locator("#transcript .line.bot").first().waitFor());
    await page.locator("#mute").click();
    const muted = await page.locator("#mute").getAttribute("aria-pressed");
    await page.waitForFunction(() => document.getElementById("caller-level").getAttribute("aria-valuenow") === "-60");
    const mutedLevel = await loudest(page, "caller-level", page.waitForTimeout(2500));

    const watch = await context.newPage();
    await watch.goto(url);
    await watch.locator("#live .danger").click();
    await watch.locator("#live .column-state", { hasText: "berpamitan" }).waitFor();
    const overflows = [await overflow(page), await overflow(watch)];
    await watch.locator("#no-calls").waitFor();
    await page.bringToFront();
    await page.locator("#state", { hasText: "Panggilan telah selesai." }).waitFor();
    return { title, button, callerLevel, muted, mutedLevel, overflows, restLevel: await level(page, "bot-level") };
  },
  { viewport: PHONE, locale: "id-ID", colorScheme: "dark" },
);
