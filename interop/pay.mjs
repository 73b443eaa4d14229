// A caller: requests, signatures, and payments made by hand where no official client makes them.
import { randomBytes } from "node:crypto";
import { request as httpRequest } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { x402Client } from "@x402/core/client";
import { domain, NETWORK, transferTypes } from "./chain.mjs";

export const base64 = text => Buffer.from(text).toString("base64");
export const encode = value => base64(JSON.stringify(value));
export const decode = header => header === undefined ? undefined : JSON.parse(Buffer.from(header, "base64").toString());
const copy = value => structuredClone(value);

/** Sends one request on a connection of its own. A header that is a list is sent several times. */
export function ask(url, { method = "GET", headers = {}, body, signal } = {}) {
  return new Promise((done, fail) => {
    const request = httpRequest(url, { method, agent: false, signal });
    for (const [name, value] of Object.entries(headers)) if (value !== undefined) request.setHeader(name, value);
    if (body !== undefined && !headers["Content-Type"]) request.setHeader("Content-Type", "application/json");
    request.once("error", fail);
    request.once("response", async response => {
      try {
        let text = "";
        for await (const chunk of response) text += chunk;
        let json;
        try { json = JSON.parse(text); } catch {}
        done({
          status: response.statusCode, headers: response.headers, text, json,
          required: decode(response.headers["payment-required"]),
          receipt: decode(response.headers["payment-response"]),
          error: decode(response.headers["payment-required"])?.error,
          retryAfter: response.headers["retry-after"],
        });
      } catch (error) {
        fail(error);
      }
    });
    request.end(body === undefined || typeof body === "string" ? body : JSON.stringify(body));
  });
}

/** Returns the payment requirements for a request. */
export async function challenge(url, init) {
  const { status, required } = await ask(url, init);
  if (status !== 402 || !required) throw new Error(`${url} answers ${status}, not 402`);
  return required;
}

/** Returns offers as documents list them: each 402 adds a ticket of its own. */
export const withoutTickets = accepts => accepts.map(({ extra: { ticket, ...extra }, ...entry }) => {
  if (!ticket) throw new Error("an offer has no ticket");
  return { ...entry, extra };
});

export const evmClient = wallet => new x402Client().register("eip155:*", new ExactEvmScheme(wallet));
export const solanaClient = wallet => new x402Client().register("solana:*", wallet.scheme);

/** Returns a payment as the official client makes it. On Solana the wallet has a `scheme`. */
export async function pay(wallet, required) {
  return (wallet.scheme ? solanaClient(wallet) : evmClient(wallet)).createPaymentPayload(copy(required));
}

/**
 * Returns an EVM payment made by hand. `accepted` and `authorization` are changed before it
 * is signed, `domain` changes the EIP-712 domain, `after` changes the signed payment.
 */
export async function handmade(wallet, required, { accepted = {}, authorization = {}, domain: other = {}, after } = {}) {
  const entry = required.accepts.find(entry => entry.network === NETWORK);
  const now = Math.floor(Date.now() / 1000);
  const message = {
    from: wallet.address, to: entry.payTo, value: entry.amount, validAfter: "0",
    validBefore: String(now + entry.maxTimeoutSeconds), nonce: `0x${randomBytes(32).toString("hex")}`, ...authorization,
  };
  const signature = await wallet.signTypedData({
    domain: { ...domain, ...other }, types: transferTypes, primaryType: "TransferWithAuthorization",
    message: { ...message, value: BigInt(message.value), validAfter: BigInt(message.validAfter), validBefore: BigInt(message.validBefore) },
  });
  const payment = {
    x402Version: 2, payload: { authorization: message, signature }, resource: copy(required.resource),
    accepted: { ...copy(entry), ...accepted }, ...required.extensions ? { extensions: copy(required.extensions) } : {},
  };
  after?.(payment);
  return payment;
}

/** Sends a request with a payment, which is an object or the text of the header. */
export function paid(url, payment, { headers = {}, header = "PAYMENT-SIGNATURE", ...init } = {}) {
  return ask(url, { ...init, headers: { ...headers, [header]: typeof payment === "string" ? payment : encode(payment) } });
}

/**
 * Repeats a request until it is served, after each Retry-After. It gives up on a response
 * that does not ask for a retry, and after `patience` ms.
 */
export async function until200(url, payment, init, patience = 120_000) {
  const deadline = Date.now() + patience;
  const answers = [];
  for (;;) {
    const answer = await paid(url, payment, init).catch(error => ({ status: 0, error }));
    answers.push(answer.status);
    if (answer.status === 200) return { ...answer, answers };
    if (![0, 409, 502, 503, 504].includes(answer.status)) throw new Error(`answered ${answers}: ${answer.text}`);
    if (answer.status !== 0 && !(Number(answer.retryAfter) >= 0)) throw new Error(`${answer.status} without Retry-After: ${answer.text}`);
    if (Date.now() > deadline) throw new Error(`not served in time: ${answers}: ${answer.text}`);
    await sleep(Math.min(1000 * Number(answer.retryAfter ?? 0.2), 2000) || 100);
  }
}
