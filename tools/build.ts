// Builds each program twice: compiled into one file that needs neither Node nor Bun, and bundled into one module for
// Node 22.13 or newer, which `npm pack` publishes. The library, steersman/testing, is bundled too, with its type
// declarations and a module that loads the bundle (src/testing/compiled-bundle.ts). The bundles contain all their
// dependencies, so that installing the package installs nothing else; third-party-licenses.txt has their licenses.
// `bun tools/build.ts bundles` skips the compiled programs, `library` skips all programs. Each result is run with
// --version. Log lines name their place in the source: src/platform/system/call-site.ts explains why compiled programs
// use source maps and bundles a line table.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, globSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { LINE_TABLE_SUFFIX } from "#platform/system/call-site.ts";
import { writeDeclarations } from "./declarations.ts";
import { lineTable, type SourceMap } from "./line-table.ts";
import { bundledPackages, licenseTexts, runtimeLicenseTexts } from "./third-party-licenses.ts";

const programs = ["steersman", "kube-controller-manager"];
/** Names are kept: they are in stack traces. */
const minifyFlags = ["--minify-syntax", "--minify-whitespace"];
const commonFlags = ["--format=esm", ...minifyFlags];
/**
 * Split, so that modules imported on demand are loaded on demand. Modules that only Node needs are left out. A daemon
 * must not read a .env file or bunfig.toml from the current folder.
 */
const compileFlags = [
  ...[
    "--compile",
    "--splitting",
    "--bytecode",
    "--sourcemap=linked",
    "--no-compile-autoload-dotenv",
    "--no-compile-autoload-bunfig",
  ],
  ...["--define", `process.versions.bun=${JSON.stringify(process.versions.bun)}`],
];
/** During the start, code is compiled only after this many times more runs: src/platform/system/compile-pace.ts. */
const startFlags: Readonly<Record<string, readonly string[]>> = {
  "kube-controller-manager": ["--compile-jit-policy=30"],
};
const bundleFlags = ["--target=node", "--sourcemap=external", "--outdir=dist", "--entry-naming=[name].mjs"];
const HASH_CHARACTERS = 16;
const LIBRARY = "dist/testing.cjs";
/**
 * A function of a CommonJS module, in ASCII, with its bytecode in a file beside it. Node lets a program keep the compiled
 * code of scripts alone, and stores each character of a text in two bytes if one is beyond ASCII. Bun of the version
 * that builds reads the bytecode; other versions of Bun compile the text.
 */
const libraryFlags = [
  "--format=cjs",
  "--target=bun",
  "--bytecode",
  "--sourcemap=external",
  "--outdir=dist",
  "--entry-naming=[name].cjs",
];

function build(source: string, flags: readonly string[]): void {
  run(process.execPath, ["build", ...commonFlags, ...flags, source]);
}

function run(command: string, args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${stdout}${stderr}`);
}

/** A module with the exports of the library's bundle, which it loads. */
function writeLoader(output: string): void {
  const text = readFileSync(LIBRARY, "utf8");
  // A script of node:vm has neither without further settings.
  for (const word of ["import(", "import.meta"]) {
    if (text.includes(word)) throw new Error(`${LIBRARY} has ${word}: what it imports on demand must be in the bundle`);
  }
  const hash = createHash("sha256").update(text).digest("hex").slice(0, HASH_CHARACTERS);
  const names = Object.keys(createRequire(import.meta.url)(resolve(LIBRARY)) as object).sort();
  const source = `${output}.ts`;
  writeFileSync(
    source,
    `import { fileURLToPath } from "node:url";
import { loadBundle } from ${JSON.stringify(resolve("src/testing/compiled-bundle.ts"))};
export const { ${names.join(", ")} } = loadBundle(fileURLToPath(new URL("testing.cjs", import.meta.url)), "${hash}");
`,
  );
  build(source, ["--target=node", "--outfile", output]);
  rmSync(source);
}

function report(output: string, command: readonly [string, ...string[]]): void {
  const [file, ...args] = command;
  const { status, stdout, stderr } = spawnSync(file, [...args, "--version"], { encoding: "utf8" });
  if (status !== 0) throw new Error(`${output} --version failed: ${stderr}`);
  process.stdout.write(`${output}: ${stdout.trim()}, ${(statSync(output).size / 1e6).toFixed(1)} MB\n`);
}

const [scope = "all"] = process.argv.slice(2);
const packages = new Set<string>();

run(process.execPath, ["build", ...minifyFlags, ...libraryFlags, "src/testing/testing.ts"]);
for (const name of bundledPackages((JSON.parse(readFileSync(`${LIBRARY}.map`, "utf8")) as SourceMap).sources)) {
  packages.add(name);
}
writeLoader("dist/testing.mjs");
run("node_modules/.bin/tsc", ["-b", "src/testing"]);
const declared = writeDeclarations("testing/testing", "dist/types");
process.stdout.write(`${LIBRARY}: ${(statSync(LIBRARY).size / 1e6).toFixed(1)} MB, ${declared} declarations\n`);

for (const program of scope === "library" ? [] : programs) {
  const source = `src/cmd/${program}.ts`;
  const bundle = `dist/${program}.mjs`;
  build(source, [...bundleFlags, "--banner=#!/usr/bin/env node"]);
  const map = JSON.parse(readFileSync(`${bundle}.map`, "utf8")) as SourceMap;
  writeFileSync(`${bundle}${LINE_TABLE_SUFFIX}`, JSON.stringify(lineTable(map)));
  for (const name of bundledPackages(map.sources)) packages.add(name);
  chmodSync(bundle, 0o755);
  report(bundle, [process.execPath, bundle]);
  if (scope === "bundles") continue;
  const compiled = `dist/${program}`;
  build(source, [...compileFlags, ...(startFlags[program] ?? []), "--outfile", compiled]);
  report(compiled, [compiled]);
}
const runtime = scope !== "all" ? "" : `\n${runtimeLicenseTexts()}`;
writeFileSync("dist/third-party-licenses.txt", licenseTexts([...packages].sort()) + runtime);
for (const file of globSync("dist/*.map")) rmSync(file);
