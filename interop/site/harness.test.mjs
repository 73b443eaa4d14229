// The harness finds what it must find, in pages made for it, and lets a good page pass.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { recoverMessageAddress } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { assertAccessible, assertFits, assertLight, expectStatus, startBrowser, tabTo, tellWeights } from "./browser.mjs";
import { picture, wallet } from "./wallet.mjs";

const csp = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'";
const document = (main, head = "") => `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>A page</title>${head}</head>
<body><main id="main"><h1>A page</h1>${main}</main></body></html>`;
const script = name => `<script src="/${name}.js"></script>`;

const files = {
  "/good": document('<p>Text</p><a href="/good">A link</a> <button id="go">A button</button>', '<link rel="stylesheet" href="/good.css"><link rel="icon" href="/icon.svg">'),
  "/good.css": "body { color: #000; background: #fff }",
  "/icon.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>',
  "/unnamed": document('<input id="q">'),
  "/small": document('<a href="/a">a</a><a href="/b">b</a>'),
  "/twice": document('<p id="x">One</p><p id="x">Two</p>'),
  "/inline": document("<script>document.title = 'Run'</script>"),
  "/style": document('<p style="color: red">Red</p>'),
  "/foreign": document('<img src="http://elsewhere.example/a.png" alt="">'),
  "/foreign-without-csp": document('<img src="http://elsewhere.example/a.png" alt="">'),
  "/throws": document("", script("throws")),
  "/throws.js": "setTimeout(() => { throw new Error('thrown later') })",
  "/rejects": document("", script("rejects")),
  "/rejects.js": "Promise.reject(new Error('caught by nobody'))",
  "/logs": document("", script("logs")),
  "/logs.js": "console.error('not well')",
  "/asks": document("", script("asks")),
  "/asks.js": "alert('hostile')",
  "/part": document("", script("missing")),
  "/fetches": document("", script("fetches")),
  "/fetches.js": "fetch('/broken')",
  "/heavy": document("", '<link rel="stylesheet" href="/heavy.css">'),
  "/heavy.css": `/*${"x".repeat(40_000)}*/`,
  "/wide": document('<p id="wide">Wide</p>', '<link rel="stylesheet" href="/wide.css">'),
  "/wide.css": "#wide { width: 400px }",
  "/wallets": document('<p id="log"></p>', script("wallets")),
  "/wallets.js": "window.found = []; addEventListener('eip6963:announceProvider', event => found.push(event.detail)); dispatchEvent(new Event('eip6963:requestProvider'))",
};
const types = { css: "text/css", js: "text/javascript", svg: "image/svg+xml" };

let server, site;
before(async () => {
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://site");
    if (pathname === "/moved") return response.writeHead(302, { location: "/good" }).end();
    const status = pathname === "/broken" ? 500 : pathname in files ? 200 : 404;
    response.writeHead(status, {
      "content-type": types[pathname.split(".")[1]] ?? "text/html; charset=utf-8",
      ...pathname.endsWith("-without-csp") ? {} : { "content-security-policy": csp },
    }).end(files[pathname] ?? document("Nothing"));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  site = await startBrowser(`http://127.0.0.1:${server.address().port}`);
});
after(async () => {
  await site?.stop();
  server?.closeAllConnections();
  server?.close();
});

/** What a test that does this would fail with at its end; nothing if it would not. */
async function end(work) {
  const ends = [];
  await work({ after: last => ends.push(last) });
  try {
    for (const last of ends) await last();
  } catch (error) {
    return error.message;
  }
}
/** Visits and gives the page a moment. */
const looked = (path, options) => end(async t => {
  const page = await site.visit(t, path, options);
  await page.waitForLoadState("networkidle");
});

test("a good page passes everything", async t => {
  for (const [theme, phone, script] of [["light", false, true], ["dark", true, true], ["dark", false, false], ["light", true, false]]) {
    const page = await site.visit(t, "/good", { theme, phone, script });
    assert.equal(await page.evaluate(() => matchMedia("(prefers-color-scheme: dark)").matches), theme === "dark");
    assert.equal(await page.evaluate(() => innerWidth), phone ? 390 : 1280);
    if (script) await assertAccessible(page);
    assert.equal(await tabTo(page, "#go"), 2);
    await assertFits(page);
  }
});

describe("a fault of a page", { concurrency: 4 }, () => { for (const [path, problem] of Object.entries({
  "/inline": /violation of the CSP: script-src-elem: inline/,
  "/style": /violation of the CSP: style-src-attr: inline/,
  "/foreign": /violation of the CSP: img-src: http:\/\/elsewhere\.example/,
  "/foreign-without-csp": /request to another origin: GET http:\/\/elsewhere\.example\/a\.png/,
  "/throws": /error in a script: Error: thrown later/,
  "/rejects": /error in a script: Error: caught by nobody/,
  "/logs": /error on the console: not well/,
  "/asks": /alert dialog: hostile/,
  "/part": /status 404: GET .*\/missing\.js/,
  "/fetches": /status 500: GET .*\/broken/,
})) test(`${path} fails its test`, async () => { assert.match(await looked(path) ?? "passed", problem); }); });

test("the CSP is seen without script too", async () => {
  assert.match(await looked("/style", { script: false }) ?? "passed", /Content Security Policy/);
  assert.match(await looked("/foreign", { script: false }) ?? "passed", /Content Security Policy/);
});

test("a status is right where the test expects it, once", async () => {
  await assert.rejects(looked("/nowhere"), /404 !== 200/);
  assert.equal(await looked("/nowhere", { status: 404 }), undefined);
  await assert.rejects(looked("/good", { status: 404 }), /200 !== 404/);
  assert.equal(await end(async t => {
    const page = await site.visit(t, "/good");
    expectStatus(page, 404);
    await page.goto("/nowhere");
  }), undefined);
  assert.match(await end(async t => {
    const page = await site.visit(t, "/good");
    expectStatus(page, 404);
    await page.goto("/nowhere");
    await page.goto("/nowhere");
  }) ?? "passed", /status 404: GET/);
  assert.match(await end(async t => { expectStatus(await site.visit(t, "/good"), 402); }) ?? "passed", /status 402 was expected/);
  assert.throws(() => expectStatus(undefined, 500));
});

test("what the end of a page finds fails the test around it", async () => {
  const file = new URL(`fails-${process.pid}.mjs`, import.meta.url); // here, so that its imports are found
  writeFileSync(file, `
    import { test } from "node:test";
    import { startBrowser } from "./browser.mjs";
    test("logs", async t => {
      const site = await startBrowser(${JSON.stringify(site.url)});
      t.after(() => site.stop());
      await site.visit(t, "/logs");
    });`);
  const { NODE_TEST_CONTEXT, ...env } = process.env; // else it would report to the test that this one is in
  try {
    await assert.rejects(promisify(execFile)(process.execPath, ["--test-reporter=tap", file.pathname], { env }), error => {
      assert.match(error.stdout, /# fail 1$/m);
      assert.match(error.stdout, /error on the console: not well/);
      return true;
    });
  } finally {
    rmSync(file);
  }
});

test("axe-core finds faults", async t => {
  const page = await site.visit(t, "/good");
  for (const [path, fault] of Object.entries({ "/unnamed": /label: .*\n  #q/, "/small": /target-size/, "/twice": /duplicate-id/ })) {
    await page.goto(path);
    await assert.rejects(assertAccessible(page), fault);
  }
});

test("a page is weighed with its parts, its icon and its detours", async t => {
  const good = await site.weigh("/good");
  assert.deepEqual(good.parts.map(part => new URL(part.url).pathname).sort(), ["/good", "/good.css", "/icon.svg"]);
  for (const { url, bytes } of good.parts) {
    const body = files[new URL(url).pathname].length;
    assert.ok(bytes > body && bytes < body + 600, `${url}: ${bytes} on the wire, ${body} in the body`);
  }
  assertLight(good);
  const moved = await site.weigh("/moved");
  assert.ok(moved.total > good.total);
  assert.equal(moved.parts.length, 4);
  const heavy = await site.weigh("/heavy");
  assert.throws(() => assertLight(heavy), /weighs 4\d{4} bytes/);
  tellWeights(t, [good, moved, heavy]);
});

test("a page that is too wide, and a control out of reach", async t => {
  const page = await site.visit(t, "/wide");
  await assert.rejects(assertFits(page), /id="wide"/);
  await page.goto("/good");
  await assert.rejects(tabTo(page, "h1", 5), /does not reach h1/);
  await assert.rejects(assertFits(await site.visit(t, "/wide", { phone: true })), /id="wide"/);
});

test("wallets announce themselves, connect and really sign", async t => {
  const one = wallet(), two = wallet({ name: "<b>Two</b>", rdns: "example.wallet.two", icon: picture("#2a5a82") });
  const old = wallet({ announced: false, legacy: true });
  const page = await site.visit(t, "/wallets", { wallets: [one, two, old] });
  assert.deepEqual(await page.evaluate(() => found.map(({ info }) => info)), [one.info, two.info]);
  const signIn = index => page.evaluate(async index => {
    const provider = index === undefined ? window.ethereum : found[index].provider;
    const [address] = await provider.request({ method: "eth_requestAccounts" });
    return { address, signature: await provider.request({ method: "personal_sign", params: ["Who are you?\n", address] }) };
  }, index);
  for (const [index, wallet] of [[0, one], [1, two], [undefined, old]]) {
    const { address, signature } = await signIn(index);
    assert.equal(address, wallet.address.toLowerCase());
    assert.equal(await recoverMessageAddress({ message: "Who are you?\n", signature }), wallet.address);
    assert.deepEqual(wallet.signed, [{ message: "Who are you?\n", signature, address: wallet.address }]);
  }
  const hex = await page.evaluate(async () => found[0].provider.request({ method: "personal_sign",
    params: ["0x48c3a9", (await found[0].provider.request({ method: "eth_accounts" }))[0]] }));
  assert.equal(await recoverMessageAddress({ message: "Hé", signature: hex }), one.address);
  assert.equal(one.messages.at(-1), "Hé");
});

test("a wallet behaves as configured", async t => {
  const one = wallet({ behaves: "refuses", chain: 1 });
  const page = await site.visit(t, "/wallets", { wallets: [one] });
  const ask = (method, params) => page.evaluate(([method, params]) => found[0].provider.request({ method, params })
    .then(result => ({ result }), ({ code, message }) => ({ code, message })), [method, params]);
  const address = one.address.toLowerCase();

  assert.equal((await ask("eth_requestAccounts")).code, 4001);
  assert.equal((await ask("personal_sign", ["m", address])).code, 4100);
  assert.deepEqual(await ask("eth_accounts"), { result: [] });

  one.behaves = "locked";
  const waiting = ask("eth_requestAccounts");
  while (one.asked.length < 4) await page.waitForTimeout(10);
  assert.equal((await ask("eth_requestAccounts")).code, -32002);
  one.unlock();
  assert.deepEqual(await waiting, { result: [address] });

  one.behaves = "rejects";
  assert.equal((await ask("personal_sign", ["m", address])).code, 4001);
  assert.deepEqual([one.messages, one.signed], [["m"], []]);
  assert.equal((await ask("personal_sign", [address, "m"])).code, -32602);
  assert.equal((await ask("eth_sign", [address, "0x"])).code, 4200);

  await page.evaluate(() => {
    window.heard = [];
    for (const event of ["chainChanged", "accountsChanged"]) found[0].provider.on(event, payload => heard.push(payload));
  });
  assert.deepEqual(await ask("eth_chainId"), { result: "0x1" });
  assert.equal((await ask("wallet_switchEthereumChain", [{ chainId: "0x5" }])).code, 4902);
  assert.deepEqual(await ask("wallet_switchEthereumChain", [{ chainId: "0x2105" }]), { result: null });
  assert.deepEqual(await ask("eth_chainId"), { result: "0x2105" });
  const other = privateKeyToAccount(generatePrivateKey());
  await one.choose(other);
  assert.deepEqual(await page.evaluate(() => heard), ["0x2105", [other.address.toLowerCase()]]);

  const liar = wallet({ signer: other });
  await liar.request("eth_requestAccounts");
  assert.equal(await recoverMessageAddress({ message: "m", signature: await liar.request("personal_sign", ["m", liar.address]) }), other.address);
});
