// Compiles token.sol. `node compile.mjs` writes token.json, which the tests deploy.
// harness.test.mjs checks that token.json was compiled from this source.
import { readFileSync, writeFileSync } from "node:fs";
import solc from "solc";

const at = name => new URL(name, import.meta.url);

export function compile() {
  const output = JSON.parse(solc.compile(JSON.stringify({
    language: "Solidity",
    sources: { "token.sol": { content: readFileSync(at("token.sol"), "utf8") } },
    settings: {
      optimizer: { enabled: true, runs: 200 },
      metadata: { bytecodeHash: "none" },
      outputSelection: { "*": { "*": ["evm.deployedBytecode.object"] } },
    },
  })));
  const errors = (output.errors ?? []).filter(e => e.severity === "error");
  if (errors.length > 0) throw new Error(errors.map(e => e.formattedMessage).join("\n"));
  const codes = Object.entries(output.contracts["token.sol"])
    .map(([name, contract]) => [name, "0x" + contract.evm.deployedBytecode.object])
    .filter(([, code]) => code !== "0x");
  return JSON.stringify(Object.fromEntries(codes), null, 1) + "\n";
}

if (process.argv[1] === at("compile.mjs").pathname) writeFileSync(at("token.json"), compile());
