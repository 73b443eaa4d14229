// Looking something up: the boxes, the answers, and how often it is free.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { assertAccessible, assertFits, expectStatus, startSite } from "./browser.mjs";
import { NOBODY, seed, THIEF } from "./seed.mjs";

let site;
before(async () => {
  site = await startSite();
  await seed(site, 3);
});
after(() => site?.stop());

async function lookUp(page, text) {
  await page.locator("#q, #find").first().fill(text);
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
}

test("an address is answered in words first, then with the sum, the sanctions and the reports", async t => {
  for (const script of [true, false]) {
    const page = await site.visit(t, "/", { script });
    await lookUp(page, `  ${THIEF.toLowerCase()} `);
    assert.equal(page.url(), `${site.url}/screen/${THIEF}`);
    assert.equal(await page.locator("h1").innerText(), "Do not send anything to this address.");
    assert.equal((await page.locator(".verdict .addr").innerText()).replace(/\s/g, ""), THIEF);
    const points = await page.locator(".ledger tbody .pts").allInnerTexts();
    const sum = points.reduce((sum, text) => sum + Number(text.replace("−", "-")), 0);
    assert.equal(sum, Number(await page.locator(".ledger tfoot .pts").innerText()));
    assert.equal(sum, 100);
    assert.match(await page.locator("main").innerText(), /LAZARUS GROUP/);
    await page.getByRole("link", { name: "Ronin Bridge theft" }).click();
    assert.match(page.url(), /\/reports\/rep_/);
  }
});

test("the page says what the API says", async t => {
  const key = await site.tocsin.key();
  for (const [subject, path] of [[THIEF, "screen"], [NOBODY, "screen"], ["growing-gold.example", "domains/check"]]) {
    const answer = await (await fetch(`${site.url}/api/v1/${path}/${subject}`, { headers: { "x-api-key": key } })).json();
    const page = await site.visit(t, `/screen/${subject}`);
    assert.equal(await page.locator(".state span").innerText(), `score ${answer.riskScore} of 100`);
    assert.equal(await page.locator(".ledger tbody tr").count(), answer.factors.length);
    assert.equal(await page.locator(".entry").count(), answer.reports.length);
  }
});

test("silence is not called safe", async t => {
  for (const subject of [NOBODY, "unknown.example"]) {
    const page = await site.visit(t, `/screen/${subject}`);
    assert.match(await page.locator("h1").innerText(), /That is not the same as safe\.$/);
    assert.doesNotMatch(await page.locator("main").innerText(), /\bclean\b|no threat/i);
    assert.match(await page.locator("main").innerText(), /OFAC SDN/);
  }
});

test("a site is text, and a link of it is looked up as a whole", async t => {
  const page = await site.visit(t, "/");
  await lookUp(page, "https://www.Growing-Gold.example/login?ref=1");
  assert.equal(page.url(), `${site.url}/screen/growing-gold.example`);
  assert.match(await page.locator(".who").innerText(), /growing-gold\[\.\]example/);
  assert.equal(await page.locator('a[href*="//growing-gold"]').count(), 0);
  assert.ok(await page.locator(".ledger").count());
});

test("what cannot be looked up is shown again, with what is wrong", async t => {
  const page = await site.visit(t, "/");
  for (const [typed, said] of [
    ["0x098B716B8Aaf21512996dC57EB0615e2383E2f9", /39|40 hexadecimal/],
    ["0x098b716B8Aaf21512996dC57EB0615e2383E2f96", /checksum/],
    ["hello", /./], ["10.0.0.1", /./], [`<script>alert("x")</script>`, /./], ["bc1qxy2kgdygjrsqtzq2n0yrf2493p83kkfjhx0wlh", /./],
  ]) {
    expectStatus(page, 400);
    await lookUp(page, typed);
    assert.equal(await page.locator("main #q").inputValue(), typed);
    assert.match(await page.locator(".err").innerText(), said, typed);
    await assertAccessible(page);
  }
  await page.locator("main #q").fill(THIEF);
  await Promise.all([page.waitForNavigation(), page.getByRole("button", { name: "Look up" }).last().click()]);
  assert.equal(await page.locator("h1").innerText(), "Do not send anything to this address.");
});

test("an empty box leads home", async t => {
  const page = await site.visit(t, "/screen?q=%20");
  assert.equal(page.url(), site.url + "/");
});

test("three subjects a day are free for a network, and looking again is free", async t => {
  const shop = await startSite({ flags: ["-site-lookups", "3", "-trusted-proxies", "127.0.0.1"] });
  t.after(() => shop.stop());
  const subjects = ["one.example", "two.example", THIEF];
  for (const theme of ["light", "dark"]) {
    for (const subject of [...subjects, ...subjects]) await shop.visit(t, `/screen/${subject}`, { theme });
  }
  const page = await shop.visit(t, `/screen/${NOBODY}`, { status: 429 });
  assert.match(await page.locator("main").innerText(), /Your network has looked up 3 subjects today\. Connect a wallet/);
  assert.doesNotMatch(await page.locator("main").innerText(), /Nobody has reported/);
  await assertAccessible(page);
  await assertFits(page, 320);
  await page.getByRole("link", { name: "Connect a wallet" }).click();
  assert.equal(page.url(), `${shop.url}/account`);
  const from = address => fetch(`${shop.url}/screen/${NOBODY}`, { headers: { "x-forwarded-for": address } }).then(answer => answer.status);
  assert.equal(await from("198.51.100.7"), 200, "another network");
  for (const n of [1, 2, 3]) await fetch(`${shop.url}/screen/${n}.example`, { headers: { "x-forwarded-for": "2001:db8:1::1" } });
  assert.equal(await from("2001:db8:1:ffff::9"), 429, "the same /48");
  assert.equal(await from("2001:db8:2::1"), 200, "another /48");
});

test("what was not answered costs nothing", async t => {
  const shop = await startSite({ flags: ["-site-lookups", "1"] });
  t.after(() => shop.stop());
  const get = (path, method = "GET") => fetch(shop.url + path, { method }).then(answer => answer.status);
  assert.equal(await get("/screen?q=0x12"), 400);
  assert.equal(await get("/screen/0x12"), 400);
  assert.equal(await get(`/screen/${THIEF}?cursor=nonsense`), 400);
  assert.equal(await get(`/screen/${THIEF}`, "HEAD"), 200);
  assert.equal(await get(`/screen/${NOBODY}`), 200);
  assert.equal(await get(`/screen/${THIEF}`), 429);
  const none = await startSite({ flags: ["-site-lookups", "0"] });
  t.after(() => none.stop());
  assert.equal(await fetch(`${none.url}/screen/${NOBODY}`).then(answer => answer.status), 429);
});

test("copying copies the whole address", async t => {
  const page = await site.visit(t, `/screen/${THIEF}`, { permissions: ["clipboard-read", "clipboard-write"] });
  await page.getByRole("button", { name: "Copy", exact: true }).click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), THIEF);
});
