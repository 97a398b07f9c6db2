// Emits src/kinds/generated/internal-layout.ts: how Go prints upstream's internal types, which validation messages
// contain. src/kinds/parts/internal-form.ts reads it.

import { writeFileSync } from "node:fs";
import { runGoTool } from "#tools/generate/upstream.ts";

const FILE = "src/kinds/generated/internal-layout.ts";

export function generateInternalLayout(): void {
  writeFileSync(FILE, runGoTool("internal-layout"));
}
