// The account in a browser: wallets that really sign, keys that are seen once. What a sign-in, a session, a cookie and
// a form may do: internal/web/account_test.go.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { createSiweMessage, parseSiweMessage } from "viem/siwe";
import { assertAccessible, assertFits, expectStatus, startSite, tabTo } from "./browser.mjs";
import { picture, wallet } from "./wallet.mjs";

const run = promisify(execFile);
let site;
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
  return key;
}

/** Signs in with a wallet in a fresh browser. */
async function withKey(t, one = wallet(), options = {}) {
  const page = await site.visit(t, "/account", { wallets: [one], ...options });
  await choose(page);
  return { page, one, key: await shownKey(page) };
}

const me = async key => (await fetch(`${site.url}/api/v1/me`, { headers: { "x-api-key": key } })).json();

describe("the account", { concurrency: 2 }, () => { // since much of it is waiting
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

  test("the message is on the page before the wallet is asked", async t => {
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
      await alert(page).getByText(/^You declined in /).waitFor();
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
    await alert(page).getByText("You declined in Wallet two.").waitFor();
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
    await alert(page).getByText("Not so fast, please").waitFor();
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
    await note.getByText("Another account signed it").waitFor();
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
    await page.fill("#address", "0x123");
    expectStatus(page, 400);
    await page.getByRole("button", { name: "Make the message" }).click();
    assert.equal(await page.inputValue("#address"), "0x123");
    await page.fill("#address", account.address.toLowerCase());
    await page.getByRole("button", { name: "Make the message" }).click();
    const message = await page.locator("#message").textContent();
    assert.equal(createSiweMessage(parseSiweMessage(message)), message);
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

    // A browser that keeps the page as it was (which no-store forbids) keeps it without the key.
    const third = await withKey(t);
    await third.page.evaluate(() => dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true })));
    assert.doesNotMatch(await third.page.content(), form);
    const reloaded = third.page.waitForEvent("load");
    await third.page.evaluate(() => { dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })); });
    await reloaded;
    assert.doesNotMatch(await third.page.content(), form);
  });

  test("the key is copied by a button", async t => {
    const { page, key } = await withKey(t, wallet(), { permissions: ["clipboard-read", "clipboard-write"] });
    await page.getByRole("button", { name: "Copy the key" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), key);
    await page.locator(".snippet").getByRole("button", { name: "Copy" }).click();
    await page.locator(".snippet").getByRole("button", { name: "Copied" }).waitFor();
    const { stdout } = await run("sh", ["-c", await page.evaluate(() => navigator.clipboard.readText())]);
    assert.equal(JSON.parse(stdout).riskScore, 100, "the first call, with the key in it");
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

  for (const phone of [false, true]) test(`everybody can read each state of it: ${phone ? "phone, dark" : "desktop, light"}`, async t => {
    const options = { phone, theme: phone ? "dark" : "light" };
    const look = async page => {
      await assertAccessible(page);
      if (!phone) return;
      const width = page.viewportSize();
      await assertFits(page);
      await page.setViewportSize(width);
    };
    const one = wallet(), liar = wallet({ name: "Wallet two", signer: person() });
    const page = await site.visit(t, "/account", { wallets: [one, liar], ...options });
    await page.locator(".wallet").first().waitFor();
    await look(page);
    one.behaves = "rejects";
    await choose(page);
    await alert(page).waitFor();
    await look(page);
    one.behaves = "locked";
    await choose(page);
    await status(page).waitFor();
    await look(page);
    expectStatus(page, 400);
    await choose(page, "Wallet two");
    await page.getByText("Another account signed").waitFor();
    await look(page);
    one.unlock();
    await choose(page);
    const key = await shownKey(page);
    await look(page);
    for (const n of [1, 2]) await site.file({ crimeType: "phishing", title: `<b>Report</b> ${n}`, description: "It took all of it within a minute.", reportedDomains: [`own-${n}-${phone}.example`] }, { "x-api-key": key });
    await page.getByRole("link", { name: "I have saved it" }).click();
    await page.locator(".secret").waitFor({ state: "detached" });
    assert.equal(await page.locator(".tbl th a").first().textContent(), "<b>Report</b> 2");
    await look(page);
    await page.getByRole("button", { name: "Replace the key" }).click();
    await page.getByRole("heading", { name: "Replace your key?" }).waitFor();
    await look(page);
    await page.getByRole("link", { name: "Keep it" }).click();
    await page.getByRole("button", { name: "Revoke the key" }).click();
    await page.getByRole("heading", { name: "Revoke your key?" }).waitFor();
    await look(page);
    await page.getByRole("button", { name: "Revoke it" }).click();
    await page.getByText("You have no key that works.").waitFor();
    assert.equal((await me(key)).authenticated, false);
    await look(page);
    await page.getByRole("button", { name: "Get a new key" }).click();
    const next = await shownKey(page);
    for (let call = 0; call < 10; call++) await fetch(`${site.url}/api/v1/screen/${one.address}`, { headers: { "x-api-key": next } });
    await page.goto("/account");
    await look(page);

    const bare = await site.visit(t, "/account", options);
    await bare.getByText("We see none.").waitFor();
    await look(bare);
    expectStatus(bare, 400);
    await bare.fill("#address", "0x12");
    await bare.getByRole("button", { name: "Make the message" }).click();
    await bare.locator("#address-e").waitFor();
    await look(bare);
    await bare.fill("#address", one.address);
    await bare.getByRole("button", { name: "Make the message" }).click();
    await bare.locator("#signature").waitFor();
    await look(bare);
    expectStatus(bare, 400);
    await bare.fill("#signature", "0x12");
    await bare.getByRole("button", { name: "Sign in" }).click();
    await bare.locator("#signature-e").waitFor();
    await look(bare);
  });
});
