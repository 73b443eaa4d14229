// Everything at once: random faults, callers who leave, a server that is killed. STORM=20 runs
// twenty storms instead of one. SEED=n repeats the random choices of an earlier run.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { faults } from "./facilitator.mjs";
import { ask, challenge, encode, pay, until200 } from "./pay.mjs";
import { startWorld } from "./world.mjs";

const seed = Number(process.env.SEED ?? Date.now() % 1e6);
console.log(`SEED=${seed}`);
let state = seed;
/** Returns a number from 0 to below 1 (mulberry32), so that a storm can be repeated, as far as the clock allows. */
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}

const TIMEOUT = 2000; // of calls to the facilitator, in ms
let world, chain, facilitator, required;
before(async () => {
  world = await startWorld({ timeout: TIMEOUT + "ms" });
  ({ chain, facilitator } = world);
  required = await challenge(world.url);
});
after(async () => {
  try { await world?.balanced(); } finally { await world?.stop(); }
});

const one = list => list[Math.floor(random() * list.length)];
const verifies = [faults.slow(0), faults.slow(0), faults.slow(100), faults.status(500), faults.reset, faults.slow(TIMEOUT * 1.2), faults.never, faults.empty];
const settles = [
  faults.slow(0), faults.slow(50), faults.slow(TIMEOUT * 1.2), faults.status(500), faults.status(429), faults.reset, faults.never,
  faults.lost, faults.lost, faults.garbled, faults.gateway(502), faults.late(300), faults.late(TIMEOUT * 1.2),
];

/** Repeats a call until it is stopped. All responses must be equal. */
async function caller(sale, stopped) {
  while (!stopped()) {
    const target = random() < 0.1 ? world.other : world.url;
    const signal = random() < 0.3 ? AbortSignal.timeout(Math.floor(random() * 400)) : undefined;
    const answer = await ask(target, { headers: { "PAYMENT-SIGNATURE": encode(sale.payment) }, signal }).catch(() => ({ status: 0 }));
    assert.ok([0, 200, 402, 409, 502, 503, 504].includes(answer.status), `${answer.status} ${answer.text}`);
    if (answer.status === 402) assert.equal(answer.error, "payment_already_used");
    if (answer.status === 200) {
      sale.got ??= { target, text: answer.text };
      assert.deepEqual({ target, text: answer.text }, sale.got);
    }
    await sleep(random() * 300);
  }
}

for (let storm = 1; storm <= Number(process.env.STORM ?? 1); storm++) {
  test(`storm ${storm}: who was charged was charged once, and is answered`, async () => {
    facilitator.fail("verify", call => one(verifies)(call));
    facilitator.fail("settle", call => one(settles)(call));
    const sales = [];
    for (let i = 0; i < 12; i++) {
      const wallet = await chain.wallet();
      sales.push({ wallet, payment: await pay(wallet, required) });
    }
    let stop = false;
    const callers = sales.map(sale => caller(sale, () => stop));
    callers.forEach(calling => calling.catch(() => {})); // awaited below
    await sleep(500 + random() * 1500);
    await world.tocsin.kill();
    await world.tocsin.again();
    await sleep(500);
    stop = true;
    await Promise.all(callers);
    facilitator.heal();
    await facilitator.quiet();
    await Promise.all(sales.map(async ({ wallet, payment, got }) => {
      // A caller without a response cannot know which of its two requests came first.
      const answer = await until200(got?.target ?? world.url, payment).catch(error => {
        if (got || !error.message.includes("payment_already_used")) throw error;
        return until200(world.other, payment);
      });
      if (got) assert.equal(answer.text, got.text);
      assert.deepEqual(await chain.transfers(wallet.address, world.payTo), [10_000n]);
    }));
  });
}
