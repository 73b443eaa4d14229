// Runs every program of the documentation as shown on its page: curl, Python, JavaScript, JavaScript that pays, and Go.
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { createSiweMessage } from "viem/siwe";
import { faults } from "./facilitator.mjs";
import { startTocsin } from "./server.mjs";
import { startWorld } from "./world.mjs";

const run = promisify(execFile);
const here = new URL(".", import.meta.url).pathname; // JavaScript runs here, so that its imports are found
const dir = mkdtempSync(join(tmpdir(), "tocsin-docs-"));
const scripts = [];

let world, pages, wallet;
const WALLET = generatePrivateKey();

before(async () => {
  world = await startWorld();
  wallet = await world.chain.walletOf(privateKeyToAccount(WALLET), 10_000_000n);
  pages = await readPages(world.tocsin.url);
});
after(async () => {
  for (const file of scripts) rmSync(file, { force: true });
  rmSync(dir, { recursive: true, force: true });
  await world?.stop();
});

const entities = { amp: "&", lt: "<", gt: ">", quot: '"' };
const plain = html => html.replace(/<[^>]*>/g, "").replace(/&(?:#(\d+)|(\w+));/g, (_, code, name) => code ? String.fromCodePoint(code) : entities[name]);

/** Every page that the first one links to, by name: its programs by language, and the response it shows. */
async function readPages(url) {
  const text = async path => {
    const answer = await fetch(url + path);
    assert.equal(answer.status, 200, path);
    return answer.text();
  };
  const paths = new Set([...(await text("/docs")).matchAll(/href="(\/docs[^"#]*)"/g)].map(match => match[1]));
  const pages = new Map();
  for (const path of paths) {
    const page = { name: path.slice("/docs/".length), programs: {} };
    const html = await text(path);
    page.operation = html.match(/class="verb">(\w+)<.*?class="path">([^<]*)</s)?.slice(1).join(" ");
    for (const [, language, code] of html.matchAll(/<code data-language="(\w+)">(.*?)<\/code>/gs)) {
      if (language === "json") page.answer = JSON.parse(plain(code));
      else page.programs[language] = plain(code);
    }
    pages.set(page.name, page);
  }
  return pages;
}

/** What the operations with a price cost, in millionths of a USDC. */
const prices = { "screen-address": 10_000n, "screen-account": 10_000n, "check-addresses": 400_000n, "check-domains": 400_000n, "check-subjects": 400_000n, "related-subjects": 10_000n, "check-domain": 10_000n, "search-reports": 10_000n, "list-reports": 10_000n };

const operations = () => [...pages.values()].filter(page => page.operation);
const environment = more => {
  const kept = Object.entries(process.env).filter(([name]) => !/_proxy$/i.test(name));
  return { ...Object.fromEntries(kept), WALLET, ...more };
};

/** Runs JavaScript as shown on a page, and returns its output. */
async function javaScript(text, more) {
  const file = join(here, `example-docs-${process.pid}-${scripts.length}.mjs`);
  scripts.push(file);
  writeFileSync(file, text);
  return (await run(process.execPath, [file], { env: environment(more) })).stdout;
}

async function call(method, path, body, headers = {}) {
  const answer = await fetch(world.tocsin.url + "/api/v1" + path, { method, headers: { "content-type": "application/json", ...headers }, body: body && JSON.stringify(body) });
  const json = await answer.json();
  assert.ok(answer.ok, JSON.stringify(json));
  return json;
}

let reportNumber = 0;
const file = () => call("POST", "/community-reports", { crimeType: "scam", title: `To be withdrawn ${++reportNumber}`, description: "By an example", reportedDomains: [`example-${reportNumber}.example`] });

/** Values that a page leaves to its reader. */
async function readers(name) {
  switch (name) {
    case "file-report": return { IDEMPOTENCY_KEY: randomUUID() };
    case "get-report": return { REPORT_ID: pages.get("file-report").filed };
    case "withdraw-report": {
      const { id, manageToken } = await file();
      return { REPORT_ID: id, MANAGE_TOKEN: manageToken };
    }
    case "sign-in": {
      const account = privateKeyToAccount(generatePrivateKey());
      const { chainIds, expiresAt, ...given } = await call("GET", "/auth/nonce");
      const message = createSiweMessage({ ...given, address: account.address, version: "1", chainId: chainIds[0], issuedAt: new Date() });
      writeFileSync(join(dir, "signed.json"), JSON.stringify({ message, signature: await account.signMessage({ message }) }));
      return {};
    }
    default: return { TOCSIN_KEY: await world.tocsin.key() };
  }
}

// Members whose values are new in each response.
const fresh = new Set(["id", "createdAt", "url", "asOf", "manageToken", "nonce", "expiresAt", "apiKey", "address", "prefix", "resetsAt", "importedAt", "ageSeconds"]);
// Members that depend on the model of names, which the operator trains: the pages show one, and here is none.
const predicted = new Set(["prediction", "notPredicted"]);
// Members that depend on earlier calls: only their types are compared.
const living = new Set(["me", "stats", "list-reports", "leaderboard", "payment-status", "status"]);

/** Returns a value without the members that are new in each response. */
function steady(value, subject = "") {
  if (Array.isArray(value)) return value.map(item => steady(item, subject));
  if (value === null || typeof value !== "object") return value;
  const filed = value.source === "community" ? ["publishedAt"] : []; // otherwise it is the date of the source
  return Object.fromEntries(Object.entries(value).filter(([name]) => !predicted.has(name)).map(([name, inner]) => {
    const known = name === "address" && subject === "screening" || name === "url" && value.list; // of a list: where it says so, if anywhere
    return [name, (fresh.has(name) || filed.includes(name)) && !known && inner !== null ? typeof inner : steady(inner, subject)];
  }));
}

/** Asserts that two values have the same form where both exist. */
function assertForm(real, shown, at) {
  if (real === null || shown === null) return;
  assert.equal(typeof real, typeof shown, at);
  if (typeof real !== "object") return;
  if (!Array.isArray(real)) assert.deepEqual(Object.keys(real), Object.keys(shown), at);
  else if (real.length === 0 || typeof real[0] !== "object") return;
  for (const name of Array.isArray(real) ? [0] : Object.keys(real)) assertForm(real[name], shown[name], `${at}.${name}`);
}

/** Asserts that the output of a program is the response on its page. */
function assertAnswer(page, text, expected) {
  const answer = JSON.parse(text);
  if (living.has(page.name)) return assertForm(answer, expected, page.name);
  const subject = /screen|check/.test(page.name) ? "screening" : "";
  const [real, shown] = [answer, expected].map(value => steady(value, subject));
  if (page.name === "sign-in-nonce") for (const either of [real, shown]) either.chainIds.sort();
  assert.deepEqual(real, shown, page.name);
}

test("every operation has its page, with a program in each language", () => {
  assert.equal(operations().length, 20);
  for (const page of operations()) assert.deepEqual(Object.keys(page.programs), ["curl", "python", "js", "go", ...page.name in prices ? ["x402"] : []], page.name);
});

test("the error on its page is what the API answers", async () => {
  const answer = await fetch(world.tocsin.url + "/api/v1/screen/0x12", { headers: { "x-api-key": await world.tocsin.key() } });
  const { requestId, ...problem } = await answer.json();
  const { requestId: shown, ...example } = pages.get("errors").answer;
  assert.deepEqual([problem, typeof shown], [example, typeof requestId]);
});

test("curl does what the pages say, and gets what they show", async () => {
  for (const page of operations()) {
    const { stdout } = await run("sh", ["-c", page.programs.curl], { cwd: dir, env: environment(await readers(page.name)) });
    assertAnswer(page, stdout, page.answer);
    page.printed = JSON.parse(stdout);
    if (page.name === "file-report") page.filed = JSON.parse(stdout).id;
  }
});

test("the same report again is the first one", async () => {
  const page = pages.get("file-report");
  const { stdout } = await run("sh", ["-c", page.programs.curl], { cwd: dir, env: environment(await readers(page.name)) });
  const { id, duplicate, manageToken } = JSON.parse(stdout);
  assert.deepEqual({ id, duplicate, manageToken }, { id: page.filed, duplicate: true, manageToken: undefined });
});

const python = ["python3", "python"].find(name => spawnSync(name, ["-c", "import sys; sys.exit(sys.version_info < (3, 8))"]).status === 0);

test("Python does what the pages say, and gets what curl got", { skip: python ? false : "Python is not installed" }, async () => {
  for (const page of operations()) {
    const { stdout } = await run(python, ["-I", "-c", page.programs.python], { cwd: dir, env: environment(await readers(page.name)) });
    if (page.name === "file-report") assert.equal(JSON.parse(stdout).id, page.filed);
    else assertAnswer(page, stdout, page.printed);
  }
  const { programs } = pages.get("screen-address");
  await assert.rejects(run(python, ["-I", "-c", programs.python], { env: environment({ TOCSIN_KEY: "toc_unknown" }) }), /"code":"unknown_key"/);
});

test("JavaScript does what the pages say, and pays what they name", async () => {
  const lane = async (pages, language) => {
    for (const page of pages) {
      const before = await wallet.spent();
      const printed = JSON.parse(await javaScript(page.programs[language], language === "x402" ? {} : await readers(page.name)));
      for (const field of Object.keys(page.answer ?? {})) if (field !== "manageToken") assert.ok(field in printed, `${page.name}: ${field}`);
      if (language === "x402") assert.equal(await wallet.spent() - before, prices[page.name], page.name);
    }
  };
  const before = await wallet.spent();
  await Promise.all([lane(operations().filter(page => prices[page.name]), "x402"), lane(operations(), "js")]);
  assert.equal(await wallet.spent() - before, Object.values(prices).reduce((sum, price) => sum + price));
});

test("a program ends if a variable is not set", async () => {
  const { programs } = pages.get("file-report");
  await assert.rejects(javaScript(programs.js), /Set IDEMPOTENCY_KEY/);
  await assert.rejects(run("sh", ["-c", programs.curl], { env: environment() }), /IDEMPOTENCY_KEY/);
});

test("Go does what the pages say, and gets what curl got", async () => {
  writeFileSync(join(dir, "go.mod"), "module example\n\ngo 1.24\n");
  for (const page of operations()) {
    mkdirSync(join(dir, page.name));
    writeFileSync(join(dir, page.name, "main.go"), page.programs.go + "\n");
  }
  const env = { ...environment(), CGO_ENABLED: "0", GOFLAGS: "-trimpath", GOWORK: "off" };
  assert.equal((await run("gofmt", ["-l", dir], { env })).stdout, "", "not formatted");
  mkdirSync(join(dir, "bin"));
  await run("go", ["build", "-ldflags=-s -w", "-o", "bin/", "./..."], { cwd: dir, env });
  for (const page of operations()) {
    const { stdout } = await run(join(dir, "bin", page.name), { cwd: dir, env: environment(await readers(page.name)) });
    if (page.name === "file-report") assert.equal(JSON.parse(stdout).id, page.filed);
    else assertAnswer(page, stdout, page.printed);
  }
});

test("the guide to keys gets one, and it works", async () => {
  const printed = await javaScript(pages.get("keys").programs.js);
  const [key] = printed.match(/toc_\w+/);
  const me = await call("GET", "/me", undefined, { "x-api-key": key });
  assert.equal(me.authenticated, true);
  assert.equal(me.agent.address, wallet.address);
});

test("the guide to paying pays, once, however late the answer comes", async () => {
  for (const [operation, way] of [[], ["settle", faults.lost], ["verify", faults.status(500)]]) {
    const before = await wallet.spent();
    if (operation) world.facilitator.fail(operation, way, 1);
    const printed = await javaScript(pages.get("paying").programs.x402);
    assert.equal(JSON.parse(printed).riskScore, 100);
    assert.equal(await wallet.spent() - before, 10_000n, operation);
  }
});

test("where no payments are taken, nothing pays: JavaScript sends a key, and the guide has no program", async () => {
  const free = world.keep(await startTocsin({}));
  const pages = await readPages(free.url);
  assert.equal(JSON.parse(await javaScript(pages.get("check-addresses").programs.js, { TOCSIN_KEY: await free.key() })).count, 2);
  assert.deepEqual(pages.get("paying").programs, {});
});

test("the quick start asks for the key, and its programs screen with it, in one terminal", async () => {
  const { sh, ...programs } = pages.get("").programs, key = await world.tocsin.key();
  assert.deepEqual(Object.keys(programs), ["curl", "python", "js", "go"]);
  for (const [language, text] of Object.entries(programs)) assert.equal(text, pages.get("screen-address").programs[language]);
  assert.equal(sh, pages.get("keys").programs.sh);
  for (const shell of ["sh", "bash", "zsh"].filter(name => spawnSync(name, ["-c", "exit 0"]).status === 0)) {
    const asked = run(shell, ["-c", `${sh}\n${programs.curl}`], { env: environment() });
    asked.child.stdin.end(`${key}\n`);
    assert.match((await asked).stdout, /^Your key: \{.*"riskScore":100/, shell);
  }
});

test("no other page has a program of its own", () => {
  const shown = new Set(operations().flatMap(page => Object.values(page.programs)));
  for (const page of pages.values()) {
    const own = Object.entries(page.programs).filter(([language, text]) => language !== "sh" && !shown.has(text));
    assert.equal(own.length, page.name === "paying" ? 1 : 0, page.name);
  }
});

test("all that was spent is with the payee", () => world.balanced());
