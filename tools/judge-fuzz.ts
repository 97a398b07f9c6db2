// Sends the same random requests to the embedded and to the real API server and prints how often they agree. At the
// same time it sends them to the embedded server alone and prints the memory that the server keeps. Disagreements go to
// standard error. `bun tools/judge-fuzz.ts [seed,seed…] [requests of each] [--publish]`; --publish writes
// docs/parity.md.

import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { embeddedSubject, realSubject } from "#test/judge/exchange.ts";
import { type FuzzReport, fuzz } from "#test/judge/fuzz.ts";
import { merged, reportLines } from "#test/judge/fuzz-report.ts";
import { flagsOf, moreSettings } from "#test/judge/judge-flags.ts";
import { classOf } from "#test/judge/known-differences.ts";
import { startControlPlane } from "#test/real/control-plane.ts";
import { withSection } from "./markdown-section.ts";

const HEADING = "## Agreement of the API servers";
const LEDGER = "docs/parity.md";

const words = process.argv.slice(2);
const [seed = "1", count = "10000"] = words.filter((word) => !word.startsWith("--"));
const requests = Number(count);
const seeds = seed.split(",");

async function compare(): Promise<FuzzReport> {
  const plane = await startControlPlane({ apiServerFlags: flagsOf(moreSettings) });
  const real = await realSubject(plane);
  const embedded = embeddedSubject(moreSettings);
  try {
    const reports: FuzzReport[] = [];
    for (const each of seeds) {
      reports.push(await fuzz(embedded, real, { seed: each, requests, namespace: `fuzz-${each}` }));
    }
    return merged(reports);
  } finally {
    embedded.close();
    real.close();
    await plane.stop();
  }
}

const WARM_UP_REQUESTS = 20_000;

/**
 * In a separate process, at the same time: neither part measures time. Exits with an error if the server keeps too
 * much.
 */
const measuring = promisify(execFile)(process.execPath, [
  "bench/fuzz-memory.ts",
  seeds[0] ?? "",
  `${WARM_UP_REQUESTS}`,
  count,
])
  .catch((error: { stdout?: string }) => (error.stdout ? { stdout: error.stdout } : Promise.reject(error)))
  .then(({ stdout }) => stdout.trimEnd());
const [memory, report] = await Promise.all([measuring, compare()]);
for (const { index, call, what } of report.disagreements) process.stderr.write(`#${index} ${call}\n    ${what}\n`);
const unexplained = report.disagreements.filter((each) => classOf(each) === undefined);
const text = [
  "The same random requests to the embedded server and to kube-apiserver v1.36.4 (`make judge-fuzz`). They cover all stored kinds of",
  "[kinds.md](kinds.md), including those that are not served by default, with their status; other subresources of Pods, ReplicaSets,",
  "ReplicationControllers, Namespaces and ServiceAccounts; definitions of custom resources with small random schemas, and two",
  "custom kinds, one with CEL rules; JSON, YAML and protobuf bodies; lists and watches",
  "in one namespace and in all; and rounds of twelve short watches of three kinds during writes, for all kinds except",
  "definitions. Agreement means equal status code, reason, causes and resulting object or events,",
  'including which versions and UIDs are equal; "and messages" means every word, with warnings and headers. Values that the real server itself',
  "varies do not count: [test/judge/normalise.ts](../test/judge/normalise.ts). A read that accepts any state, or any not older one, is",
  "repeated for up to half a second, because the real server's cache lags. After a difference both servers delete all objects of the kind,",
  "and every 400 requests all objects. Known differences are in [test/judge/known-differences.ts](../test/judge/known-differences.ts).",
  "",
  reportLines(report),
  "",
  memory,
].join("\n");
process.stdout.write(`${text}\n`);
if (words.includes("--publish")) writeFileSync(LEDGER, withSection(readFileSync(LEDGER, "utf8"), HEADING, text));
process.exitCode = report.failures.length + unexplained.length > 0 ? 1 : 0;
