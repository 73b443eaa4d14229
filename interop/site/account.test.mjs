// The account: wallets that really sign, keys that are seen once, and sessions that end.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { createSiweMessage, parseSiweMessage } from "viem/siwe";
import { startTocsin } from "../server.mjs";
import { assertAccessible, assertFits, assertLight, expectStatus, LIGHT, startSite, tabTo, tellWeights } from "./browser.mjs";
import { NOBODY } from "./seed.mjs";
import { inject, picture, wallet } from "./wallet.mjs";

let site;
const seen = []; // every secret that was shown
before(async () => { site = await startSite(); });
after(() => site?.stop());

const person = () => privateKeyToAccount(generatePrivateKey());
const choose = (page, name = "Wallet one") => page.getByRole("button", { name }).click();
const alert = page => page.locator("#alert .note");
const status = page => page.locator("#status .note");
/** What the page would show of a key. */
const form = /toc_[a-z2-7]{38}/;

async function shownKey(page) {
  const key = await page.locator("#key").textContent();
  assert.match(key, /^toc_[a-z2-7]{38}$/);
  seen.push(key);
  return key;
}

/** Signs in with a wallet in a fresh browser. */
async function signedIn(t, one = wallet(), options = {}) {
  const page = await site.visit(t, "/account", { wallets: [one], ...options });
  await choose(page);
  await page.getByRole("heading", { name: "Account", level: 1 }).waitFor();
  return page;
}
async function withKey(t, one = wallet(), options = {}) {
  const page = await signedIn(t, one, options);
  return { page, one, key: await shownKey(page) };
}

const me = async key => (await fetch(`${site.url}/api/v1/me`, { headers: { "x-api-key": key } })).json();
const screen = (key, subject = NOBODY) => fetch(`${site.url}/api/v1/screen/${subject}`, { headers: { "x-api-key": key } });

/** A form, sent as a program would. */
const post = (path, fields, headers = {}, url = site.url) => fetch(url + path, { method: "POST", redirect: "manual", body: new URLSearchParams(fields), headers });
const messageFor = async (account, url) => (await post("/account/message", { address: account.address }, {}, url)).text();
const cookieOf = answer => answer.headers.getSetCookie().find(cookie => /session=/.test(cookie));
const pair = cookie => cookie.split(";")[0];

/** Signs in without a browser; returns the answer and the cookie to send. */
async function signInByFetch(account = person(), headers = {}, url = site.url) {
  const message = await messageFor(account, url);
  const answer = await post("/account/sign-in", { message, signature: await account.signMessage({ message }) }, headers, url);
  const html = await answer.text();
  const key = html.match(form)?.[0];
  if (key) seen.push(key);
  return { account, message, answer, html, key, cookie: cookieOf(answer) };
}
const look = async (cookie, path = "/account") => (await fetch(site.url + path, { headers: { cookie } })).text();
const isSignedIn = html => /<h1>Account<\/h1>/.test(html);

test("one of two wallets signs the message and the key is there", async t => {
  const one = wallet(), two = wallet({ name: "Wallet two", icon: picture("#2a5a82") });
  const page = await site.visit(t, "/account", { wallets: [one, two] });
  assert.deepEqual(await page.locator(".wallet b").allTextContents(), ["Wallet one", "Wallet two"]);
  assert.equal(await page.locator(".wallet img").count(), 2);
  await choose(page, "Wallet two");
  const key = await shownKey(page);
  assert.deepEqual(one.asked, []);
  assert.equal(two.signed.length, 1);
  const { message } = two.signed[0];
  const parsed = parseSiweMessage(message);
  assert.equal(createSiweMessage(parsed), message, "as viem writes it");
  assert.deepEqual([parsed.domain, parsed.uri, parsed.address, parsed.version, parsed.chainId], [new URL(site.url).host, site.url, two.address, "1", 8453]);
  assert.equal(parsed.statement, "Sign in to Tocsin and get an API key. This moves no funds.");
  assert.ok(parsed.nonce.length >= 16 && parsed.expirationTime - parsed.issuedAt <= 300_000);
  const { authenticated, agent } = await me(key);
  assert.deepEqual([authenticated, agent.address], [true, two.address]);
  assert.equal((await page.locator(".meta .addr").textContent()), two.address);
  assert.match(await page.locator(".big").textContent(), /^10 of 10$/);
});

test("the message stands on the page before the wallet is asked", async t => {
  const one = wallet();
  const page = await site.visit(t, "/account", { wallets: [one] });
  assert.match(await page.locator("#message").textContent(), /your address/);
  const ask = one.request;
  let shown;
  one.request = async (method, params) => {
    if (method === "personal_sign") shown = await page.locator("#message").textContent();
    return ask(method, params);
  };
  await choose(page);
  await shownKey(page);
  assert.equal(shown, one.messages[0]);
});

test("a wallet on any chain signs, and none is asked to change it", async t => {
  for (const [chain, named] of [[1, 1], [8453, 8453], [137, 8453]]) {
    const one = wallet({ chain, chains: [chain] });
    await withKey(t, one);
    assert.equal(parseSiweMessage(one.messages[0]).chainId, named);
    assert.deepEqual(one.asked.map(([method]) => method), ["eth_requestAccounts", "eth_chainId", "personal_sign"]);
  }
});

test("a wallet of the old kind is used when no other announced itself", async t => {
  const old = wallet({ announced: false, legacy: true });
  const page = await site.visit(t, "/account", { wallets: [old] });
  await choose(page, "The wallet of this browser");
  await shownKey(page);
  assert.equal(old.signed.length, 1);
  const both = await site.visit(t, "/account", { wallets: [wallet(), wallet({ announced: false, legacy: true })] });
  await both.waitForTimeout(500);
  assert.deepEqual(await both.locator(".wallet b").allTextContents(), ["Wallet one"]);
});

test("without a wallet the page says what to do", async t => {
  const page = await site.visit(t, "/account");
  await page.getByText("We see none.").waitFor();
  assert.equal(await page.locator(".wallet").count(), 0);
  await page.getByRole("link", { name: "sign by hand" }).click();
  assert.equal(new URL(page.url()).hash, "#hand");
});

test("what wallets announce is text, and no picture from elsewhere", async t => {
  const uuid = "350670db-19fa-4704-a166-e52e178b59d2";
  const page = await site.visit(t, "/account", { wallets: [
    wallet({ uuid, name: `<img src=x onerror=alert(1)>\u202e${"n".repeat(300)}`, icon: "https://elsewhere.example/icon.png" }),
    wallet({ uuid, name: "The same again" }),
    wallet({ name: "Scripted", icon: "javascript:alert(1)" }),
    wallet({ name: "Text", icon: "data:text/html,<script>alert(1)</script>" }),
    wallet({ name: "Drawn", icon: "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'><script>alert(1)</script></svg>" }),
    wallet({ name: "", rdns: "nameless.example" }),
  ] });
  await page.evaluate(() => {
    for (const detail of [undefined, null, {}, { info: {} }, { info: { uuid: "1", name: "No provider" } }, { info: { uuid: 7 }, provider: { request() {} } }]) {
      dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
    }
  });
  const names = await page.locator(".wallet b").allTextContents();
  assert.deepEqual(names.slice(1), ["Scripted", "Text", "Drawn", "nameless.example"]);
  assert.ok(names[0].startsWith("<img src=x onerror=alert(1)>") && names[0].length <= 40 && !names[0].includes("\u202e"), names[0]);
  await page.waitForTimeout(200);
  for (const src of await page.locator(".wallet img").evaluateAll(images => images.map(image => image.src))) assert.match(src, /^data:image\//);
  await assertFits(page);
});

test("a wallet that says no can be asked again", async t => {
  const one = wallet({ behaves: "refuses" });
  const page = await site.visit(t, "/account", { wallets: [one] });
  for (const behaves of ["refuses", "rejects"]) {
    one.behaves = behaves;
    await choose(page);
    await alert(page).getByText("Your wallet said no.").waitFor();
    assert.equal(await page.locator("#alert").getAttribute("role"), "alert");
    assert.match(await page.locator(".wallet span").textContent(), /said no/);
    assert.equal(await status(page).count(), 0);
  }
  one.behaves = "signs";
  await choose(page);
  await shownKey(page);
  assert.equal(one.signed.length, 1);
});

test("a locked wallet is waited for, and the page goes on when it is opened", async t => {
  const one = wallet({ behaves: "locked" });
  const page = await site.visit(t, "/account", { wallets: [one] });
  await choose(page);
  await status(page).getByText("has a question for you").waitFor();
  await status(page).getByText("has not answered yet").waitFor();
  await choose(page); // which answers -32002
  await alert(page).getByText("is waiting for you already").waitFor();
  one.unlock();
  await shownKey(page);
  assert.equal(one.messages.length, 1, "asked to sign once");
});

test("a wallet that answers an old question late is not asked to sign twice", async t => {
  const one = wallet();
  const ask = one.request;
  let late, sign, asked = 0;
  one.request = async (method, params) => {
    if (method === "eth_requestAccounts" && ++asked === 1) await new Promise(done => { late = done; });
    if (method === "personal_sign") await new Promise(done => { sign = done; });
    return ask(method, params);
  };
  const page = await site.visit(t, "/account", { wallets: [one] });
  await choose(page);
  await choose(page);
  while (!sign) await page.waitForTimeout(10);
  late();
  await page.waitForTimeout(300);
  sign();
  await shownKey(page);
  assert.equal(one.messages.length, 1);
  assert.equal(one.asked.filter(([method]) => method === "eth_chainId").length, 1);
});

test("another wallet can be chosen while the first one is silent", async t => {
  const one = wallet({ behaves: "locked" }), two = wallet({ name: "Wallet two" });
  const page = await site.visit(t, "/account", { wallets: [one, two] });
  await choose(page);
  await status(page).waitFor();
  two.behaves = "rejects";
  await choose(page, "Wallet two");
  await alert(page).getByText("said no").waitFor();
  one.unlock(); // too late: it was not the last one chosen
  await page.waitForTimeout(300);
  assert.deepEqual(one.messages, []);
  two.behaves = "signs";
  await choose(page, "Wallet two");
  await shownKey(page);
});

test("an account that is switched while it signs is not signed in", async t => {
  const one = wallet();
  const first = one.account, other = person();
  const page = await site.visit(t, "/account", { wallets: [one] });
  const ask = one.request;
  one.request = async (method, params) => {
    if (method !== "personal_sign") return ask(method, params);
    one.request = ask;
    const signature = await ask(method, params);
    await one.choose(other);
    return signature;
  };
  await choose(page);
  await alert(page).getByText("You changed the account.").waitFor();
  assert.match(await alert(page).textContent(), new RegExp(first.address.slice(0, 6), "i"));
  await choose(page);
  await shownKey(page);
  assert.equal(await page.locator(".meta .addr").textContent(), other.address);

  // One that is switched before it signs refuses by itself.
  const two = wallet();
  const second = await site.visit(t, "/account", { wallets: [two] });
  const answer = two.request;
  two.request = async (method, params) => {
    if (method === "personal_sign") {
      two.request = answer;
      await two.choose(other);
    }
    return answer(method, params);
  };
  await choose(second);
  await alert(second).getByText("You changed the account.").waitFor();
});

test("what fails on the way is said calmly, and can be tried again", async t => {
  const one = wallet();
  const page = await site.visit(t, "/account", { wallets: [one] });
  await page.evaluate(() => { window.real = fetch; window.fetch = () => Promise.reject(new TypeError("Failed to fetch")); });
  await choose(page);
  await alert(page).getByText("We cannot be reached.").waitFor();
  await page.evaluate(() => { window.fetch = window.real; });
  await page.route("**/account/message", route => route.fulfill({ status: 429, body: "" }));
  expectStatus(page, 429);
  await choose(page);
  await alert(page).getByText("Not so fast, please.").waitFor();
  await page.unroute("**/account/message");
  const ask = one.request;
  for (const [error, words] of [
    [{ code: 4100, message: "no" }, /does not let this page use that account/],
    [{ code: 4200, message: "no" }, /cannot sign messages/],
    [{ code: 4900, message: "no" }, /not connected/],
    [{ code: -32603, message: `<b>Inner</b>\u202e ${"x".repeat(500)}` }, /It says: “<b>Inner<\/b>/],
  ]) {
    one.request = async (method, params) => {
      if (method === "personal_sign") throw Object.assign(new Error(error.message), error);
      return ask(method, params);
    };
    await choose(page);
    await alert(page).filter({ hasText: words }).waitFor();
  }
  assert.ok((await alert(page).textContent()).length < 300);
  one.request = async (method, params) => method === "eth_requestAccounts" ? [] : ask(method, params);
  await choose(page);
  await alert(page).getByText("named no account").waitFor();
  one.request = ask;
  await choose(page);
  await shownKey(page);
});

test("a wallet that signs with another key is not believed", async t => {
  const one = wallet({ signer: person() });
  const page = await site.visit(t, "/account", { wallets: [one] });
  expectStatus(page, 400);
  await choose(page);
  const note = page.locator(".note[role=alert]");
  await note.getByText("Another account signed that.").waitFor();
  assert.ok((await note.textContent()).includes(one.address), "the account that was expected");
  assert.deepEqual(await page.context().cookies(), []);
  assert.equal(new URL(page.url()).pathname, "/account");
  await page.reload(); // sends nothing again
  assert.equal(await note.count(), 0);
});

test("signing by hand, without script", async t => {
  const account = person();
  const page = await site.visit(t, "/account", { script: false });
  assert.match(await page.locator("noscript").textContent(), /found by a script/);
  for (const [typed, words, kept] of [
    ["0x123", /40 hexadecimal digits after 0x, this has 3/, "0x123"],
    [account.address.slice(0, -1) + "g", /no hexadecimal digit/, account.address.slice(0, -1) + "g"],
    [`<script>alert(1)</script>`, /is not an EVM address/, "<script>alert(1)</script>"],
    [generatePrivateKey(), /private key/, ""],
    ["legal winner thank year wave sausage worth useful legal winner thank yellow", /recovery phrase/, ""],
  ]) {
    await page.fill("#address", typed);
    expectStatus(page, 400);
    await page.getByRole("button", { name: "Make the message" }).click();
    await page.locator("#address-e").filter({ hasText: words }).waitFor();
    assert.equal(await page.inputValue("#address"), kept);
    assert.equal(await page.getAttribute("#address", "aria-invalid"), "true");
    if (!kept) assert.ok(!(await page.content()).includes(typed));
  }
  await page.fill("#address", account.address.toLowerCase());
  await page.getByRole("button", { name: "Make the message" }).click();
  let message = await page.locator("#message").textContent();
  assert.equal(createSiweMessage(parseSiweMessage(message)), message);
  assert.equal(parseSiweMessage(message).address, account.address);

  for (const [typed, words, kept] of [
    ["12345", /begins with 0x/, "12345"],
    ["0x12345", /130 digits after 0x/, "0x12345"],
    [generatePrivateKey(), /private key/, ""],
  ]) {
    await page.fill("#signature", typed);
    expectStatus(page, 400);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.locator("#signature-e").filter({ hasText: words }).waitFor();
    assert.equal(await page.inputValue("#signature"), kept);
    assert.equal(await page.locator("#message").textContent(), message, "nothing was used up");
  }

  await page.fill("#signature", await person().signMessage({ message }));
  expectStatus(page, 400);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("Another account signed that.").waitFor();
  assert.ok((await page.locator(".note[role=alert]").textContent()).includes(account.address));
  const next = await page.locator("#message").textContent();
  assert.notEqual(next, message);
  assert.equal(await page.inputValue("#signature"), "");

  message = next;
  const signature = await account.signMessage({ message });
  await page.fill("#signature", `${signature.slice(2, 60)}\n${signature.slice(60)}\n`); // as a terminal wraps it
  await page.getByRole("button", { name: "Sign in" }).click();
  const key = await shownKey(page);
  assert.equal((await me(key)).agent.address, account.address);

  // Sent again by a reload, it shows nothing, and the key is not replaced.
  await page.reload();
  assert.equal(new URL(page.url()).pathname, "/account");
  assert.doesNotMatch(await page.content(), form);
  assert.equal((await me(key)).authenticated, true);
});

test("a message is good once, and for five minutes", async t => {
  const account = person();
  const page = await site.visit(t, "/account");
  await page.fill("#address", account.address);
  await page.getByRole("button", { name: "Make the message" }).click();
  const message = await page.locator("#message").textContent();
  const signature = await account.signMessage({ message });
  assert.equal((await post("/account/sign-in", { message, signature })).status, 200);
  await page.fill("#signature", signature);
  expectStatus(page, 400);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("That message is no longer good.").waitFor();

  // One that is ten minutes old: the wallet's person went for a coffee.
  const old = { ...parseSiweMessage(await page.locator("#message").textContent()) };
  old.issuedAt = new Date(old.issuedAt - 600_000);
  old.expirationTime = new Date(old.expirationTime - 600_000);
  const late = createSiweMessage(old);
  await page.locator("input[name=message]").evaluate((field, late) => { field.value = late; }, late);
  await page.fill("#signature", await account.signMessage({ message: late }));
  expectStatus(page, 400);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("That message is no longer good.").waitFor();

  // The new one is good.
  await page.fill("#signature", await account.signMessage({ message: await page.locator("#message").textContent() }));
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Account", level: 1 }).waitFor();

  const elsewhere = (await messageFor(account)).replaceAll(new URL(site.url).host, "elsewhere.example");
  const answer = await post("/account/sign-in", { message: elsewhere, signature: await account.signMessage({ message: elsewhere }) });
  assert.equal(answer.status, 400);
  assert.match(await answer.text(), /for another site/);
  assert.equal(cookieOf(answer), undefined);
  const changed = (await messageFor(account)).replace("This moves no funds.", "A fine \"day\".");
  assert.match(await (await post("/account/sign-in", { message: changed, signature: await account.signMessage({ message: changed }) })).text(), /message was changed/);
  for (const nothing of [{}, { message: "", signature: "0x" }, { message: "x".repeat(5000), signature: "y" }]) assert.equal((await post("/account/sign-in", nothing)).status, 400);
});

test("the key is shown once, and stays nowhere", async t => {
  const { page, key } = await withKey(t);
  const cdp = await page.context().newCDPSession(page);
  const nowhere = async () => {
    const traces = await page.evaluate(() => [location.href, document.title, document.referrer, JSON.stringify(history.state), document.cookie,
      JSON.stringify({ ...localStorage }), JSON.stringify({ ...sessionStorage })]);
    const { entries } = await cdp.send("Page.getNavigationHistory");
    assert.ok(!JSON.stringify([traces, entries]).includes(key), "the key left a trace");
    assert.deepEqual(traces.slice(4), ["", "{}", "{}"]);
  };
  await nowhere();
  const gone = async what => {
    assert.doesNotMatch(await page.content(), form, what);
    await page.getByRole("heading", { name: "Account", level: 1 }).waitFor();
    assert.match(await page.locator("#h-end ~ .sub").textContent(), new RegExp(`${key.slice(0, 12)}….*cannot show it again`));
    await nowhere();
  };
  await page.reload();
  await gone("after a reload");

  const again = await withKey(t);
  const other = again.page;
  await other.getByRole("link", { name: "I have saved it" }).click();
  await other.waitForURL("**/account");
  for (const move of ["goBack", "goForward", "reload", "goBack"]) {
    await other[move]();
    assert.doesNotMatch(await other.content(), form, move);
    await other.getByRole("heading", { name: "Account", level: 1 }).waitFor();
  }
  assert.equal((await me(again.key)).authenticated, true);

  // A browser that keeps the page as it was (which this one is told not to do) keeps it without the key.
  const third = await withKey(t);
  await third.page.evaluate(() => dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true })));
  assert.doesNotMatch(await third.page.content(), form);
  const reloaded = third.page.waitForEvent("load");
  await third.page.evaluate(() => { dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })); });
  await reloaded;
  assert.doesNotMatch(await third.page.content(), form);

  const { answer } = await signInByFetch();
  assert.equal(answer.headers.get("cache-control"), "no-store");
  assert.equal(answer.headers.get("content-encoding"), null, "a secret is not compressed");
  assert.match(await look(pair((await signInByFetch()).cookie)), /Your key <code>toc_/);
});

test("the key is copied by a button", async t => {
  const { page, key } = await withKey(t, wallet(), { permissions: ["clipboard-read", "clipboard-write"] });
  await page.getByRole("button", { name: "Copy the key" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), key);
});

test("the key and the site use the same calls", async t => {
  const { page, key } = await withKey(t);
  await page.goto(`/screen/${NOBODY}`);
  await page.goto("/account");
  assert.equal(await page.locator(".big").textContent(), "9 of 10");
  for (let call = 2; call <= 10; call++) assert.equal((await screen(key)).status, 200);
  assert.equal((await screen(key)).status, 402);
  await page.goto("/account");
  assert.equal(await page.locator(".big").textContent(), "0 of 10");
  assert.equal(await page.locator(".ticks .used").count(), 10);
  assert.equal(await page.locator(".ticks").getAttribute("aria-label"), "10 of 10 calls used");
  expectStatus(page, 429);
  await page.goto(`/screen/${NOBODY}`);
  await page.getByText("The 10 calls of your key are used up for today.").waitFor();
});

test("a quota of its own is shown as a number", async t => {
  const one = wallet();
  await site.tocsin.key("-address", one.address, "-quota", "5000");
  const page = await signedIn(t, one);
  assert.equal(await page.locator(".big").textContent(), "5,000 of 5,000");
  assert.equal(await page.locator(".ticks").count(), 0);
  assert.doesNotMatch(await page.content(), form, "a key that works is left alone");
});

test("a key is replaced after a second question, and the calls of the day stay used", async t => {
  const { page, key } = await withKey(t);
  for (let call = 0; call < 3; call++) await screen(key);
  await page.goto("/account");
  await page.getByRole("button", { name: "Replace the key" }).click();
  await page.getByRole("heading", { name: "Replace your key?" }).waitFor();
  await page.getByRole("link", { name: "Keep it" }).click();
  assert.equal((await me(key)).authenticated, true);
  await page.getByRole("button", { name: "Replace the key" }).click();
  await page.getByRole("button", { name: "Replace it" }).click();
  const next = await shownKey(page);
  assert.notEqual(next, key);
  assert.match(await page.locator(".secret").textContent(), /old key stopped working/);
  assert.equal((await me(key)).authenticated, false);
  const { freeCalls } = await me(next);
  assert.deepEqual([freeCalls.used, freeCalls.remaining], [3, 7]);
  assert.equal(await page.locator(".big").textContent(), "7 of 10");
  await page.reload();
  assert.doesNotMatch(await page.content(), form);
  assert.equal((await me(next)).authenticated, true);
});

test("what was sent twice is done once", async () => {
  const { cookie, key } = await signInByFetch();
  const replace = { do: "replace", confirm: "yes", key: key.slice(0, 12) };
  const first = await post("/account", replace, { cookie: pair(cookie) });
  const next = (await first.text()).match(form)[0];
  seen.push(next);
  assert.equal(first.headers.get("cache-control"), "no-store");
  const second = await post("/account", replace, { cookie: pair(cookie) });
  assert.deepEqual([second.status, second.headers.get("location")], [303, "/account"]);
  assert.equal((await post("/account", { ...replace, do: "revoke" }, { cookie: pair(cookie) })).status, 303);
  assert.equal((await me(next)).authenticated, true);
});

test("a key is revoked after a second question, and another one can be had", async t => {
  const { page, key } = await withKey(t);
  await screen(key);
  await page.goto("/account");
  await page.getByRole("button", { name: "Revoke the key" }).click();
  await page.getByRole("heading", { name: "Revoke your key?" }).waitFor();
  assert.equal((await me(key)).authenticated, true);
  await page.getByRole("button", { name: "Revoke it" }).click();
  await page.getByText("You have no key that works.").waitFor();
  assert.equal((await me(key)).authenticated, false);
  await page.goto(`/screen/${NOBODY}`); // as a visitor of the network
  await page.goto("/account");
  await page.getByRole("button", { name: "Get a new key" }).click();
  const next = await shownKey(page);
  assert.doesNotMatch(await page.locator(".secret").textContent(), /old key/);
  assert.equal((await me(next)).freeCalls.used, 1);
});

test("signing in again leaves the key alone, and signing out ends the session", async t => {
  const one = wallet();
  const { page, key } = await withKey(t, one);
  const second = await signedIn(t, one);
  assert.doesNotMatch(await second.content(), form);
  await second.getByText(`Your key ${key.slice(0, 12)}…`).waitFor();
  assert.equal((await me(key)).authenticated, true);

  const [cookie] = await page.context().cookies();
  assert.equal(isSignedIn(await look(`session=${cookie.value}`)), true);
  await page.goto("/account");
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Connect a wallet" }).waitFor();
  assert.deepEqual(await page.context().cookies(), []);
  assert.equal(isSignedIn(await look(`session=${cookie.value}`)), false, "the session itself has ended");
  await second.reload();
  await second.getByRole("heading", { name: "Account", level: 1 }).waitFor();
  await choose(page);
  await page.getByRole("heading", { name: "Account", level: 1 }).waitFor();
  assert.equal((await me(key)).authenticated, true);
});

test("a session is always a new one", async () => {
  const planted = "session=ses_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
  const { account, cookie } = await signInByFetch(person(), { cookie: planted });
  assert.notEqual(pair(cookie), planted);
  assert.equal(isSignedIn(await look(planted)), false);
  assert.equal(isSignedIn(await look(pair(cookie))), true);
  const again = await signInByFetch(account, { cookie: pair(cookie) });
  assert.deepEqual([again.answer.status, again.answer.headers.get("location")], [303, "/account"]);
  assert.notEqual(pair(again.cookie), pair(cookie));
  assert.equal(isSignedIn(await look(pair(cookie))), false, "the old session has ended");
  assert.equal(isSignedIn(await look(pair(again.cookie))), true);
});

test("without a session nothing is changed", async t => {
  const { page, key } = await withKey(t);
  await page.goto("/account");
  await page.context().clearCookies();
  expectStatus(page, 403);
  await page.getByRole("button", { name: "Revoke the key" }).click();
  await page.getByText("You are not signed in any more.").waitFor();
  assert.equal((await me(key)).authenticated, true);
  for (const what of ["signout", "replace", "revoke", "nonsense"]) assert.equal((await post("/account", { do: what, confirm: "yes", key: key.slice(0, 12) })).status, 403);
  const sent = await fetch(`${site.url}/account/sign-in`, { redirect: "manual" });
  assert.deepEqual([sent.status, sent.headers.get("location")], [303, "/account"]);
});

test("the cookie is kept from scripts, other sites and plain http", async t => {
  const { cookie } = await signInByFetch();
  assert.match(cookie, /^session=ses_[a-z2-7]+; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax$/);
  const tocsin = await startTocsin({ flags: ["-base-url", "https://tocsin.example"] });
  t.after(() => tocsin.stop());
  const secure = await signInByFetch(person(), {}, tocsin.url);
  assert.equal(secure.answer.status, 200);
  assert.match(secure.message, /^tocsin\.example wants you[^]*URI: https:\/\/tocsin\.example\n/);
  assert.match(secure.cookie, /^__Host-session=ses_[a-z2-7]+; Path=\/; Max-Age=604800; HttpOnly; Secure; SameSite=Lax$/);
});

test("forms of other sites are refused", async () => {
  const { cookie, key } = await signInByFetch();
  const account = person(), message = await messageFor(account);
  const signature = await account.signMessage({ message });
  for (const foreign of [{ origin: "https://evil.example", "sec-fetch-site": "cross-site" }, { origin: "https://evil.example" }, { "sec-fetch-site": "same-site" }]) {
    const headers = { cookie: pair(cookie), ...foreign };
    for (const [path, fields] of [
      ["/account", { do: "signout" }],
      ["/account", { do: "revoke", confirm: "yes", key: key.slice(0, 12) }],
      ["/account", { do: "replace", confirm: "yes", key: key.slice(0, 12) }],
      ["/account", { address: account.address }],
      ["/account/message", { address: account.address }],
      ["/account/sign-in", { message, signature }], // which would sign the visitor in as somebody else
    ]) {
      const answer = await post(path, fields, headers);
      assert.equal(answer.status, 403, path);
      assert.equal(cookieOf(answer), undefined);
      assert.doesNotMatch(await answer.text(), form);
    }
  }
  assert.equal(isSignedIn(await look(pair(cookie))), true);
  assert.equal((await me(key)).authenticated, true);
  assert.equal((await post("/account/sign-in", { message, signature })).status, 200, "its nonce was not used up");
});

test("own reports are listed, as text", async t => {
  const { page, key } = await withKey(t);
  await page.goto("/account");
  await page.getByText("None yet.").waitFor();
  for (let n = 1; n <= 21; n++) await site.file({ crimeType: "phishing", title: `<b>Report</b> ${n}`, description: "It asked for an approval, and then took all of it within a minute.", reportedDomains: [`own-${n}-${Date.now()}.example`] }, { "x-api-key": key });
  await page.reload();
  assert.equal(await page.locator(".tbl tbody tr").count(), 20);
  assert.equal(await page.locator(".tbl th a").first().textContent(), "<b>Report</b> 21");
  assert.match(await page.locator(".tbl th a").first().getAttribute("href"), /^\/reports\/rep_/);
  assert.match(await page.locator(".tbl tbody tr").first().textContent(), /own-21-\d+\[\.\]example/);
  await page.getByText("The newest 20 of 21").waitFor();
  await assertAccessible(page);
  await assertFits(page);
});

test("the keyboard alone signs in and out", async t => {
  const page = await site.visit(t, "/account", { wallets: [wallet()] });
  await tabTo(page, ".wallet");
  await page.keyboard.press("Enter");
  await shownKey(page);
  await tabTo(page, "[data-copy=key]");
  await tabTo(page, ".secret a");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/account");
  await tabTo(page, "button[value=signout]");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Connect a wallet" }).waitFor();
});

/** Every state of the page, as the way there. */
const states = {
  "wallets": [() => [wallet(), wallet({ name: "Wallet two" })], page => page.locator(".wallet").first().waitFor()],
  "no wallet": [() => [], page => page.getByText("We see none.").waitFor()],
  "said no": [() => [wallet({ behaves: "rejects" })], async page => { await choose(page); await alert(page).waitFor(); }],
  "waiting": [() => [wallet({ behaves: "locked" })], async page => { await choose(page); await status(page).waitFor(); }],
  "refused": [() => [wallet({ signer: person() })], async page => { expectStatus(page, 400); await choose(page); await page.getByText("Another account signed").waitFor(); }],
  "mistyped": [() => [], async page => { expectStatus(page, 400); await page.fill("#address", "0x12"); await page.getByRole("button", { name: "Make the message" }).click(); await page.locator("#address-e").waitFor(); }],
  "by hand": [() => [], async page => { await page.fill("#address", NOBODY); await page.getByRole("button", { name: "Make the message" }).click(); await page.locator("#signature").waitFor(); }],
  "unsigned": [() => [], async page => {
    await states["by hand"][1](page);
    expectStatus(page, 400);
    await page.fill("#signature", "0x12");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.locator("#signature-e").waitFor();
  }],
  "new key": [() => [wallet()], async page => { await choose(page); await shownKey(page); }],
  "account": [() => [wallet()], async page => { await states["new key"][1](page); await page.getByRole("link", { name: "I have saved it" }).click(); await page.locator(".secret").waitFor({ state: "detached" }); }],
  "replace?": [() => [wallet()], async page => { await states.account[1](page); await page.getByRole("button", { name: "Replace the key" }).click(); await page.getByRole("link", { name: "Keep it" }).waitFor(); }],
  "revoke?": [() => [wallet()], async page => { await states.account[1](page); await page.getByRole("button", { name: "Revoke the key" }).click(); await page.getByRole("link", { name: "Keep it" }).waitFor(); }],
  "no key": [() => [wallet()], async page => { await states["revoke?"][1](page); await page.getByRole("button", { name: "Revoke it" }).click(); await page.getByRole("button", { name: "Get a new key" }).waitFor(); }],
};
for (const [name, [wallets, go]] of Object.entries(states)) test(`axe-core and narrow screens: ${name}`, async t => {
  for (const phone of [true, false]) {
    const page = await site.visit(t, "/account", { phone, wallets: wallets() });
    await go(page);
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      await assertAccessible(page);
    }
    await assertFits(page);
  }
});

test("weights", async t => {
  const weight = await site.weigh("/account");
  assertLight(weight);
  tellWeights(t, [weight]);
  const { html, cookie } = await signInByFetch();
  assert.ok(weight.total + html.length < LIGHT, `the page of a new key has ${html.length} bytes, uncompressed`);
  assert.ok(weight.total + (await look(pair(cookie))).length < LIGHT);
});

test("the log has no key, no session, no signature and no message", async () => {
  const log = site.tocsin.log();
  assert.match(log, /path=\/account\/sign-in/);
  assert.ok(seen.length > 20);
  for (const key of seen) assert.ok(!log.includes(key), "a key is in the log");
  assert.doesNotMatch(log, /toc_[a-z2-7]{38}|ses_[a-z2-7]{10}|wants you to sign|0x[0-9a-f]{130}/);
});
