import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";

const directory = mkdtempSync(join(tmpdir(), "install-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

it("refuses packages without integrity in the lockfile", () => {
  const { platform, arch } = process;
  const packages = {
    "": {},
    "node_modules/here": { version: "1.0.0", optional: true, os: [platform], cpu: [arch] },
    "node_modules/elsewhere": { version: "1.0.0", optional: true, os: ["openvms"] },
  };
  writeFileSync(join(directory, "package-lock.json"), JSON.stringify({ packages }));
  const program = join(import.meta.dirname, "install.mjs");
  const { status, stderr, stdout } = spawnSync("node", [program], { cwd: directory, encoding: "utf8" });
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toContain("package-lock.json has no integrity for node_modules/here\n");
});
