// Payments on Solana.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { faults, startFacilitator } from "./facilitator.mjs";
import { ask, challenge, paid, pay, solanaClient, until200, withoutTickets } from "./pay.mjs";
import { startTocsin } from "./server.mjs";
import { NETWORK, USDC } from "./solana.mjs";
import { assertLater, assertPaid, assertUnpaid, eventually, SCREEN, startWorld } from "./world.mjs";

let world, chain, solana, facilitator, url, required;
before(async () => {
  world = await startWorld({ solana: true });
  ({ chain, solana, facilitator, url } = world);
  await eventually("Solana is on offer", async () => (required = await challenge(url)).accepts.length === 2);
});
after(async () => {
  try { await world?.balanced(); } finally { await world?.stop(); }
});
afterEach(() => facilitator.heal());

const entry = () => required.accepts.find(entry => entry.network === NETWORK);
const wrapped = change => ({ ...required, accepts: [{ ...entry(), ...change }] });
const assertReceipt = (answer, wallet) => {
  assertPaid(answer, wallet, { network: NETWORK });
  assert.equal(answer.receipt.payer, wallet.address);
  assert.match(answer.receipt.transaction, /^[1-9A-HJ-NP-Za-km-z]{80,90}$/);
};

test("Solana is offered after Base, with the facilitator's fee payer", () => {
  assert.deepEqual(required.accepts.map(entry => entry.network), ["eip155:8453", NETWORK]);
  const { maxTimeoutSeconds, ...rest } = withoutTickets([entry()])[0];
  assert.deepEqual(rest, {
    scheme: "exact", network: NETWORK, amount: "10000", asset: USDC, payTo: world.payToSolana, extra: { feePayer: solana.feePayer },
  });
});

test("the official client pays on Solana", async () => {
  const wallet = await solana.wallet();
  const before = await solana.balance(world.payToSolana);
  const answer = await wrapFetchWithPayment(fetch, solanaClient(wallet))(url);
  assert.equal(answer.status, 200);
  assert.equal((await answer.json()).riskScore, 100);
  assert.equal(await wallet.spent(), 10_000n);
  assert.equal(await solana.balance(world.payToSolana) - before, 10_000n);
});

test("a tool is paid for on Solana", async t => {
  const client = new Client({ name: "interop", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url)));
  t.after(() => client.close());
  const wallet = await solana.wallet();
  const call = { name: "check_address", arguments: { address: new URL(url).pathname.split("/").pop() } };
  const { structuredContent: price } = await client.callTool(call);
  const payment = await solanaClient(wallet).createPaymentPayload(price);
  const answer = await client.callTool({ ...call, _meta: { "x402/payment": payment } });
  assert.equal(answer.structuredContent.riskScore, 100);
  const receipt = answer._meta["x402/payment-response"];
  assert.deepEqual([receipt.success, receipt.network, receipt.payer], [true, NETWORK, wallet.address]);
  delete payment.resource; // it is not signed
  assertUnpaid(await paid(url, payment), "payment_already_used");
  assert.equal(await wallet.spent(), 10_000n);
});

test("a client of both networks pays on the first, Base", async () => {
  const [evm, sol] = [await chain.wallet(), await solana.wallet()];
  const client = new x402Client().register("solana:*", sol.scheme).register("eip155:*", new ExactEvmScheme(evm));
  assert.equal((await wrapFetchWithPayment(fetch, client)(url)).status, 200);
  assert.deepEqual([await evm.spent(), await sol.spent()], [10_000n, 0n]);
});

test("the same payment again is the same answer; for another resource it is refused", async () => {
  const wallet = await solana.wallet();
  const payment = await pay(wallet, required);
  const first = await paid(url, payment);
  assertReceipt(first, wallet);
  const again = await paid(url, payment);
  assert.deepEqual([again.status, again.text, again.receipt], [200, first.text, first.receipt]);
  assertUnpaid(await paid(world.other, payment), "payment_already_used");
  assert.equal(await wallet.spent(), 10_000n);
});

test("a used payment is the same one in other clothes: the fee payer's empty signature is not part of it", async () => {
  const wallet = await solana.wallet();
  const payment = await pay(wallet, required);
  assertReceipt(await paid(url, payment), wallet);
  const transaction = Buffer.from(payment.payload.transaction, "base64");
  transaction.fill(7, 1, 65); // the first signature is that of the fee payer
  const dressed = { ...payment, payload: { transaction: transaction.toString("base64") } };
  const answer = await paid(world.other, dressed);
  assert.ok([400, 402].includes(answer.status), answer.text);
  assert.equal(await wallet.spent(), 10_000n);
});

test("ten at once are charged once", async () => {
  const wallet = await solana.wallet();
  const payment = await pay(wallet, required);
  const [answers, calls] = await world.during(() => Promise.all(Array.from({ length: 10 }, () => paid(url, payment))));
  const served = answers.filter(answer => answer.status === 200);
  assert.ok(served.length >= 1);
  for (const answer of answers) {
    if (answer.status === 200) assert.equal(answer.text, served[0].text); else assertLater(answer, [409]);
  }
  assert.deepEqual(calls, { verify: 1, settle: 1 });
  assert.equal(await wallet.spent(), 10_000n);
});

test("what is no good payment is refused and not charged", async t => {
  for (const [what, make, reason] of [
    ["a wrong amount", async wallet => ({ ...await pay(wallet, wrapped({ amount: "9999" })), accepted: entry() }), /amount/],
    ["to another payee", async wallet => ({ ...await pay(wallet, wrapped({ payTo: (await solana.payee()) })), accepted: entry() }), /./],
    ["another payee, claimed", async wallet => pay(wallet, wrapped({ payTo: await solana.payee() })), /No matching payment requirements/],
    ["an amount, claimed", async wallet => pay(wallet, wrapped({ amount: "1" })), /No matching payment requirements/],
    ["another fee payer", async wallet => ({ ...await pay(wallet, wrapped({ extra: { feePayer: (await solana.wallet()).address } })), accepted: entry() }), /fee_?payer/i],
  ]) {
    await t.test(what, async () => {
      const wallet = await solana.wallet();
      const answer = await paid(url, await make(wallet));
      assertUnpaid(answer, reason);
      assert.equal(await wallet.spent(), 0n);
    });
  }
  await t.test("a balance that is too low", async () => {
    const wallet = await solana.wallet(9_999n);
    assertUnpaid(await paid(url, await pay(wallet, required)), "invalid_exact_svm_transaction_simulation_failed");
    assert.equal(await wallet.spent(), 0n);
  });
  await t.test("a blockhash that is too old", async () => {
    const wallet = await solana.wallet();
    const payment = await pay(wallet, required);
    solana.expire();
    assertUnpaid(await paid(url, payment), /simulation/);
    assert.equal(await wallet.spent(), 0n);
  });
  await t.test("one bit of the signature", async () => {
    const wallet = await solana.wallet();
    const payment = await pay(wallet, required);
    const transaction = Buffer.from(payment.payload.transaction, "base64");
    transaction[70] ^= 1;
    payment.payload.transaction = transaction.toString("base64");
    assertUnpaid(await paid(url, payment), /./);
    assert.equal(await wallet.spent(), 0n);
  });
  for (const transaction of ["", "AAAA", "x".repeat(2000), "!", Buffer.alloc(1300, 1).toString("base64")]) {
    await t.test(`no transaction: ${transaction.slice(0, 8)}`, async () => {
      const payment = await pay(await solana.wallet(), required);
      payment.payload.transaction = transaction;
      const [answer, calls] = await world.during(() => paid(url, payment));
      assert.equal(answer.status, 400, answer.text);
      assert.equal(answer.json.code, "invalid_payment");
      assert.deepEqual(calls, { verify: 0, settle: 0 });
    });
  }
});

test("however a settlement ends, the payer is served in the end, for one charge", async t => {
  const hasty = world.keep(await startTocsin({ facilitator, payTo: world.payTo, payToSolana: world.payToSolana, timeout: "1s" })).url + SCREEN;
  await eventually("Solana is on offer there", async () => (await challenge(hasty)).accepts.length === 2);
  for (const [what, way] of [
    ["reset before it was done", faults.reset], ["done, the answer lost", faults.lost], ["done, the answer too late", faults.late(1300)],
    ["500", faults.status(500)], ["done, the answer garbled", faults.garbled],
  ]) {
    await t.test(what, async () => {
      const wallet = await solana.wallet();
      const payment = await pay(wallet, required);
      facilitator.fail("settle", way, 1);
      const target = what === "done, the answer too late" ? hasty : url;
      const answer = await paid(target, payment);
      if (answer.status !== 200) assertLater(answer, [502, 503, 504]);
      if (target === hasty) { // it has no node to ask, and the facilitator answers duplicate_settlement until it forgets
        await facilitator.quiet();
        assertLater(await paid(target, payment), [409, 502, 503, 504]);
        solana.forget();
      }
      const served = await until200(target, payment);
      assert.equal(served.json.riskScore, 100);
      assert.equal(served.receipt.success, true);
      assert.equal(await wallet.spent(), 10_000n);
    });
  }
});

test("without a fee payer Solana is not on offer, and Base is", async t => {
  const alone = world.keep(await startFacilitator({ chain }));
  for (const [what, supported] of [
    ["the facilitator does not speak of Solana", undefined],
    ["it names no fee payer", faults.verdict({
      kinds: [{ x402Version: 2, scheme: "exact", network: "eip155:8453" }, { x402Version: 2, scheme: "exact", network: NETWORK }], extensions: [], signers: {},
    })],
    ["it does not say what it supports", faults.status(500)],
  ]) {
    await t.test(what, async () => {
      if (supported) alone.fail("supported", supported);
      const asked = alone.calls.supported;
      const tocsin = world.keep(await startTocsin({ facilitator: alone, payTo: world.payTo, payToSolana: world.payToSolana }));
      try {
        await eventually("it has asked", () => alone.calls.supported > asked);
        const terms = await challenge(tocsin.url + SCREEN);
        assert.deepEqual(terms.accepts.map(entry => entry.network), ["eip155:8453"]);
        const wallet = await chain.wallet();
        assertPaid(await paid(tocsin.url + SCREEN, await pay(wallet, terms)), wallet);
      } finally {
        await tocsin.stop();
        alone.heal();
      }
    });
  }
});

test("with a node of Solana to ask, a lost answer is found, and a payment that never got there is not served", async t => {
  const own = world.keep(await startFacilitator({ chain, solana }));
  const tocsin = world.keep(await startTocsin({
    facilitator: own, payTo: world.payTo, payToSolana: world.payToSolana, flags: ["-rpc-url-solana", solana.url],
  }));
  const target = tocsin.url + SCREEN;
  let terms;
  await eventually("Solana is on offer", async () => (terms = await challenge(target)).accepts.length === 2);
  const duplicate = faults.verdict({ success: false, errorReason: "duplicate_settlement", transaction: "", network: NETWORK, payer: "" });
  const thenDuplicate = first => {
    let calls = 0;
    own.fail("settle", call => (calls++ ? duplicate : first)(call));
  };

  await t.test("done, the answer lost, and then duplicate_settlement", async () => {
    const wallet = await solana.wallet();
    const payment = await pay(wallet, terms);
    thenDuplicate(faults.lost);
    let answer = await paid(target, payment);
    if (answer.status !== 200) answer = await until200(target, payment);
    assertReceipt(answer, wallet);
    assert.equal(answer.json.riskScore, 100);
    assert.deepEqual(await solana.transactions(wallet.address), [answer.receipt.transaction]);
    assert.equal(await wallet.spent(), 10_000n);
    const again = await paid(target, payment);
    assert.deepEqual([again.status, again.text, again.receipt], [200, answer.text, answer.receipt]);
    assert.equal(await wallet.spent(), 10_000n);
  });

  await t.test("never done, and then duplicate_settlement", async () => {
    const wallet = await solana.wallet();
    const payment = await pay(wallet, terms);
    thenDuplicate(faults.reset);
    for (let i = 0; i < 5; i++) assertLater(await paid(target, payment), [409, 502, 503, 504]);
    solana.expire();
    let answer;
    await eventually("it is refused", async () => {
      answer = await paid(target, payment);
      assert.notEqual(answer.status, 200);
      return answer.status === 402;
    });
    assert.notEqual(answer.receipt?.success, true);
    assert.deepEqual(await solana.transactions(wallet.address), []);
    assert.equal(await wallet.spent(), 0n);

    // A new payment is accepted.
    own.heal();
    const served = await paid(target, await pay(wallet, terms));
    assertReceipt(served, wallet);
    assert.equal(await wallet.spent(), 10_000n);
  });
});
