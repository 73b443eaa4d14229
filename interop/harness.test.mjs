// Tests the harness: with it the official client, middleware and facilitator behave as they
// are known to, and the money on the chain shows it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { wrapFetchWithPayment } from "@x402/fetch";
import { startChain } from "./chain.mjs";
import { compile } from "./compile.mjs";
import { faults, startFacilitator } from "./facilitator.mjs";
import { challenge, evmClient, handmade, paid, pay } from "./pay.mjs";
import { startReference } from "./server.mjs";

const payTo = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
let chain, facilitator, server, url;
before(async () => {
  chain = await startChain();
  facilitator = await startFacilitator({ chain });
  server = await startReference({ facilitator, payTo });
  url = server.url + "/api/v1/screen/0x098B716B8Aaf21512996dC57EB0615e2383E2f96";
});
after(async () => {
  await server?.stop();
  await facilitator?.stop();
  await chain?.stop();
});

test("token.json is compiled from token.sol", () => {
  assert.equal(readFileSync(new URL("token.json", import.meta.url), "utf8"), compile());
});

test("the official client pays the official server, once", async () => {
  const wallet = await chain.wallet();
  const before = await chain.balance(payTo);
  const answer = await wrapFetchWithPayment(fetch, evmClient(wallet))(url);
  assert.equal(answer.status, 200);
  assert.equal(await wallet.spent(), 10_000n);
  assert.equal(await chain.balance(payTo) - before, 10_000n);
});

test("a payment made by hand is as good, and a used one is not", async () => {
  const wallet = await chain.wallet();
  const payment = await handmade(wallet, await challenge(url));
  assert.equal((await paid(url, payment)).status, 200);
  assert.equal((await paid(url, payment)).error, "invalid_exact_evm_nonce_already_used");
  assert.equal(await wallet.spent(), 10_000n);
});

test("a smart wallet pays, a cancelled authorization does not", async () => {
  const smart = await chain.smartWallet();
  const payment = await pay(smart, await challenge(url));
  assert.equal(payment.payload.signature.length, 2 + 2 * 66);
  assert.equal((await paid(url, payment)).status, 200);
  assert.equal(await smart.spent(), 10_000n);

  const wallet = await chain.wallet();
  const cancelled = await pay(wallet, await challenge(url));
  await chain.cancel(wallet, cancelled.payload.authorization.nonce);
  assert.equal((await paid(url, cancelled)).error, "invalid_exact_evm_nonce_already_used");
  assert.equal(await wallet.spent(), 0n);
});

test("the faults are those of the field: the reference loses the payer's money when an answer is lost", async () => {
  const wallet = await chain.wallet();
  const payment = await pay(wallet, await challenge(url));
  facilitator.fail("settle", faults.lost, 1);
  const answer = await paid(url, payment);
  assert.deepEqual([answer.status, answer.receipt.success], [402, false]);
  assert.equal((await paid(url, payment)).status, 402);
  assert.equal(await wallet.spent(), 10_000n);
});

test("a blinded facilitator says settlement_pending, and settles the same payment at the next call", async () => {
  const wallet = await chain.wallet();
  const required = await challenge(url);
  const payment = await pay(wallet, required);
  facilitator.blind(1);
  const first = await facilitator.official.settle(payment, required.accepts[0]);
  assert.deepEqual([first.success, first.errorReason], [false, "settlement_pending"]);
  const second = await facilitator.official.settle(payment, required.accepts[0]);
  assert.deepEqual([second.success, second.transaction], [true, first.transaction]);
  assert.deepEqual(await chain.transfers(wallet.address, payTo), [10_000n]);
});
