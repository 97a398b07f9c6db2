// Conflicts: fields that an applier wants to change and other managers own, as a 409.
// Upstream: k8s.io/apimachinery pkg/util/managedfields/internal/conflict.go

import { goQuote } from "#api/go-text.ts";
import { type ApiError, newApplyConflict } from "#api/status-error.ts";
import type { FieldSet } from "./field-set.ts";
import { pathsOf } from "./field-set.ts";
import type { Owner } from "./owners.ts";
import { pathText } from "./path-element.ts";

export interface Conflict {
  readonly owner: Owner;
  readonly path: readonly string[];
}

/** Thrown inside apply; it becomes the answer unless the last-applied annotation resolves it. */
export class Conflicts extends Error {
  override readonly name = "Conflicts";
  readonly list: readonly Conflict[];
  constructor(list: readonly Conflict[]) {
    super(conflictMessage(list));
    this.list = list;
  }
}

export function conflictsOf(sets: ReadonlyMap<Owner, FieldSet>): Conflicts {
  const owners = [...sets.keys()].sort((a, b) => (a.id < b.id ? -1 : 1));
  return new Conflicts(
    owners.flatMap((owner) => pathsOf(sets.get(owner) as FieldSet).map((path) => ({ owner, path }))),
  );
}

export function conflictError(conflicts: Conflicts): ApiError {
  const causes = conflicts.list.map(({ owner, path }) => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${ownerText(owner)}`,
    field: pathText(path),
  }));
  return newApplyConflict(causes, conflicts.message);
}

function conflictMessage(list: readonly Conflict[]): string {
  const [only] = list;
  if (list.length === 1 && only !== undefined) {
    return `Apply failed with 1 conflict: conflict with ${ownerText(only.owner)}: ${pathText(only.path)}`;
  }
  const lines: string[] = [];
  let last: Owner | undefined;
  for (const { owner, path } of list) {
    if (owner !== last) lines.push(`conflicts with ${ownerText(owner)}:`);
    lines.push(`- ${pathText(path)}`);
    last = owner;
  }
  return `Apply failed with ${list.length} conflicts: ${lines.join("\n")}`;
}

function ownerText(owner: Owner): string {
  const endpoint = owner.subresource === "" ? "" : ` with subresource ${goQuote(owner.subresource)}`;
  return `${goQuote(owner.manager)}${endpoint}${owner.applied ? "" : ` using ${owner.apiVersion}`}`;
}
