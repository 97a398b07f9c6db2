// The kinds that a policy's rules name. Wildcards are ignored, so that expressions are checked only for definite kinds.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/policy/validating/typechecking.go, typesToCheck.

import type { ValidatingAdmissionPolicySpec } from "#api/generated/types/admissionregistration-v1.ts";
import type { GroupVersionKind } from "#api/object.ts";
import { compareText } from "#kit/order.ts";

const KINDS_PER_RULE_MAX = 10;

export interface NamedResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** Sorted by group, version and kind. `kindsOf` returns the kinds of a resource, none if it is not served. */
export async function matchedKinds(
  { matchConstraints }: ValidatingAdmissionPolicySpec,
  kindsOf: (resource: NamedResource) => Promise<readonly GroupVersionKind[]>,
): Promise<readonly GroupVersionKind[]> {
  const found = new Map<string, GroupVersionKind>();
  const sorted = (): readonly GroupVersionKind[] => [...found.values()].toSorted(byName);
  for (const rule of matchConstraints?.resourceRules ?? []) {
    let count = 0;
    for (const resource of namedResources(rule)) {
      for (const kind of await kindsOf(resource)) {
        found.set(`${kind.group}/${kind.version} ${kind.kind}`, kind);
        // As upstream, a rule with this many kinds hides the rules after it.
        if (++count === KINDS_PER_RULE_MAX) return sorted();
      }
    }
  }
  return sorted();
}

interface Rule {
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
}

export function namedResources({ apiGroups = [], apiVersions = [], resources = [] }: Rule): readonly NamedResource[] {
  const isOpen = (names: readonly string[]): boolean => names.some((name) => name.includes("*"));
  if (isOpen(apiGroups) || isOpen(apiVersions)) return [];
  const certain = resources.filter((name) => !/[*/]/.test(name)).toSorted(compareText);
  return apiGroups
    .toSorted(compareText)
    .flatMap((group) =>
      apiVersions.toSorted(compareText).flatMap((version) => certain.map((resource) => ({ group, version, resource }))),
    );
}

function byName(a: GroupVersionKind, b: GroupVersionKind): number {
  return compareText(a.group, b.group) || compareText(a.version, b.version) || compareText(a.kind, b.kind);
}
