import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { makePrivate, writePrivateFile } from "./private-file.ts";

const directory = mkdtempSync(join(tmpdir(), "private-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

it("a file that others can read is replaced by a private one", () => {
  const path = join(directory, "kubeconfig");
  for (const leftover of [path, `${path}.new`]) {
    writeFileSync(leftover, "old");
    chmodSync(leftover, 0o666);
  }
  writePrivateFile(path, "new");
  expect([readFileSync(path, "utf8"), modeOf(path)]).toEqual(["new", "600"]);
});

it("the target of a symlink is not changed", () => {
  const [target, path] = [join(directory, "target"), join(directory, "link")];
  writeFileSync(target, "foreign");
  symlinkSync(target, path);
  symlinkSync(target, `${path}.new`);
  writePrivateFile(path, "new");
  expect([readFileSync(target, "utf8"), readFileSync(path, "utf8")]).toEqual(["foreign", "new"]);
});

it("permissions are removed, and a missing file is not created", () => {
  const path = join(directory, "store.db");
  writeFileSync(path, "");
  chmodSync(path, 0o666);
  makePrivate(path);
  makePrivate(join(directory, "missing"));
  expect(modeOf(path)).toBe("600");
});
