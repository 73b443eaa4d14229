// Runs the example of the README as shown there.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { decode } from "./pay.mjs";
import { startWorld } from "./world.mjs";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const example = [...readme.matchAll(/^```js\n(.*?)^```/gms)].map(match => match[1]).find(text => text.includes("@x402/fetch"));
const file = new URL(`example-${process.pid}.mjs`, import.meta.url); // here, so that its imports are found

let world;
before(async () => { world = await startWorld(); });
after(async () => {
  rmSync(file, { force: true });
  await world?.stop();
});

test("the README shows how to pay", async () => {
  assert.ok(example, "the README has no example with @x402/fetch");
  const key = generatePrivateKey();
  const wallet = await world.chain.walletOf(privateKeyToAccount(key));
  writeFileSync(file, example);
  const { stdout } = await promisify(execFile)(process.execPath, [file.pathname], {
    env: { ...process.env, PRIVATE_KEY: key, TOCSIN_URL: world.tocsin.url },
  });
  assert.match(stdout, /riskScore: 100/);
  assert.equal(decode(stdout.trim().split(/\s/).at(-1)).success, true);
  assert.equal(await wallet.spent(), 10_000n);
});
