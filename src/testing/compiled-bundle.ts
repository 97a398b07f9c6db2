// Loads the bundle of the library. Node compiles a function when it is first called, and that takes half of the time of
// the first cluster of a process. So on Node the compiled code of what a start calls is kept in node_modules/.cache,
// and the next processes read it. Without such a file, or without a folder for it, everything works and takes longer.
// Bun reads the bytecode that the build puts beside the bundle, if it is of the version that built it.

import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, sep } from "node:path";
import { cachedDataVersionTag } from "node:v8";
import { Script } from "node:vm";

type Start = (...args: readonly unknown[]) => Promise<unknown>;

/** The exports of the bundle. */
export interface Bundle {
  readonly startCluster: Start;
  readonly [name: string]: unknown;
}

type ModuleFunction = (exports: object, require: NodeJS.Require, module: object, file: string, folder: string) => void;

/** The bundle is a function of a CommonJS module. hash: of its text; V8 compares only the length of the text. */
export function loadBundle(file: string, hash: string): Bundle {
  const require = createRequire(file);
  if (process.versions.bun !== undefined) return require(file) as Bundle;
  const folder = cacheFolder(file);
  const cacheFile = folder && join(folder, `${basename(file, ".cjs")}-${cachedDataVersionTag()}-${hash}.bin`);
  const kept = cacheFile === undefined ? undefined : contentOf(cacheFile);
  const script = new Script(readFileSync(file, "utf8"), {
    filename: file,
    ...(kept && { cachedData: kept.subarray(0, -1) }),
  });
  const module = { exports: {} };
  (script.runInThisContext() as ModuleFunction)(module.exports, require, module, file, dirname(file));
  const bundle = module.exports as Bundle;
  if (cacheFile === undefined) return bundle;
  let compiled = script.cachedDataRejected === true ? 0 : (kept?.at(-1) ?? 0);
  const startCluster: Start = async (...args) => {
    const cluster = await bundle.startCluster(...args);
    const form = formOf(args);
    if ((compiled & form) === 0) keep(script, cacheFile, compiled | form);
    compiled |= form;
    return cluster;
  };
  return { ...bundle, startCluster };
}

/**
 * The last byte of the file has a bit for each form of start whose code it contains. A cluster that listens needs more
 * code.
 */
function formOf([options]: readonly unknown[]): number {
  return (options as { readonly time?: string } | undefined)?.time === "real" ? 2 : 1;
}

/**
 * The folder that Node is configured to use for compiled code, or else one beside the packages that this one is
 * installed with.
 */
function cacheFolder(file: string): string | undefined {
  const { NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE } = process.env;
  if (NODE_DISABLE_COMPILE_CACHE) return undefined;
  if (NODE_COMPILE_CACHE) return join(NODE_COMPILE_CACHE, "steersman");
  const packages = `${sep}node_modules${sep}`;
  const at = file.lastIndexOf(packages);
  return at < 0 ? undefined : join(file.slice(0, at + packages.length), ".cache", "steersman");
}

function contentOf(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** Processes that start at the same time may write it at the same time: the file is renamed when it is complete. */
function keep(script: Script, file: string, forms: number): void {
  const folder = dirname(file);
  const draft = `${file}.${process.pid}`;
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(draft, Buffer.concat([script.createCachedData(), Buffer.of(forms)]));
    renameSync(draft, file);
    const sameRuntime = file.slice(0, file.lastIndexOf("-") + 1);
    for (const name of readdirSync(folder)) {
      const other = join(folder, name);
      // The cache of an earlier bundle.
      if (other !== file && other.startsWith(sameRuntime) && name.endsWith(".bin")) rmSync(other, { force: true });
    }
  } catch {
    // A folder that cannot be written to: the next process compiles again.
  }
}
