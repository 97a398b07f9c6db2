// `parity.ts check` compares docs/parity.md with the tests; `parity.ts sync` marks what has tests as done.

import { globSync, readFileSync, writeFileSync } from "node:fs";
import { checkLedger, idsInTests, parseLedger, prefixOf, syncLedger } from "./parity-ledger.ts";

const ledgerFile = "docs/parity.md";
const ids = readFileSync("docs/parity-ids.txt", "utf8").trim().split("\n");
const prefixes = new Set(ids.map(prefixOf));
const files = globSync(["src/**/*.{test,contract}.ts", "test/**/*.ts"]).sort();
const tested = files.flatMap((file) => idsInTests(readFileSync(file, "utf8"), prefixes).map((id) => ({ id, file })));
const markdown = readFileSync(ledgerFile, "utf8");

function count(text: string): string {
  const rows = parseLedger(text);
  const of = (state: string): number => rows.filter((row) => row.state === state).length;
  return `${rows.length} rows: ${of("done")} done, ${of("deviates")} deviate, ${of("planned")} planned`;
}

if (process.argv[2] === "sync") {
  const synced = syncLedger(markdown, tested);
  writeFileSync(ledgerFile, synced);
  process.stdout.write(`${count(synced)}\n`);
} else if (process.argv[2] === "check") {
  const problems = checkLedger(parseLedger(markdown), ids, tested);
  for (const problem of problems) process.stdout.write(`${problem}\n`);
  process.stdout.write(`${count(markdown)}\n`);
  process.exitCode = problems.length > 0 ? 1 : 0;
} else {
  throw new Error("usage: bun tools/parity.ts check|sync");
}
