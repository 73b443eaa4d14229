// What holds for every page, so far as it takes a browser to see it. The rest is held by internal/web/pages_test.go.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { assertAccessible, assertFits, assertLight, expectStatus, startSite, tabTo, tellWeights } from "./browser.mjs";
import { NOBODY, seed, THIEF } from "./seed.mjs";

/** A payment request of 25 USDC to nobody in particular. */
const REQUEST = `ethereum:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48@1/transfer?address=${NOBODY}&uint256=25000000`;

let site, pages;
before(async () => {
  // Payments are on, for what the pages then say. The facilitator is not called.
  site = await startSite({ facilitator: { url: "http://127.0.0.1:9" }, payTo: "0x000000000000000000000000000000000000dEaD" });
  const { filed } = await seed(site, 24);
  const gone = await site.file({ crimeType: "other", title: "Withdrawn", description: "It was a mistake.", reportedDomains: ["withdrawn.example"] });
  await fetch(`${site.url}/api/v1/community-reports/${gone.id}`, { method: "DELETE", headers: { "x-manage-token": gone.manageToken } });
  const docs = [...new Set([...(await (await fetch(`${site.url}/docs`)).text()).matchAll(/href="(\/docs[^"#]*)"/g)].map(match => match[1]))];
  assert.ok(docs.length > 20, docs.join());
  pages = [
    ["/"], [`/screen/${THIEF}`], [`/screen/${NOBODY}`], ["/screen/growing-gold.example"], ["/screen/unknown.example"], ["/screen/github.io"], ["/screen?q=0x12", 400], [`/screen?q=0x${"1".repeat(64)}`], ["/reports?q=%40lena&asked=1"],
    ["/screen/metamask-login.com"], [`/screen?q=${encodeURIComponent(REQUEST)}`], [`/reports/${gone.id}`, 410], ["/object?subject=shop,example", 400],
    ["/reports"], ["/reports?q=filler&crimeType=phishing"], ["/reports?q=nothinglikethis"], ["/reports?q=ab*", 400],
    ...Object.values(filed).flatMap(({ id }) => [[`/reports/${id}`], [`/reports/${id}/case`]]), ["/reports/rep_nowhere", 404],
    ["/report"], ["/account"], ["/leaderboard"], ["/status"], ["/bulk"], ["/help"], ["/help?country=GB"], ["/compare"], ["/object"], [`/object?subject=${THIEF}`], [`/object/case?subject=${THIEF}`], ["/nowhere", 404], ...docs.map(path => [path]), ["/docs/search?q=key"], ["/docs/search?q=nothinglikethis"],
  ];
});
after(() => site?.stop());

/** Pages of which each is made in a way of its own. The others are made alike, and axe-core sees them once, here or there. */
const own = path => /^\/(?:|screen\/(?:0x|metamask).*|screen\?q=ethereum.*|compare|object.*|reports|report|account|leaderboard|status|bulk|help|docs|docs\/(?:keys|paying|agents|risk|changelog|file-report|search.*))$/.test(path);

test("every page can be read by everybody: on a desktop, light, and on a phone, dark", async t => {
  await Promise.all([false, true].map(async phone => {
    const page = await site.visit(t, "/", { phone, theme: phone ? "dark" : "light" });
    for (const [index, [path, status = 200]] of pages.entries()) {
      const seen = own(path) || Boolean(index % 2) === phone;
      if (!seen && !phone) continue;
      if (status >= 400) expectStatus(page, status);
      assert.equal((await page.goto(path)).status(), status, path);
      if (seen) await assertAccessible(page);
      if (phone) await assertFits(page);
    }
  }));
});

test("what a form answers can be read by everybody: two addresses, and what a list costs and holds", async t => {
  const near = `${THIEF.slice(0, 8)}${"0".repeat(28)}${THIEF.slice(36)}`.toLowerCase();
  const list = `name;from;to;web\nAlpha;${THIEF};${NOBODY};a.example\nBeta;;${near};metamask-login.com\nGamma;0x12;;\n`;
  await Promise.all([false, true].map(async phone => {
    const page = await site.visit(t, "/compare", { phone, theme: phone ? "dark" : "light" });
    const readable = async title => {
      assert.match(await page.locator("h1").innerText(), title);
      await assertAccessible(page);
      if (phone) await assertFits(page);
    };
    const press = name => Promise.all([page.waitForNavigation(), page.getByRole("button", { name }).click()]);
    const [one, other] = await page.locator("main form input.mono").all();
    await one.fill(THIEF);
    await other.fill(near);
    await press(/compare/i);
    await readable(/different addresses/);
    await page.goto("/bulk");
    await page.fill("#subjects", list);
    await press("Read the list");
    await readable(/Look up many at once/);
    assert.equal(await page.getByRole("checkbox", { checked: true }).count(), 2);
    await press("Look them up");
    await readable(/lines looked up/);
  }));
});

const text = page => page.evaluate(() => {
  const copy = document.querySelector("main").cloneNode(true);
  for (const added of copy.querySelectorAll("button.copy, [data-copy], [data-script], noscript")) added.remove();
  return copy.textContent.replace(/\s+/g, " ").trim().replace(/\d{1,2}:\d\d UTC|\d+ min|under a minute/g, "");
});

test("a page is complete without a script", async t => {
  const scripted = await site.visit(t, "/");
  const plain = await site.visit(t, "/", { script: false });
  for (const path of [`/screen/${THIEF}`, "/report", "/account"]) {
    await Promise.all([scripted.goto(path), plain.goto(path)]);
    assert.equal(await text(plain), await text(scripted), path);
  }
});

test("a page weighs in the browser what it weighs on the wire", async t => {
  const weight = await site.weigh("/docs/changelog"); // the heaviest
  tellWeights(t, [weight]);
  assertLight(weight);
});

test("the keyboard reaches what a page is for", async t => {
  const page = await site.visit(t, "/");
  for (const [path, control] of [["/", "#q"], [`/screen/${THIEF}`, "#find"], ["/reports", "#rq"], ["/report", "#things"]]) {
    await page.goto(path);
    assert.ok(await tabTo(page, control) < 30, path);
  }
  await page.goto("/");
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.id), "q");
});

test("the theme is a choice that stays, without a script", async t => {
  const page = await site.visit(t, "/status", { theme: "light", script: false });
  const ground = () => page.locator("body").evaluate(body => getComputedStyle(body).backgroundColor);
  const light = await ground();
  await page.getByRole("button", { name: "Dark" }).click();
  assert.equal(new URL(page.url()).pathname, "/status");
  const dark = await ground();
  assert.notEqual(dark, light);
  await page.goto("/leaderboard");
  assert.equal(await ground(), dark);
  await page.getByRole("button", { name: "System" }).click();
  assert.equal(await ground(), light);
});

test("with a script the theme changes in place, and nothing that was typed is lost", async t => {
  const page = await site.visit(t, "/report", { theme: "light" });
  await page.fill("#title", "Typed");
  await Promise.all([page.waitForResponse("**/theme"), page.getByRole("button", { name: "Dark" }).click()]);
  assert.equal(await page.getAttribute("html", "data-theme"), "dark");
  assert.equal(await page.inputValue("#title"), "Typed");
  await page.goto("/status");
  assert.equal(await page.getAttribute("html", "data-theme"), "dark");
});

test("what is written from right to left is set from right to left", async t => {
  const page = await site.visit(t, "/reports?q=" + encodeURIComponent("محفظتي"));
  assert.deepEqual(await page.locator("mark").allTextContents(), ["محفظتي"]);
  await page.click(".entry h3 a");
  for (const selector of ["h1", ".prose p >> nth=0"]) assert.equal(await page.locator(selector).evaluate(node => getComputedStyle(node).direction), "rtl");
});

test("the tabs of an example work without script, by key and by finger", async t => {
  const byFinger = page => page.locator("label[for=ex-go]").click();
  const byKey = async page => {
    await page.locator("#ex-curl").focus();
    for (let n = 0; n < 3; n++) await page.keyboard.press("ArrowRight");
  };
  for (const [choose, phone] of [[byFinger, true], [byKey, false]]) {
    const page = await site.visit(t, "/docs/screen-address", { script: false, phone });
    const shown = () => page.locator(".tabs pre:visible").innerText();
    assert.match(await shown(), /^curl /);
    await choose(page);
    assert.match(await shown(), /^package main/);
  }
});

test("the language of examples is kept from page to page", async t => {
  for (const script of [true, false]) {
    const page = await site.visit(t, "/docs", { script });
    await page.locator("label[for=ex-python]").click();
    if (script) await page.waitForFunction(async () => (await (await fetch("/docs")).text()).includes('id="ex-python" checked'));
    else await Promise.all([page.waitForNavigation(), page.getByRole("button", { name: "Use this language" }).click()]);
    await page.goto("/docs/file-report");
    assert.match(await page.locator(".tabs pre:visible").innerText(), /^import json/);
  }
});

test("an example is copied by a button, and \"/\" searches the documentation", async t => {
  const page = await site.visit(t, "/docs/screen-address", { permissions: ["clipboard-read", "clipboard-write"] });
  await page.locator(".tabs").getByRole("button", { name: "Copy" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), await page.locator(".tabs pre:visible code").textContent());
  await page.keyboard.press("/");
  await page.keyboard.type("riskScore");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/docs/search?q=riskScore");
  await page.locator(".entry a").first().click();
  assert.match(new URL(page.url()).hash, /riskscore$/);
  assert.equal(await page.locator("code:target").textContent(), "riskScore");
});
