// A local chain that looks like Base to the official code: its chain id, a token with
// USDC's name, address and EIP-3009, and the one function of Multicall3 that is called.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { once } from "node:events";
import { createPublicClient, createTestClient, createWalletClient, concat, http, pad, parseAbi, parseSignature } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { base } from "viem/chains";

export const NETWORK = "eip155:8453";
export const USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const MULTICALL = "0xcA11bde05977b3631167028862bE2a173976CA11";

const code = JSON.parse(readFileSync(new URL("token.json", import.meta.url)));
const abi = parseAbi([
  "function balanceOf(address) view returns (uint256)",
  "function mint(address to, uint256 value)",
  "function burn(address from, uint256 value)",
  "function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)",
  "event Transfer(address indexed from, address indexed to, uint256 value)",
]);
export const transferTypes = {
  TransferWithAuthorization: [
    { name: "from", type: "address" }, { name: "to", type: "address" }, { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" }, { name: "validBefore", type: "uint256" }, { name: "nonce", type: "bytes32" },
  ],
};
export const domain = { name: "USD Coin", version: "2", chainId: 8453, verifyingContract: USDC };

export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

const children = new Set();
process.on("exit", () => { for (const child of children) child.kill("SIGKILL"); });
/** Starts a process that ends with this one. */
export function begin(command, args, options) {
  const child = spawn(command, args, options);
  children.add(child);
  child.once("exit", () => children.delete(child));
  return child;
}

/** Ends a process and waits for its end. */
export async function end(child, signal = "SIGTERM") {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill(signal);
  await gone;
}

function anvil() {
  const name = { x64: "amd64", arm64: "arm64" }[process.arch];
  const system = { linux: "linux", darwin: "darwin", win32: "win32" }[process.platform];
  return createRequire(import.meta.resolve("@foundry-rs/anvil/package.json")).resolve(
    `@foundry-rs/anvil-${system}-${name}/bin/anvil${system === "win32" ? ".exe" : ""}`);
}

export async function startChain() {
  const port = await freePort();
  const child = begin(anvil(), ["--host", "127.0.0.1", "--port", String(port), "--chain-id", String(base.id), "--silent"],
    { stdio: "ignore" });
  const url = `http://127.0.0.1:${port}`;
  const transport = http(url, { retryCount: 0 });
  const common = { chain: base, transport, pollingInterval: 20, cacheTime: 0 };
  const client = createPublicClient(common);
  const test = createTestClient({ ...common, mode: "anvil" });
  const payingWallet = async () => {
    const account = privateKeyToAccount(generatePrivateKey());
    await test.setBalance({ address: account.address, value: 10n ** 20n });
    return createWalletClient({ ...common, account });
  };

  for (let tries = 0; ; tries++) {
    if (await client.getChainId().then(() => true, () => false)) break;
    if (child.exitCode !== null || tries > 2400) throw new Error("anvil does not answer");
    await new Promise(done => setTimeout(done, 50));
  }
  await test.setCode({ address: USDC, bytecode: code.Token });
  await test.setCode({ address: MULTICALL, bytecode: code.Multicall });
  const funder = await payingWallet();

  // One write at a time, because the chain counts the nonces.
  let last = Promise.resolve();
  const inTurn = write => (last = last.then(write, write));
  const write = (wallet, call) => inTurn(async () => {
    const hash = await wallet.writeContract(call);
    return { hash, receipt: await client.waitForTransactionReceipt({ hash }) };
  });
  const change = (functionName, args) => write(funder, { address: USDC, abi, functionName, args });

  const balance = address => client.readContract({ address: USDC, abi, functionName: "balanceOf", args: [address] });
  const wallets = [];
  const funded = async (address, value, rest) => {
    if (value > 0n) await change("mint", [address, value]);
    const wallet = { address, minted: value, balance: () => balance(address), ...rest };
    wallet.spent = async () => wallet.minted - await wallet.balance();
    wallets.push(wallet);
    return wallet;
  };

  return {
    url, network: NETWORK, client, write, balance, wallets,

    /** Gives an account this much USDC. */
    walletOf: (account, value = 1_000_000n) => funded(account.address, value, { signTypedData: data => account.signTypedData(data) }),

    /** Returns a new account with this much USDC. */
    wallet(value) { return this.walletOf(privateKeyToAccount(generatePrivateKey()), value); },

    /** Returns a new contract wallet (ERC-1271). Its signatures have 66 bytes. */
    async smartWallet(value = 1_000_000n) {
      const owner = privateKeyToAccount(generatePrivateKey());
      const address = `0x${randomBytes(20).toString("hex")}`;
      await test.setCode({ address, bytecode: code.SmartWallet });
      await test.setStorageAt({ address, index: 0, value: pad(owner.address) });
      const signTypedData = async data => concat(["0x01", await owner.signTypedData(data)]);
      return funded(address, value, { signTypedData });
    },

    async fund(wallet, value) {
      await change("mint", [wallet.address, value]);
      wallet.minted += value;
    },

    /** Changes the chain id, as if the node were of another chain. */
    setId: id => test.request({ method: "anvil_setChainId", params: [id] }),

    /** Removes all money of a wallet, as if it had been spent elsewhere. */
    async drain(wallet) {
      const left = await wallet.balance();
      await change("burn", [wallet.address, left]);
      wallet.minted -= left;
    },

    /** Cancels a signed authorization, as its payer may at any time. */
    async cancel(wallet, nonce) {
      const { r, s, v } = parseSignature(await wallet.signTypedData({
        domain, primaryType: "CancelAuthorization", message: { authorizer: wallet.address, nonce },
        types: { CancelAuthorization: [{ name: "authorizer", type: "address" }, { name: "nonce", type: "bytes32" }] },
      }));
      await change("cancelAuthorization", [wallet.address, nonce, Number(v), r, s]);
    },

    /** Returns the values of all transfers from one account to another. */
    async transfers(from, to) {
      const logs = await client.getContractEvents({ address: USDC, abi, eventName: "Transfer", args: { from, to }, fromBlock: 0n });
      return logs.map(log => log.args.value);
    },

    /** Returns a wallet that can pay transaction fees. */
    payingWallet,

    stop: () => end(child),
  };
}
