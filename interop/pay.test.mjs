// Paid calls are served, and charged exactly once.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { wrapAxiosWithPayment, x402Client as AxiosClient } from "@x402/axios";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { decodePaymentResponseHeader, wrapFetchWithPayment } from "@x402/fetch";
import axios from "axios";
import { USDC } from "./chain.mjs";
import { faults } from "./facilitator.mjs";
import { ask, challenge, encode, evmClient, handmade, paid, pay, until200, withoutTickets } from "./pay.mjs";
import { startTocsin } from "./server.mjs";
import { assertLater, assertPaid, assertUnpaid, body, SCREEN, startWorld } from "./world.mjs";

let world, chain, url, other, check;
before(async () => {
  world = await startWorld();
  ({ chain, url, other, check } = world);
});
after(async () => {
  try { await world?.balanced(); } finally { await world?.stop(); }
});

const fetchAs = wallet => wrapFetchWithPayment(fetch, evmClient(wallet));
const axiosAs = wallet => wrapAxiosWithPayment(axios.create(), new AxiosClient().register("eip155:*", new ExactEvmScheme(wallet)));

test("a call without payment gets the price, without a call to the facilitator", async () => {
  const [answer, calls] = await world.during(() => ask(url));
  assertUnpaid(answer, "");
  assert.deepEqual(calls, { verify: 0, settle: 0 });
  for (const [name, value] of Object.entries(answer.required)) assert.deepEqual(answer.json[name], value, name);
  assert.equal(answer.json.status, 402);
  assert.equal(answer.json.code, "payment_required");
  assert.equal(answer.receipt, undefined);
  assert.equal(answer.required.x402Version, 2);
  assert.equal(answer.required.resource.url, url);
  const { maxTimeoutSeconds, ...entry } = withoutTickets(answer.required.accepts)[0];
  assert.deepEqual(entry, {
    scheme: "exact", network: "eip155:8453", amount: "10000", asset: USDC, payTo: world.payTo, extra: { name: "USD Coin", version: "2" },
  });
  assert.ok(maxTimeoutSeconds >= 60);
});

test("a browser of any origin may send payments and read receipts", async () => {
  const origin = { Origin: "https://wallet.example" };
  const asked = await ask(url, { method: "OPTIONS", headers: {
    ...origin, "Access-Control-Request-Method": "GET",
    "Access-Control-Request-Headers": "payment-signature,x-payment,access-control-expose-headers,x-api-key,content-type",
  } });
  assert.equal(asked.status, 204);
  const allowed = asked.headers["access-control-allow-headers"].toLowerCase().split(/, */);
  for (const name of ["payment-signature", "x-payment", "access-control-expose-headers", "x-api-key", "content-type"]) assert.ok(allowed.includes(name), name);
  const wallet = await chain.wallet();
  const answers = [await ask(url, { headers: origin }), await paid(url, await pay(wallet, await challenge(url)), { headers: origin })];
  assertPaid(answers[1], wallet);
  for (const { headers } of answers) {
    assert.equal(headers["access-control-allow-origin"], "*");
    for (const name of ["PAYMENT-REQUIRED", "PAYMENT-RESPONSE", "Retry-After"]) assert.ok(headers["access-control-expose-headers"].includes(name), name);
  }
});

test("@x402/fetch pays for each operation with a price", async () => {
  const wallet = await chain.wallet();
  for (const [path, init, price] of [
    ["/api/v1/screen/0x098B716B8Aaf21512996dC57EB0615e2383E2f96", {}, 10_000n],
    ["/api/v1/domains/check/evil.example", {}, 10_000n],
    ["/api/v1/community-reports/search?q=wallet", {}, 10_000n],
    ["/api/v1/community-reports?limit=1", {}, 10_000n],
    ["/api/v1/check", { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }, 400_000n],
  ]) {
    const [had, got] = [await wallet.balance(), await chain.balance(world.payTo)];
    const answer = await fetchAs(wallet)(world.tocsin.url + path, init);
    assert.equal(answer.status, 200, path + await answer.clone().text());
    assert.equal(had - await wallet.balance(), price, path);
    assert.equal(await chain.balance(world.payTo) - got, price, path);
    const receipt = decodePaymentResponseHeader(answer.headers.get("PAYMENT-RESPONSE"));
    assert.deepEqual([receipt.success, receipt.network, receipt.payer], [true, "eip155:8453", wallet.address], path);
    const { status } = await chain.client.getTransactionReceipt({ hash: receipt.transaction });
    assert.equal(status, "success", path);
    assert.match(answer.headers.get("Cache-Control"), /private|no-store/, path);
    if (path.includes("screen")) assert.equal((await answer.json()).riskScore, 100);
  }
});

test("@x402/axios, with a core of its own, pays for GET and POST", async () => {
  const wallet = await chain.wallet();
  const got = await axiosAs(wallet).get(url);
  assert.deepEqual([got.status, got.data.riskScore], [200, 100]);
  assert.ok(got.headers["payment-response"]);
  assert.equal(await wallet.spent(), 10_000n);
  const posted = await axiosAs(wallet).post(check, body);
  assert.equal(posted.status, 200);
  assert.equal(await wallet.spent(), 410_000n);
});

test("the receipt names the transaction that moved the money", async () => {
  const wallet = await chain.wallet();
  const answer = await paid(url, await pay(wallet, await challenge(url)));
  assertPaid(answer, wallet);
  const { logs } = await chain.client.getTransactionReceipt({ hash: answer.receipt.transaction });
  assert.ok(logs.some(log => log.address.toLowerCase() === USDC.toLowerCase() && log.data !== "0x" && BigInt(log.data) === 10_000n));
});

test("X-Payment carries a payment as well, and both headers may carry the same one", async () => {
  const wallet = await chain.wallet();
  assertPaid(await paid(url, await pay(wallet, await challenge(url)), { header: "X-Payment" }), wallet);
  const twice = encode(await pay(wallet, await challenge(url)));
  assertPaid(await paid(url, twice, { headers: { "X-Payment": twice } }), wallet);
  assert.equal(await wallet.spent(), 20_000n);
});

test("two different payments, and a header that comes twice, are refused and not charged", async () => {
  const wallet = await chain.wallet();
  const [one, two] = [await pay(wallet, await challenge(url)), await pay(wallet, await challenge(url))].map(encode);
  const [answers, calls] = await world.during(async () => [
    await ask(url, { headers: { "PAYMENT-SIGNATURE": one, "X-Payment": two } }),
    await ask(url, { headers: { "PAYMENT-SIGNATURE": [one, two] } }),
    await ask(url, { headers: { "PAYMENT-SIGNATURE": [one, one] } }),
    await ask(url, { headers: { "X-Payment": [one, one] } }),
  ]);
  for (const [i, answer] of answers.entries()) {
    assert.equal(answer.status, 400, `${i}: ${answer.text}`);
    assert.equal(answer.json.code, "invalid_payment", i);
  }
  assert.deepEqual(calls, { verify: 0, settle: 0 });
  assert.equal(await wallet.spent(), 0n);
});

test("the same request with the same payment again gets the same answer, charged once", async () => {
  const wallet = await chain.wallet();
  const payment = await pay(wallet, await challenge(url));
  const first = await paid(url, payment);
  assertPaid(first, wallet);
  const [again, calls] = await world.during(() => paid(url, payment));
  assert.equal(again.status, 200);
  assert.equal(again.text, first.text);
  assert.deepEqual(again.receipt, first.receipt);
  assert.equal(again.headers["content-type"], first.headers["content-type"]);
  assert.deepEqual(calls, { verify: 0, settle: 0 });
  assert.equal(await wallet.spent(), 10_000n);
});

test("twenty at once are verified, settled and charged once", async () => {
  for (const [target, init, price] of [[url, {}, 10_000n], [check, { method: "POST", body }, 400_000n]]) {
    const wallet = await chain.wallet();
    const payment = await pay(wallet, await challenge(target, init));
    let others; // the first one is verified when all others have their responses
    world.facilitator.fail("verify", faults.after(() => others), 1);
    const [answers, calls] = await world.during(() => {
      const all = Array.from({ length: 20 }, () => paid(target, payment, init));
      others = new Promise(done => {
        let left = 19;
        for (const one of all) one.finally(() => --left || done()).catch(() => {});
      });
      return Promise.all(all);
    });
    const served = answers.filter(answer => answer.status === 200);
    assert.equal(served.length, 1);
    for (const answer of answers) {
      if (answer.status === 200) continue;
      assert.equal(answer.status, 409, answer.text);
      assert.ok(Number(answer.retryAfter) >= 0);
      assert.equal(answer.receipt, undefined);
    }
    assert.deepEqual(calls, { verify: 1, settle: 1 });
    assert.equal(await wallet.spent(), price);
    assert.equal((await until200(target, payment, init)).text, served[0].text);
    assert.equal(await wallet.spent(), price);
  }
});

test("a payment buys one request: not another address, method, query or body", async () => {
  const wallet = await chain.wallet();
  const payment = await pay(wallet, await challenge(url));
  assertPaid(await paid(url, payment), wallet);
  const [answers, calls] = await world.during(async () => [
    await paid(other, payment),
    await paid(world.tocsin.url + "/api/v1/community-reports?limit=1", payment),
  ]);
  for (const answer of answers) assertUnpaid(answer, "payment_already_used");
  assert.deepEqual(calls, { verify: 0, settle: 0 });
  assert.equal(await wallet.spent(), 10_000n);

  const dear = await pay(wallet, await challenge(check, { method: "POST", body }));
  assertPaid(await paid(check, dear, { method: "POST", body }), wallet);
  assertUnpaid(await paid(check, dear, { method: "POST", body: { addresses: ["0x000000000000000000000000000000000000dEaD"] } }), "payment_already_used");
  assert.equal(await wallet.spent(), 410_000n);
});

test("a used payment is the same one in other clothes", async () => {
  const wallet = await chain.wallet();
  const payment = await pay(wallet, await challenge(url));
  assertPaid(await paid(url, payment), wallet);
  const upper = hex => "0x" + hex.slice(2).toUpperCase();
  for (const dress of [
    p => { p.payload.authorization.nonce = upper(p.payload.authorization.nonce); },
    p => { p.payload.authorization.from = p.payload.authorization.from.toLowerCase(); },
    p => { p.payload.signature = upper(p.payload.signature); },
    p => { p.payload.authorization.value = "0" + p.payload.authorization.value; },
    p => { p.accepted.asset = p.accepted.asset.toLowerCase(); },
    p => { p.resource.url = other; },
    p => { delete p.resource; },
    p => { p.more = true; },
  ]) {
    const dressed = structuredClone(payment);
    dress(dressed);
    const answer = await paid(other, dressed);
    assert.ok([400, 402].includes(answer.status), `${dress}: ${answer.status} ${answer.text}`);
    assert.equal(answer.receipt, undefined);
  }
  assert.equal(await wallet.spent(), 10_000n);
});

test("the same payment for two resources at once buys one of them", async () => {
  for (let round = 0; round < 5; round++) {
    const wallet = await chain.wallet();
    const payment = await pay(wallet, await challenge(url));
    const answers = await Promise.all([url, other, url, other, url, other].map(target => paid(target, payment)));
    const bodies = new Set(answers.filter(answer => answer.status === 200).map(answer => answer.text));
    assert.equal(bodies.size, 1, answers.map(answer => answer.status));
    for (const { status, text } of answers) assert.ok([200, 402, 409].includes(status), text);
    assert.equal(await wallet.spent(), 10_000n);
  }
});

test("a smart wallet pays with a signature of 66 bytes", async () => {
  const wallet = await chain.smartWallet();
  const payment = await pay(wallet, await challenge(url));
  assert.equal(payment.payload.signature.length, 2 + 2 * 66);
  const answer = await paid(url, payment);
  assertPaid(answer, wallet);
  assert.equal((await paid(url, payment)).text, answer.text);
  assert.equal(await wallet.spent(), 10_000n);
});

test("the facilitator is sent what was signed, and otherwise our own words", async () => {
  const wallet = await chain.wallet();
  const required = await challenge(url);
  const payment = await handmade(wallet, required, { accepted: { payTo: world.payTo.toLowerCase(), more: "x" } });
  payment.unknown = { theirs: [1, "é"] };
  payment.resource = { url: "https://elsewhere.example/", description: "theirs" };
  assertPaid(await paid(url, payment), wallet);
  const [offer] = withoutTickets(required.accepts); // a ticket is between the payer and us
  for (const { operation, body, headers } of world.facilitator.seen.slice(-2)) {
    assert.match(headers["content-type"], /^application\/json/, operation);
    const { payload, extensions: { bazaar, ...others }, ...ours } = body.paymentPayload;
    assert.equal(JSON.stringify(payload).toLowerCase(), JSON.stringify({ signature: payment.payload.signature, authorization: payment.payload.authorization }).toLowerCase(), operation);
    assert.deepEqual([ours, others], [{ x402Version: 2, resource: required.resource, accepted: offer }, {}], operation);
    // A catalogue gets the whole description; the header of the 402 has room for its short form.
    const brief = required.extensions.bazaar;
    assert.deepEqual([bazaar.info.input, bazaar.routeTemplate], [brief.info.input, brief.routeTemplate], operation);
    assert.match(JSON.stringify(bazaar.schema), /"description"/, operation);
    assert.deepEqual(body.paymentRequirements, offer, operation);
  }
});

test("addresses in what was accepted are compared without case, and base64 without padding is read", async () => {
  const wallet = await chain.wallet();
  const lower = await handmade(wallet, await challenge(url), {
    accepted: { asset: USDC.toLowerCase(), payTo: world.payTo.toLowerCase() },
  });
  assertPaid(await paid(url, lower), wallet);
  let payment;
  do payment = encode({ ...await pay(wallet, await challenge(url)), pad: "x".repeat(Math.random() * 9) }); while (!payment.endsWith("="));
  assertPaid(await paid(url, payment.replace(/=+$/, "")), wallet);
  assert.equal(await wallet.spent(), 20_000n);
});

test("a call that is answered with 400 or 404 costs nothing, and its payment buys the corrected one", async () => {
  const wallet = await chain.wallet();
  const payment = await pay(wallet, await challenge(url));
  for (const [path, status] of [["/api/v1/screen/0x12", 400], ["/api/v1/nothing", 404], ["/api/v1/community-reports?limit=-1", 400]]) {
    const answer = await paid(world.tocsin.url + path, payment);
    assert.equal(answer.status, status, answer.text);
    assert.equal(answer.receipt, undefined);
    assert.equal(answer.required, undefined);
  }
  assert.equal(await wallet.spent(), 0n);
  assertPaid(await paid(url, payment), wallet);
  assert.equal(await wallet.spent(), 10_000n);

  const dear = await pay(wallet, await challenge(check, { method: "POST", body }));
  for (const wrong of ["{", { addresses: ["0x12"] }, { addresses: [] }]) {
    const answer = await paid(check, dear, { method: "POST", body: wrong });
    assert.equal(answer.status, 400, answer.text);
    assert.equal(answer.receipt, undefined);
  }
  assert.equal(await wallet.spent(), 10_000n);
  assertPaid(await paid(check, dear, { method: "POST", body }), wallet);
  assert.equal(await wallet.spent(), 410_000n);
});

test("HEAD and what is free take no payment", async () => {
  const wallet = await chain.wallet();
  const payment = await pay(wallet, await challenge(url));
  const [answers, calls] = await world.during(async () => [
    await paid(url, payment, { method: "HEAD" }),
    await paid(url, payment, { method: "OPTIONS" }),
    await paid(world.tocsin.url + "/api/v1/stats", payment),
    await paid(world.tocsin.url + "/api/v1/me", payment),
  ]);
  for (const answer of answers) assert.equal(answer.receipt, undefined);
  assert.equal(answers[2].status, 200);
  assert.deepEqual(calls, { verify: 0, settle: 0 });
  assert.equal(await wallet.spent(), 0n);
  assertPaid(await paid(url, payment), wallet);
});

test("a key with free calls is used before the payment, which stays whole", async () => {
  const wallet = await chain.wallet();
  const key = await world.tocsin.key();
  const payment = await pay(wallet, await challenge(url));
  const [answer, calls] = await world.during(() => paid(url, payment, { headers: { "x-api-key": key } }));
  assert.equal(answer.status, 200);
  assert.equal(answer.receipt, undefined);
  assert.deepEqual(calls, { verify: 0, settle: 0 });
  assert.equal(await wallet.spent(), 0n);
  assertPaid(await paid(url, payment), wallet);
  assert.equal(await wallet.spent(), 10_000n);
});

test("with an exhausted, an unknown or a revoked key the payment is taken", async () => {
  const wallet = await chain.wallet();
  const exhausted = await world.tocsin.key("-quota", "1");
  assert.equal((await ask(url, { headers: { "x-api-key": exhausted } })).status, 200);
  const unpaid = await ask(url, { headers: { "x-api-key": exhausted } });
  assertUnpaid(unpaid, "");
  assert.equal(unpaid.headers["x-free-tier-exhausted"], "true");

  const revoked = await world.tocsin.key();
  await world.tocsin.revoke(revoked);
  const keys = { exhausted, revoked, unknown: revoked.slice(0, -3) + "AAA", nonsense: "x" };
  let spent = 0n;
  for (const [what, key] of Object.entries(keys)) {
    const headers = { "x-api-key": key };
    assertPaid(await paid(url, await pay(wallet, await challenge(url, { headers })), { headers }), wallet);
    assert.equal(await wallet.spent(), spent += 10_000n, what);
  }
  const answer = await fetchAs(wallet)(url, { headers: { "x-api-key": exhausted } });
  assert.equal(answer.status, 200);
  assert.equal(await wallet.spent(), spent + 10_000n);
});

test("of many calls at once with one free call left one is free, and each of the others is charged", async () => {
  const key = await world.tocsin.key("-quota", "1");
  const headers = { "x-api-key": key };
  const wallet = await chain.wallet();
  const payments = [];
  for (let i = 0; i < 6; i++) payments.push(await pay(wallet, await challenge(url)));
  const answers = await Promise.all(payments.map(payment => paid(url, payment, { headers })));
  assert.deepEqual(answers.map(answer => answer.status), Array(6).fill(200), answers.map(answer => answer.text).join("\n"));
  assert.equal(answers.filter(answer => !answer.receipt).length, 1);
  assert.equal(await wallet.spent(), 50_000n);
});

test("forty payers at once are all served, each charged once", async () => {
  const wallets = [];
  for (let i = 0; i < 40; i++) wallets.push(await chain.wallet());
  const required = await challenge(url);
  await Promise.all(wallets.map(async wallet => assertPaid(await paid(url, await pay(wallet, required)), wallet)));
  for (const wallet of wallets) assert.equal(await wallet.spent(), 10_000n);
});

test("an answer that was paid for is kept as it was, though there is news meanwhile", async () => {
  const wallet = await chain.wallet();
  const address = "0x00000000000000000000000000000000c0ffee01";
  const target = `${world.tocsin.url}/api/v1/screen/${address}`;
  const payment = await pay(wallet, await challenge(target));
  const first = await paid(target, payment);
  assertPaid(first, wallet);
  const filed = await ask(world.tocsin.url + "/api/v1/community-reports", { method: "POST", body: {
    crimeType: "phishing", title: "Fake airdrop drained my wallet", scammerAddresses: [address],
    description: "The site asked me to claim a token. After I signed, all my tokens were moved.",
  } });
  assert.equal(filed.status, 201, filed.text);
  assert.equal((await paid(target, payment)).text, first.text);
  const news = await paid(target, await pay(wallet, await challenge(target)));
  assertPaid(news, wallet);
  assert.notEqual(news.text, first.text);
});

test("a payment that has expired since is still answered if it was charged, and only then", async () => {
  const wallet = await chain.wallet();
  const required = await challenge(url);
  const late = "invalid_exact_evm_payload_authorization_valid_before";
  let validBefore, used, unused, first;
  for (let seconds = 7; ; seconds *= 2) { // until one is settled before it expires, which takes longer on a busy machine
    validBefore = Math.floor(Date.now() / 1000) + seconds;
    used = await handmade(wallet, required, { authorization: { validBefore: String(validBefore) } });
    unused = await handmade(wallet, required, { authorization: { validBefore: String(validBefore) } });
    first = await paid(url, used);
    if (first.status === 200) break;
    assertUnpaid(first, late);
  }
  assertPaid(first, wallet);
  await sleep(Math.max(0, (validBefore - 5) * 1000 - Date.now()));
  assert.equal((await paid(url, used)).text, first.text);
  assertUnpaid(await paid(other, used), "payment_already_used");
  assertUnpaid(await paid(url, unused), late);
  assert.equal(await wallet.spent(), 10_000n);
});

test("two processes on one database take a payment once", async () => {
  const second = world.keep(await startTocsin({ facilitator: world.facilitator, payTo: world.payTo, db: world.tocsin.db }));
  const wallet = await chain.wallet();
  for (let round = 0; round < 3; round++) {
    const payment = await pay(wallet, await challenge(url));
    const spent = await wallet.spent();
    const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => paid(i % 2 ? url : second.url + SCREEN, payment)));
    const served = answers.filter(answer => answer.status === 200);
    assert.ok(served.length >= 1);
    for (const answer of answers) {
      if (answer.status === 200) assert.equal(answer.text, served[0].text); else assertLater(answer, [409]);
    }
    assert.equal(await wallet.spent() - spent, 10_000n);
    assert.equal((await until200(second.url + SCREEN, payment)).text, served[0].text);
    assert.equal(await wallet.spent() - spent, 10_000n);
  }
});
