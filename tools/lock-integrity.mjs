// Fills in the integrity of lockfile entries that have none, from the registry that npm uses. npm leaves it out for
// optional packages that it could not reach when it wrote the lockfile: those for other systems.

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
const missing = Object.entries(lock.packages).filter(([path, entry]) => path !== "" && entry.integrity === undefined);
const notFound = [];
for (const [path, entry] of missing) {
  const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
  const { stdout } = spawnSync("npm", ["view", `${name}@${entry.version}`, "dist.integrity"], { encoding: "utf8" });
  const integrity = stdout.trim();
  if (/^sha512-[A-Za-z0-9+/]+=*$/.test(integrity)) {
    const { version, ...rest } = entry;
    lock.packages[path] = { version, integrity, ...rest };
  } else notFound.push(`${name}@${entry.version}`);
}
writeFileSync("package-lock.json", `${JSON.stringify(lock, undefined, 2)}\n`);
console.log(`lock-integrity: ${missing.length - notFound.length} found, ${notFound.length} not in this registry`);
for (const name of notFound) console.log(`  ${name}`);
process.exitCode = notFound.length > 0 ? 1 : 0;
