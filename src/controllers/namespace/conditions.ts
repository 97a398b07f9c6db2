// The five conditions of a namespace that is being deleted. All are always present; each reports that a step of the
// deletion succeeded, or what blocks it.
// Upstream: pkg/controller/namespace/deletion/status_condition_utils.go.

import type { NamespaceCondition } from "#api/generated/types/core-v1.ts";
import { formatTime } from "#api/time.ts";
import { errorMessage } from "#base/errors.ts";
import { GroupDiscoveryFailed } from "#client/discovery.ts";
import { findCondition } from "#kit/conditions.ts";
import { compareText } from "#kit/order.ts";

export interface Findings {
  readonly discoveryError?: unknown;
  readonly parsingError?: unknown;
  readonly deletionErrors: readonly unknown[];
  readonly remaining: readonly {
    readonly resource: { readonly group: string; readonly resource: string };
    readonly count: number;
    readonly finalizers: ReadonlyMap<string, number>;
  }[];
}

/** Reason and message of a condition. */
interface Text {
  readonly reason: string;
  readonly message: string;
}

interface Step {
  readonly type: string;
  readonly fine: Text;
  /** Undefined: nothing blocks this step. */
  problem(findings: Findings): Text | undefined;
}

const steps: readonly Step[] = [
  {
    type: "NamespaceDeletionDiscoveryFailure",
    fine: { reason: "ResourcesDiscovered", message: "All resources successfully discovered" },
    problem: ({ discoveryError: error }) =>
      error === undefined ? undefined : { reason: "DiscoveryFailed", message: discoveryMessage(error) },
  },
  {
    type: "NamespaceDeletionGroupVersionParsingFailure",
    fine: { reason: "ParsedGroupVersions", message: "All legacy kube types successfully parsed" },
    problem: ({ parsingError: error }) =>
      error === undefined ? undefined : { reason: "GroupVersionParsingFailed", message: errorMessage(error) },
  },
  {
    type: "NamespaceDeletionContentFailure",
    fine: {
      reason: "ContentDeleted",
      message: "All content successfully deleted, may be waiting on finalization",
    },
    problem: ({ deletionErrors: errors }) =>
      listed(
        "ContentDeletionFailed",
        `Failed to delete all resource types, ${errors.length} remaining`,
        errors.map(errorMessage),
      ),
  },
  {
    type: "NamespaceContentRemaining",
    fine: { reason: "ContentRemoved", message: "All content successfully removed" },
    problem: ({ remaining }) =>
      listed(
        "SomeResourcesRemain",
        "Some resources are remaining",
        remaining
          .filter(({ count }) => count > 0)
          .map(({ resource: { resource, group }, count }) => `${resource}.${group} has ${count} resource instances`),
      ),
  },
  {
    type: "NamespaceFinalizersRemaining",
    fine: { reason: "ContentHasNoFinalizers", message: "All content-preserving finalizers finished" },
    problem: ({ remaining }) =>
      listed(
        "SomeFinalizersRemain",
        "Some content in the namespace has finalizers remaining",
        [...finalizerTotals(remaining)].map(([finalizer, count]) => `${finalizer} in ${count} resource instances`),
      ),
  },
];

/**
 * Returns the same array if nothing changes. A condition keeps its position, and its time unless its status changes.
 */
export function withDeletionConditions(
  before: readonly NamespaceCondition[],
  findings: Findings,
  nowMs: number,
): readonly NamespaceCondition[] {
  const lastTransitionTime = formatTime(nowMs);
  let conditions = before;
  for (const { type, fine, problem } of steps) {
    const found = problem(findings);
    const wanted = { type, status: found === undefined ? "False" : "True", ...(found ?? fine) };
    const known = findCondition(conditions, type);
    if (known === undefined) {
      conditions = [...conditions, { ...wanted, lastTransitionTime }];
      continue;
    }
    const { status, reason, message } = known;
    if (status === wanted.status && reason === wanted.reason && message === wanted.message) continue;
    const changed = { ...known, ...wanted, ...(status === wanted.status ? {} : { lastTransitionTime }) };
    conditions = conditions.map((condition) => (condition === known ? changed : condition));
  }
  return conditions;
}

function discoveryMessage(error: unknown): string {
  const text = errorMessage(error);
  if (!(error instanceof GroupDiscoveryFailed)) return text;
  return `Discovery failed for some groups, ${error.groups.size} failing: ${text}`;
}

function finalizerTotals(remaining: Findings["remaining"]): ReadonlyMap<string, number> {
  const totals = new Map<string, number>();
  for (const [finalizer, count] of remaining.flatMap(({ finalizers }) => [...finalizers])) {
    totals.set(finalizer, (totals.get(finalizer) ?? 0) + count);
  }
  return totals;
}

/** Sorted, so that the order of the failures does not change the condition. */
function listed(reason: string, title: string, items: readonly string[]): Text | undefined {
  if (items.length === 0) return undefined;
  return { reason, message: `${title}: ${items.toSorted(compareText).join(", ")}` };
}
