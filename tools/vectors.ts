// `bun tools/vectors.ts <name>…`: rewrites only the vectors of tools/go/vectors-<name>. Needs Go.

import { generateVectors, vectorNames } from "#tools/generate/vectors.ts";

const names = process.argv.slice(2);
const unknown = names.filter((name) => !vectorNames().includes(name));
if (names.length === 0 || unknown.length > 0) {
  throw new Error(`usage: bun tools/vectors.ts <name>…; there are ${vectorNames().join(", ")}`);
}
for (const name of names) generateVectors(name);
