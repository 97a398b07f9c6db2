// Emits src/rules/generated/internal-layout.ts: how upstream's internal types print, which messages
// of validation embed. src/rules/validation/internal-form.ts reads it.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { vectorsDir } from "#tools/generate/emit.ts";
import { runGoTool } from "#tools/generate/upstream.ts";

export function generateInternalLayout(): void {
  const file = join(vectorsDir("rules"), "..", "generated", "internal-layout.ts");
  writeFileSync(file, runGoTool("internal-layout"));
}
