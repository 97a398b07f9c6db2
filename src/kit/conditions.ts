// Conditions of a status, by type.
// Upstream: pkg/controller/replicaset/replica_set_utils.go, GetCondition, SetCondition, RemoveCondition; the same in
// deployment and others.

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
}

export function findCondition<C extends Condition>(conditions: readonly C[], type: string): C | undefined {
  return conditions.find((condition) => condition.type === type);
}

/** The conditions with this one as the last. If one with the same status and reason exists, nothing changes. */
export function withCondition<C extends Condition>(conditions: readonly C[], condition: C): readonly C[] {
  const known = findCondition(conditions, condition.type);
  if (known?.status === condition.status && known.reason === condition.reason) return conditions;
  return [...withoutCondition(conditions, condition.type), condition];
}

export function withoutCondition<C extends Condition>(conditions: readonly C[], type: string): readonly C[] {
  return conditions.filter((condition) => condition.type !== type);
}
