// Applies the tidy rules to every file that git knows or would add.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { steersmanVersion } from "#cmd/version.ts";
import { missingHeadings, undeclaredNames, unpinned, untidiness, unverified } from "./tidy-rules.ts";

const listed = spawnSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" });
if (listed.status !== 0) throw new Error(`git ls-files: ${listed.stderr}`);
const paths = listed.stdout.split("\n").filter((path) => existsSync(path) && statSync(path).isFile());
const packageJson = JSON.parse(readFileSync("package.json", "utf8")) as Record<string, unknown>;

/** Links of a document to files that do not exist. */
function brokenLinks(path: string, text: string): string[] {
  const targets = [...text.matchAll(/\]\(([^)#:\s]+)\)/g)].map(([, target = ""]) => target);
  return targets
    .filter((target) => !existsSync(join(dirname(path), target)))
    .map((target) => `${path}: links to ${target}, which does not exist`);
}

/** Examples that differ from their file. "```ts <file>" starts an example. */
function staleExamples(path: string, text: string): string[] {
  return [...text.matchAll(/^```ts (\S+)\n(.*?)^```$/gms)]
    .filter(([, file = "", example = ""]) => !existsSync(file) || !readFileSync(file, "utf8").includes(example))
    .map(([, file]) => `${path}: has an example that is not in ${file}`);
}

const textAt = (path: string): string | undefined => (existsSync(path) ? readFileSync(path, "utf8") : undefined);

const documents = paths
  .filter((path) => path.endsWith(".md"))
  .map((path) => [path, readFileSync(path, "utf8")] as const);
const complaints = [
  ...documents.flatMap(([path, text]) => {
    const read = (target: string): string | undefined => textAt(join(dirname(path), target));
    return [
      ...brokenLinks(path, text),
      ...staleExamples(path, text),
      ...missingHeadings(path, text, read),
      ...undeclaredNames(path, text, read),
    ];
  }),
  ...paths.flatMap((path) => untidiness(path, readFileSync(path, "utf8"))),
  ...unpinned(packageJson),
  ...unverified(JSON.parse(readFileSync("package-lock.json", "utf8")).packages),
  ...(packageJson.version === steersmanVersion ? [] : ["src/cmd/version.ts: is not the version in package.json"]),
];
for (const complaint of complaints) process.stdout.write(`${complaint}\n`);
process.exitCode = complaints.length > 0 ? 1 : 0;
