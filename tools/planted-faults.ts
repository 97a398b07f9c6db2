// Proves that the suites can fail: plants one fault at a time into a copy of the program and expects red.
// `bun tools/planted-faults.ts [plan …]`; plans are the files of test/planted-faults/ that export `plan`.

import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import type { FaultPlan, PlantedFault } from "#test/planted-faults/fault.ts";
import { missingPrograms } from "./control-plane-binaries.ts";

const copied = ["src", "test", "tools", "types", "package.json", "tsconfig.json", "tsconfig.base.json"];
const planFolder = "test/planted-faults";
const suiteLimitMs = 300_000;

function copyOfCheckout(): string {
  const directory = mkdtempSync(join(tmpdir(), "steersman-faults-"));
  for (const name of copied) cpSync(name, join(directory, name), { recursive: true });
  symlinkSync(resolve("node_modules"), join(directory, "node_modules"));
  return directory;
}

/** What runs to find out about one fault, or about all when none is given. */
function commandFor({ suites, faults }: FaultPlan, fault?: PlantedFault): readonly string[] {
  if (suites !== undefined) return ["test", "--bail", ...suites];
  const scenarios = fault === undefined ? faults.flatMap((each) => each.scenarios ?? []) : (fault.scenarios ?? []);
  return ["test/differential/main.ts", ...new Set(scenarios)];
}

function isGreen(directory: string, command: readonly string[]): boolean {
  const { status } = spawnSync(process.execPath, command, {
    cwd: directory,
    timeout: suiteLimitMs,
    stdio: "ignore",
  });
  return status === 0;
}

/** Throws when the fault cannot be planted: then the plan is out of date. */
function planted(source: string, { name, file, find, replace }: PlantedFault): string {
  const parts = source.split(find);
  if (parts.length !== 2) throw new Error(`"${name}": ${file} has ${parts.length - 1} places to plant it, not 1`);
  return parts.join(replace);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function main(wanted: readonly string[]): Promise<number> {
  const files = globSync(`${planFolder}/*.ts`)
    .filter((file) => basename(file) !== "fault.ts")
    .filter((file) => wanted.length === 0 || wanted.includes(basename(file, ".ts")))
    .sort();
  const directory = copyOfCheckout();
  let noticed = 0;
  let missed = 0;
  let skipped = 0;
  try {
    for (const file of files) {
      const { plan } = (await import(resolve(file))) as { plan: FaultPlan };
      say(`==> ${basename(file, ".ts")}: ${plan.faults.length} faults`);
      if (plan.suites === undefined && missingPrograms().length > 0) {
        say(`SKIPPED: no ${missingPrograms().join(", ")} (make real-control-plane)`);
        skipped += plan.faults.length;
        continue;
      }
      if (!isGreen(directory, commandFor(plan))) {
        say(`FAILED: ${commandFor(plan).join(" ")} is red without any fault`);
        missed++;
        continue;
      }
      for (const fault of plan.faults) {
        const path = join(directory, fault.file);
        const source = readFileSync(path, "utf8");
        writeFileSync(path, planted(source, fault));
        const wasNoticed = !isGreen(directory, commandFor(plan, fault));
        writeFileSync(path, source);
        say(`${wasNoticed ? "noticed" : "MISSED "}  ${fault.name}`);
        if (wasNoticed) noticed++;
        else missed++;
      }
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  say(`${noticed} passed, ${missed} failed, ${skipped} skipped`);
  return missed === 0 && noticed > 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
