// Files that hold secrets: for their owner alone, whatever was there before.

import { chmodSync, closeSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeSync } from "node:fs";

const PRIVATE = 0o600;
const OTHERS = 0o077;

/** Puts a new file in place of what is there, as a whole: readers see the old content or the new. */
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

/** Takes a file that is there away from everybody else; one that is not there stays so. */
export function makePrivate(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && (found.mode & OTHERS) !== 0) chmodSync(path, PRIVATE);
}
