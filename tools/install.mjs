// Installs the packages of package-lock.json when they are not there. Plain JavaScript: it runs
// before anything is installed, on whatever Node the machine has.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

/** npm writes what it really installed to node_modules/.package-lock.json. */
function isInstalled() {
  const hidden = "node_modules/.package-lock.json";
  if (!existsSync(hidden)) return false;
  const wanted = JSON.parse(readFileSync("package-lock.json", "utf8")).packages;
  const found = JSON.parse(readFileSync(hidden, "utf8")).packages;
  return Object.entries(wanted).every(([path, { optional, version }]) => {
    if (path === "" || (optional === true && found[path] === undefined)) return true;
    return found[path]?.version === version;
  });
}

function run(command, args) {
  const { status } = spawnSync(command, args, { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

if (!isInstalled()) {
  console.log("install: npm ci");
  run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"]);
}
// npm may be set up not to run install scripts; Bun's puts the binary in its place.
if (spawnSync("node_modules/.bin/bun", ["--version"]).status !== 0) {
  console.log("install: bun");
  run(process.execPath, ["node_modules/bun/install.js"]);
}
