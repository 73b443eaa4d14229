// The form that files a report: what people paste is understood or named, what they typed stays, secrets do not.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startTocsin } from "../server.mjs";
import { assertAccessible, assertFits, assertLight, expectStatus, startSite } from "./browser.mjs";
import { hostile, NOBODY } from "./seed.mjs";
import { wallet } from "./wallet.mjs";

const OTHER = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
const TX = `0x${"88df0164".repeat(8)}`;
const PHRASE = "legal winner thank year wave sausage worth useful legal winner thank yellow";
const good = { crimeType: "phishing", title: "A page took my approval", description: "I signed once.\n\nThen it was gone.", reportedDomains: "claim-one.example" };

let site;
before(async () => { site = await startSite(); });
after(() => site?.stop());

let count = 0;
/** A site that nobody has named yet. */
const fresh = () => `fresh-${++count}.example`;

/** Sends the form without a browser. */
async function post(fields, url = site.url) {
  const answer = await fetch(`${url}/report`, { method: "POST", body: new URLSearchParams(fields), redirect: "manual", headers: { "accept-encoding": "gzip" } });
  return { status: answer.status, headers: answer.headers, html: await answer.text() };
}
/** What the API tells of the report that a page is about. */
async function told(html) {
  const id = html.match(/\/reports\/(rep_[a-z2-7]+)/)[1];
  return (await fetch(`${site.url}/api/v1/community-reports/${id}`)).json();
}
const unescape = text => text.replaceAll("&#34;", `"`).replaceAll("&#39;", "'").replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&#43;", "+").replaceAll("&amp;", "&");
const text = html => unescape(html.replace(/<[^>]+>/g, ""));

async function fill(page, fields) {
  for (const [name, value] of Object.entries(fields)) {
    if (name === "crimeType") await page.check(`input[value=${value}]`);
    else await page.fill(`.form [name=${name}]`, value);
  }
}

for (const script of [true, false]) test(`a report is filed, read and withdrawn, ${script ? "with" : "without"} script`, async t => {
  const page = await site.visit(t, "/report", { script, phone: script });
  const name = fresh();
  await fill(page, { ...good, reportedDomains: `https://${name}/claim?ref=1`, scammerAddresses: NOBODY, amountLost: "12,400", currency: "usdt", incidentDate: "2026-01-31",
    transactionHashes: TX, urls: "https://news.example/story", telegram: "@thief", whatsapp: "+1 555 0100", facebook: "thief", other: "thief@mail.example", subjectProjectName: "Claim One" });
  const [answer] = await Promise.all([page.waitForResponse(r => r.request().method() === "POST"), page.click("text=Send the report")]);
  assert.equal(answer.status(), 201);
  assert.equal(answer.headers()["cache-control"], "no-store");
  assert.equal(answer.headers()["content-encoding"], undefined);
  assert.match(await page.title(), /^Your report is public – A page took my approval/);
  const token = await page.textContent("#manage");
  assert.match(token, /^man_[a-z2-7]+$/);
  assert.ok(!page.url().includes("man_"));
  const at = await page.getAttribute(".note a", "href");
  const report = await told(at);
  assert.deepEqual([report.scammerAddresses, report.reportedDomains, report.amountLost, report.currency, report.incidentDate], [[NOBODY], [name], 12400, "USDT", "2026-01-31"]);
  assert.deepEqual(report.evidence, { urls: ["https://news.example/story", `https://${name}/claim?ref=1`], transactionHashes: [TX] });
  assert.deepEqual(report.socialMedia, { whatsapp: "+1 555 0100", telegram: "@thief", facebook: "thief", other: "thief@mail.example" });

  await page.click(".note a");
  assert.equal(page.url(), at);
  assert.ok(!(await page.content()).includes(token), "the token is shown once");
  await page.click("text=Is this your report?");
  expectStatus(page, 403);
  await page.fill("#token", "man_wrong");
  await page.click("text=Withdraw the report");
  assert.match(await page.title(), /^Not withdrawn/);
  assert.ok(!(await page.content()).includes("man_wrong"));
  assert.match(await page.textContent("#token-e"), /not the token of this report/);
  if (script) await assertAccessible(page);
  await page.fill("#token", `  ${token} `);
  await page.click("text=Withdraw the report");
  assert.equal(await page.textContent("h1"), "Your report is withdrawn");
  expectStatus(page, 410);
  await page.goto(at);
  assert.equal(await page.textContent("h1"), "This report was withdrawn");
});

test("the same report twice is filed once", async t => {
  const report = { ...good, reportedDomains: fresh() };
  const first = await post(report), second = await post(report);
  assert.deepEqual([first.status, second.status], [201, 200]);
  assert.match(text(second.html), /We have this report already\./);
  assert.ok(!second.html.includes("man_f") && !second.html.includes('id="manage"'));
  assert.equal((await told(first.html)).id, (await told(second.html)).id);
});

test("a link to the form names the subject", async t => {
  const page = await site.visit(t, `/report?subject=${NOBODY.toLowerCase()}`);
  assert.equal(await page.inputValue("#scammerAddresses"), NOBODY);
  await page.goto("/report?subject=https://Evil.example/x&subject=nonsense");
  assert.equal(await page.inputValue("#reportedDomains"), "evil.example");
  assert.equal(await page.inputValue("#scammerAddresses"), "");
});

// What is put into the two boxes, and what is understood.
const understood = {
  "a link to a block explorer": [`https://etherscan.io/address/${NOBODY}#code`, "", [NOBODY], 0],
  "a token on one": [`https://basescan.org/token/${NOBODY.toLowerCase()}`, "", [NOBODY], 0],
  "several on a line": [`${NOBODY}, ${OTHER};${NOBODY.toLowerCase()}`, "", [NOBODY, OTHER], 0],
  "labels beside them": [`Wallet 1: ${NOBODY} (USDT)\n- "${OTHER}".`, "", [NOBODY, OTHER], 0],
  "without 0x": [NOBODY.slice(2).toLowerCase(), "", [NOBODY], 0],
  "with its chain": [`eip155:1:${NOBODY}`, "", [NOBODY], 0],
  "a site among the addresses": ["https://SITE/claim", "", [], 1],
  "a bare site among the addresses": [`${NOBODY}\nSITE`, "", [NOBODY], 1],
  "an address among the sites": ["", `${NOBODY} SITE`, [NOBODY], 1],
  "a defanged site": ["", "hxxps://SITE[.]com/x,y", [], 1],
  "sites in a sentence": ["", "I met him on SITE.", [], 1],
  "a port": ["", "SITE:8443", [], 1],
  "an address in the question of a site": ["", `https://SITE/claim?ref=${NOBODY}`, [], 1],
};
for (const [name, [addresses, domains, wanted, sites]] of Object.entries(understood)) test(`${name} is understood`, async () => {
  const one = fresh();
  const { status, html } = await post({ ...good, title: `${name} ${one}`, scammerAddresses: addresses.replaceAll("SITE", one), reportedDomains: domains.replaceAll("SITE", one) });
  assert.equal(status, 201, text(html));
  const report = await told(html);
  assert.deepEqual(report.scammerAddresses, wanted);
  assert.deepEqual(report.reportedDomains.map(d => d.replace(/\.com$/, "")), sites ? [one] : []);
});

test("transactions are taken out of links, from whichever box", async () => {
  const hashes = ["1", "2", "3"].map(d => `0x${d.repeat(64)}`);
  const { html } = await post({ ...good, reportedDomains: fresh(), scammerAddresses: `https://etherscan.io/tx/${hashes[0]}`, transactionHashes: `Tx: https://arbiscan.io/tx/${hashes[1]}`, urls: `${hashes[2]}\nnews.example/a (x)` });
  const { evidence } = await told(html);
  assert.deepEqual(evidence.transactionHashes.toSorted(), hashes);
  assert.deepEqual(evidence.urls, ["https://news.example/a"]);
});

// What is wrong: the fields, what the summary says, what stands at the field.
const wrong = {
  "no kind": [{ crimeType: "" }, "crimeType", /What happened: choose one/, /Choose what comes closest/],
  "no title": [{ title: " " }, "title", /In one line: it is empty/, /Say in one line/],
  "no story": [{ description: "" }, "description", /in your words: it is empty/, /a sentence or two/],
  "nobody named": [{ reportedDomains: "" }, "scammerAddresses", /neither an address nor a website/, /Name at least one/],
  "41 digits": [{ scammerAddresses: `${NOBODY}\n${OTHER}1` }, "scammerAddresses", /Addresses, line 2: one digit too many/, /Line 2 has 41 digits after 0x; an address has 40\. Was the last “1” meant/],
  "39 digits": [{ scammerAddresses: OTHER.slice(0, -1) }, "scammerAddresses", /Addresses: one digit too few/, /This has 39 digits/],
  "a wrong letter": [{ scammerAddresses: OTHER.replace("F2", "G2") }, "scammerAddresses", /a character that no address has/, /the character “G”/],
  "a wrong checksum": [{ scammerAddresses: `\n${OTHER.replace("dA", "Da")}` }, "scammerAddresses", /a digit may be mistyped/, /its capital letters are a checksum/],
  "cut short": [{ scammerAddresses: "0xd8dA6BF2…A96045" }, "scammerAddresses", /the middle is missing/, /is cut short/],
  "a bare hash": [{ scammerAddresses: TX }, "scammerAddresses", /a transaction, not an address/, /64 digits after 0x/],
  "two in a link": [{ scammerAddresses: `https://etherscan.io/token/${NOBODY}?a=${OTHER}` }, "scammerAddresses", /more than one address/, /Paste the one that is theirs/],
  "whose address": [{ scammerAddresses: `https://claim.example/?wallet=${OTHER}` }, "scammerAddresses", /whose address is it/, /may be your own/],
  "Bitcoin": [{ scammerAddresses: "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq" }, "scammerAddresses", /another chain/, /like an address of Bitcoin/],
  "Tron": [{ scammerAddresses: "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb" }, "scammerAddresses", /another chain/, /like an address of Tron/],
  "Solana": [{ scammerAddresses: "4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T" }, "scammerAddresses", /another chain/, /Solana/],
  "a mail address": [{ scammerAddresses: "thief@mail.example" }, "scammerAddresses", /a mail address/, /another account/],
  "a handle": [{ reportedDomains: "@thief" }, "reportedDomains", /a name in a chat/, /their Telegram/],
  "a name of ENS": [{ scammerAddresses: "thief.eth" }, "scammerAddresses", /a name, not an address/, /its owner can point elsewhere/],
  "words": [{ scammerAddresses: "I do not know" }, "scammerAddresses", /no address/, /“I” is none/],
  "no site": [{ reportedDomains: "growing gold" }, "reportedDomains", /no website/, /“growing” is none/],
  "a shared host": [{ reportedDomains: "x.example\nhttps://t.me/thief" }, "reportedDomains", /Websites, line 2: t\.me belongs to many/, /strangers have pages/],
  "an IP address": [{ reportedDomains: "http://192.0.2.1/x" }, "reportedDomains", /no website/, /IP address/],
  "a known site": [{ reportedDomains: "claim-two.example\nuniswap.org" }, "reportedDomains", /Websites, line 2: uniswap\.org is a well-known site/, /many honest people use/],
  "two readings": [{ amountLost: "12.400" }, "amountLost", /Amount: it is not clear/, /Write 12400 if it was thousands, or 12\.40/],
  "another currency": [{ amountLost: "2 ETH" }, "amountLost", /Amount/, /worth in US dollars that day/],
  "no number": [{ amountLost: "a lot" }, "amountLost", /Amount/, /Write a number/],
  "a minus": [{ amountLost: "-5" }, "amountLost", /Amount/, /without a minus/],
  "too much": [{ amountLost: "99999999999999999999999" }, "amountLost", /Amount/, /a trillion/],
  "no currency": [{ currency: "US dollars" }, "currency", /What was lost/, /short name/],
  "tomorrow": [{ incidentDate: "2999-01-01" }, "incidentDate", /When: it lies in the future/, /future/],
  "an unclear day": [{ incidentDate: "1/2/2026" }, "incidentDate", /When: not a date/, /2026-01-31/],
  "a short hash": [{ transactionHashes: `${TX}\n0x12` }, "transactionHashes", /Transactions, line 2: 2 digits, not 64/, /Line 2 has 2 digits/],
  "an address for a hash": [{ transactionHashes: NOBODY }, "transactionHashes", /an address, not a transaction/, /under their addresses/],
  "no link": [{ urls: "ask my brother" }, "urls", /Links: no link/, /“ask” is none/],
  "another scheme": [{ urls: "javascript://x/alert(1)" }, "urls", /Links: no link/, /not a web address/],
  "a long title": [{ title: "x".repeat(201) }, "title", /too long/, /201 characters, 200 are allowed/],
  "a long story": [{ description: "x".repeat(10_001) }, "description", /too long/, /Shorten it/],
  "a long handle": [{ telegram: "x".repeat(201) }, "telegram", /Telegram/, /200 are allowed/],
  "a long project": [{ subjectProjectName: "x".repeat(201) }, "subjectProjectName", /Project/, /200 are allowed/],
  "too many": [{ scammerAddresses: Array.from({ length: 101 }, (_, n) => `0x${String(n).padStart(40, "0")}`).join(" ") }, "scammerAddresses", /Addresses/, /100 are allowed/],
};
for (const [name, [fields, at, summary, said]] of Object.entries(wrong)) test(`wrong: ${name}`, async () => {
  const sent = { ...good, ...fields };
  const { status, html } = await post(sent);
  assert.equal(status, 422);
  assert.match(html, /<title>\d+ things? needs? another look – Report a scam – Tocsin<\/title>/);
  const errs = html.match(/<div class="errs"[^>]* role="alert"[^]*?<\/div>/)[0];
  assert.match(text(errs), summary);
  assert.ok(errs.includes(`href="#${at}"`) && html.includes(`id="${at}"`));
  const message = html.match(new RegExp(`<div class="wrong" id="${at}-e">([^]*?)</div>`))[1];
  assert.match(text(message), said);
  assert.match(html, new RegExp(at === "crimeType" ? `radiogroup[^>]*aria-invalid="true" aria-describedby="crimeType-e"` : `<(?:input|textarea)[^>]* id="${at}"[^>]*aria-invalid="true" aria-describedby="${at}-e`));
  assert.ok(!/evidence\.urls|socialMedia|scammerAddresses\b(?!["-])|reportedDomains\[|[Ss]end (a|the|0x|one|an) /.test(text(html).replaceAll("Send the report", "")), "no word of the API");
  for (const [field, value] of Object.entries(sent)) {
    if (field === "crimeType") assert.equal(html.includes(`value="phishing" id="crimeType" checked`) || html.includes(`value="phishing" checked`) || /value="phishing"[^>]*checked/.test(html), value !== "", "the kind stays");
    else if (value.trim()) assert.ok(unescape(html).includes(value.trim()), `${field} stays`);
  }
});

test("amounts as people write them", async () => {
  for (const [typed, dollars] of Object.entries({ "12,400": 12400, "$1,250.50": 1250.5, "12.400,50": 12400.5, "1250.5": 1250.5, "12,50": 12.5, "about 1 234 567 USD": 1234567, "12'400.05": 12400.05,
    "1,25,000": 125000, "1.250.500": 1250500, "0": 0, "US$ 10": 10, "0.50": 0.5 })) {
    const { status, html } = await post({ ...good, title: typed, amountLost: typed, reportedDomains: fresh() });
    assert.equal(status, 201, typed);
    assert.equal((await told(html)).amountLost, dollars, typed);
  }
  for (const typed of ["12.400", "1,2,3", "12,400.505", "1e6", "5 million", "€50", "12,40,0", "1.2.3"]) assert.equal((await post({ ...good, amountLost: typed })).status, 422, typed);
});

test("a secret is refused and not shown again, in whichever field", async () => {
  const secrets = [PHRASE, PHRASE.replaceAll(" ", "\n"), "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ", `my private key: ${TX}`, "ab".repeat(32)];
  for (const secret of secrets) for (const field of ["title", "description", "scammerAddresses", "reportedDomains", "subjectProjectName", "urls", "transactionHashes", "telegram", "other", "amountLost", "currency", "incidentDate"]) {
    if (secret === "ab".repeat(32) && field === "transactionHashes") continue; // here it is a hash that lacks its 0x
    const { status, html } = await post({ ...good, [field]: `So ${secret} it is` });
    assert.equal(status, 422, `${field}: ${secret}`);
    const shown = unescape(html);
    for (const part of secret.split(/\s+/).filter(word => word.length > 4 && !["private"].includes(word))) {
      assert.ok(!new RegExp(`\\b${part}\\b`).test(shown.replace(/<small>[^<]*<\/small>/g, "")), `${field} shows ${part}`);
    }
    assert.match(text(html), /There was a recovery phrase or a private key in it/);
    if (field !== "title") assert.ok(html.includes(good.title));
  }
  const link = await post({ ...good, urls: `https://x.example/?p=${PHRASE.replaceAll(" ", "+")}`, scammerAddresses: `https://x.example/${PHRASE.replaceAll(" ", "-")}` });
  assert.equal(link.status, 422);
  assert.ok(!link.html.includes("sausage"));
  assert.match(link.html, /<title>2 things/);
});

test("what strangers type is text, and loses what cannot be seen", async t => {
  const page = await site.visit(t, "/report");
  await fill(page, { crimeType: "hack", description: hostile.join("\n"), subjectProjectName: hostile[1], other: hostile[2], scammerAddresses: hostile[0], urls: hostile[1], amountLost: hostile[3] });
  expectStatus(page, 422);
  await page.click("text=Send the report");
  assert.equal(await page.inputValue("#description"), hostile.join("\n"));
  assert.equal(await page.inputValue("#scammerAddresses"), hostile[0]);
  assert.equal(await page.inputValue("#amountLost"), hostile[3]);
  const { html } = await post({ ...good, title: "pay\u202Elive\u0007 \u200Bnow", crimeType: "nonsense" });
  assert.ok(html.includes(`value="paylive now"`));
});

test("nothing is lost when too many were filed", async () => {
  const tocsin = await startTocsin({ flags: ["-filings", "1"] });
  try {
    assert.equal((await post(good, tocsin.url)).status, 201);
    const again = await post({ ...good, title: "Another title that I wrote", amountLost: "77" }, tocsin.url);
    assert.equal(again.status, 429);
    assert.ok(Number(again.headers.get("retry-after")) > 0);
    assert.match(text(again.html), /Nothing is lost: all that you typed is below\. Send it again in \d+ minutes?\./);
    for (const kept of ["Another title that I wrote", "I signed once.\n\nThen it was gone.", "claim-one.example", `value="77"`]) assert.ok(again.html.includes(kept), kept);
    assert.match(again.html, /value="phishing"[^>]*checked/);
    const first = await post(good, tocsin.url); // whoever lost the answer still gets to the report
    assert.deepEqual([first.status, /We have this report already/.test(first.html)], [200, true]);
  } finally {
    await tocsin.stop();
  }
});

test("who is signed in files under the key", async t => {
  const page = await site.visit(t, "/account", { wallets: [wallet()] });
  await page.getByRole("button", { name: "Wallet one" }).click();
  await page.getByRole("heading", { name: "Account", level: 1 }).waitFor();
  await page.goto("/report");
  assert.match(await page.textContent("main"), /You are signed in: the report will stand under your key, without a name/);
  await fill(page, { ...good, reportedDomains: fresh() });
  await page.click("text=Send the report");
  const report = await told(await page.getAttribute(".note a", "href"));
  assert.match(report.reporter.id, /^agt_/);
  assert.match(await page.textContent(".panel .facts"), /By\s*a reporter with a key/);
  await page.context().clearCookies();
  await page.goto("/report");
  assert.match(await page.textContent("main"), /No account, no wallet, no fee/);
});

test("by keyboard alone, from an error to its field", async t => {
  const page = await site.visit(t, "/report?subject=keyboard.example");
  expectStatus(page, 422);
  await page.click("text=Send the report");
  assert.match(await page.title(), /^3 things need another look – Report a scam/);
  await page.focus(".errs a[href='#title']");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "title");
  await page.keyboard.type("By keyboard");
  await page.focus(".errs a[href='#crimeType']");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Space");
  assert.ok(await page.isChecked("input[value=phishing]"));
});

for (const theme of ["light", "dark"]) for (const phone of [true, false]) test(`axe: ${phone ? "phone" : "desktop"}, ${theme}`, async t => {
  const page = await site.visit(t, "/report", { theme, phone });
  await assertAccessible(page);
  await fill(page, { scammerAddresses: `${NOBODY}1\nx`, amountLost: "12.400", currency: "$ $", transactionHashes: "0x1", urls: "x", description: PHRASE });
  expectStatus(page, 422);
  await page.click("text=Send the report");
  await assertAccessible(page);
  await assertFits(page);
  await page.setViewportSize({ width: 1280, height: 900 });
  await fill(page, { ...good, scammerAddresses: "", amountLost: "", currency: "", transactionHashes: "", urls: "", reportedDomains: fresh() });
  await page.click("text=Send the report");
  assert.match(await page.title(), /^Your report is public/);
  await assertAccessible(page);
  await assertFits(page);
});

test("the form is light", async () => { assertLight(await site.weigh("/report")); });
