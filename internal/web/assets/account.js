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
    const wallet = { provider, item, name: plain(info.name, 40) || plain(info.rdns, 40) || "A wallet", state: item.querySelector("span") };
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
    if (known.size === 0 && window.ethereum) add("", { name: "The wallet of this browser" }, window.ethereum);
    if (known.size === 0) find("none").hidden = false;
  }, 300);

  /** Asks a wallet, and says so if it takes its time. */
  async function ask(wallet, method, params, busy, text) {
    wallet.state.textContent = busy;
    say("status", `${wallet.name} has a question for you.`, text);
    const late = setTimeout(() => {
      if (chosen !== wallet) return;
      wallet.state.textContent = "no answer yet";
      say("status", `${wallet.name} has not answered yet.`, "It may be locked, or its window may be behind this one. Open it and answer there; this page goes on by itself. Or choose it again.");
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
    const stop = (state, head, text) => {
      if (chosen !== wallet) return;
      if (wallet.turn === turn) wallet.turn = undefined;
      wallet.state.textContent = state;
      say("alert", head, text);
    };
    let account, switched = false;
    const onAccounts = accounts => {
      if (account && String(accounts?.[0]).toLowerCase() !== account.toLowerCase()) switched = accounts?.[0] ? "switched" : "locked";
      if (switched && wallet.turn === turn) changed();
    };
    const changed = () => switched === "locked"
      ? stop("locked", `${wallet.name} was locked.`, "Nothing was sent. Open it, and choose it again.")
      : stop("account changed", "You changed the account.", `The message was for ${short(account)}. Choose the wallet again, and you sign in with the other one.`);
    try {
      const accounts = await ask(wallet, "eth_requestAccounts", [], "asking", "It asks whether this page may know your address. Say yes there.");
      // Somebody has chosen another wallet meanwhile, or this one again.
      if (chosen !== wallet || wallet.turn && wallet.turn !== turn) return;
      wallet.turn = turn;
      account = accounts?.[0];
      if (!isAddress(account)) return stop("no account", `${wallet.name} named no account.`, "Open it, choose an account, and try again.");
      try { wallet.provider.on?.("accountsChanged", onAccounts); } catch { /* then the server finds out */ }
      const message = await compose(account, await chainOf(wallet));
      if (chosen !== wallet || wallet.turn !== turn) return;
      find("message").textContent = message;
      const hex = "0x" + Array.from(new TextEncoder().encode(message), byte => byte.toString(16).padStart(2, "0")).join("");
      const signature = await ask(wallet, "personal_sign", [hex, account], "waiting for you", "It shows you the message below. Sign it if it is the same, word for word.");
      if (chosen !== wallet) return;
      if (switched) return changed();
      if (typeof signature !== "string") return stop("no signature", `${wallet.name} gave no signature.`, "You are not signed in. Choose it again, or another one.");
      wallet.state.textContent = "signed";
      say("status", "Signed.", "One moment.");
      form.elements.message.value = message;
      form.elements.signature.value = signature;
      form.submit();
    } catch (error) {
      if (switched) return changed();
      stop(...excuse(wallet, error));
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
      throw { ours: ["We cannot be reached.", "You may be offline. Nothing was signed; choose the wallet again in a moment."] };
    }
    if (answer.ok) return answer.text();
    if (answer.status === 429) throw { ours: ["Not so fast, please.", "Somebody in your network has signed in very often. Try again in a few minutes."] };
    throw { ours: ["Something failed on our side.", "Nothing was signed. Choose the wallet again in a moment."] };
  }

  /** What to say of an error (EIP-1193, EIP-1474): the state of the wallet, the point, and what to do. */
  function excuse(wallet, error) {
    if (error?.ours) return ["", ...error.ours];
    switch (error?.code) {
      case 4001: case "ACTION_REJECTED": return ["said no a moment ago", `You declined in ${wallet.name}.`, "Nothing was signed. Choose the wallet again when you are ready."];
      case -32002: return ["has a question open", `${wallet.name} is waiting for you already.`, "It may be locked. Open it and answer the question there; then choose it again if nothing happens here."];
      case 4100: return ["account not allowed", `${wallet.name} does not let this page use that account.`, "Allow it there, or choose another account, and choose the wallet again."];
      case 4900: case 4901: return ["not connected", `${wallet.name} is not connected to its network.`, "Nothing was signed. Look into the wallet, and choose it again."];
      case 4200: case -32601: return ["cannot sign", `${wallet.name} cannot sign messages here.`, "Choose another wallet, or sign by hand, below."];
    }
    const reason = plain(error?.message, 120);
    return ["did not work", `${wallet.name} could not do it.`, `Nothing was signed. ${reason ? `It says: “${reason}” ` : ""}Choose it again, or another one.`];
  }
}
