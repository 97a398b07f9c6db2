// The parity ledger: docs/parity.md is the index of the pages under docs/parity.
//   check            compares the pages with the tests (part of make check)
//   sync             marks rows as done whose tests exist
//   counts           prints how many rows of each page are done, planned, deviate
//   show <id|page>…  prints rows with their tests
//   publish          writes the counts into docs/parity.md
//   import <folder>  reads the texts again from the checklists of behaviours in that folder

import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { resultTables } from "#test/stage/results.ts";
import { findScenarios } from "#test/stage/scenario-files.ts";
import { withSection } from "./markdown-section.ts";
import { importPages, indexOfPages } from "./parity-import.ts";
import {
  checkLedger,
  countRows,
  idsInTests,
  type LedgerPage,
  parseIndex,
  parsePage,
  prefixOf,
  type RowCounts,
  rowLines,
  syncPage,
  type TestedId,
} from "./parity-ledger.ts";
import { pagesOfSpec } from "./parity-spec.ts";

const indexFile = "docs/parity.md";
const pageFolder = "docs/parity";
const aboutScenarios = `Each scenario of test/scenarios was played with Go's manager and with ours, each on a separate kube-apiserver. Their writes, reads
and Events were compared, phase by phase (stage e of [scenarios.md](scenarios.md)). A scenario in virtual time only is confirmed by a
recording of Go's manager, which took minutes or an hour of real time, or by vectors from upstream's code. A scenario that plays alone shares
its cluster with no other play; at most 60 scenarios may.
\`bun tools/differential.ts --slow --results <controller …>\` plays again.`;

interface Ledger {
  readonly index: string;
  readonly pages: readonly (LedgerPage & { readonly file: string; readonly markdown: string })[];
  readonly tested: readonly TestedId[];
}

function readLedger(): Ledger {
  const pages = globSync(`${pageFolder}/*.md`)
    .sort()
    .map((file) => {
      const markdown = readFileSync(file, "utf8");
      return { name: basename(file, ".md"), file, markdown, rows: parsePage(markdown) };
    });
  const prefixes = new Set(pages.flatMap(({ rows }) => rows.map(({ id }) => prefixOf(id))));
  const tests = globSync(["src/**/*.{test,contract}.ts", "test/**/*.ts"]).sort();
  const tested = tests.flatMap((file) => idsInTests(readFileSync(file, "utf8"), file, prefixes));
  return { index: readFileSync(indexFile, "utf8"), pages, tested };
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function inWords({ rows, done, virtualOnly, deviate, planned }: RowCounts): string {
  return `${rows} rows: ${done} done (${virtualOnly} of them in virtual time only), ${deviate} deviate, ${planned} planned`;
}

function total({ pages, tested }: Ledger): RowCounts {
  return countRows(
    pages.flatMap(({ rows }) => rows),
    tested,
  );
}

function check(ledger: Ledger): boolean {
  const problems = checkLedger(ledger.pages, parseIndex(ledger.index), ledger.tested);
  for (const problem of problems) say(problem);
  say(inWords(total(ledger)));
  return problems.length === 0;
}

function sync({ pages, tested }: Ledger): void {
  for (const { file, markdown } of pages) {
    const synced = syncPage(markdown, tested);
    if (synced !== markdown) writeFileSync(file, synced);
  }
  say(inWords(total(readLedger())));
}

/** A table of counts: the rows of some pages under one name. */
function countsTable(ledger: Ledger, nameOf: (page: LedgerPage) => string): string {
  const names = [...new Set(ledger.pages.map(nameOf))];
  const lines = [...names, "all"].map((name) => {
    const pages = ledger.pages.filter((page) => name === "all" || nameOf(page) === name);
    const of = countRows(
      pages.flatMap(({ rows }) => rows),
      ledger.tested,
    );
    return `| ${[name, of.rows, of.done, of.virtualOnly, of.deviate, of.planned].join(" | ")} |`;
  });
  const header = "| | rows | done | of them in virtual time only | deviate | planned |\n|---|---|---|---|---|---|";
  return [header, ...lines].join("\n");
}

function show({ pages, tested }: Ledger, wanted: readonly string[]): boolean {
  const rows = pages.flatMap((page) =>
    page.rows.filter(({ id }) => wanted.some((name) => [page.name, prefixOf(id), id].includes(name))),
  );
  for (const row of rows) {
    const files = tested.filter(({ id }) => id === row.id).map(({ file }) => file);
    say([rowLines(row), ...files.map((file) => `  Test: ${file}`)].join("\n"));
  }
  if (rows.length === 0) say(`no row: ${wanted.join(" ")}`);
  return rows.length > 0;
}

async function publish(ledger: Ledger): Promise<void> {
  const day = new Date().toISOString().slice(0, 10);
  const index = parseIndex(ledger.index);
  const byArea = countsTable(ledger, ({ name }) => index.get(name)?.area ?? "elsewhere");
  const text = `As of ${day}; \`make parity\` counts again, page by page.\n\n${byArea}`;
  const counted = withSection(ledger.index, "## Counts", text);
  const scenarios = `${aboutScenarios}\n\n${resultTables(await findScenarios([]))}`;
  writeFileSync(indexFile, withSection(counted, "## Scenarios against Go's manager", scenarios));
}

function importFrom(folder: string, ledger: Ledger): void {
  const spec = pagesOfSpec((file) => readFileSync(join(folder, file), "utf8"));
  const pages = importPages(spec, ledger.pages);
  mkdirSync(pageFolder, { recursive: true });
  for (const { name, markdown } of pages) writeFileSync(join(pageFolder, `${name}.md`), markdown);
  writeFileSync(indexFile, withSection(ledger.index, "## Pages", indexOfPages(pages)));
  say(`${pages.length} pages, ${pages.reduce((sum, { rows }) => sum + rows, 0)} rows`);
}

const [command, ...args] = process.argv.slice(2);
const ledger = readLedger();
let isGood = true;
if (command === "check") isGood = check(ledger);
else if (command === "sync") sync(ledger);
else if (command === "counts") say(countsTable(ledger, ({ name }) => name));
else if (command === "publish") await publish(ledger);
else if (command === "show" && args.length > 0) isGood = show(ledger, args);
else if (command === "import" && args[0] !== undefined) importFrom(args[0], ledger);
else throw new Error("usage: bun tools/parity.ts check|sync|counts|show <id or page>…|publish|import <folder>");
process.exitCode = isGood ? 0 : 1;
