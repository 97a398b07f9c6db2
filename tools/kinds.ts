// Writes docs/kinds.md: for every built-in kind, whether the embedded API server has its own rules or
// serves it from its schema alone. `bun tools/kinds.ts` writes it; a test compares.

import { writeFileSync } from "node:fs";
import { builtinResources } from "#api/resource-table.ts";
import { builtinKind } from "#kinds/builtin-kinds.ts";
import { ownStrategy } from "#kinds/kind.ts";

export const kindsFile = "docs/kinds.md";

const intro = `# Kinds of the embedded API server

Every built-in kind is served with the generic rules (names, metadata, optimistic concurrency, apply, watches) and with
the defaults of upstream. Kinds marked *own rules* are also validated, prepared, printed and deleted as upstream does it;
the rest is checked against its schema only until its rules are written, so a write that the real server refuses may be
accepted there.

[writing-a-kind.md](writing-a-kind.md) tells how its rules are written. Made by \`bun tools/kinds.ts\`; do not edit.

| resource | group | rules |
|---|---|---|
`;

export function kindsPage(): string {
  const seen = new Map<string, { resource: string; group: string }>();
  for (const { resource, group } of builtinResources())
    seen.set(group === "" ? resource : `${resource}.${group}`, { resource, group });
  const rows = [...seen]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([key, { resource, group }]) =>
        `| ${resource} | ${group || "core"} | ${hasOwnRules(key) ? "own rules" : "schema only"} |`,
    );
  return `${intro}${rows.join("\n")}\n`;
}

function hasOwnRules(key: string): boolean {
  const kind = builtinKind(key);
  return kind !== undefined && ownStrategy(kind) !== undefined;
}

if (import.meta.main) writeFileSync(kindsFile, kindsPage());
