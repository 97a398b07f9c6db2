// Changes that an update may make to a pod's scheduling fields.
// Upstream: pkg/apis/core/validation, validateOnlyAddedTolerations and neighbours

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import type { Errors, Path, StringMap } from "#kinds/parts/checks.ts";
import { internalForm, sortedMap } from "#kinds/parts/internal-form.ts";
import type { PodOptions } from "#kinds/pod-spec/pod-options.ts";
import { tolerations } from "#kinds/pod-spec/tolerations.ts";

export function onlyAddedTolerations(
  errors: Errors,
  list: readonly core.Toleration[],
  old: readonly core.Toleration[],
  path: Path,
  opts: PodOptions,
): void {
  const same = (a: core.Toleration, b: core.Toleration): boolean =>
    (["key", "operator", "value", "effect"] as const).every((part) => (a[part] ?? "") === (b[part] ?? ""));
  if (old.some((before) => !list.some((now) => same(before, now)))) {
    errors.push(field.forbidden(path, "existing toleration can not be modified except its tolerationSeconds"));
    return;
  }
  tolerations(errors, list, path, opts);
}

export function onlyDeletedGates(
  errors: Errors,
  gates: readonly core.PodSchedulingGate[],
  old: readonly core.PodSchedulingGate[],
  path: Path,
): void {
  const known = new Set(old.map((gate) => gate.name));
  gates.forEach(({ name }, i) => {
    // As upstream, the last of several gates with the same name is reported.
    if (known.has(name) || gates.slice(i + 1).some((other) => other.name === name)) return;
    const detail = `only deletion is allowed, but found new scheduling gate '${name}'`;
    errors.push(field.forbidden(path.index(i).child("name"), detail));
  });
}

export function nodeSelectorMutation(errors: Errors, selector: StringMap, old: StringMap, path: Path): void {
  if (Object.entries(old).every(([key, value]) => Object.hasOwn(selector, key) && selector[key] === value)) return;
  const detail = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
  errors.push(field.invalid(path, Object.keys(selector).length === 0 ? null : sortedMap(selector), detail));
}

export function nodeAffinityMutation(
  errors: Errors,
  affinity: core.NodeAffinity | undefined,
  old: core.NodeAffinity | undefined,
  affinityPath: Path,
): void {
  const required = "requiredDuringSchedulingIgnoredDuringExecution";
  if (!old?.[required]) return;
  const path = affinityPath.child(required, "nodeSelectorTerms");
  const oldTerms = old[required].nodeSelectorTerms ?? [];
  const terms = affinity?.[required]?.nodeSelectorTerms;
  if (oldTerms.length > 0 && oldTerms.length !== (terms ?? []).length) {
    const value = terms?.map((term) => internalForm("NodeSelectorTerm", term)) ?? null;
    errors.push(field.invalid(path, value, "no additions/deletions to non-empty NodeSelectorTerms list are allowed"));
    return;
  }
  oldTerms.forEach((oldTerm, i) => {
    const term = terms?.[i] ?? {};
    if (hasOnlyAdditions(term, oldTerm)) return;
    const detail = "only additions are allowed (no mutations or deletions)";
    errors.push(field.invalid(path.index(i), internalForm("NodeSelectorTerm", term), detail));
  });
}

function hasOnlyAdditions(term: core.NodeSelectorTerm, old: core.NodeSelectorTerm): boolean {
  const { matchExpressions: expressions = [], matchFields: fields = [] } = term;
  const { matchExpressions: oldExpressions = [], matchFields: oldFields = [] } = old;
  if (oldExpressions.length === 0 && oldFields.length === 0) return expressions.length === 0 && fields.length === 0;
  const startsWith = (now: readonly unknown[], before: readonly unknown[]): boolean =>
    semanticEqual(now.slice(0, before.length), before);
  return startsWith(expressions, oldExpressions) && startsWith(fields, oldFields);
}
