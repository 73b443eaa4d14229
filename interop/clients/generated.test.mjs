// Clients that are generated from /openapi.json, compiled, and called against the program: openapi-generator's in Python,
// Go and Rust, and oapi-codegen's in Go. schemathesis tries the program with what the contract allows, and what it does
// not. test.sh says which of the tools are missing.
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { startTocsin } from "../server.mjs";

const here = new URL(".", import.meta.url).pathname;
const python = name => join(here, ".venv", "bin", name);
const installed = existsSync(python("schemathesis"));
const works = (...command) => { try { execFileSync(command[0], command.slice(1), { stdio: "ignore" }); return true; } catch { return false; } };
const java = works("java", "-version");
const crates = works("cargo", "fetch", "--quiet", "--offline", "--manifest-path", join(here, "rust", "Cargo.toml"));
const dir = mkdtempSync(join(tmpdir(), "tocsin-clients-"));
const run = promisify(execFile);

// Payments are offered, and nobody settles them.
const paid = ["-pay-to", "0x209693Bc6afc0C5328bA36FaF03C514EF312287C", "-facilitator", "http://127.0.0.1:9"];

let tocsin, contract;
before(async () => {
  tocsin = await startTocsin({ flags: ["-quota", "100000", "-filings", "100000", "-total-filings", "0", ...paid] });
  contract = join(dir, "openapi.json");
  writeFileSync(contract, await (await fetch(tocsin.url + "/openapi.json")).text());
});
after(async () => {
  await tocsin?.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** Runs a command, whose output is a part of the error if it fails. */
async function must(command, args, options = {}) {
  const { env, ...others } = options;
  const { code = 0, stdout, stderr } = await run(command, args, { maxBuffer: 64 << 20, env: { ...process.env, ...env }, ...others }).catch(error => error);
  assert.equal(code, 0, `${command} ${args.join(" ")}\n${stdout}\n${stderr}`);
  return stdout;
}

/** Generates a client with openapi-generator. */
const generate = (language, to, properties = "") => must(python("openapi-generator-cli"),
  ["generate", "-i", contract, "-g", language, "-o", to, ...properties ? [`--additional-properties=${properties}`] : []],
  { cwd: dir, env: { JAVA_TOOL_OPTIONS: "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC" } }); // it ends before more compilation pays

test("openapi-generator's Python client", { skip: !installed || !java }, async () => {
  await generate("python", join(dir, "python"));
  const said = await must(python("python"), [join(here, "calls.py"), tocsin.url, await tocsin.key()], { env: { PYTHONPATH: join(dir, "python") } });
  assert.match(said, /answered as the contract says/);
});

// enumClassPrefix: a level of risk and one of a prediction are both called low, and Go has one scope for all values.
test("openapi-generator's and oapi-codegen's Go clients", { skip: !installed || !java }, async () => {
  const module = join(dir, "go");
  cpSync(join(here, "go"), module, { recursive: true });
  await generate("go", join(module, "made"), "packageName=made,withGoMod=false,enumClassPrefix=true");
  rmSync(join(module, "made", "test"), { recursive: true, force: true });
  mkdirSync(join(module, "oapi"));
  await must("go", ["tool", "oapi-codegen", "-generate", "types,client", "-package", "oapi", "-o", "oapi/oapi.go", contract], { cwd: module });
  const said = await must("go", ["run", ".", tocsin.url, await tocsin.key()], { cwd: module, env: { CGO_ENABLED: "0" } });
  assert.match(said, /answered as the contract says/);
});

test("openapi-generator's Rust client", { skip: !installed || !java || !crates }, async () => {
  const crate = join(here, "rust"); // where cargo finds what it built the last time: the crates that it needs take half a minute
  rmSync(join(crate, "made"), { recursive: true, force: true });
  await generate("rust", join(crate, "made"));
  const said = await must("cargo", ["run", "--quiet", "--offline", "--", tocsin.url, await tocsin.key()], { cwd: crate });
  assert.match(said, /answered as the contract says/);
});

test("schemathesis finds nothing", { skip: !installed }, async t => {
  const service = await startTocsin({ flags: ["-quota", "1000000", "-filings", "1000000", "-total-filings", "0", ...paid] });
  const tried = async (...more) => {
    const said = await must(python("schemathesis"), ["--config-file", "schemathesis.toml", "run", service.url + "/openapi.json", ...more],
      { cwd: here, env: { TOCSIN_KEY: await service.key("-quota", "1000000"), NO_COLOR: "1" } });
    t.diagnostic(said.trim().split("\n").slice(-6).join(" "));
    assert.match(said, /[1-9]\d* generated, [1-9]\d* passed/);
  };
  try {
    await tried("--exclude-operation-id", "revokeKey"); // which would leave the others without a key
    await tried("--include-operation-id", "revokeKey");
  } finally {
    await service.stop();
  }
});
