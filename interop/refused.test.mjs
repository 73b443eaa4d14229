// Invalid payments are refused with a reason, and nobody is charged.
import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, test } from "node:test";
import { ask, base64, challenge, encode, handmade, paid, pay } from "./pay.mjs";
import { assertPaid, assertUnpaid, body, startWorld } from "./world.mjs";

let world, chain, url, check, wallet, required;
before(async () => {
  world = await startWorld();
  ({ chain, url, check } = world);
  wallet = await chain.wallet();
  required = await challenge(url);
});
after(async () => {
  try { await world?.balanced(); } finally { await world?.stop(); }
});

const nobody = "0x000000000000000000000000000000000000dEaD";
const now = () => Math.floor(Date.now() / 1000);
/** Sends a payment, and asserts that the facilitator was not called and nothing was charged. */
async function locally(payment, target = url, init) {
  const spent = await wallet.spent();
  const [answer, calls] = await world.during(() => paid(target, payment, init));
  assert.deepEqual(calls, { verify: 0, settle: 0 });
  assert.equal(await wallet.spent(), spent);
  assert.equal(answer.receipt, undefined);
  return answer;
}

test("what was accepted must be on offer for this operation", async t => {
  const cheap = await handmade(wallet, required);
  const dear = await handmade(wallet, await challenge(check, { method: "POST", body }));
  for (const [what, payment, target, init] of [
    ["a cheap payment on a dear path", cheap, check, { method: "POST", body }],
    ["a dear payment on a cheap path", dear, url],
    ["amount 1, signed", await handmade(wallet, required, { accepted: { amount: "1" }, authorization: { value: "1" } }), url],
    ["amount 1, claimed", await handmade(wallet, required, { accepted: { amount: "1" } }), url],
    ["amount as a number in another form", await handmade(wallet, required, { accepted: { amount: "010000" } }), url],
    ["another payee", await handmade(wallet, required, { accepted: { payTo: nobody }, authorization: { to: nobody } }), url],
    ["another asset", await handmade(wallet, required, { accepted: { asset: nobody }, domain: { verifyingContract: nobody } }), url],
    ["another network", await handmade(wallet, required, { accepted: { network: "eip155:84532" }, domain: { chainId: 84532 } }), url],
    ["a network by name", await handmade(wallet, required, { accepted: { network: "base" } }), url],
    ["another scheme", await handmade(wallet, required, { accepted: { scheme: "upto" } }), url],
  ]) {
    await t.test(what, async () => assertUnpaid(await locally(payment, target, init), /No matching payment requirements/));
  }
});

test("what was signed must be what was accepted, and be valid now", async t => {
  for (const [what, authorization, reason] of [
    ["a value too low", { value: "9999" }, "invalid_exact_evm_payload_authorization_value_mismatch"],
    ["a value too high", { value: "10001" }, "invalid_exact_evm_payload_authorization_value_mismatch"],
    ["a value beyond 256 bits", { value: "1".padEnd(78, "0") }, "invalid_exact_evm_payload_authorization_value_mismatch"],
    ["another payee", { to: nobody }, "invalid_exact_evm_recipient_mismatch"],
    ["expired", { validBefore: String(now() - 60) }, "invalid_exact_evm_payload_authorization_valid_before"],
    ["ends within 6 s", { validBefore: String(now() + 3) }, "invalid_exact_evm_payload_authorization_valid_before"],
    ["not yet valid", { validAfter: String(now() + 60) }, "invalid_exact_evm_payload_authorization_valid_after"],
  ]) {
    await t.test(what, async () => {
      const payment = await handmade(wallet, required, { authorization: what.includes("256") ? {} : authorization });
      Object.assign(payment.payload.authorization, authorization);
      assertUnpaid(await locally(payment), reason);
    });
  }
});

test("what only the facilitator can tell is refused with its reason, and its nonce is not used up", async t => {
  const flip = signature => signature.slice(0, 20) + (signature[20] === "0" ? "1" : "0") + signature.slice(21);
  for (const [what, make, reason] of [
    ["one bit of the signature", () => handmade(wallet, required, { after: p => { p.payload.signature = flip(p.payload.signature); } }), /signature/],
    ["signed for another chain", () => handmade(wallet, required, { domain: { chainId: 1 } }), /signature/],
    ["signed for another name of the token", () => handmade(wallet, required, { domain: { name: "USDC" } }), /signature/],
    ["signed by another wallet", async () => handmade(await chain.wallet(), required, { authorization: { from: wallet.address } }), /signature/],
    ["value edited after signing", () => handmade(wallet, required, { authorization: { value: "1" }, after: p => { p.payload.authorization.value = "10000"; } }), /signature/],
    ["no such contract wallet", () => handmade(wallet, required, { after: p => { p.payload.signature += "00"; } }), /signature/],
  ]) {
    await t.test(what, async () => {
      const payment = await make();
      const spent = await wallet.spent();
      const [answer, calls] = await world.during(() => paid(url, payment));
      assertUnpaid(answer, reason);
      assert.equal(calls.settle, 0);
      assert.equal(await wallet.spent(), spent);
      assertUnpaid(await paid(url, payment), reason, "again");
    });
  }
  await t.test("a balance that is too low, until it is not", async () => {
    const poor = await chain.wallet(9_999n);
    const payment = await pay(poor, required);
    assertUnpaid(await paid(url, payment), "invalid_exact_evm_insufficient_balance");
    await chain.fund(poor, 1n);
    assertPaid(await paid(url, payment), poor);
    assert.equal(await poor.balance(), 0n);
  });
  await t.test("the chain below is another one", async () => {
    const payment = await pay(wallet, required);
    await chain.setId(1);
    try {
      assertUnpaid(await paid(url, payment), "invalid_exact_evm_transaction_simulation_failed");
    } finally {
      await chain.setId(8453);
    }
    assertPaid(await paid(url, payment), wallet);
  });
  await t.test("a forged payment does not block the true one with the same nonce", async () => {
    const payment = await pay(wallet, required);
    const forged = structuredClone(payment);
    forged.payload.signature = flip(forged.payload.signature);
    const answers = await Promise.all([paid(url, forged), paid(url, forged), paid(url, payment), paid(url, forged)]);
    assert.equal(answers.filter(answer => answer.status === 200).length <= 1, true);
    assertPaid(answers[2].status === 200 ? answers[2] : await paid(url, payment), wallet);
  });
});

test("a refusal is passed on whatever its status, and its text is shortened", async () => {
  const payment = await pay(wallet, required);
  world.facilitator.fail("verify", ({ response }) => response.writeHead(400, { "Content-Type": "application/json" })
    .end(JSON.stringify({ isValid: false, invalidReason: "no\r\nSet-Cookie: a=b " + "x".repeat(5000) })), 1);
  const answer = await paid(url, payment);
  assertUnpaid(answer, /^no/);
  assert.ok(answer.error.length < 500, "the whole text went out");
  assert.equal(answer.headers["set-cookie"], undefined);
  assertPaid(await paid(url, payment), wallet);
});

test("what cannot be read is 400, with what is wrong with it", async t => {
  const good = await handmade(wallet, required);
  const edit = change => { const p = structuredClone(good); change(p); return encode(p); };
  const text = JSON.stringify(good);
  for (const [what, header] of [
    ["garbage", "garbage!"],
    ["base64 of no JSON", base64("not JSON")],
    ["plain JSON", text],
    ["an array", encode([good])],
    ["an empty object", encode({})],
    ["null", encode(null)],
    ["a string", encode("payment")],
    ["a number", encode(2)],
    ["x402Version missing", edit(p => { delete p.x402Version; })],
    ["x402Version 1", edit(p => { p.x402Version = 1; })],
    ["x402Version 3", edit(p => { p.x402Version = 3; })],
    ['x402Version "2"', edit(p => { p.x402Version = "2"; })],
    ["accepted missing", edit(p => { delete p.accepted; })],
    ["accepted null", edit(p => { p.accepted = null; })],
    ["accepted a list", edit(p => { p.accepted = [p.accepted]; })],
    ["the form of version 1", encode({ x402Version: 1, scheme: "exact", network: "base", payload: good.payload })],
    ["the form of version 1 that says 2", encode({ x402Version: 2, scheme: "exact", network: "eip155:8453", payload: good.payload })],
    ["payload missing", edit(p => { delete p.payload; })],
    ["payload null", edit(p => { p.payload = null; })],
    ["payload a string", edit(p => { p.payload = "x"; })],
    ["payload empty", edit(p => { p.payload = {}; })],
    ["authorization missing", edit(p => { delete p.payload.authorization; })],
    ["signature missing", edit(p => { delete p.payload.signature; })],
    ["signature not hexadecimal", edit(p => { p.payload.signature = "0xzz"; })],
    ['value "ten"', edit(p => { p.payload.authorization.value = "ten"; })],
    ["value hexadecimal", edit(p => { p.payload.authorization.value = "0x2710"; })],
    ["value negative", edit(p => { p.payload.authorization.value = "-10000"; })],
    ["value a number", edit(p => { p.payload.authorization.value = 10000; })],
    ["from missing", edit(p => { delete p.payload.authorization.from; })],
    ["to no address", edit(p => { p.payload.authorization.to = "0x12"; })],
    ["nonce of 31 bytes", edit(p => { p.payload.authorization.nonce = p.payload.authorization.nonce.slice(0, -2); })],
    ["nonce of 33 bytes", edit(p => { p.payload.authorization.nonce += "00"; })],
    ["a duplicate name", base64(text.replace('{"x402Version":2', '{"x402Version":2,"x402Version":2'))],
    ["names in other case", base64(text.replace('"payload"', '"Payload"'))],
    ["more after the end", base64(text + text)],
    ["base64url", Buffer.from(JSON.stringify({ ...good, pad: "~~~???>>>" })).toString("base64url")],
    ["base64 with a hole", encode(good).replace(/^.{8}/, "$& ")],
    ["a Solana payment for nothing", edit(p => { p.accepted.network = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"; p.payload = { transaction: "AAAA" }; })],
  ]) {
    await t.test(what, async () => {
      const answer = await locally(header);
      assert.equal(answer.status, 400, answer.text);
      assert.equal(answer.json.code, "invalid_payment");
      assert.ok(answer.json.detail.length > 10 && answer.json.detail.length < 400, answer.json.detail);
      assert.equal(answer.headers["content-type"], "application/problem+json");
    });
  }
  assertPaid(await paid(url, good), wallet);
});

test("an empty header is not a payment", async () => {
  assertUnpaid(await locally(""), "");
  assertUnpaid(await locally("", url, { header: "X-Payment" }), "");
});

test("a header of 200 KB is cut off, and the server lives on", async () => {
  const outcome = await new Promise(done => {
    const big = request(url, { agent: false, headers: { "PAYMENT-SIGNATURE": "A".repeat(200_000) } });
    big.once("response", response => { response.resume(); done(response.statusCode); });
    big.once("error", error => done(error.code));
    big.end();
  });
  assert.ok([431, 400, "ECONNRESET", "EPIPE"].includes(outcome), String(outcome));
  const answer = await locally("A".repeat(20_000));
  assert.ok([400, 431].includes(answer.status), answer.text);
  assert.equal((await ask(world.tocsin.url + "/api/v1/stats")).status, 200);
  assertPaid(await paid(url, await pay(wallet, required)), wallet);
});

test("signatures are not to be found in the log", async () => {
  const payment = await pay(wallet, required);
  await paid(url, payment);
  assert.ok(!world.tocsin.log().includes(payment.payload.signature.slice(2, 40)));
});
