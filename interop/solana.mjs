// A local Solana: LiteSVM behind the JSON-RPC methods that the official client and facilitator
// call, with the mint of USDC at its real address.
import { once } from "node:events";
import { createServer } from "node:http";
import {
  createKeyPairSignerFromPrivateKeyBytes, getAddressEncoder, getBase58Decoder, getBase64Encoder, getCompiledTransactionMessageDecoder,
  getProgramDerivedAddress, getTransactionDecoder,
} from "@solana/kit";
import { SettlementCache, toFacilitatorSvmSigner } from "@x402/svm";
import { ExactSvmScheme as FacilitatorScheme } from "@x402/svm/exact/facilitator";
import { ExactSvmScheme as ClientScheme } from "@x402/svm/exact/client";
import { FailedTransactionMetadata, LiteSVM } from "litesvm";

export const NETWORK = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp";
export const USDC = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
const TOKEN_PROGRAM = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA";
const TOKEN_ACCOUNTS = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL";

const bytes = address => getAddressEncoder().encode(address);
const keyPair = () => createKeyPairSignerFromPrivateKeyBytes(crypto.getRandomValues(new Uint8Array(32)));
const base64 = data => Buffer.from(data).toString("base64");

async function tokenAccount(owner) {
  const [address] = await getProgramDerivedAddress({
    programAddress: TOKEN_ACCOUNTS, seeds: [bytes(owner), bytes(TOKEN_PROGRAM), bytes(USDC)],
  });
  return address;
}

function mintData() {
  const data = Buffer.alloc(82);
  data.writeBigUInt64LE(10n ** 15n, 36); // supply
  data.writeUInt8(6, 44); // decimals
  data.writeUInt8(1, 45); // initialized
  return data;
}

function accountData(owner, amount) {
  const data = Buffer.alloc(165);
  data.set(bytes(USDC), 0);
  data.set(bytes(owner), 32);
  data.writeBigUInt64LE(amount, 64);
  data.writeUInt8(1, 108); // initialized
  return data;
}

export async function startSolana() {
  const svm = new LiteSVM();
  const plant = (address, data) => svm.setAccount({
    address, data, lamports: 10_000_000n, programAddress: TOKEN_PROGRAM, executable: false, space: BigInt(data.length),
  });
  plant(USDC, mintData());
  const feePayer = await keyPair();
  svm.airdrop(feePayer.address, 10_000_000_000n);
  const statuses = new Map(); // signature -> error or null
  const landed = []; // the signatures with a status, newest first
  const settlements = new SettlementCache(); // of the official facilitator

  const decode = wire => getTransactionDecoder().decode(getBase64Encoder().encode(wire));
  const failed = result => result instanceof FailedTransactionMetadata ? result.toString() : null;
  const context = value => ({ context: { slot: Number(svm.getClock().slot), apiVersion: "3.0.0" }, value });
  const methods = {
    getLatestBlockhash: () => context({ blockhash: svm.latestBlockhash(), lastValidBlockHeight: 1000 }),
    getSlot: () => Number(svm.getClock().slot),
    getBalance: ([address]) => context(Number(svm.getBalance(address) ?? 0n)),
    getAccountInfo: ([address, { encoding } = {}]) => {
      const account = svm.getAccount(address);
      if (!account.exists) return context(null);
      if (encoding && !["base64", "jsonParsed"].includes(encoding)) throw new Error(`no encoding ${encoding}`);
      return context({
        data: [base64(account.data), "base64"], executable: account.executable, lamports: Number(account.lamports),
        owner: account.programAddress, rentEpoch: 0, space: account.data.length,
      });
    },
    simulateTransaction: ([wire]) => {
      svm.withSigverify(false); // the fee payer has not signed yet
      try {
        const result = svm.simulateTransaction(decode(wire));
        return context({ err: failed(result), logs: result.meta().logs(), accounts: null, unitsConsumed: 0, returnData: null });
      } finally {
        svm.withSigverify(true);
      }
    },
    sendTransaction: ([wire]) => {
      const transaction = decode(wire);
      const signature = getBase58Decoder().decode(Object.values(transaction.signatures)[0]);
      if (statuses.has(signature)) return signature; // without preflight a node accepts a duplicate, which has no effect
      const error = failed(svm.sendTransaction(transaction));
      if (error && !error.includes("InstructionError")) throw new Error(error); // it is never included in a block
      statuses.set(signature, error);
      const { staticAccounts, version } = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
      landed.unshift({ signature, error, wire, staticAccounts, version, slot: Number(svm.getClock().slot) });
      return signature;
    },
    getSignatureStatuses: ([signatures]) => context(signatures.map(signature => statuses.has(signature)
      ? { slot: 1, confirmations: null, err: statuses.get(signature), confirmationStatus: "finalized", status: { Ok: null } }
      : null)),
    getGenesisHash: () => `${NETWORK.slice("solana:".length)}${"1".repeat(12)}`,
    isBlockhashValid: ([blockhash]) => context(blockhash === svm.latestBlockhash()),
    getSignaturesForAddress: ([address, { limit = 1000, minContextSlot = 0 } = {}]) => {
      if (minContextSlot > svm.getClock().slot) throw new Error("Minimum context slot has not been reached");
      return landed.filter(({ staticAccounts }) => staticAccounts.includes(address)).slice(0, limit).map(({ signature, slot, error }) => ({
        signature, slot, err: error, memo: null, blockTime: null, confirmationStatus: "finalized",
      }));
    },
    getTransaction: ([signature, { encoding, maxSupportedTransactionVersion } = {}]) => {
      const found = landed.find(transaction => transaction.signature === signature);
      if (!found) return null;
      if (encoding !== "base64") throw new Error(`no encoding ${encoding}`);
      if (found.version !== "legacy" && !(found.version <= maxSupportedTransactionVersion)) throw new Error(`no version ${found.version}`);
      return { slot: found.slot, blockTime: null, version: found.version, meta: { err: found.error, fee: 5000 }, transaction: [found.wire, "base64"] };
    },
  };

  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { id, method, params } = JSON.parse(body);
    let reply;
    try {
      if (!(method in methods)) throw new Error(`no method ${method}`);
      reply = { jsonrpc: "2.0", id, result: methods[method](params ?? []) };
    } catch (error) {
      reply = { jsonrpc: "2.0", id, error: { code: -32603, message: error.message } };
    }
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(reply));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${server.address().port}`;

  const balance = async owner => Buffer.from(svm.getAccount(await tokenAccount(owner)).data).readBigUInt64LE(64);
  const open = async (owner, amount) => plant(await tokenAccount(owner), accountData(owner, amount));

  return {
    url, network: NETWORK, feePayer: feePayer.address, balance,

    /** Returns the successful transactions of an account, newest first. */
    transactions: async owner => {
      const account = await tokenAccount(owner);
      return landed.filter(({ error, staticAccounts }) => error === null && staticAccounts.includes(account)).map(({ signature }) => signature);
    },

    facilitatorScheme: () => new FacilitatorScheme(toFacilitatorSvmSigner(feePayer, { defaultRpcUrl: url }), settlements),

    /** Lets the official facilitator forget the settlements that it has begun, as it does after two minutes. */
    forget: () => settlements.entries.clear(),

    /** Returns an address with a token account, which can be paid. */
    async payee() {
      const { address } = await keyPair();
      await open(address, 0n);
      return address;
    },

    /** Returns a new account with this much USDC and no SOL. */
    async wallet(amount = 1_000_000n) {
      const signer = await keyPair();
      await open(signer.address, amount);
      return {
        address: signer.address,
        scheme: new ClientScheme(signer, { rpcUrl: url }),
        balance: () => balance(signer.address),
        spent: async () => amount - await balance(signer.address),
      };
    },

    /** Expires the blockhash of signed transactions, in finalized blocks. */
    expire() {
      svm.expireBlockhash();
      svm.warpToSlot(svm.getClock().slot + 500n);
    },

    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
