// A call with a recording for the caller, watched from the console in a second tab.

import { inBrowser, loudest } from "./browser.mjs";

const url = process.argv[2];

/** A call's row by the names of its columns. */
const read = async (row) =>
  Object.fromEntries(
    await row.locator("td[class^=column-]").evaluateAll((cells) =>
      cells.map((cell) => [cell.className.replace("column-", ""), cell.textContent]),
    ),
  );

await inBrowser(async (page, context) => {
  await page.goto(`${url}/softphone`);
  const insecure = await page.locator("#insecure").isVisible();
  await page.getByText("Recordings", { exact: true }).click();
  await page.locator("#call").click();
  await page.locator("#state", { hasText: "Connected" }).waitFor();

  const watch = await context.newPage();
  await watch.goto(url);
  const row = watch.locator("#live tbody tr");
  await row.waitFor();
  const live = await read(row);
  const parts = await watch.locator("#parts li").allTextContents();
  const wordsUnasked = await watch.locator(".line").count();
  await page.bringToFront();

  const who = (text) => page.locator("#who", { hasText: text }).waitFor();
  await page.locator("#transcript .line.bot").waitFor(); // the greeting
  await who("Silence");
  await page.locator("button[data-file='hours.wav']").click();
  const callerLevel = await loudest(page, "caller-level", who("You are speaking"));
  const botLevel = await loudest(page, "bot-level", page.locator("#transcript .line.bot").nth(1).waitFor());
  await page.getByRole("button", { name: "5", exact: true }).click();
  const turns = await page.locator("#transcript .line").allTextContents();
  const latency = await page.locator("#transcript .latency summary").last().textContent();
  await page.locator("#call").click();
  await page.locator("#state", { hasText: "The call has ended." }).waitFor();

  await watch.bringToFront();
  await watch.locator("#no-calls").waitFor();
  const ended = await read(watch.locator("#ended-calls tbody tr").first());
  return { insecure, live, parts, wordsUnasked, callerLevel, botLevel, turns, latency, ended };
});
