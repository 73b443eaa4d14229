// What holds for every page: it is complete without a script, whoever reads it can, and it is light.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { assertAccessible, assertFits, assertLight, startSite, tabTo, tellWeights } from "./browser.mjs";
import { NOBODY, seed, THIEF } from "./seed.mjs";

let site, filed;
before(async () => {
  site = await startSite();
  ({ filed } = await seed(site, 30));
});
after(() => site?.stop());

const pages = () => [
  ["/"], [`/screen/${THIEF}`], [`/screen/${NOBODY}`], ["/screen/growing-gold.example"], ["/screen/unknown.example"], ["/screen/github.io"], ["/screen?q=0x12", 400],
  ["/reports"], ["/reports?q=filler&crimeType=phishing"], ["/reports?q=nothinglikethis"],
  ...Object.values(filed).map(({ id }) => [`/reports/${id}`]), ["/reports/rep_nowhere", 404],
  ["/report"], ["/account"], ["/leaderboard"], ["/status"], ["/nowhere", 404],
  ["/docs"], ["/docs/screen-address"], ["/docs/file-report"], ["/docs/risk"], ["/docs/paying"],
];

const text = page => page.evaluate(() => {
  const copy = document.querySelector("main").cloneNode(true);
  for (const added of copy.querySelectorAll("button.copy, [data-copy], [data-script], noscript")) added.remove();
  return copy.textContent.replace(/\s+/g, " ").trim().replace(/\d{1,2}:\d\d UTC|\d+ min|under a minute/g, "");
});

test("every page can be read by everybody, in both themes, on a phone and on a desktop", async t => {
  for (const [path, status = 200] of pages()) {
    await t.test(path, async t => {
      for (const theme of ["light", "dark"]) {
        const page = await site.visit(t, path, { theme, phone: theme === "dark", status });
        assert.equal(await page.locator("h1").count(), 1);
        assert.match(await page.title(), /Tocsin/);
        assert.equal(await page.evaluate(() => document.documentElement.lang), "en");
        await assertAccessible(page);
        if (theme === "dark") await assertFits(page, 320);
      }
    });
  }
});

test("every page is complete without a script", async t => {
  for (const [path, status = 200] of pages()) {
    await t.test(path, async t => {
      const scripted = await site.visit(t, path, { status });
      const plain = await site.visit(t, path, { script: false, status });
      assert.equal(await text(plain), await text(scripted));
    });
  }
});

test("every page weighs less than 40 KB, with all its parts", async t => {
  const weights = [];
  for (const [path] of pages()) weights.push(await site.weigh(path));
  tellWeights(t, weights);
  for (const weight of weights) assertLight(weight);
});

test("the keyboard reaches what a page is for", async t => {
  for (const [path, control] of [["/", "#q"], [`/screen/${THIEF}`, "#find"], ["/reports", "#rq"], ["/report", "#crimeType"]]) {
    const page = await site.visit(t, path);
    assert.ok(await tabTo(page, control) < 30, path);
  }
  const page = await site.visit(t, "/");
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
  await page.goto(site.url + "/leaderboard");
  assert.equal(await ground(), dark);
  await page.getByRole("button", { name: "System" }).click();
  assert.equal(await ground(), light);
});

test("what a page may load and do is written on it", async () => {
  for (const [path] of pages()) {
    const { headers } = await fetch(site.url + path);
    const policy = headers.get("content-security-policy");
    assert.match(policy, /default-src 'none'/, path);
    assert.doesNotMatch(policy, /unsafe|\*/, path);
    assert.match(policy, /frame-ancestors 'none'/, path);
    assert.equal(headers.get("x-content-type-options"), "nosniff", path);
    assert.equal(headers.get("referrer-policy"), "same-origin", path);
  }
});

test("a form of another site is refused", async () => {
  for (const [path, form] of [["/theme", "theme=dark"], ["/account", "do=signout"], ["/report", "title=Spam"]]) {
    for (const headers of [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }, { origin: "null" }]) {
      const answer = await fetch(site.url + path, { method: "POST", body: form, redirect: "manual", headers: { "content-type": "application/x-www-form-urlencoded", ...headers } });
      assert.equal(answer.status, 403, `${path} ${JSON.stringify(headers)}`);
      assert.equal(answer.headers.get("set-cookie"), null);
    }
  }
});
