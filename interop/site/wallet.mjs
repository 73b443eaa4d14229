// A wallet in the browser: EIP-1193, announced by EIP-6963. It really signs, outside of the page.
import { randomUUID } from "node:crypto";
import { getAddress, hexToString, isHex, numberToHex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";

export const picture = colour => `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="${colour}"/></svg>`)}`;

const refusal = (code, message) => Object.assign(new Error(message), { code });

/**
 * A wallet, to be handed to `visit`. How it behaves may be changed at any time:
 *
 *   signs    connects and signs
 *   refuses  says no to connecting (4001)
 *   rejects  connects, and says no to signing (4001)
 *   locked   does not answer until `unlock`; a second request gets -32002, as MetaMask does
 *
 * `announced` is EIP-6963, `legacy` is window.ethereum. `signer` is another account that signs in the place of
 * this one, as only a liar would. Addresses are answered in small letters, as most wallets do.
 */
export function wallet({
  name = "Wallet one", rdns = "example.wallet.one", icon = picture("#c9651b"), uuid = randomUUID(), behaves = "signs",
  account = privateKeyToAccount(generatePrivateKey()), signer, chain = 8453, chains = [1, 8453], announced = true, legacy = false,
} = {}) {
  let connected = false;
  let open; // ends the wait of a request to a locked wallet
  const heard = new Set(); // tells one page
  const emit = (event, payload) => Promise.all([...heard].map(tell => tell(event, payload)));
  const self = {
    info: { uuid, name, icon, rdns }, announced, legacy, behaves, account,
    /** Every request, as [method, params]. */
    asked: [],
    /** Every message that it was asked to sign, whether it did or not. */
    messages: [],
    /** Every message that it signed: { message, signature, address }. */
    signed: [],
    get address() { return self.account.address; },
    get chain() { return chain; },

    /** Opens a locked wallet and accepts, as its user would. */
    unlock() {
      self.behaves = "signs";
      open?.();
      open = undefined;
    },
    /** Selects another account, and notifies every page. */
    async choose(next) {
      self.account = next;
      if (connected) await emit("accountsChanged", [next.address.toLowerCase()]);
    },
    /** Selects another chain, and notifies every page. */
    async move(next) {
      chain = next;
      await emit("chainChanged", numberToHex(next));
    },

    hear(tell) { heard.add(tell); },
    async request(method, params) {
      self.asked.push([method, params]);
      switch (method) {
        case "eth_chainId": return numberToHex(chain);
        case "eth_accounts": return connected && self.behaves !== "locked" ? [self.address.toLowerCase()] : [];
        case "eth_requestAccounts":
          if (self.behaves === "refuses") throw refusal(4001, "User rejected the request.");
          if (self.behaves === "locked") {
            if (open) throw refusal(-32002, "Already processing eth_requestAccounts. Please wait.");
            await new Promise(done => { open = done; });
          }
          connected = true;
          return [self.address.toLowerCase()];
        case "wallet_switchEthereumChain": {
          const wanted = Number(params?.[0]?.chainId);
          if (!chains.includes(wanted)) throw refusal(4902, `Unrecognized chain ID "${params?.[0]?.chainId}".`);
          if (wanted !== chain) await self.move(wanted);
          return null;
        }
        case "personal_sign": {
          const [data, from] = params ?? [];
          if (typeof data !== "string" || !isHex(from)) throw refusal(-32602, "personal_sign wants [message, address]");
          if (!connected || getAddress(from) !== self.address) throw refusal(4100, "The requested account has not been authorized.");
          const message = isHex(data) ? hexToString(data) : data;
          self.messages.push(message);
          if (self.behaves === "rejects") throw refusal(4001, "User rejected the request.");
          const signature = await (signer ?? self.account).signMessage({ message: isHex(data) ? { raw: data } : data });
          self.signed.push({ message, signature, address: self.address });
          return signature;
        }
        default: throw refusal(4200, `The method "${method}" does not exist.`);
      }
    },
  };
  return self;
}

/** Puts wallets into every page that a context opens from now on. */
export async function inject(context, wallets) {
  if (wallets.length === 0) return;
  // An error keeps only its message on the way into the page, so its code goes as a value.
  await context.exposeBinding("tocsinWallet", async (_, index, method, params) => {
    try {
      return { result: await wallets[index].request(method, params) };
    } catch (error) {
      if (!error.code) throw error;
      return { error: { code: error.code, message: error.message } };
    }
  });
  for (const [index, one] of wallets.entries()) one.hear((event, payload) => Promise.all(context.pages().map(page =>
    page.evaluate(([index, event, payload]) => window.tocsinWallets[index].emit(event, payload), [index, event, payload]))));
  await context.addInitScript(wallets => {
    const call = window.tocsinWallet;
    const made = wallets.map((wallet, index) => {
      const listeners = new Map();
      const provider = {
        async request({ method, params }) {
          const { result, error } = await call(index, method, params);
          if (error) throw Object.assign(new Error(error.message), { code: error.code });
          return result;
        },
        on(event, listener) {
          listeners.set(event, [...listeners.get(event) ?? [], listener]);
          return provider;
        },
        removeListener(event, listener) {
          listeners.set(event, (listeners.get(event) ?? []).filter(other => other !== listener));
          return provider;
        },
      };
      return { ...wallet, provider, emit: (event, payload) => { for (const listener of listeners.get(event) ?? []) listener(payload); } };
    });
    Object.defineProperty(window, "tocsinWallets", { value: made }); // not enumerable: a page does not come across it
    for (const { info, announced, legacy, provider } of made) {
      if (legacy) window.ethereum = provider;
      if (!announced) continue;
      const announce = () => dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: Object.freeze({ info: Object.freeze(info), provider }) }));
      addEventListener("eip6963:requestProvider", announce);
      announce();
    }
  }, wallets.map(({ info, announced, legacy }) => ({ info, announced, legacy })));
}
