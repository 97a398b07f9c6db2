// Writes docs/kinds.md: every built-in kind with its versions, and whether its objects are stored. A test checks that
// the file is current.
//   bun tools/kinds.ts

import { writeFileSync } from "node:fs";
import { type BuiltinResource, builtinResources } from "#api/resource-table.ts";
import { groupResourceText } from "#api/status-error.ts";
import { builtinKind } from "#kinds/builtin-kinds.ts";
import { neverStored } from "#kinds/strategy.ts";

export const kindsFile = "docs/kinds.md";

const intro = `# Kinds of the embedded API server

Every built-in kind is defaulted, validated, prepared, printed and deleted as upstream does it. Versions in
parentheses are served where \`--runtime-config\` or a feature gate asks for them.

[writing-a-kind.md](writing-a-kind.md) tells how its rules are written. Made by \`bun tools/kinds.ts\`; do not edit.

| resource | group | versions | subresources | objects |
|---|---|---|---|---|
`;

export function kindsPage(): string {
  const versionsOf = Map.groupBy(builtinResources(), groupResourceText);
  const rows = [...versionsOf].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, versions]) => rowOf(key, versions));
  return `${intro}${rows.join("\n")}\n`;
}

function rowOf(key: string, versions: readonly BuiltinResource[]): string {
  const [{ resource, group }] = versions as [BuiltinResource];
  const shown = versions.map(({ version, servedByDefault }) => (servedByDefault ? version : `(${version})`)).join(", ");
  const subresources = [...new Set(versions.flatMap((each) => each.subresources.map(({ name }) => name)))].sort();
  const isStored = builtinKind(key)?.strategy !== neverStored;
  const objects = isStored ? "stored" : "answered, never stored";
  return `| ${[resource, group || "core", shown, subresources.join(", ") || "–", objects].join(" | ")} |`;
}

if (import.meta.main) writeFileSync(kindsFile, kindsPage());
