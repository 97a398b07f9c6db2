import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { loadBundle } from "./compiled-bundle.ts";

const TEXT = `// @bun @bun-cjs
(function (exports, require, module, __filename, __dirname) {
const { sep } = require("node:path");
exports.sep = sep;
exports.startCluster = async (options) => ({ options, file: __filename });
})`;

let root = "";
let file = "";

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "bundle-"));
  mkdirSync(join(root, "node_modules/steersman/dist"), { recursive: true });
  file = join(root, "node_modules/steersman/dist/testing.cjs");
  writeFileSync(file, TEXT);
});
afterEach(() => rmSync(root, { recursive: true }));

const cached = (): readonly string[] => {
  try {
    return readdirSync(join(root, "node_modules/.cache/steersman"));
  } catch {
    return [];
  }
};
const perRuntime = process.versions.bun === undefined ? 1 : 0;

it("loads a bundle, and on Node keeps its compiled code after the first start", async () => {
  for (const count of [0, perRuntime]) {
    expect(cached()).toHaveLength(count);
    const { startCluster, sep } = loadBundle(file, "a");
    expect(sep).toBe("/");
    expect(await startCluster({ nodes: 2 })).toEqual({ options: { nodes: 2 }, file });
    expect(cached()).toHaveLength(perRuntime);
  }
});

it("keeps the code of both forms of start", async () => {
  for (const [time, forms] of [
    ["virtual", 1],
    ["real", 3],
    ["virtual", 3],
  ] as const) {
    await loadBundle(file, "a").startCluster({ time });
    for (const name of cached())
      expect(readFileSync(join(root, "node_modules/.cache/steersman", name)).at(-1)).toBe(forms);
  }
});

it("keeps nothing outside of node_modules", async () => {
  const outside = join(root, "testing.cjs");
  writeFileSync(outside, TEXT);
  expect(await loadBundle(outside, "a").startCluster()).toMatchObject({ file: outside });
  expect(readdirSync(root).sort()).toEqual(["node_modules", "testing.cjs"]);
});

it("replaces the compiled code of another bundle, and of a damaged file", async () => {
  await loadBundle(file, "a").startCluster();
  await loadBundle(file, "b").startCluster();
  expect(cached().map((name) => name.replace(/^testing-\d+-/, ""))).toEqual(perRuntime === 1 ? ["b.bin"] : []);
  for (const name of cached()) {
    const path = join(root, "node_modules/.cache/steersman", name.replace("-b.bin", "-c.bin"));
    writeFileSync(path, "damaged");
    // V8 caches texts that it has compiled in this process.
    writeFileSync(file, `${TEXT}\n// changed`);
    expect(await loadBundle(file, "c").startCluster()).toMatchObject({ file });
    expect(readFileSync(path, "latin1")).not.toBe("damaged");
  }
});
