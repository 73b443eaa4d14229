// One chain, one facilitator and one Tocsin for the tests of a file.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { startChain } from "./chain.mjs";
import { startFacilitator } from "./facilitator.mjs";
import { startSolana } from "./solana.mjs";
import { startTocsin } from "./server.mjs";

export const SCREEN = "/api/v1/screen/0x098B716B8Aaf21512996dC57EB0615e2383E2f96";
export const OTHER = "/api/v1/screen/0x000000000000000000000000000000000000dEaD";
export const CHECK = "/api/v1/check";
export const body = { addresses: ["0x098B716B8Aaf21512996dC57EB0615e2383E2f96"] };

export async function startWorld({ solana: withSolana = false, ...options } = {}) {
  const started = [];
  const stop = async () => { for (const part of started.reverse()) await part.stop(); };
  const keep = part => (started.push(part), part);
  try {
    const chain = keep(await startChain());
    const solana = withSolana ? keep(await startSolana()) : undefined;
    const facilitator = keep(await startFacilitator({ chain, solana }));
    const payTo = (await chain.wallet(0n)).address;
    const payToSolana = await solana?.payee();
    const tocsin = keep(await startTocsin({ facilitator, payTo, payToSolana, flags: solana ? ["-rpc-url-solana", solana.url] : [], ...options }));
    return {
      chain, solana, facilitator, payTo, payToSolana, tocsin, keep, stop,
      url: tocsin.url + SCREEN,
      other: tocsin.url + OTHER,
      check: tocsin.url + CHECK,

      /** Returns the calls to the facilitator in the meantime. */
      async during(work) {
        const before = { ...facilitator.calls };
        const result = await work();
        return [result, { verify: facilitator.calls.verify - before.verify, settle: facilitator.calls.settle - before.settle }];
      },

      /** Asserts that all that the wallets of this chain spent is with the payee, and in the operator's accounts. */
      async balanced() {
        await facilitator.quiet();
        let spent = 0n;
        for (const wallet of chain.wallets) if (wallet.address !== payTo) spent += await wallet.spent();
        assert.equal(await chain.balance(payTo), spent);
        const databases = new Map(started.filter(part => part.takings).map(part => [part.db, part]));
        let sold;
        await eventually("all that was paid is in the accounts", async () => { // a settlement is recorded after the response
          sold = { [chain.network]: 0n };
          for (const { takings } of databases.values()) {
            for (const [network, sum] of Object.entries(await takings())) sold[network] = (sold[network] ?? 0n) + sum;
          }
          return sold[chain.network] >= spent;
        });
        assert.equal(sold[chain.network], spent);
        if (solana) assert.equal(sold[solana.network] ?? 0n, await solana.balance(payToSolana));
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Waits until a condition holds, as long as a busy machine may need. */
export async function eventually(what, holds, patience = 120_000) {
  const deadline = Date.now() + patience;
  while (!await holds()) {
    if (Date.now() > deadline) throw new Error(`not so in ${patience} ms: ${what}`);
    await sleep(50);
  }
}

/** Asserts that a response asks for a retry, and neither for a payment nor names one. */
export function assertLater(answer, statuses, what = "") {
  assert.ok(statuses.includes(answer.status), `${what} status ${answer.status}, not ${statuses}: ${answer.text}`);
  assert.ok(Number(answer.retryAfter) >= 0, `${what} ${answer.status} without Retry-After`);
  assert.equal(answer.required, undefined, `${what} PAYMENT-REQUIRED beside ${answer.status}`);
  assert.notEqual(answer.receipt?.success, true, `${what} receipt beside ${answer.status}`);
  assert.equal(answer.headers["content-type"], "application/problem+json");
}

/** Asserts that a response asks for a payment, with this reason or a part of it. */
export function assertUnpaid(answer, reason, what = "") {
  assert.equal(answer.status, 402, `${what} ${answer.text}`);
  assert.ok(answer.required, `${what} 402 without PAYMENT-REQUIRED`);
  assert.match(answer.error, reason instanceof RegExp ? reason : new RegExp(`^${reason}`), what);
  assert.equal(answer.headers["cache-control"], "no-store", what);
}

/**
 * Asserts that a response was paid for, and checks its receipt. Where the facilitator's
 * response was lost and there is no node of the chain, the transaction is not known.
 */
export function assertPaid(answer, wallet, { network = "eip155:8453", transactionKnown = true } = {}) {
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.receipt?.success, true);
  assert.equal(answer.receipt.network, network);
  assert.equal(answer.receipt.payer.toLowerCase(), wallet.address.toLowerCase());
  assert.equal(typeof answer.receipt.transaction, "string");
  if (transactionKnown) assert.ok(answer.receipt.transaction, "no transaction in the receipt");
}
