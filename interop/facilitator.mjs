// An HTTP facilitator that runs the official code, with faults that a test can set.
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { x402Facilitator } from "@x402/core/facilitator";
import { parsePaymentPayload } from "@x402/core/schemas";
import { toFacilitatorEvmSigner } from "@x402/evm";
import { ExactEvmScheme } from "@x402/evm/exact/facilitator";
import { NETWORK } from "./chain.mjs";

const json = value => JSON.stringify(value, (_, v) => typeof v === "bigint" ? String(v) : v);
const answer = (response, status, text, type = "application/json") =>
  response.writeHead(status, { "Content-Type": type }).end(text);

/**
 * What can go wrong with one call. A fault gets the response, the socket and
 * `work`, which executes the call and returns its result.
 */
export const faults = {
  status: (status, body = { error: "out of order" }) => ({ response }) => answer(response, status, json(body)),
  notJSON: ({ response }) => answer(response, 200, "<html>at work</html>", "text/html"),
  empty: ({ response }) => answer(response, 200, ""),
  wrongShape: ({ response }) => answer(response, 200, json({ hello: "world" })),
  cutOff: ({ response }) => answer(response, 200, `{"isValid":true,"success":tr`),
  redirect: location => ({ response }) => response.writeHead(307, { Location: location }).end(),
  unending: ({ response }) => { response.writeHead(200, { "Content-Type": "application/json" }).write(" "); },
  /** Waits this long before it executes the call. */
  slow: ms => async ({ response, work }) => { await sleep(ms); answer(response, 200, json(await work())); },
  /** Does nothing and does not respond, until the caller gives up. */
  never: () => {},
  /** Executes the call, or responds, when a promise is fulfilled. */
  when: promise => async ({ response, work }) => { await promise; answer(response, 200, json(await work())); },
  done: promise => async ({ response, work }) => { const result = await work(); await promise; answer(response, 200, json(result)); },
  /** Closes the connection before the call is executed. */
  reset: ({ socket }) => socket.resetAndDestroy(),
  /** Executes the call; the response is lost. */
  lost: async ({ socket, work }) => { await work(); socket.resetAndDestroy(); },
  /** Executes the call at once; the response comes this much later. */
  late: ms => async ({ response, work }) => { const result = await work(); await sleep(ms); answer(response, 200, json(result)); },
  /** Executes the call; the response is not JSON. */
  garbled: async ({ response, work }) => { await work(); answer(response, 200, "{]"); },
  /** Executes the call; the response is an error of a gateway. */
  gateway: status => async ({ response, work }) => { await work(); answer(response, status, "Bad Gateway", "text/plain"); },
  /** Changes the chain just before the call is executed. */
  after: happening => async ({ response, work }) => { await happening(); answer(response, 200, json(await work())); },
  /** Responds with an invented result. */
  verdict: (body, status = 200) => ({ response }) => answer(response, status, json(body)),
};

export async function startFacilitator({ chain, solana }) {
  const official = new x402Facilitator();
  let blind = 0; // how many receipts are hidden from the official code
  if (chain) {
    const wallet = await chain.payingWallet();
    const { client } = chain;
    const signer = toFacilitatorEvmSigner({
      address: wallet.account.address,
      getCode: call => client.getCode(call),
      readContract: call => client.readContract({ ...call, args: call.args ?? [] }),
      verifyTypedData: call => client.verifyTypedData(call),
      writeContract: async call => (await chain.write(wallet, call)).hash,
      sendTransaction: call => wallet.sendTransaction(call),
      waitForTransactionReceipt: async call => {
        if (blind > 0) {
          blind--;
          throw new Error("no receipt yet");
        }
        return client.waitForTransactionReceipt(call);
      },
    });
    official.register(NETWORK, new ExactEvmScheme(signer));
  }
  if (solana) official.register(solana.network, solana.facilitatorScheme());

  const calls = { supported: 0, verify: 0, settle: 0 };
  const seen = [];
  const working = new Set();
  let fault = {};

  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const operation = request.url.slice(1);
    if (!(operation in calls)) return answer(response, 404, json({ error: "no such operation" }));
    calls[operation]++;
    const asked = body ? JSON.parse(body) : undefined;
    seen.push({ operation, body: asked, headers: request.headers });

    const work = () => {
      if (operation === "supported") return official.getSupported();
      const parsed = parsePaymentPayload(asked.paymentPayload);
      if (!parsed.success) throw Object.assign(new Error("invalid paymentPayload"), { status: 400 });
      return official[operation](asked.paymentPayload, asked.paymentRequirements);
    };
    const set = fault[operation];
    const way = set && set.times-- > 0 ? set.way : async ({ response, work }) => answer(response, 200, json(await work()));
    const done = (async () => {
      try {
        await way({ response, socket: request.socket, work, asked });
      } catch (error) {
        if (!response.writableEnded) answer(response, error.status ?? 500, json({ error: error.message }));
      }
    })();
    working.add(done);
    await done;
    working.delete(done);
  });
  const listen = async at => {
    server.listen(at, "127.0.0.1");
    await once(server, "listening");
  };
  await listen(0);
  const { port } = server.address();

  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    seen,
    official,

    /** Makes calls of `operation` fail this way: all of them, or only this many. */
    fail(operation, way, times = Infinity) { fault[operation] = { way, times }; },
    /** Hides the receipts of this many transactions from the official code, which then answers settlement_pending. */
    blind(times) { blind = times; },
    heal() { fault = {}; blind = 0; },

    /** Stops listening. `up` listens again on the same port. */
    async down() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
    up: () => listen(port),

    /** Waits until all calls in progress have ended, including those whose callers have left. */
    async quiet() { while (working.size > 0) await Promise.all(working); },

    async stop() {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
    },
  };
}
