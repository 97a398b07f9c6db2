// Where the generators read from: the Go modules that tools/go pins. Nothing is copied but facts.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

export const goToolsDir: string = join(import.meta.dirname, "..", "go");

/** The directory of a Go module in the version that tools/go pins. */
export function moduleDir(module: string): string {
  return execFileSync("go", ["list", "-m", "-f", "{{.Dir}}", module], { cwd: goToolsDir, encoding: "utf8" }).trim();
}

/** What a Go program under tools/go prints. */
export function runGoTool(name: string, ...args: string[]): string {
  return goRun(`./${name}`, ...args);
}

/**
 * What a Go program under tools/go prints that needs unexported parts of a package of k8s.io/kubernetes. The program
 * imports steersman/tools/upstream/<package>: upstream's files and those of tools/go/overlay-<package>, which export
 * the parts. Nothing is copied: Go's overlay makes the folder appear for this one build.
 */
export function runGoToolInside(packagePath: string, name: string): string {
  const packageName = basename(packagePath);
  const folder = join(goToolsDir, "upstream", packageName);
  const sources = [join(moduleDir("k8s.io/kubernetes"), packagePath), join(goToolsDir, `overlay-${packageName}`)];
  const files = sources.flatMap((source) => filesIn(source, /(?<!_test)\.go$/).map((file) => join(source, file)));
  const overlay = { Replace: Object.fromEntries(files.map((file) => [join(folder, basename(file)), file])) };
  const scratch = mkdtempSync(join(tmpdir(), "steersman-overlay-"));
  try {
    const overlayFile = join(scratch, "overlay.json");
    writeFileSync(overlayFile, JSON.stringify(overlay));
    return goRun("-tags", "overlay", "-overlay", overlayFile, `./${name}`);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

function goRun(...args: string[]): string {
  // What upstream prints must not depend on where it is printed.
  const env = { ...process.env, TZ: "UTC" };
  return execFileSync("go", ["run", ...args], { cwd: goToolsDir, encoding: "utf8", maxBuffer: 1 << 28, env });
}

export function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, "utf8")) as T;
}

export function filesIn(dir: string, pattern: RegExp): string[] {
  return readdirSync(dir)
    .filter((name) => pattern.test(name))
    .sort();
}
