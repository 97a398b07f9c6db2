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
  return Object.entries(wanted).every(([path, { optional, os, cpu, version }]) => {
    const isDispensable = optional === true || !isFor(os, process.platform) || !isFor(cpu, process.arch);
    if (path === "" || (isDispensable && found[path] === undefined)) return true;
    return found[path]?.version === version;
  });
}

/** The lockfile names one system or several. */
function isFor(systems, own) {
  return systems === undefined || [systems].flat().includes(own);
}

/** What npm would install here without knowing what it should be. */
function unverified() {
  const { header } = process.platform === "linux" ? process.report.getReport() : {};
  const libc = header?.glibcVersionRuntime === undefined ? "musl" : "glibc";
  return Object.entries(JSON.parse(readFileSync("package-lock.json", "utf8")).packages)
    .filter(([path, { integrity, os, cpu, libc: libcs }]) => {
      const isHere = isFor(os, process.platform) && isFor(cpu, process.arch);
      return path !== "" && integrity === undefined && isHere && (header === undefined || isFor(libcs, libc));
    })
    .map(([path]) => path);
}

function run(command, args) {
  const { status } = spawnSync(command, args, { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

if (!isInstalled()) {
  const unknown = unverified();
  if (unknown.length > 0) {
    console.error(`install: package-lock.json has no integrity for ${unknown.join(", ")}`);
    console.error("install: node tools/lock-integrity.mjs looks it up; commit what it finds");
    process.exit(1);
  }
  console.log("install: npm ci");
  // The Node that runs the tests is for Linux x64 only; elsewhere npm would refuse to install anything at all. It
  // is no optional dependency, because those are installed by everybody who installs this package.
  const force = process.platform === "linux" && process.arch === "x64" ? [] : ["--force"];
  run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error", ...force]);
}
// npm may be set up not to run install scripts; Bun's puts the binary in its place.
if (spawnSync("node_modules/.bin/bun", ["--version"]).status !== 0) {
  console.log("install: bun");
  run(process.execPath, ["node_modules/bun/install.js"]);
}
