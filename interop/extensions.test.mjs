// Checks what a 402 announces with the official schemas and validators.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { validatePaymentRequired } from "@x402/core/schemas";
import { extractDiscoveryInfo, validateDiscoveryExtension, validateDiscoveryExtensionSpec } from "@x402/extensions/bazaar";
import {
  appendPaymentIdentifierToExtensions, generatePaymentId, isPaymentIdentifierExtension, isPaymentIdentifierRequired, validatePaymentIdentifier,
} from "@x402/extensions/payment-identifier";
import { createSIWxPayload, encodeSIWxHeader, validateSIWxMessage, verifySIWxSignature } from "@x402/extensions/sign-in-with-x";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { ask, challenge, handmade, paid, pay, until200 } from "./pay.mjs";
import { assertPaid, body, startWorld } from "./world.mjs";

let world, chain, url;
before(async () => {
  world = await startWorld();
  ({ chain, url } = world);
});
after(async () => {
  try { await world?.balanced(); } finally { await world?.stop(); }
});

const operations = [
  ["GET", "/api/v1/screen/0x098B716B8Aaf21512996dC57EB0615e2383E2f96", "10000"],
  ["GET", "/api/v1/domains/check/evil.example", "10000"],
  ["GET", "/api/v1/community-reports/search?q=wallet", "10000"],
  ["GET", "/api/v1/community-reports?limit=1", "10000"],
  ["POST", "/api/v1/check", "400000"],
];

for (const [method, path, amount] of operations) {
  test(`${method} ${path}: the 402 is of the official form`, async () => {
    const init = method === "POST" ? { method, body } : { method };
    const required = await challenge(world.tocsin.url + path, init);
    validatePaymentRequired(required);
    for (const entry of required.accepts) assert.equal(entry.amount, amount);
    assert.ok(required.resource.description.length <= 500);
    assert.match(required.resource.description, /^[\x20-\x7e]+$/);

    const bazaar = required.extensions.bazaar;
    for (const validate of [validateDiscoveryExtension, validateDiscoveryExtensionSpec]) {
      const { valid, errors } = validate(bazaar);
      assert.ok(valid, JSON.stringify(errors));
    }
    assert.equal(bazaar.info.input.type, "http");
    assert.equal(bazaar.info.input.method, method);

    const identifier = required.extensions["payment-identifier"];
    assert.ok(isPaymentIdentifierExtension(identifier));
    assert.equal(isPaymentIdentifierRequired(identifier), false);
    assert.ok(validatePaymentIdentifier(identifier).valid);

    // What a facilitator derives from it when a client pays and repeats it.
    const payment = await handmade(await chain.wallet(0n), required);
    const found = extractDiscoveryInfo(payment, required.accepts[0]);
    assert.ok(found, "nothing is discovered");
    assert.equal(found.method, method);
    const template = path.replace(/\?.*/, "").replace(/screen\/.*/, "screen/:address").replace(/domains\/check\/.*/, "domains/check/:domain");
    assert.equal(found.resourceUrl, world.tocsin.url + template);
    assert.equal(found.routeTemplate, template.includes(":") ? template : undefined);
  });
}

test("the official client signs in with what a 402 says, and uses a free call of its wallet", async () => {
  const { info, supportedChains } = (await challenge(url)).extensions["sign-in-with-x"];
  const proof = await createSIWxPayload({ ...info, ...supportedChains[0] }, privateKeyToAccount(generatePrivateKey()), url);
  assert.ok((await validateSIWxMessage(proof, new URL(world.tocsin.url))).isValid);
  assert.ok((await verifySIWxSignature(proof)).isValid);
  const headers = { "SIGN-IN-WITH-X": encodeSIWxHeader(proof) };
  const answer = await fetch(url, { headers });
  assert.deepEqual([answer.status, answer.headers.get("x-ratelimit-remaining-day")], [200, "9"]);
  const again = await fetch(url, { headers });
  assert.deepEqual([again.status, (await again.json()).code], [402, "sign_in_refused"]);
});

test("a probe without input learns the price as well", async () => {
  for (const [method, path] of [["POST", "/api/v1/check"], ["GET", "/api/v1/community-reports/search"], ["GET", "/api/v1/screen/%7Baddress%7D"]]) {
    const answer = await ask(world.tocsin.url + path, { method });
    assert.equal(answer.status, 402, path);
    validatePaymentRequired(answer.required);
  }
});

/** Returns a payment with an identifier, as the official code writes it. */
async function identified(wallet, id, target = url) {
  const required = await challenge(target);
  appendPaymentIdentifierToExtensions(required.extensions, id);
  return pay(wallet, required);
}

test("the same identifier with the same payment is the same answer, with another one of that payer 409", async () => {
  const wallet = await chain.wallet();
  const id = generatePaymentId();
  const payment = await identified(wallet, id);
  assert.equal(payment.extensions["payment-identifier"].info.id, id);
  assert.ok(validatePaymentIdentifier(payment.extensions["payment-identifier"]).valid);
  const first = await paid(url, payment);
  assertPaid(first, wallet);
  assert.equal((await paid(url, payment)).text, first.text);

  const [answer, calls] = await world.during(async () => paid(url, await identified(wallet, id)));
  assert.equal(answer.status, 409, answer.text);
  assert.deepEqual(calls, { verify: 0, settle: 0 });
  assert.equal(await wallet.spent(), 10_000n);

  const other = await chain.wallet();
  assertPaid(await paid(url, await identified(other, id)), other);
  assertPaid(await paid(url, await identified(wallet, generatePaymentId())), wallet);
  assert.equal(await wallet.spent(), 20_000n);
});

test("two payments with one identifier at once are one charge", async () => {
  const wallet = await chain.wallet();
  const id = generatePaymentId();
  const payments = await Promise.all([1, 2, 3, 4].map(() => identified(wallet, id)));
  const answers = await Promise.all(payments.map(payment => paid(url, payment)));
  assert.deepEqual(answers.map(answer => answer.status).sort(), [200, 409, 409, 409]);
  assert.equal(await wallet.spent(), 10_000n);
});

test("an identifier that breaks its form is 400, and one that was never paid for is free again", async () => {
  const wallet = await chain.wallet();
  const payment = await identified(wallet, generatePaymentId());
  for (const id of ["short", "x".repeat(129), "with space 0123456789", 12345678901234567890, ""]) {
    const wrong = structuredClone(payment);
    wrong.extensions["payment-identifier"].info.id = id;
    const answer = await paid(url, wrong);
    assert.equal(answer.status, 400, `${id}: ${answer.text}`);
  }
  assert.equal(await wallet.spent(), 0n);

  const id = generatePaymentId();
  const poor = await chain.wallet(1n);
  assert.equal((await paid(url, await identified(poor, id))).status, 402);
  await chain.fund(poor, 20_000n);
  assertPaid(await until200(url, await identified(poor, id)), poor);
  assert.equal(await poor.spent(), 10_000n);
});
