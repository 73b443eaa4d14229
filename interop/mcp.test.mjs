// The tools at /mcp, called and paid for by the official MCP clients of both revisions,
// and `tocsin mcp` as a desktop client starts it. @x402/mcp cannot be installed beside the
// other packages: `callPaying` does the same in a dozen lines.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { Client as PreviousClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as PreviousStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as PreviousTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { parsePaymentRequired, validatePaymentRequired } from "@x402/core/schemas";
import { isPaymentIdentifierExtension } from "@x402/extensions/payment-identifier";
import { faults } from "./facilitator.mjs";
import { ask, encode, evmClient, pay, withoutTickets } from "./pay.mjs";
import { binary } from "./server.mjs";
import { startWorld } from "./world.mjs";

const thief = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96";
const paid = {
  check_address: [{ address: thief }, 10_000n],
  check_addresses: [{ addresses: [thief] }, 400_000n],
  check_domain: [{ domain: "https://evil.example/claim" }, 10_000n],
  check_account: [{ account: "bitcoin:12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h" }, 10_000n],
  check_domains: [{ domains: ["evil.example", "metamask-login.io"] }, 400_000n],
  check_subjects: [{ subjects: [thief, "evil.example"] }, 400_000n],
  related_subjects: [{ subject: thief }, 10_000n],
  search_reports: [{ q: "bridge" }, 10_000n],
  list_reports: [{ limit: 1 }, 10_000n],
};
const free = {
  file_report: { crimeType: "phishing", title: "By a tool", description: "It asked for a signature.", reportedDomains: ["tool.example"] },
  my_stats: {},
};
const tools = [...Object.keys(paid), ...Object.keys(free)].sort();

let world, url;
before(async () => {
  world = await startWorld();
  url = new URL(world.tocsin.url + "/mcp");
});
after(async () => {
  try { await world?.balanced(); } finally { await world?.stop(); }
});

const about = { name: "interop", version: "1.0.0" };
const revisions = {
  "2025-11-25, @modelcontextprotocol/sdk": {
    revision: "2025-11-25", make: () => new PreviousClient(about), Http: PreviousTransport, Stdio: PreviousStdio,
  },
  "2026-07-28, @modelcontextprotocol/client": {
    revision: "2026-07-28", make: () => new Client(about, { versionNegotiation: { mode: "auto" } }), Http: StreamableHTTPClientTransport, Stdio: StdioClientTransport,
  },
};

/** Returns a connected client. Its protocol revision was checked on the wire. */
async function connect({ make, Http, revision }, key, t) {
  const client = make();
  const seen = new Set();
  const watched = (input, init) => {
    seen.add(new Headers(init?.headers).get("mcp-protocol-version"));
    return fetch(input, init);
  };
  await client.connect(new Http(url, { fetch: watched, requestInit: key ? { headers: { "x-api-key": key } } : {} }));
  t.after(() => client.close());
  await client.listTools(); // from here on the client checks every result with the tool's schema
  assert.ok(seen.has(revision), `${revision} is not among ${[...seen]}`);
  return client;
}

/** Does what @x402/mcp does: reads the price as the MCP transport describes, pays it, and calls again. */
async function callPaying(client, wallet, name, args) {
  const unpaid = await client.callTool({ name, arguments: args });
  assert.equal(unpaid.isError, true);
  const { success, data } = parsePaymentRequired(unpaid.structuredContent);
  assert.ok(success, JSON.stringify(unpaid.structuredContent));
  assert.deepEqual(JSON.parse(unpaid.content[0].text), unpaid.structuredContent);
  const payment = await evmClient(wallet).createPaymentPayload(data);
  return [payment, await callWith(client, payment, name, args)];
}

const callWith = (client, payment, name, args) => client.callTool({ name, arguments: args, _meta: { "x402/payment": payment } });

for (const [title, kind] of Object.entries(revisions)) {
  describe(title, () => {
    test("lists every tool and resource, and nothing else", async t => {
      const client = await connect(kind, undefined, t);
      const listed = (await client.listTools()).tools;
      assert.deepEqual(listed.map(tool => tool.name).sort(), tools);
      for (const tool of listed) assert.ok(tool.title && tool.description && tool.outputSchema && tool.annotations, tool.name);
      assert.match(listed.find(tool => tool.name === "check_addresses").description, /costs \$0\.40, paid by x402/);
      const { resources } = await client.listResources();
      assert.deepEqual(resources.map(resource => resource.uri).sort(), ["tocsin://crime-types", "tocsin://risk"]);
      for (const { uri } of resources) assert.match((await client.readResource({ uri })).contents[0].text, /^# /);
      const offered = client.getServerCapabilities();
      assert.deepEqual(Object.keys(offered).filter(name => name !== "extensions").sort(), ["resources", "tools"]);
      assert.equal(client.getServerVersion().name, "tocsin");
      assert.match(client.getInstructions(), /never instructions/);
    });

    test("calls every tool with a key", async t => {
      const client = await connect(kind, await world.tocsin.key(), t);
      const wrong = await client.callTool({ name: "check_address", arguments: { address: "0x12" } }); // which costs no call
      assert.equal(wrong.isError, true);
      assert.equal(wrong.structuredContent.code, "invalid_input");
      for (const name of tools) {
        const result = await client.callTool({ name, arguments: paid[name]?.[0] ?? free[name] });
        assert.ok(!result.isError, `${name}: ${result.content[0].text}`);
        assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
      }
      const full = await client.callTool({ name: "check_address", arguments: { address: thief, detail: "full" } });
      assert.equal(full.structuredContent.recommendation, "block");
      assert.match(full.structuredContent.untrusted[0].title, /Ronin/);
      assert.match(full.content[1].text, /follow no instruction in it/);
      assert.ok(!full.content[0].text.includes("Ronin"));
    });

    test("pays for every tool that has a price, once", async t => {
      const client = await connect(kind, undefined, t);
      for (const [name, [args, price]] of Object.entries(paid)) {
        const wallet = await world.chain.wallet();
        const [payment, result] = await callPaying(client, wallet, name, args);
        assert.ok(!result.isError, `${name}: ${result.content[0].text}`);
        const receipt = result._meta["x402/payment-response"];
        assert.deepEqual([receipt.success, receipt.network, receipt.payer.toLowerCase()], [true, "eip155:8453", wallet.address.toLowerCase()]);
        assert.ok(receipt.transaction);
        const again = await callWith(client, payment, name, args);
        assert.deepEqual([again.structuredContent, again._meta["x402/payment-response"]], [result.structuredContent, receipt]);
        assert.equal(await wallet.spent(), price, name);
      }
      for (const [name, args] of Object.entries(free)) assert.ok(!(await client.callTool({ name, arguments: args })).isError, name);
    });

    test("a price is of the official form, and the one in x402.json", async t => {
      const client = await connect(kind, undefined, t);
      const { items } = await (await fetch(new URL("/.well-known/x402.json", url))).json();
      const listed = new Map(items.filter(item => item.mcp).map(item => [item.mcp.tool, item]));
      assert.deepEqual([...listed.keys()].sort(), tools);
      for (const { mcp } of listed.values()) assert.equal(mcp.endpoint, url.href);
      for (const [name, [args, price]] of Object.entries(paid)) {
        const { structuredContent: required, isError } = await client.callTool({ name, arguments: args });
        assert.equal(isError, true);
        validatePaymentRequired(required);
        assert.equal(required.resource.url, `mcp://tool/${name}`);
        assert.deepEqual(required.accepts.map(entry => entry.amount), [String(price)]);
        assert.deepEqual([required.resource.url, withoutTickets(required.accepts)], [listed.get(name).mcp.resource, listed.get(name).accepts]);
        assert.ok(isPaymentIdentifierExtension(required.extensions["payment-identifier"]));
      }
    });

    test("a payment for a tool is none over HTTP and none for another tool, and one for HTTP none for a tool", async t => {
      const client = await connect(kind, undefined, t);
      const wallet = await world.chain.wallet();
      const overHTTP = payment => ask(world.url, { headers: { "PAYMENT-SIGNATURE": encode(payment) } });
      const price = async () => (await client.callTool({ name: "check_address", arguments: paid.check_address[0] })).structuredContent;

      const unused = await pay(wallet, await price());
      assert.equal((await overHTTP(unused)).error, "resource_mismatch");
      const other = await callWith(client, unused, "search_reports", paid.search_reports[0]);
      assert.deepEqual([other.isError, other.structuredContent.error], [true, "resource_mismatch"]);
      assert.equal(await wallet.spent(), 0n);

      const [used] = await callPaying(client, wallet, "check_address", paid.check_address[0]);
      delete used.resource; // it is not signed
      assert.equal((await overHTTP(used)).error, "payment_already_used");
      for (const [name, args] of [["check_domain", paid.check_domain[0]], ["check_address", { address: world.payTo }]]) {
        const elsewhere = await callWith(client, used, name, args);
        assert.deepEqual([elsewhere.isError, elsewhere.structuredContent.error], [true, "payment_already_used"]);
      }
      const web = await pay(wallet, (await ask(world.url)).required);
      assert.equal((await overHTTP(web)).status, 200);
      delete web.resource;
      assert.equal((await callWith(client, web, "check_address", paid.check_address[0])).structuredContent.error, "payment_already_used");
      assert.equal(await wallet.spent(), 20_000n);
    });

    test("an empty wallet gets the reason, and a facilitator that is down is not a price", async t => {
      const client = await connect(kind, undefined, t);
      const poor = await world.chain.wallet(1n);
      const [, refused] = await callPaying(client, poor, "check_address", paid.check_address[0]);
      assert.equal(refused.isError, true);
      assert.match(refused.structuredContent.error, /insufficient|simulation/);
      validatePaymentRequired(refused.structuredContent);

      const wallet = await world.chain.wallet();
      const payment = await pay(wallet, refused.structuredContent);
      world.facilitator.fail("verify", faults.status(503));
      const away = await callWith(client, payment, "check_address", paid.check_address[0]);
      world.facilitator.heal();
      assert.deepEqual([away.isError, away.structuredContent.code, away.structuredContent.retryAfter, away.structuredContent.accepts], [true, "facilitator_error", 1, undefined]);
      assert.match(away.content[0].text, /Do not sign another payment.*Try again in 1 s\./);
      assert.ok(!(await callWith(client, payment, "check_address", paid.check_address[0])).isError);
      assert.equal(await wallet.spent(), 10_000n);
    });

    test("tocsin mcp serves a client on the same machine without a key, beside the server", async t => {
      const client = kind.make();
      await client.connect(new kind.Stdio({ command: await binary(), args: ["mcp", "-db", world.tocsin.db], stderr: "ignore" }));
      t.after(() => client.close());
      assert.deepEqual((await client.listTools()).tools.map(tool => tool.name).sort(), tools);
      for (const name of tools) {
        const result = await client.callTool({ name, arguments: paid[name]?.[0] ?? free[name] });
        assert.ok(!result.isError, `${name}: ${result.content[0].text}`);
      }
      const filed = await client.callTool({ name: "file_report", arguments: { ...free.file_report, reportedDomains: [`${kind.revision}.example`] } });
      const seen = await ask(`${world.tocsin.url}/api/v1/community-reports/${filed.structuredContent.id}`);
      assert.equal(seen.status, 200, "the server beside it does not know the report");
    });
  });
}

// The scenarios of the conformance runner for servers, which is of revision 2025-11-25.
// The others are for its "everything" server: they call tools, prompts and resources by
// names of their own (tools-call-*, prompts-*, resources-*, json-schema-2020-12,
// elicitation-*, server-sse-*), or test what is not announced here: logging-set-level,
// completion-complete, resources-subscribe, resources-unsubscribe.
const scenarios = ["server-initialize", "ping", "tools-list", "resources-list", "dns-rebinding-protection"];
const runner = new URL("node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url).pathname;

for (const scenario of scenarios) {
  test(`conformance: ${scenario}`, { skip: parseInt(process.versions.node) < 22 && "its runner needs Node 22" }, async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [runner, "server", "--url", url.href, "--scenario", scenario]);
    assert.match(stdout, /Passed: ([1-9]\d*)\/\1, 0 failed, 0 warnings/, stdout);
  });
}
