// The programs under test, as processes: Tocsin's binary, and the reference.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { begin, end, freePort, NETWORK } from "./chain.mjs";

const repository = new URL("..", import.meta.url).pathname;
const run = promisify(execFile);
const dir = mkdtempSync(join(tmpdir(), "tocsin-interop-"));
process.on("exit", () => rmSync(dir, { recursive: true, force: true }));

let building;
/** Returns the path of the binary: that in TOCSIN, or one that is built once per process. */
export function binary() {
  return building ??= process.env.TOCSIN ? Promise.resolve(process.env.TOCSIN) : (async () => {
    const path = join(dir, "tocsin");
    await run("go", ["build", "-o", path, "./cmd/tocsin"], { cwd: repository, env: { ...process.env, CGO_ENABLED: "0" } });
    return path;
  })();
}

/** Starts a program and waits for the line of output that says that it is ready. */
async function start(command, args, ready) {
  const { CDP_API_KEY_ID, CDP_API_KEY_SECRET, ...env } = process.env; // our facilitator needs no key
  const child = begin(command, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  await new Promise((done, fail) => {
    const read = chunk => {
      log += chunk;
      if (ready.test(log)) done();
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", code => fail(new Error(`${args[0]} ended with ${code}:\n${log}`)));
    child.once("error", fail);
  });
  return { child, log: () => log };
}

let databases = 0;

/**
 * Starts Tocsin on a database of its own. Without a facilitator it takes no payments. The timeout of
 * calls to the facilitator is so long that only calls without a response reach it, even on a busy machine.
 * The tests are one network, and send many payments that fail: how many may is not limited, unless flags say so.
 */
export async function startTocsin({ facilitator, payTo, payToSolana, timeout = "60s", flags = [], db = join(dir, `${++databases}.db`), port, tries = 5 }) {
  const asked = port;
  port ??= await freePort();
  const url = `http://127.0.0.1:${port}`;
  const program = await binary();
  const payments = facilitator ? ["-network", NETWORK, "-pay-to", payTo, ...payToSolana ? ["-pay-to-solana", payToSolana] : [],
    "-facilitator", facilitator.url, "-facilitator-timeout", timeout, "-refused-payments", "0"] : [];
  // All wallets here are of one network, 127.0.0.1.
  const args = ["serve", "-new-agents", "0", "-network-calls", "0", "-db", db, "-listen", `127.0.0.1:${port}`, "-base-url", url, ...payments, ...flags];
  let child, log;
  try {
    ({ child, log } = await start(program, args, /serves on /));
  } catch (error) { // another program may have taken the free port
    if (asked || tries === 1 || !error.message.includes("address already in use")) throw error;
    return startTocsin({ facilitator, payTo, payToSolana, timeout, flags, db, tries: tries - 1 });
  }
  return {
    url, db,
    log: () => log(),
    async key(...more) { return (await run(program, ["key", "create", "-db", db, ...more])).stdout.trim(); },
    /** Returns the income in the accounts of the operator, by network, with and without a known transaction. */
    async takings() {
      const { takings, unproven } = JSON.parse((await run(program, ["payments", "-db", db, "-json"])).stdout);
      const sums = {};
      for (const { network, amount } of [...takings, ...unproven]) sums[network] = (sums[network] ?? 0n) + BigInt(amount);
      return sums;
    },
    async revoke(key) { await run(program, ["key", "revoke", "-db", db, key]); },
    running: () => child.exitCode === null && child.signalCode === null,
    stop: () => end(child),
    kill: () => end(child, "SIGKILL"),
    /** Starts it again after stop or kill, with the same database and port. */
    async again() { ({ child, log } = await start(program, args, /serves on /)); },
  };
}

export async function startReference({ facilitator, payTo }) {
  const port = await freePort();
  const { child, log } = await start(process.execPath,
    [new URL("reference.mjs", import.meta.url).pathname, facilitator.url, String(port), payTo], /serves on /);
  return { url: `http://127.0.0.1:${port}`, log, stop: () => end(child) };
}
