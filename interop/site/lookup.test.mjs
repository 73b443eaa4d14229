// Looking something up and searching, as people do it. What is counted and what is said: internal/web/lookups_test.go.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { assertAccessible, assertFits, expectStatus, startSite } from "./browser.mjs";
import { NOBODY, THIEF } from "./seed.mjs";

let site;
// The look-up of the day is that of the last test: the thief is an alarm, and pages of reports are reached by links.
before(async () => { site = await startSite({ flags: ["-site-lookups", "1"] }); });
after(() => site?.stop());

async function lookUp(page, text) {
  await page.locator("#q, #find").first().fill(text);
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
}

for (const script of [true, false]) test(`an address is looked up, ${script ? "with" : "without"} script`, async t => {
  const page = await site.visit(t, "/", { script, phone: !script });
  await lookUp(page, `  ${THIEF.toLowerCase()} `);
  assert.equal(page.url(), `${site.url}/screen/${THIEF}?asked=1`);
  assert.equal(await page.locator("h1").innerText(), "Do not send anything to this address.");
  assert.equal((await page.locator(".verdict .addr").innerText()).replace(/\s/g, ""), THIEF);
  await page.getByRole("link", { name: "Ronin Bridge theft" }).click();
  assert.match(page.url(), /\/reports\/rep_/);
});

test("what was mistyped is put right on the page that says so", async t => {
  const page = await site.visit(t, "/");
  expectStatus(page, 400);
  await lookUp(page, THIEF.slice(0, -1));
  assert.equal(await page.locator("main #q").inputValue(), THIEF.slice(0, -1));
  await page.locator("main #q").fill(THIEF);
  await Promise.all([page.waitForNavigation(), page.getByRole("button", { name: "Look up" }).last().click()]);
  assert.equal(await page.locator("h1").innerText(), "Do not send anything to this address.");
});

test("copying copies the whole address", async t => {
  const page = await site.visit(t, `/screen/${THIEF}`, { permissions: ["clipboard-read", "clipboard-write"] });
  await page.getByRole("button", { name: "Copy", exact: true }).click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), THIEF);
});

test("a form that takes a moment says so, and is sent once", async t => {
  const page = await site.visit(t, "/bulk");
  await page.locator("form[data-busy] textarea").fill("a.example");
  assert.deepEqual(await page.evaluate(() => {
    const form = document.querySelector("form[data-busy]"), note = form.querySelector(".busy"), seen = [note.hidden];
    addEventListener("submit", event => {
      seen.push(event.defaultPrevented);
      event.preventDefault(); // so that the page stays
    });
    form.requestSubmit();
    form.requestSubmit();
    return [...seen, note.hidden];
  }), [true, false, true, false]);
});

test("the reports are filtered, searched and cleared, without script on a phone", async t => {
  const page = await site.visit(t, "/reports", { script: false, phone: true });
  await page.click(".types a:has-text('Hack')");
  await page.fill("#rq", "RONIN");
  await page.click("button:has-text('Search')");
  assert.deepEqual([...new URL(page.url()).searchParams], [["crimeType", "hack"], ["q", "RONIN"]]);
  assert.ok(await page.locator("mark").count() > 0);
  await page.click("text=Clear the search");
  assert.equal(new URL(page.url()).search, "?crimeType=hack");
  await page.click("text=Older reports");
  await page.click("text=To the newest");
  assert.equal(new URL(page.url()).search, "?crimeType=hack");
});

test("without a look-up left the page shows what to do", async t => {
  const page = await site.visit(t, "/screen/unknown.example", { theme: "dark", phone: true });
  expectStatus(page, 429);
  await lookUp(page, NOBODY);
  await assertAccessible(page);
  await assertFits(page);
  await page.getByRole("link", { name: "Sign in and come back" }).click();
  assert.equal(page.url(), `${site.url}/account?next=${encodeURIComponent(`/screen/${NOBODY}`)}`);
});
