// Calls that cannot be: no microphone, no room. Then the gateway is told to stop while one is on.

import { inBrowser } from "./browser.mjs";

const [url, pid] = process.argv.slice(2);

await inBrowser(async (page, context) => {
  await context.addInitScript(() => {
    navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException("no", "NotAllowedError"));
  });
  await page.goto(`${url}/softphone`);
  await page.locator("#call").click();
  await page.locator("#problem").waitFor();
  const noMicrophone = await page.locator("#problem").textContent();
  await page.getByText("Recordings", { exact: true }).click();
  await page.locator("#call").click(); // the only place is still free
  await page.locator("#transcript .line.bot").waitFor();
  const problemGone = await page.locator("#problem").isHidden();

  const second = await context.newPage();
  await second.goto(`${url}/softphone`);
  await second.getByText("Recordings", { exact: true }).click();
  await second.locator("#call").click();
  await second.locator("#problem").waitFor();
  const noRoom = await second.locator("#problem").textContent();

  await second.goto(url);
  await second.locator("#live tbody tr").waitFor();
  const refused = await second.locator("#counters div").nth(1).textContent();
  process.kill(Number(pid), "SIGTERM");
  await second.locator("#draining").waitFor();
  await page.bringToFront();
  await page.locator("#call").click();
  await page.locator("#state", { hasText: "The call has ended." }).waitFor();
  await second.bringToFront();
  await second.locator("#unreachable").waitFor();
  return { noMicrophone, problemGone, noRoom, refused };
});
