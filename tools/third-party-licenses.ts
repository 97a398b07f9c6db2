// The licenses of the code inside a program: each requires that its text is distributed with the code. A bundle
// contains packages; a compiled program also contains the runtime, whose package has no license file.

import { globSync, readFileSync } from "node:fs";

/** The names of the packages in the sources of a bundle. */
export function bundledPackages(sources: readonly string[]): ReadonlySet<string> {
  const names = sources.map((source) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1]);
  return new Set(names.filter((name) => name !== undefined));
}

export function licenseTexts(packages: readonly string[]): string {
  return packages.map(licenseText).join("\n");
}

/** The licenses of the runtime that this Bun compiles into programs. */
export function runtimeLicenseTexts(): string {
  const { version } = JSON.parse(readFileSync("node_modules/bun/package.json", "utf8")) as { version: string };
  const files = [`bun-${version}.txt`, "webkit.txt", "bun-libraries.txt", "LGPL-2.0.txt", "LGPL-2.1.txt"];
  return files.map((file) => `${readFileSync(`deploy/licenses/${file}`, "utf8").trimEnd()}\n`).join("\n\n");
}

function licenseText(name: string): string {
  const folder = `node_modules/${name}`;
  const { version, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8")) as Record<string, string>;
  const [file] = globSync(`${folder}/LICEN[CS]E*`);
  if (file === undefined) throw new Error(`${name} comes without its license`);
  return `${name} ${version}, ${license}\n\n${readFileSync(file, "utf8").trim()}\n`;
}
