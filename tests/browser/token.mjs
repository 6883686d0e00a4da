// Both pages on a gateway that asks for its admin token; at the end the gateway goes away.

import { inBrowser } from "./browser.mjs";

const [url, pid] = process.argv.slice(2);

async function give(page, token) {
  await page.locator("dialog input").fill(token);
  await page.locator("dialog button[type=submit]").click();
}

await inBrowser(async (page) => {
  await page.goto(url);
  await page.locator("#locked").waitFor();
  const shownLocked = await page.locator("#live, #ended").filter({ visible: true }).count();
  const insecure = await page.locator("#insecure").isVisible();
  await page.locator("#unlock").click();
  await give(page, "wrong");
  await page.locator("#locked").waitFor();
  await page.locator("#unlock").click();
  await give(page, "admin-secret");
  await page.locator("#no-calls").waitFor();
  const kept = await page.evaluate(() => [localStorage.length, document.cookie, Object.values(sessionStorage)]);

  await page.locator("nav a").click(); // the same tab keeps the token
  await page.getByText("Recordings", { exact: true }).click();
  await page.locator("#call").click();
  await page.locator("#transcript .line.bot").waitFor();
  await page.locator("#call").click();

  await page.evaluate(() => sessionStorage.clear());
  await page.locator("#state", { hasText: "The call has ended." }).waitFor();
  await page.locator("#call").click();
  await page.locator("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.locator("#problem").waitFor();
  const refused = await page.locator("#problem").textContent();

  await page.locator("nav a").click();
  await page.locator("#locked").waitFor();
  process.kill(Number(pid), "SIGKILL");
  await page.locator("#unreachable").waitFor();
  return { shownLocked, insecure, kept, refused };
});
