// The account page: finds the wallets of this browser, has one sign, and sends
// what it signed as a form. It keeps nothing.

// The answer of a form would be sent again by a reload; the account stands here.
history.replaceState(null, "", "/account" + location.search + location.hash);

// A page that is left may be kept and shown again: without the key, and only if
// it still holds.
addEventListener("pagehide", () => document.querySelector(".secret")?.remove());
addEventListener("pageshow", event => event.persisted && location.reload());

const list = document.querySelector(".wallets");
if (list) offer(list);

function offer(list) {
  const find = id => document.getElementById(id);
  const known = new Map(); // by uuid
  const form = find("signed");
  let chosen; // the wallet that was clicked last

  /** What to say: the state of the wallet, the point, and what to do, with the {names} filled in. */
  function says(about, names = {}) {
    const texts = find("says").content.querySelector(`[data-about="${about}"]`).children;
    return Array.from(texts, one => one.textContent.replace(/\{(\w+)\}/g, (all, name) => names[name] ?? all));
  }

  /** Says one thing in place of the last one. */
  function say(kind, head, text) {
    find("alert").replaceChildren();
    find("status").replaceChildren();
    if (!head) return;
    const note = find(kind === "alert" ? "warning" : "note").content.cloneNode(true);
    note.querySelector("strong").textContent = head;
    note.querySelector("p > span").textContent = text;
    find(kind).append(note);
  }

  /** What a wallet says, as text of at most so many characters, none of them invisible. */
  function plain(text, most) {
    const letters = [...String(text ?? "").replace(/\p{C}/gu, " ").trim()];
    return letters.length > most ? letters.slice(0, most - 1).join("") + "…" : letters.join("");
  }
  const short = address => `${address.slice(0, 6)}…${address.slice(-4)}`;
  const isAddress = text => typeof text === "string" && /^0x[0-9a-f]{40}$/i.test(text);

  function add(uuid, info, provider) {
    if (known.has(uuid) || known.size >= 20 || typeof provider?.request !== "function") return;
    known.get("")?.item.remove(); // the nameless one has announced itself after all
    known.delete("");
    const item = find("wallet").content.cloneNode(true).firstElementChild;
    const wallet = { provider, item, name: plain(info.name, 40) || plain(info.rdns, 40) || says("unnamed")[1], state: item.querySelector("span") };
    item.querySelector("b").textContent = wallet.name;
    if (/^data:image\/[\w.+-]+[;,]/.test(info.icon) && info.icon.length < 200_000) {
      const icon = new Image(32, 32);
      icon.alt = "";
      icon.onload = () => item.querySelector("svg").replaceWith(icon);
      icon.src = info.icon;
    }
    item.querySelector("button").addEventListener("click", () => signIn(wallet));
    known.set(uuid, wallet);
    list.append(item);
    list.hidden = find("phone").hidden = false;
    find("none").hidden = true;
  }

  addEventListener("eip6963:announceProvider", event => {
    try {
      const { info, provider } = event.detail;
      if (typeof info.uuid === "string" && info.uuid) add(info.uuid, info, provider);
    } catch { /* whatever it is, it is no wallet */ }
  });
  dispatchEvent(new Event("eip6963:requestProvider"));
  setTimeout(() => {
    if (known.size === 0 && window.ethereum) add("", { name: says("nameless")[1] }, window.ethereum);
    if (known.size === 0) find("none").hidden = false;
  }, 300);

  /** Asks a wallet, and says so if it takes its time. */
  async function ask(wallet, method, params, about) {
    const [busy, ...point] = says(about, { wallet: wallet.name });
    wallet.state.textContent = busy;
    say("status", ...point);
    const late = setTimeout(() => {
      if (chosen !== wallet) return;
      const [late, ...what] = says("late", { wallet: wallet.name });
      wallet.state.textContent = late;
      say("status", ...what);
    }, 4000);
    try {
      return await wallet.provider.request({ method, params });
    } finally {
      clearTimeout(late);
    }
  }

  async function signIn(wallet) {
    const turn = {};
    wallet.turn = turn;
    for (const other of known.values()) other.state.textContent = "";
    chosen = wallet;
    document.querySelector(".narrow > .note")?.remove(); // of the last try
    const stop = (about, names) => {
      if (chosen !== wallet) return;
      const [state, head, text] = says(about, { wallet: wallet.name, ...names });
      if (wallet.turn === turn) wallet.turn = undefined;
      wallet.state.textContent = state;
      say("alert", head, text);
    };
    let account, switched = false;
    const onAccounts = accounts => {
      if (account && String(accounts?.[0]).toLowerCase() !== account.toLowerCase()) switched = accounts?.[0] ? "switched" : "locked";
      if (switched && wallet.turn === turn) changed();
    };
    const changed = () => stop(switched, { account: short(account) });
    try {
      const accounts = await ask(wallet, "eth_requestAccounts", [], "asks");
      // Somebody has chosen another wallet meanwhile, or this one again.
      if (chosen !== wallet || wallet.turn && wallet.turn !== turn) return;
      wallet.turn = turn;
      account = accounts?.[0];
      if (!isAddress(account)) return stop("empty");
      try { wallet.provider.on?.("accountsChanged", onAccounts); } catch { /* then the server finds out */ }
      const message = await compose(account, await chainOf(wallet));
      if (chosen !== wallet || wallet.turn !== turn) return;
      find("message").textContent = message;
      const hex = "0x" + Array.from(new TextEncoder().encode(message), byte => byte.toString(16).padStart(2, "0")).join("");
      const signature = await ask(wallet, "personal_sign", [hex, account], "shows");
      if (chosen !== wallet) return;
      if (switched) return changed();
      if (typeof signature !== "string") return stop("unsigned");
      const [state, ...point] = says("signed");
      wallet.state.textContent = state;
      say("status", ...point);
      form.elements.message.value = message;
      form.elements.signature.value = signature;
      form.submit();
    } catch (error) {
      if (switched) return changed();
      stop(...excuse(error));
    } finally {
      try { wallet.provider.removeListener?.("accountsChanged", onAccounts); } catch { /* it never listened */ }
    }
  }

  /** The chain of a wallet, which is nice to know and no more. */
  const chainOf = wallet => Promise.race([
    (async () => wallet.provider.request({ method: "eth_chainId" }))().catch(() => ""),
    new Promise(done => setTimeout(done, 2000, "")),
  ]);

  /** The message that is to be signed, from the server, which knows how to write addresses. */
  async function compose(address, chainId) {
    let answer;
    try {
      answer = await fetch("/account/message", { method: "POST", body: new URLSearchParams({ address, chainId }) });
    } catch {
      throw { ours: "offline" };
    }
    if (answer.ok) return answer.text();
    if (answer.status === 429) { // of a limit that is not that of signing in, the body is a page
      const said = answer.headers.get("Content-Type")?.startsWith("text/plain");
      throw { ours: "often", names: { wait: said ? await answer.text() : `${answer.headers.get("Retry-After")} s` } };
    }
    throw { ours: "broken" };
  }

  /** What an error is about (EIP-1193, EIP-1474). */
  function excuse(error) {
    if (error?.ours) return [error.ours, error.names];
    switch (error?.code) {
      case 4001: case "ACTION_REJECTED": return ["declined"];
      case -32002: return ["open"];
      case 4100: return ["forbidden"];
      case 4900: case 4901: return ["disconnected"];
      case 4200: case -32601: return ["unable"];
    }
    const reason = plain(error?.message, 120);
    return reason ? ["reasoned", { reason }] : ["failed"];
  }
}
