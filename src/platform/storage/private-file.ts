// Files with secrets: only the owner may access them.

import { chmodSync, closeSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeSync } from "node:fs";

const PRIVATE = 0o600;
const OTHERS = 0o077;

/** Replaces a file atomically: readers see the old content or the new. */
export function writePrivateFile(path: string, content: string): void {
  const draft = `${path}.new`;
  rmSync(draft, { force: true });
  const file = openSync(draft, "wx", PRIVATE);
  try {
    writeSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
}

/** Removes access for others from an existing file. Does nothing without a file. */
export function makePrivate(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && (found.mode & OTHERS) !== 0) chmodSync(path, PRIVATE);
}
