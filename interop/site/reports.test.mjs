// The reports: browsed, filtered, searched and read. What is in them is text, and nothing links to where the harm is.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startTocsin } from "../server.mjs";
import { assertAccessible, assertFits, assertLight, expectStatus, startSite, tellWeights } from "./browser.mjs";
import { hostile, reports, seed } from "./seed.mjs";

const fillers = 42;
let site, filed;
before(async () => {
  site = await startSite();
  ({ filed } = await seed(site, fillers));
});
after(() => site?.stop());

const at = name => `/reports/${filed[name].id}`;
const titles = page => page.locator(".entry h3").allTextContents();
const get = async path => (await fetch(site.url + path)).text();

for (const script of [true, false]) test(`browse, filter and page, ${script ? "with" : "without"} script`, async t => {
  const page = await site.visit(t, "/reports", { script, phone: !script });
  assert.equal((await titles(page)).length, 20);
  assert.equal((await titles(page))[0], "The same site took my money too");
  assert.match(await page.textContent(".entry >> nth=0"), /Pig butchering.*0x[0-9A-Fa-f]{8}….*Medium.*about 12,401 USD lost/s);
  const older = page.locator(".pager a");
  assert.deepEqual([await older.getAttribute("rel"), await older.textContent()], ["nofollow", "Older reports"]);
  await older.click();
  assert.deepEqual(await page.locator(".pager a").allTextContents(), ["To the newest", "Older reports"]);
  await page.click("text=To the newest");
  assert.equal(new URL(page.url()).search, "");

  const links = await page.locator(".types a").evaluateAll(all => all.map(a => a.textContent));
  assert.match(links[0], /^All kinds [\d,]+$/);
  assert.equal(links.slice(1).reduce((sum, text) => sum + Number(text.match(/\d+$/)[0]), 0), Number(links[0].match(/\d+$/)[0]));
  await page.click(".types a:has-text('Ransomware')");
  assert.match(await page.textContent(".types [aria-current=page]"), /^Ransomware or extortion \d+$/);
  for (const tag of await page.locator(".entry .tag").allTextContents()) assert.equal(tag, "Ransomware or extortion");
  assert.match(await page.title(), /^Ransomware or extortion reports – Tocsin/);
});

test("every report is on one page of the list, and on one only", async t => {
  const page = await site.visit(t, "/reports");
  const ids = [];
  for (;;) {
    ids.push(...await page.locator(".entry h3 a").evaluateAll(all => all.map(a => a.getAttribute("href"))));
    const older = page.locator(".pager a[rel=nofollow]");
    if (await older.count() === 0) break;
    await older.click();
  }
  const { reports: all } = await (await fetch(`${site.url}/api/v1/stats`)).json();
  assert.equal(ids.length, all);
  assert.equal(new Set(ids).size, all);
});

test("a search marks what it found, keeps the kind, and can be cleared", async t => {
  const page = await site.visit(t, "/reports?crimeType=phishing");
  await page.fill("#rq", `"took an" APPROV* filler`);
  await page.click("button:has-text('Search')");
  assert.equal(await page.inputValue("#rq"), `"took an" APPROV* filler`);
  assert.match(await page.textContent("#rq-h"), new RegExp(`^${fillers / 6} phishing reports contain “"took an" APPROV\\* filler”, best match first\\.`));
  assert.equal((await titles(page)).length, fillers / 6);
  assert.deepEqual(await page.locator(".entry >> nth=0 >> mark").allTextContents(), ["Filler", "took an", "approval"]);
  await page.click("text=Clear the search");
  assert.equal(new URL(page.url()).search, "?crimeType=phishing");
  await page.goto("/reports?q=filler");
  assert.match(await page.textContent("#rq-h"), new RegExp(`^${fillers} reports contain`));
  await page.click("text=More results");
  assert.equal(await page.locator("mark").count(), 20);
  await page.click("text=To the best matches");
  await page.click(".types a:has-text('Scam')");
  assert.equal((await titles(page)).length, fillers / 6);
});

test("what stands further down is shown", async t => {
  const page = await site.visit(t, "/reports?q=%22display+none%22+elsewhere");
  assert.deepEqual(await page.locator(".entry p mark").allTextContents(), ["elsewhere", "elsewhere", "display:none"]);
  assert.match(await page.textContent(".entry p"), /^… /);
  await page.goto("/reports?q=" + encodeURIComponent("MAHFAZATI محفظتي"));
  assert.equal(await page.locator(".entry").count(), 0);
  await page.goto("/reports?q=" + encodeURIComponent("محفظتي"));
  assert.deepEqual(await page.locator("mark").allTextContents(), ["محفظتي"]);
});

test("nothing found, nothing understood, nothing there", async t => {
  const page = await site.visit(t, "/reports?q=nothinglikethis&crimeType=hack");
  assert.equal(await page.textContent(".empty h3"), "No hack report contains “nothinglikethis”");
  await page.click("text=Search in all kinds");
  assert.equal(await page.textContent(".empty h3"), "No report contains “nothinglikethis”");
  for (const [q, said] of [["ab*", /would match too many words.*at least 3 characters/], ["!?", /There is no word in it/], ["w ".repeat(13), /13 words, 12 are allowed/], ["x".repeat(401), /401 characters/]]) {
    expectStatus(page, 400);
    await page.goto("/reports?q=" + encodeURIComponent(q));
    assert.match(await page.textContent("#rq-e"), said);
    assert.equal(await page.inputValue("#rq"), q.trim());
    assert.equal(await page.getAttribute("#rq", "aria-invalid"), "true");
    assert.equal(await page.getAttribute("#rq", "aria-describedby"), "rq-e rq-h");
    assert.equal(await page.locator(".entry").count(), 0);
  }
  for (const path of ["/reports?crimeType=nonsense", "/reports?cursor=nonsense", "/reports?q=filler&cursor=AQ"]) {
    expectStatus(page, 400);
    await page.goto(path);
    assert.ok(!/nextCursor|crimeType|pig_butchering/.test(await page.textContent("main")));
  }
});

test("who searches for an address is led to its answer", async t => {
  const page = await site.visit(t, "/reports?q=growing-gold.example");
  assert.equal((await titles(page)).length, 3);
  assert.equal(await page.locator(".note a").getAttribute("href"), "/screen/growing-gold.example");
  await page.goto(`/reports?q=${reports.plain.scammerAddresses[0].toLowerCase()}`);
  assert.equal((await titles(page)).length, 3);
  assert.equal(await page.locator(".note a").getAttribute("href"), `/screen/${reports.plain.scammerAddresses[0]}`);
});

test("the first page of everything is free, the others are look-ups", async () => {
  const tocsin = await startTocsin({ flags: ["-site-lookups", "1"] });
  try {
    const open = async path => {
      const answer = await fetch(tocsin.url + path);
      return { status: answer.status, html: await answer.text() };
    };
    const next = html => html.match(/href="(\/reports\?[^"]+)" rel="nofollow"/)?.[1].replaceAll("&amp;", "&");
    let first;
    for (const path of ["/reports", "/reports?crimeType=hack", "/reports?q=the", "/reports?q=the&crimeType=hack", "/reports"]) {
      first = await open(path);
      assert.equal(first.status, 200);
    }
    assert.equal((await open("/reports?cursor=nonsense")).status, 400); // nothing shown, nothing charged
    assert.equal((await fetch(tocsin.url + next(first.html), { method: "HEAD" })).status, 200);
    const second = await open(next(first.html));
    assert.equal(second.status, 200);
    assert.equal((await open(next(first.html))).status, 200, "the same page again");
    const third = await open(next(second.html));
    assert.equal(third.status, 429);
    assert.match(third.html, /Connect a wallet/);
    assert.equal((await open(next((await open("/reports?q=the")).html))).status, 429);
    assert.equal((await open("/reports")).status, 200);
  } finally {
    await tocsin.stop();
  }
});

test("a report with everything", async t => {
  const page = await site.visit(t, at("everything"));
  const report = reports.everything;
  assert.equal(await page.textContent("h1"), report.title);
  const facts = await page.locator(".panel .facts").textContent();
  assert.match(facts, /Happened\s*28 Feb 2026, 23:59 UTC\s*Lost\s*about 1,000,000,000,000 USD, in ETH\s*Project\s*Growing Gold\s*Filed.*By\s*anonymous/s);
  assert.equal(await page.locator(".prose p").count(), 3);
  assert.equal(await page.locator(".prose p >> nth=2").evaluate(p => p.innerText), "- one\n- two");
  const named = page.locator("section[aria-labelledby=h-sub] tbody a");
  assert.deepEqual(await named.evaluateAll(all => all.map(a => a.getAttribute("href"))), [...report.scammerAddresses, "everything.example", "everything-else.example"].map(s => `/screen/${s}`));
  assert.equal(await named.nth(0).textContent(), report.scammerAddresses[0]); // copies as one word
  assert.equal(await named.nth(2).textContent(), "everything[.]example");
  const links = await page.locator(".evidence a").evaluateAll(all => all.map(a => [a.getAttribute("href"), a.rel, a.closest("li").querySelector("small").textContent]));
  assert.deepEqual(links, report.evidence.urls.map(url => [url, "nofollow ugc noreferrer", "evidence.example"]));
  assert.match(await page.textContent(".evidence .dom"), /^hxxps:\/\/everything-else\[\.\]example\/claim$/);
  assert.match(await page.textContent(".evidence"), /Its site is reported here, so it is no link/);
  assert.equal(await page.textContent(".evidence .hash"), report.evidence.transactionHashes[0]);
  for (const handle of Object.values(report.socialMedia)) assert.ok((await page.textContent(".evidence")).includes(handle));
  assert.equal(await page.locator("#h-add ~ .btns a").getAttribute("href"), `/report?subject=${report.scammerAddresses[0]}`);
  assert.match(await page.textContent("main"), /Someone will offer to get your money back/);
});

test("of a report that names many, five are judged", async t => {
  const page = await site.visit(t, at("many"));
  assert.equal(await page.locator("section[aria-labelledby=h-sub] .level").count(), 5);
  await page.click("text=125 more");
  assert.equal(await page.locator("details .links a").count(), 125);
  assertLight(await site.weigh(at("many")));
});

test("no live link to a reported site, in whatever script it is written, nor to one with anything against it", async t => {
  const { id } = await site.file({ crimeType: "phishing", title: "Links to all sorts", description: "Text", reportedDomains: ["https://аррӏе.example", "named.example"], evidence: { urls: [
    "https://аррӏе.example/claim", "https://sub.xn--80ak6aa92e.example/x", "https://www.named.example/a?b=https://fine.example", "https://deep.under.named.example", "http://NAMED.example:8080/", // reported here
    "https://growing-gold.example/other", "https://mail.growing-gold.example", "https://filler-1.example/", // reported elsewhere
    "https://fine.example@named.example/", "https://user@fine.example/", "http://192.0.2.1/x", "http://localhost/x", // unclear
    "https://fine.example/?next=https://named.example", "https://notnamed.example/", // fine
  ] } });
  const page = await site.visit(t, `/reports/${id}`);
  const live = await page.locator("main a").evaluateAll(all => all.map(a => a.href).filter(href => !href.startsWith(location.origin)));
  assert.deepEqual(live, ["https://fine.example/?next=https://named.example", "https://notnamed.example/"]);
  const shown = await page.textContent(".evidence");
  assert.equal(shown.match(/Its site is reported here/g).length, 6);
  assert.equal(shown.match(/something on record against this site/g).length, 3);
  assert.equal(shown.match(/It is not clear where it leads/g).length, 4);
  assert.ok(!/https?:\/\/[^\s]*(growing-gold|filler-1|аррӏе)\./.test(shown));
});

test("hostile text is text", async t => {
  const page = await site.visit(t, at("hostile"));
  const report = reports.hostile;
  assert.equal(await page.textContent("h1"), report.title);
  assert.equal(await page.textContent(".prose"), `\n      ${report.description.replaceAll(/ +\n/g, "\n")}\n      `);
  assert.ok((await page.textContent(".evidence")).includes(hostile[2]));
  for (const a of await page.locator("main a").evaluateAll(all => all.map(a => a.href))) assert.match(a, /^https?:/);
  assert.equal(await page.locator("main script, main img, main base, main style, main [onmouseover], main [onload]").count(), 0);
  await page.goto(`/reports?q=${encodeURIComponent('"><svg onload=alert("svg")>')}`);
  assert.equal(await page.inputValue("#rq"), '"><svg onload=alert("svg")>');
  assert.ok(await page.locator("mark").count() > 0);
  assert.equal(await page.locator("main script, main img, .entry svg:not(.mark)").count(), 0);
  const backwards = await get(`/reports?q=${encodeURIComponent("\u202Efiller\u0007")}`);
  assert.ok(!/[\u202E\u0007]/.test(backwards));
});

test("from right to left", async t => {
  const page = await site.visit(t, at("leftwards"));
  for (const selector of ["h1", ".prose p >> nth=0"]) assert.equal(await page.locator(selector).evaluate(node => getComputedStyle(node).direction), "rtl");
  assert.equal(await page.locator("section[aria-labelledby=h-sub] a >> nth=1").textContent(), "xn--mgbh0fb[.]example");
});

test("a story of a list links to the list; unknown is 404", async t => {
  const page = await site.visit(t, "/reports?q=ronin");
  await page.click(".entry h3 a >> nth=0");
  assert.match(await page.textContent(".panel .facts"), /Published.*Source\s*Tocsin starter set/s);
  assert.equal(await page.locator("text=Is this your report?").count(), 0);
  for (const id of ["rep_nowhere", "%3Cscript%3E", "rep_%00"]) {
    expectStatus(page, 404);
    await page.goto(`/reports/${id}`);
  }
});

for (const theme of ["light", "dark"]) for (const phone of [true, false]) test(`axe: ${phone ? "phone" : "desktop"}, ${theme}`, async t => {
  const page = await site.visit(t, "/reports", { theme, phone });
  for (const path of ["/reports?q=filler&crimeType=phishing", "/reports?q=nothinglikethis", at("everything"), at("hostile")]) {
    await page.goto(path);
    await assertAccessible(page);
  }
  for (const path of ["/reports", at("long"), at("everything")]) {
    await page.goto(path);
    await assertFits(page);
  }
  expectStatus(page, 400);
  await page.goto("/reports?q=ab*");
  await assertAccessible(page);
});

test("they are light", async t => {
  const weights = [];
  for (const path of ["/reports", at("long")]) weights.push(await site.weigh(path));
  weights.forEach(assertLight);
  tellWeights(t, weights);
});
