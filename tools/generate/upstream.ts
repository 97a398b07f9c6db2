// The sources of the generators: the Go modules that tools/go pins. Only facts are copied.

import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export const goToolsDir: string = join(import.meta.dirname, "..", "go");

/** The directory of a Go module in the version that tools/go pins. */
export function moduleDir(module: string): string {
  return execFileSync("go", ["list", "-m", "-f", "{{.Dir}}", module], { cwd: goToolsDir, encoding: "utf8" }).trim();
}

/**
 * The output of a Go program under tools/go. The program may import steersman/tools/upstream/<package>: a package of
 * k8s.io/kubernetes together with the files of tools/go/overlay/<package>, which export parts of it. Nothing is copied:
 * Go's overlay adds those folders for this one build.
 */
export function runGoTool(name: string, ...args: string[]): string {
  const scratch = mkdtempSync(join(tmpdir(), "steersman-overlay-"));
  try {
    const overlay = join(scratch, "overlay.json");
    writeFileSync(overlay, JSON.stringify({ Replace: overlaidFiles() }));
    const command = ["run", "-tags", "overlay", "-overlay", overlay, `./${name}`, ...args];
    // The output must not depend on the local time zone.
    const env = { ...process.env, TZ: "UTC" };
    return execFileSync("go", command, { cwd: goToolsDir, encoding: "utf8", maxBuffer: 1 << 28, env });
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** The overlaid files, with their real paths. */
function overlaidFiles(): Record<string, string> {
  const overlays = join(goToolsDir, "overlay");
  const packages = new Set(globSync("**/*.go", { cwd: overlays }).map((file) => dirname(file)));
  const upstream = moduleDir("k8s.io/kubernetes");
  const files = [...packages].flatMap((path) =>
    [join(upstream, path), join(overlays, path)].flatMap((folder) =>
      filesIn(folder, /(?<!_test)\.go$/).map((file) => [join(goToolsDir, "upstream", path, file), join(folder, file)]),
    ),
  );
  return Object.fromEntries(files) as Record<string, string>;
}

export function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, "utf8")) as T;
}

export function filesIn(dir: string, pattern: RegExp): string[] {
  return readdirSync(dir)
    .filter((name) => pattern.test(name))
    .sort();
}
