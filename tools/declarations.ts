// The type declarations of the library, as `npm pack` publishes them: the compiler's output for the entry and all files
// that it refers to, with imports by layer ("#api/meta.ts") turned into relative ones.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, posix } from "node:path";

const specifier = /(\bfrom |\bimport\()"([#.][^"]+)\.ts"/g;

/** Source files are named relative to src: "testing/testing". `tsc -b` must have run. */
export function writeDeclarations(entry: string, folder: string): number {
  rmSync(folder, { recursive: true, force: true });
  const known = new Set([entry]);
  for (const file of known) {
    const [layer] = file.split("/");
    const text = readFileSync(`.tsout/${layer}/src/${file}.d.ts`, "utf8");
    const written = text.replaceAll(specifier, (_, before: string, name: string) => {
      const target = name.startsWith("#") ? name.slice(1) : posix.join(posix.dirname(file), name);
      known.add(target);
      // A file may have the name of a folder beside it.
      const path = `${posix.relative(posix.dirname(file), posix.dirname(target)) || "."}/${posix.basename(target)}`;
      return `${before}"${path.startsWith(".") ? path : `./${path}`}.js"`;
    });
    mkdirSync(dirname(`${folder}/${file}`), { recursive: true });
    writeFileSync(`${folder}/${file}.d.ts`, written);
  }
  return known.size;
}
