// Failures of the facilitator, of Tocsin and of the caller. Everybody who was charged is
// served, nobody is charged twice, and no response asks for a new payment while the first
// may still be executed.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { faults } from "./facilitator.mjs";
import { ask, challenge, encode, paid, pay, until200 } from "./pay.mjs";
import { startTocsin } from "./server.mjs";
import { assertLater, assertPaid, assertUnpaid, body, eventually, SCREEN, startWorld } from "./world.mjs";

const TIMEOUT = 1000; // of calls to the facilitator by `hasty`, in ms
let world, chain, facilitator, url, other, check, required;
let hasty; // a second Tocsin, with a timeout so short that tests can wait for it
before(async () => {
  world = await startWorld();
  ({ chain, facilitator, url, other, check } = world);
  required = await challenge(url);
  hasty = world.keep(await startTocsin({ facilitator, payTo: world.payTo, timeout: TIMEOUT + "ms" }));
});
after(async () => {
  try { await world?.balanced(); } finally { await world?.stop(); }
});
afterEach(() => facilitator.heal());

/** Returns a new wallet with a payment, and the final check: served, charged once, and the same response again. */
async function payer(at = url) {
  const wallet = await chain.wallet();
  const payment = await pay(wallet, at === url ? required : await challenge(at));
  return {
    wallet, payment,
    /**
     * Returns the response to the payment when calls of that operation time out. On a busy machine
     * other calls may time out as well, with the same response: then the payment is sent again.
     */
    async timesOut(operation) {
      for (;;) {
        const [answer, calls] = await world.during(() => paid(at, payment));
        assertLater(answer, [503, 504]);
        if (answer.status === 504 && calls[operation] > 0) return [answer, calls];
      }
    },
    async served(what) {
      const answer = await until200(at, payment);
      assertPaid(answer, wallet, { transactionKnown: false });
      assert.equal(answer.json.riskScore, 100);
      await facilitator.quiet();
      assert.deepEqual(await chain.transfers(wallet.address, world.payTo), [10_000n], what);
      const [again, calls] = await world.during(() => paid(at, payment));
      assert.deepEqual([again.status, again.text, again.receipt], [200, answer.text, answer.receipt], what);
      assert.deepEqual(calls, { verify: 0, settle: 0 }, what);
      return answer;
    },
  };
}

test("without a result of verification nothing is charged, and the caller is asked to retry", async t => {
  for (const [what, way, statuses] of [
    ["500", faults.status(500), [502]],
    ["503", faults.status(503), [502]],
    ["429", faults.status(429), [502]],
    ["400", faults.status(400), [502]],
    ["403 in HTML", faults.status(403, "<html>"), [502]],
    ["not JSON", faults.notJSON, [502]],
    ["empty", faults.empty, [502]],
    ["the wrong shape", faults.wrongShape, [502]],
    ["cut off", faults.cutOff, [502]],
    ["the shape of a settlement", faults.verdict({ success: true, transaction: "0x1", network: "eip155:8453" }), [502]],
    ["valid as a string", faults.verdict({ isValid: "true" }), [502]],
    ["valid, with 500", faults.verdict({ isValid: true }, 500), [502]],
    ["ten megabytes", faults.status(200, { isValid: "x".repeat(10 << 20) }), [502]],
    ["a way to another address", faults.redirect("/elsewhere"), [502]],
    ["a reset connection", faults.reset, [502, 503]],
    ["an answer that never ends", faults.unending, [504]],
    ["no answer", faults.never, [504]],
    ["an answer too late", faults.slow(TIMEOUT + 300), [504]],
  ]) {
    await t.test(what, async () => {
      const { wallet, payment, served, timesOut } = await payer(statuses[0] === 504 ? hasty.url + SCREEN : url);
      facilitator.fail("verify", way);
      const [answer, calls] = await (statuses[0] === 504 ? timesOut("verify") : world.during(() => paid(url, payment)));
      assertLater(answer, statuses, what);
      assert.equal(calls.settle, 0);
      assert.equal(await wallet.spent(), 0n);
      facilitator.heal();
      await served(what);
    });
  }
  await t.test("refused connections", async () => {
    const { wallet, payment, served } = await payer();
    await facilitator.down();
    try {
      assertLater(await paid(url, payment), [503]);
      assertUnpaid(await ask(url), ""); // the price does not need the facilitator
      assert.equal(await wallet.spent(), 0n);
    } finally {
      await facilitator.up();
    }
    await served();
  });
  await t.test("slow, but in time", async () => {
    const { wallet, payment } = await payer();
    facilitator.fail("verify", faults.slow(500));
    assertPaid(await paid(url, payment), wallet);
  });
});

test("however a settlement ends, the same request with the same payment is served in the end, for one charge", async t => {
  for (const [what, way, statuses] of [
    ["500", faults.status(500), [502, 503]],
    ["503", faults.status(503), [502, 503]],
    ["429", faults.status(429), [502, 503]],
    ["400", faults.status(400), [502, 503]],
    ["not JSON", faults.notJSON, [502, 503]],
    ["empty", faults.empty, [502, 503]],
    ["the wrong shape", faults.wrongShape, [502, 503]],
    ["cut off", faults.cutOff, [502, 503]],
    ["the shape of a verification", faults.verdict({ isValid: true }), [502, 503]],
    ["a reset connection", faults.reset, [502, 503]],
    ["no answer", faults.never, [504]],
    ["begun too late", faults.slow(TIMEOUT + 300), [504]],
    ["settled, the answer lost", faults.lost, [502, 503]],
    ["settled, the answer garbled", faults.garbled, [502, 503]],
    ["settled, the answer lost by a gateway: 502", faults.gateway(502), [502, 503]],
    ["settled, the answer lost by a gateway: 504", faults.gateway(504), [502, 503, 504]],
    ["settled, the answer too late", faults.late(TIMEOUT + 300), [504]],
  ]) {
    await t.test(what, async () => {
      const at = statuses[0] === 504 ? hasty.url + SCREEN : url;
      const { wallet, payment, served } = await payer(at);
      facilitator.fail("settle", way, 1);
      const answer = await paid(at, payment);
      // The server may retry by itself. Then the first response is the final one.
      if (answer.status === 200) assertPaid(answer, wallet, { transactionKnown: false }); else assertLater(answer, statuses, what);
      await served(what);
    });
    await t.test(what + ", again and again", async () => {
      const { payment, served, timesOut } = await payer(statuses[0] === 504 ? hasty.url + SCREEN : url);
      facilitator.fail("settle", way);
      const answer = statuses[0] === 504 ? (await timesOut("settle"))[0] : await paid(url, payment);
      if (answer.status !== 200) assertLater(answer, [...statuses, 503], what);
      facilitator.heal();
      await served(what);
    });
  }
  await t.test("refused connections", async () => {
    const { wallet, payment, served } = await payer();
    facilitator.fail("verify", async ({ response, work }) => {
      const verdict = await work();
      response.once("close", () => facilitator.down());
      response.writeHead(200, { "Content-Type": "application/json", Connection: "close" }).end(JSON.stringify(verdict));
    }, 1);
    assertLater(await paid(url, payment), [502, 503]);
    assert.equal(await wallet.spent(), 0n);
    await facilitator.up();
    await served();
  });
  await t.test("slow, but in time", async () => {
    const { wallet, payment } = await payer();
    facilitator.fail("settle", faults.late(500));
    assertPaid(await paid(url, payment), wallet);
  });
  await t.test("for a POST with a body", async () => {
    const wallet = await chain.wallet();
    const payment = await pay(wallet, await challenge(check, { method: "POST", body }));
    facilitator.fail("settle", faults.lost, 2);
    await paid(check, payment, { method: "POST", body });
    const answer = await until200(check, payment, { method: "POST", body });
    assertPaid(answer, wallet, { transactionKnown: false });
    assert.deepEqual(await chain.transfers(wallet.address, world.payTo), [400_000n]);
  });
});

test("while it is not known how a settlement ended, its payment buys nothing else", async () => {
  const { payment, served } = await payer();
  facilitator.fail("settle", faults.lost);
  assertLater(await paid(url, payment), [502, 503, 504]);
  const answer = await paid(other, payment);
  assert.ok(answer.status === 402 && answer.error === "payment_already_used" || answer.status === 409, `${answer.status} ${answer.text}`);
  facilitator.heal();
  await served();
  assertUnpaid(await paid(other, payment), "payment_already_used");
});

test("a settlement that is refused for good is 402 with both headers, and the payment is free again", async () => {
  const { wallet, payment, served } = await payer();
  facilitator.fail("settle", faults.after(() => chain.drain(wallet)), 1);
  const answer = await paid(url, payment);
  assertUnpaid(answer, /balance/);
  assert.equal(answer.receipt.success, false);
  assert.match(answer.receipt.errorReason, /balance/);
  assert.equal(answer.receipt.network, "eip155:8453");
  assert.equal(typeof answer.receipt.transaction, "string");
  assert.equal(await wallet.spent(), 0n);
  await chain.fund(wallet, 10_000n);
  await served();
});

test("a payment that its payer cancels before it is settled buys nothing", async () => {
  const { wallet, payment } = await payer();
  facilitator.fail("settle", faults.after(() => chain.cancel(wallet, payment.payload.authorization.nonce)), 1);
  const answer = await paid(url, payment);
  assertUnpaid(answer, /nonce_already_used/);
  assert.equal(answer.receipt.success, false);
  assertUnpaid(await paid(url, payment), /nonce_already_used/);
  assert.equal(await wallet.spent(), 0n);
});

test("settlement_pending is asked about again", async t => {
  await t.test("once pending, then settled", async () => {
    const { wallet, payment, served } = await payer();
    facilitator.blind(1);
    const answer = await paid(url, payment);
    if (answer.status === 200) assertPaid(answer, wallet); else assertLater(answer, [503]);
    await served();
  });
  await t.test("once pending with status 500", async () => {
    const { payment, served } = await payer();
    facilitator.blind(1);
    facilitator.fail("settle", async ({ response, work }) => response.writeHead(500, { "Content-Type": "application/json" })
      .end(JSON.stringify(await work())), 1);
    const answer = await paid(url, payment);
    if (answer.status !== 200) assertLater(answer, [503]);
    await served();
  });
  await t.test("pending for long", async () => {
    const { payment, served } = await payer();
    facilitator.blind(Infinity);
    const answer = await paid(url, payment);
    assertLater(answer, [503]);
    assert.equal(answer.json.code, "settlement_pending");
    assertLater(await paid(url, payment), [409, 503]);
    facilitator.heal();
    await served();
  });
  await t.test("pending without a transaction", async () => {
    const { wallet, payment, served } = await payer();
    facilitator.fail("settle", faults.verdict({
      success: false, errorReason: "settlement_pending", transaction: "", network: "eip155:8453", payer: wallet.address,
    }));
    assertLater(await paid(url, payment), [503]);
    facilitator.heal();
    await served();
  });
});

test("success that names no transaction is no receipt", async () => {
  const { payment, served } = await payer();
  facilitator.fail("settle", faults.verdict({ success: true, transaction: "", network: "eip155:8453" }));
  assertLater(await paid(url, payment), [502, 503]);
  facilitator.heal();
  await served();
});

test("a caller who leaves during the settlement gets the response to a retry", async t => {
  for (const after of [30, 150, 400]) {
    await t.test(`after ${after} ms`, async () => {
      const { payment, served } = await payer();
      facilitator.fail("settle", faults.late(300), 1);
      await ask(url, { headers: { "PAYMENT-SIGNATURE": encode(payment) }, signal: AbortSignal.timeout(after) }).catch(() => {});
      await served();
    });
  }
});

test("twenty at once while the first settlement is lost are one charge", async () => {
  const { wallet, payment, served } = await payer();
  facilitator.fail("settle", faults.lost, 1);
  const answers = await Promise.all(Array.from({ length: 20 }, () => paid(url, payment)));
  for (const answer of answers) if (answer.status !== 200) assertLater(answer, [409, 502, 503, 504]);
  await served();
  assert.equal(await wallet.spent(), 10_000n);
});

test("Tocsin, killed in the middle of sales, starts again and serves what was paid, charged once", async t => {
  const sales = new Map(); // by payer
  let isKilled;
  const killed = new Promise(done => { isKilled = done; });
  for (const [what, operation, way, comesAgain = true] of [
    ["before the verdict", "verify", faults.when(killed)],
    ["the settlement done, its answer on the way", "settle", faults.done(killed)],
    ["the settlement not begun yet", "settle", faults.when(killed)],
    ["the settlement never done", "settle", faults.never],
    ["the settlement done, and nobody comes again", "settle", faults.done(killed), false],
    ["the settlement never done, and nobody comes again", "settle", faults.never, false],
  ]) {
    const one = await payer();
    sales.set(one.wallet.address, { what, operation, way, comesAgain, ...one });
  }
  for (const operation of ["verify", "settle"]) {
    facilitator.fail(operation, call => {
      const sale = sales.get(call.asked.paymentPayload.payload.authorization.from);
      if (sale.operation !== operation) return faults.slow(0)(call);
      const work = async () => {
        const result = await call.work();
        sale.done = true;
        return result;
      };
      sale.reached = true;
      return sale.way({ ...call, work });
    });
  }
  const lost = [...sales.values()].map(sale => paid(url, sale.payment).catch(() => {}));
  const all = [...sales.values()];
  await eventually("all are where they are to be", () => all.every(sale => sale.reached && (sale.done || !sale.what.startsWith("the settlement done"))));
  await world.tocsin.kill();
  isKilled();
  await Promise.all(lost);
  await facilitator.quiet();
  facilitator.heal();
  await world.tocsin.again();
  await Promise.all(all.map(async sale => {
    if (sale.comesAgain) return until200(url, sale.payment);
    await eventually("it is charged: " + sale.what, async () => await sale.wallet.spent() === 10_000n);
    await eventually("it is answered: " + sale.what, async () => (await paid(url, sale.payment)).status === 200);
  }));
  for (const sale of all) await t.test(sale.what, () => sale.served(sale.what)); // when no call to the facilitator is in progress
});

test("Tocsin, when stopped, completes the sales in progress", async () => {
  const { wallet, payment, served } = await payer();
  let settle;
  facilitator.fail("settle", faults.when(new Promise(done => { settle = done; })), 1);
  const calls = facilitator.calls.settle;
  const answer = paid(url, payment);
  await eventually("it is being settled", () => facilitator.calls.settle > calls);
  const stopped = world.tocsin.stop();
  await eventually("it knows that it is to end", () => /stopping/.test(world.tocsin.log()));
  settle();
  await stopped;
  assertPaid(await answer, wallet);
  await world.tocsin.again();
  await served();
});

test("no retry is needed: Tocsin finds out by itself how a settlement ended", async t => {
  const sales = [];
  for (const [what, way, tocsin] of [
    ["lost after it was done", faults.lost, world.tocsin], ["lost before it was done", faults.reset, world.tocsin],
    ["answered by nobody", faults.never, hasty],
  ]) {
    const one = await payer(tocsin.url + SCREEN);
    facilitator.fail("settle", way);
    if (way === faults.never) await one.timesOut("settle");
    else assertLater(await paid(url, one.payment), [502, 503]);
    facilitator.heal();
    sales.push({ what, tocsin, ...one });
  }
  // Only wait: a response without a call to the facilitator shows that the result was known.
  await Promise.all(sales.map(async ({ what, tocsin, wallet }) => {
    await eventually("it is charged: " + what, async () => await wallet.spent() === 10_000n);
    await eventually("it is settled: " + what, () => tocsin.log().split("\n")
      .some(line => line.includes("id=reconciler") && line.includes(wallet.address) && line.includes("outcome=settled")));
  }));
  for (const { what, tocsin, wallet, payment, served } of sales) {
    await t.test(what, async () => {
      const [answer, calls] = await world.during(() => paid(tocsin.url + SCREEN, payment));
      assertPaid(answer, wallet, { transactionKnown: false });
      assert.deepEqual(calls, { verify: 0, settle: 0 });
      await served();
    });
  }
});

test("a facilitator that answers nothing is left alone, and who finds it again is served", async () => {
  const tocsin = world.keep(await startTocsin({ facilitator, payTo: world.payTo, flags: ["-trusted-proxies", "127.0.0.1"] }));
  const target = tocsin.url + SCREEN, terms = await challenge(target);
  const payments = [];
  for (let i = 0; i < 15; i++) payments.push(await pay(await chain.wallet(), terms));
  const send = i => paid(target, payments[i], { headers: { "X-Forwarded-For": `198.51.${i % 5}.1` } });
  const { payment, served } = await payer(target);
  facilitator.fail("verify", faults.status(503));
  facilitator.fail("supported", faults.status(503));
  for (let i = 0; i < 5; i++) assertLater(await send(i), [502]);
  const started = Date.now();
  const [answers, calls] = await world.during(() => Promise.all(Array.from({ length: 10 }, (_, i) => send(5 + i))));
  for (const answer of answers) assertLater(answer, [502, 503]);
  const tried = 5 * (1 + Math.floor((Date.now() - started) / 2000)); // one payment of each network every two seconds
  assert.ok(calls.verify <= tried, `${calls.verify} calls`);
  assert.equal(answers.filter(answer => answer.status === 503).length, 10 - calls.verify);
  facilitator.heal();
  await eventually("it is found again", async () => (await paid(target, payment)).status === 200);
  await served();
});

test("payments of one network that make the facilitator fail do not stop those of others", async () => {
  const tocsin = world.keep(await startTocsin({
    facilitator, payTo: world.payTo, flags: ["-trusted-proxies", "127.0.0.1", "-refused-payments", "10"],
  }));
  const target = tocsin.url + SCREEN, terms = await challenge(target);
  const good = [await chain.wallet(), await chain.smartWallet()];
  facilitator.fail("verify", ({ response, asked, work }) => good.some(wallet => wallet.address.toLowerCase() === asked.paymentPayload.payload.authorization.from.toLowerCase())
    ? work().then(verdict => response.writeHead(200).end(JSON.stringify(verdict))) : faults.status(500)({ response }));
  const statuses = [];
  for (let i = 0; i < 20; i++) {
    const bad = await pay(await chain.wallet(), terms);
    const answer = await paid(target, bad, { headers: { "X-Forwarded-For": "198.51.100.1" } });
    assertLater(answer, [429, 502]);
    statuses.push(answer.status);
  }
  assert.ok(statuses.slice(0, 10).every(status => status === 502) && statuses.includes(429), `${statuses}`);
  for (const wallet of good) {
    assertPaid(await paid(target, await pay(wallet, terms), { headers: { "X-Forwarded-For": "203.0.113.1" } }), wallet);
  }
});

test("payments that hang at the facilitator hold up nobody else", async () => {
  const payments = [];
  for (let i = 0; i < 32; i++) payments.push(await pay(await chain.wallet(), required));
  let release;
  const released = new Promise(done => { release = done; });
  facilitator.fail("verify", async call => { await released; await faults.slow(0)(call); });
  const calls = facilitator.calls.verify;
  const hanging = payments.map(payment => paid(url, payment));
  try {
    await eventually("they hang", () => facilitator.calls.verify === calls + 32);
    assertUnpaid(await ask(url), "");
    assert.equal((await ask(world.tocsin.url + "/api/v1/stats")).status, 200);
  } finally { // only after the assertions
    facilitator.heal();
    release();
  }
  for (const answer of await Promise.all(hanging)) assert.equal(answer.status, 200);
});

test("with a node of the chain to ask, a payer who cancels after a lost call is not served, and a lost answer is found", async () => {
  const tocsin = world.keep(await startTocsin({
    facilitator, payTo: world.payTo, flags: ["-rpc-url", chain.url],
  }));
  const target = tocsin.url + SCREEN;
  const terms = await challenge(target);
  {
    const wallet = await chain.wallet();
    const payment = await pay(wallet, terms);
    facilitator.fail("settle", faults.reset, 2);
    assertLater(await paid(target, payment), [502, 503]);
    await chain.cancel(wallet, payment.payload.authorization.nonce);
    facilitator.heal();
    let answer;
    await eventually("it is refused", async () => (answer = await paid(target, payment)).status === 402);
    assert.notEqual(answer.receipt?.success, true);
    assert.equal(await wallet.spent(), 0n);
  }
  {
    const wallet = await chain.wallet();
    const payment = await pay(wallet, terms);
    facilitator.fail("settle", faults.lost); // for good: only the chain shows the result
    let answer = await paid(target, payment);
    if (answer.status !== 200) answer = await until200(target, payment);
    assertPaid(answer, wallet);
    const { logs } = await chain.client.getTransactionReceipt({ hash: answer.receipt.transaction });
    assert.ok(logs.length > 0);
    assert.deepEqual(await chain.transfers(wallet.address, world.payTo), [10_000n]);
  }
});

test("Tocsin starts without a facilitator, tells the price, and sells when there is one", async () => {
  await facilitator.down();
  let up = false;
  try {
    const tocsin = world.keep(await startTocsin({ facilitator, payTo: world.payTo }));
    const target = tocsin.url + SCREEN;
    const terms = await challenge(target);
    assert.equal(terms.accepts[0].network, "eip155:8453");
    const wallet = await chain.wallet();
    const payment = await pay(wallet, terms);
    assertLater(await paid(target, payment), [503]);
    await facilitator.up();
    up = true;
    assertPaid(await until200(target, payment), wallet);
    assert.equal(await wallet.spent(), 10_000n);
  } finally {
    if (!up) await facilitator.up();
  }
});
