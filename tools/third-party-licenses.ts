// The licenses of the packages inside a bundle: each asks for its text to go where its code goes.

import { globSync, readFileSync } from "node:fs";

/** The names of the packages that the sources of a bundle come from. */
export function bundledPackages(sources: readonly string[]): ReadonlySet<string> {
  const names = sources.map((source) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1]);
  return new Set(names.filter((name) => name !== undefined));
}

export function licenseTexts(packages: readonly string[]): string {
  return packages.map(licenseText).join("\n");
}

function licenseText(name: string): string {
  const folder = `node_modules/${name}`;
  const { version, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8")) as Record<string, string>;
  const [file] = globSync(`${folder}/LICEN[CS]E*`);
  if (file === undefined) throw new Error(`${name} comes without its license`);
  return `${name} ${version}, ${license}\n\n${readFileSync(file, "utf8").trim()}\n`;
}
