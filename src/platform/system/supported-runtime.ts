// Programs import this first, so that an older Node reports its version and not the first missing feature.

import { exit, stderr, versions } from "node:process";

const MIN_MAJOR = 22;
const MIN_MINOR = 13;

const [major = 0, minor = 0] = versions.node.split(".").map(Number);
if (major < MIN_MAJOR || (major === MIN_MAJOR && minor < MIN_MINOR)) {
  stderr.write(`This program needs Node ${MIN_MAJOR}.${MIN_MINOR} or newer, or Bun; this is Node ${versions.node}.\n`);
  exit(1);
}
