// Checks the documents by which agents find the service with validators that others publish,
// as they are served: by a service that takes payments, and by one that does not.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import {
  checkEndpointSchema, discoverOriginSchema, getOpenAPI, getWarningsForL2, getWarningsForL3, getWarningsForOpenAPI, validatePaymentRequiredDetailed,
} from "@agentcash/discovery";
import { validatePaymentRequired } from "@x402/core/schemas";
import { wrapFetchWithPayment } from "@x402/fetch";
import Ajv from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { evmClient, withoutTickets } from "./pay.mjs";
import { startTocsin } from "./server.mjs";
import { startWorld } from "./world.mjs";

const here = new URL(".", import.meta.url).pathname;
const bin = name => join(here, "node_modules", ".bin", name);
const run = promisify(execFile);
const dir = mkdtempSync(join(tmpdir(), "tocsin-discovery-"));
const built = mkdtempSync(join(here, ".client-")); // here, so that imports are found
const contact = ["-contact", "mailto:security@tocsin.example"];

let world, paid, free;
before(async () => {
  world = await startWorld({ flags: contact });
  paid = world.tocsin;
  free = world.keep(await startTocsin({ flags: contact }));
});
after(async () => {
  rmSync(dir, { recursive: true, force: true });
  rmSync(built, { recursive: true, force: true });
  await world?.stop();
});
const both = () => [["with payments", paid], ["without", free]];

async function get(service, path) {
  const answer = await fetch(path.startsWith("http") ? path : service.url + path);
  assert.equal(answer.status, 200, path);
  return answer;
}
const json = async (service, path) => (await get(service, path)).json();

/** Saves a document as served. */
async function saved(service, path, name) {
  const file = join(dir, name);
  writeFileSync(file, Buffer.from(await (await get(service, path)).arrayBuffer()));
  return file;
}

/** Runs a validator. Its output is part of the output of the test. */
async function check(t, command, ...args) {
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", NO_COLOR: "1", FORCE_COLOR: "0" };
  const { code = 0, stdout, stderr } = await run(bin(command), args, { cwd: dir, env }).catch(error => error);
  const said = `${stdout}\n${stderr}`.split("\n").map(line => line.trim()).filter(line => line && !/[╔║╚]|^npm warn/.test(line)).join("\n");
  t.diagnostic(`${command}: ${said.split("\n").slice(-2).join(" ") || "(nothing)"}`);
  assert.equal(code, 0, said);
  return said;
}

test("redocly finds nothing in the contract", async t => {
  const files = [];
  for (const [about, service] of both()) {
    for (const kind of ["json", "yaml"]) files.push(await saved(service, `/openapi.${kind}`, `${about}.${kind}`));
  }
  const said = await check(t, "redocly", "lint", ...files); // to start it takes longer than to lint them
  assert.equal(said.match(/: validated in /g).length, files.length);
  assert.match(said, /Your API descriptions are valid/);
  assert.doesNotMatch(said, /warning/i);
});

test("spectral finds nothing in the contract", async t => {
  writeFileSync(join(dir, ".spectral.yaml"), 'extends: ["spectral:oas"]\n');
  for (const [about, service] of both()) {
    const file = await saved(service, "/openapi.json", `${about}.json`);
    const said = await check(t, "spectral", "lint", file, "--ruleset", join(dir, ".spectral.yaml"), "--fail-severity", "hint");
    assert.match(said, /No results/);
  }
});

test("agentcash discovers each operation, its price and its schema, and warns of nothing", async t => {
  const { spec } = await agentcash(paid.url);
  const endpoints = new Map(spec.endpoints.map(endpoint => [`${endpoint.method} ${endpoint.path}`, endpoint]));
  assert.equal(endpoints.size, 20);
  const priced = [...endpoints.values()].filter(endpoint => endpoint.price);
  assert.deepEqual(priced.map(({ method, path, authMode, price, protocols }) => [method, path, authMode, price, protocols.join()]).sort(), [
    ["GET", "/api/v1/accounts/{account}", "apiKey+paid", "0.01 USD", "x402"],
    ["GET", "/api/v1/community-reports", "apiKey+paid", "0.01 USD", "x402"],
    ["GET", "/api/v1/community-reports/search", "apiKey+paid", "0.01 USD", "x402"],
    ["GET", "/api/v1/domains/check/{domain}", "apiKey+paid", "0.01 USD", "x402"],
    ["GET", "/api/v1/screen/{address}", "apiKey+paid", "0.01 USD", "x402"],
    ["GET", "/api/v1/subjects/{subject}/related", "apiKey+paid", "0.01 USD", "x402"],
    ["POST", "/api/v1/check", "apiKey+paid", "0.40 USD", "x402"],
    ["POST", "/api/v1/domains/check", "apiKey+paid", "0.40 USD", "x402"],
    ["POST", "/api/v1/subjects/check", "apiKey+paid", "0.40 USD", "x402"],
  ]);
  for (const { method, path } of priced) {
    const url = paid.url + path.replace("{address}", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96").replace("{domain}", "uniswaplp.com")
      .replace("{account}", "bitcoin:12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h").replace("{subject}", "uniswaplp.com");
    const documented = (await checkEndpointSchema({ url })).advisories.find(advisory => advisory.method === method);
    assert.ok(documented.inputSchema && documented.outputSchema, path);
    assert.deepEqual(getWarningsForL3(documented), [], path);
    const probed = (await checkEndpointSchema({ url, probe: true })).advisories.find(advisory => advisory.method === method);
    assert.equal(probed.paymentOptions.length, 1, path);
    assert.deepEqual(getWarningsForL3(probed), [], path);

    const challenge = await fetch(url, { method });
    const verdict = validatePaymentRequiredDetailed(await challenge.json(), { compatMode: "strict" });
    t.diagnostic(`agentcash validatePaymentRequiredDetailed ${path}: valid ${verdict.valid}, ${JSON.stringify(verdict.summary)}`);
    assert.equal(verdict.valid, true, path);
    assert.deepEqual(verdict.issues, [], path);
  }
  const { spec: unpaid } = await agentcash(free.url, ["L2_NO_PAID_ROUTES"]);
  assert.deepEqual(unpaid.endpoints.filter(endpoint => endpoint.price || endpoint.protocols), []);

  async function agentcash(url, expected = []) {
    const spec = await discoverOriginSchema({ target: url });
    assert.equal(spec.found, true);
    assert.ok(spec.guidance.length > 100);
    const parsed = (await getOpenAPI(url)).value;
    const warnings = [...getWarningsForOpenAPI(parsed), ...getWarningsForL2({ routes: spec.endpoints })];
    t.diagnostic(`agentcash ${url}: ${spec.endpoints.length} routes, warnings: ${JSON.stringify(warnings.map(warning => warning.code))}`);
    assert.deepEqual(warnings.map(warning => warning.code), expected);
    return { spec };
  }
});

test("skills-ref takes each skill, and its digest is right", async t => {
  for (const [about, service] of both()) {
    const { skills } = await json(service, "/.well-known/agent-skills/index.json");
    assert.equal(skills.length, 3);
    for (const { name, url, digest } of skills) {
      const text = Buffer.from(await (await get(service, url)).arrayBuffer());
      assert.equal(digest, "sha256:" + createHash("sha256").update(text).digest("hex"));
      mkdirSync(join(dir, about, name), { recursive: true });
      writeFileSync(join(dir, about, name, "SKILL.md"), text);
      assert.match(await check(t, "skills-ref", "validate", join(dir, about, name)), /^Valid skill/);
    }
  }
});

test("the card and acp.json are valid", async t => {
  for (const [about, service] of both()) {
    for (const [file, definition, path] of [["acp", "DiscoveryResponse", "/.well-known/acp.json"], ["card", "ServerCard", "/mcp/server-card"]]) {
      const ajv = formats(new Ajv({ strict: false, allErrors: true }));
      ajv.addSchema(JSON.parse(readFileSync(new URL(`../internal/discovery/testdata/${file}.schema.json`, import.meta.url))), "published");
      const validate = ajv.getSchema(`published#/$defs/${definition}`);
      const good = validate(await json(service, path));
      t.diagnostic(`ajv ${path}, ${about}: ${good ? "valid" : ajv.errorsText(validate.errors)}`);
      assert.ok(good);
      assert.ok(!validate({}), "it knows what is wrong");
    }
  }
});

test("what x402.json says is accepted is what the official schemas know and a 402 offers", async () => {
  const { items } = await json(paid, "/.well-known/x402.json");
  assert.equal(items.length, 20);
  for (const { resource, accepts, input, price } of items) {
    assert.equal(accepts.length > 0, price.amount !== "0", resource.url);
    if (accepts.length === 0) continue;
    validatePaymentRequired({ x402Version: 2, error: "", resource, accepts });
    const answer = await fetch(resource.url, { method: input.method });
    assert.equal(answer.status, 402, resource.url);
    assert.deepEqual(withoutTickets((await answer.json()).accepts), accepts);
  }
});

test("a client that is generated from the contract compiles, and works with a key and by paying", async t => {
  await check(t, "openapi-typescript", await saved(paid, "/openapi.json", "openapi.json"), "-o", join(built, "schema.ts"));
  copyFileSync(join(here, "client.ts"), join(built, "client.ts"));
  writeFileSync(join(built, "package.json"), '{"type": "module"}');
  // The declarations of libraries are not checked; those that were generated are, since they are in a .ts.
  const compilerOptions = { strict: true, skipLibCheck: true, target: "es2022", module: "nodenext", lib: ["es2022", "dom", "dom.iterable"], types: [] };
  writeFileSync(join(built, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["client.ts"] }));
  await check(t, "tsc", "--project", built);
  const { use } = await import(pathToFileURL(join(built, "client.js")));

  const wallet = await world.chain.wallet();
  for (const options of [{ key: await paid.key() }, { fetch: wrapFetchWithPayment(fetch, evmClient(wallet)) }]) {
    const answer = await use(paid.url, options);
    assert.equal(answer.screening.riskScore, 100);
    assert.equal(answer.points, 100);
    assert.deepEqual(answer.recommendations, ["block", "proceed"]);
    assert.deepEqual(answer.matches, ["exact"]);
    assert.match(answer.titles[0], /Ronin Bridge/);
    assert.equal(answer.listed, 2);
    assert.ok(answer.lists.includes("ofac"));
    assert.equal(answer.withdrawn, "withdrawn");
    assert.deepEqual(answer.refused, [400, "invalid_input"]);
  }
  assert.equal(await wallet.spent(), 440_000n); // four cents and a batch; refused calls cost nothing
  await world.balanced();
});
