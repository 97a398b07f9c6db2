// Rules for every status that a controller writes to an owner of pods, however old its caches were. The statuses
// between the first and the last of a phase are chance, so these rules are checked instead of comparing them. Go's
// statuses are checked too, so a rule that Go breaks shows as a difference.

import type { AuditEvent } from "#test/real/audit-log.ts";
import type { Item } from "./items.ts";

interface Written {
  readonly metadata?: { readonly uid?: string; readonly generation?: number };
  readonly status?: Readonly<Partial<Record<string, unknown>>>;
}

export function isStatusWrite({ objectRef, responseStatus }: AuditEvent): boolean {
  return objectRef?.subresource === "status" && responseStatus?.code === 200;
}

/** The broken rules, each with the object that broke it. */
export function brokenRules(writes: readonly AuditEvent[]): readonly Item[] {
  const observed = new Map<string, number>();
  return writes.filter(isStatusWrite).flatMap(({ objectRef, requestObject }) => {
    // A patch does not contain the generation.
    const { metadata: { uid = "", generation = Number.POSITIVE_INFINITY } = {}, status = {} } = (requestObject ??
      {}) as Written;
    const count = (name: string): number => Number(status[name] ?? 0);
    const before = observed.get(uid) ?? 0;
    observed.set(uid, count("observedGeneration"));
    const rules: Readonly<Record<string, boolean>> = {
      "no count is negative": Object.values(status).every((value) => typeof value !== "number" || value >= 0),
      "a pod that is fully labelled is a replica": count("fullyLabeledReplicas") <= count("replicas"),
      "a ready pod is a replica": count("readyReplicas") <= count("replicas"),
      "an available pod is ready": count("availableReplicas") <= count("readyReplicas"),
      "no generation is observed before it is there": count("observedGeneration") <= generation,
      "the observed generation never goes back": before <= count("observedGeneration"),
    };
    return Object.entries(rules)
      .filter(([, isKept]) => !isKept)
      .map(([rule]) => ({ label: `${objectRef?.resource} ${objectRef?.name}`, value: { rule, generation, status } }));
  });
}
