// The documentation in a browser. What its programs do is tested in ../docs.test.mjs.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { assertAccessible, assertFits, assertLight, startSite, tellWeights } from "./browser.mjs";

let site, paths;
before(async () => {
  // Payments are on, for what the pages say then; nobody is asked about them.
  site = await startSite({ facilitator: { url: "http://127.0.0.1:9" }, payTo: "0x000000000000000000000000000000000000dEaD" });
  const html = await (await fetch(`${site.url}/docs`)).text();
  paths = [...new Set([...html.matchAll(/href="(\/docs[^"#]*)"/g)].map(match => match[1]))];
});
after(() => site?.stop());

test("axe finds nothing in the documentation, in both themes", async t => {
  assert.equal(paths.length, 20);
  await Promise.all([{ theme: "light" }, { theme: "dark", phone: true }].map(async options => {
    const page = await site.visit(t, "/docs", options);
    for (const path of paths) {
      await page.goto(path);
      await assertAccessible(page);
    }
  }));
});

test("no page of it is wider than a small phone, and each says where one is", async t => {
  const page = await site.visit(t, "/docs", { phone: true });
  for (const path of paths) {
    await page.goto(path);
    await assertFits(page);
    assert.equal(await page.locator(".toc [aria-current=page]").getAttribute("href"), path);
    assert.equal(await page.locator("h1").count(), 1, path);
  }
});

test("each link within the documentation leads somewhere", async t => {
  const page = await site.visit(t, "/docs");
  const ids = new Map();
  const links = new Set(["/docs/risk#false-alarms"]);
  for (const path of paths) {
    await page.goto(path);
    ids.set(path, await page.locator("[id]").evaluateAll(nodes => nodes.map(node => node.id)));
    for (const href of await page.locator("main a").evaluateAll(links => links.map(link => link.getAttribute("href")))) links.add(href.startsWith("#") ? path + href : href);
  }
  for (const link of links) {
    if (link.startsWith("https://")) continue;
    const [path, id] = link.split("#");
    if (path.startsWith("/docs")) assert.ok(ids.has(path), link);
    else assert.equal((await fetch(site.url + path)).status, 200, link);
    if (id) assert.ok(ids.get(path).includes(id), link);
  }
});

test("the tabs of an example work without script, by key and by finger", async t => {
  const byFinger = page => page.locator("label[for=ex-go]").click();
  const byKey = async page => {
    await page.locator("#ex-curl").focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
  };
  for (const [choose, phone] of [[byFinger, true], [byKey, false]]) {
    const page = await site.visit(t, "/docs/screen-address", { script: false, phone });
    const shown = () => page.locator(".tabs pre:visible").innerText();
    assert.match(await shown(), /^curl /);
    await choose(page);
    assert.match(await shown(), /^package main/);
  }
});

test("what is not documented is not found", async t => {
  await site.visit(t, "/docs/nothing", { status: 404 });
});

test("no page of it weighs 40 KB", async t => {
  const weights = [];
  const rest = [...paths];
  await Promise.all(Array.from({ length: 6 }, async () => { // weighing is waiting, mostly
    while (rest.length > 0) weights.push(await site.weigh(rest.pop()));
  }));
  tellWeights(t, weights);
  weights.forEach(assertLight);
});
