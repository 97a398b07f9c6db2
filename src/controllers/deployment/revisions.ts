// The annotations in which Deployments and their ReplicaSets store revisions and sizes.
// Upstream: pkg/controller/deployment/util/deployment_util.go, SetNewReplicaSetAnnotations and its neighbours.

import { parseInt64 } from "#api/go-text.ts";
import type { StoredObject } from "#api/resource.ts";
import { olderFirst } from "#kit/order.ts";
import type { Deployment, ReplicaSet } from "./model.ts";

export const REVISION = "deployment.kubernetes.io/revision";
const REVISION_HISTORY = "deployment.kubernetes.io/revision-history";
const DESIRED_REPLICAS = "deployment.kubernetes.io/desired-replicas";
export const MAX_REPLICAS = "deployment.kubernetes.io/max-replicas";
const ROLLBACK_TO = "deprecated.deployment.rollback.to";

/** Managed by the controller, so never copied between a Deployment and its ReplicaSets. */
const OWN: ReadonlySet<string> = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
  ROLLBACK_TO,
]);

const HISTORY_CHARACTERS_MAX = 2000;
const INT32_MAX = 2 ** 31 - 1;

type Annotations = Readonly<Record<string, string>>;

/** 0 without the annotation, undefined when it is not an integer. */
export function revisionOf({ metadata }: StoredObject): number | undefined {
  const text = metadata.annotations?.[REVISION];
  return text === undefined ? 0 : integer(text);
}

export function maxRevision(sets: readonly ReplicaSet[]): number {
  return Math.max(0, ...sets.map((set) => revisionOf(set) ?? 0));
}

/** The revision before the newest one; 0 when there is none. */
export function lastRevision(sets: readonly ReplicaSet[]): number {
  let [newest, second] = [0, 0];
  for (const set of sets) {
    const revision = revisionOf(set);
    if (revision === undefined) continue;
    if (revision >= newest) [newest, second] = [revision, newest];
    else if (revision > second) second = revision;
  }
  return second;
}

export function byRevision(a: ReplicaSet, b: ReplicaSet): number {
  const [left, right] = [revisionOf(a), revisionOf(b)];
  return left === undefined || right === undefined || left === right ? olderFirst(a, b) : left - right;
}

/** The sizes that the Deployment had when the ReplicaSet was last scaled. */
export function replicasAnnotations(desired: number, max: number): Annotations {
  return { [DESIRED_REPLICAS]: String(desired), [MAX_REPLICAS]: String(max) };
}

export function hasReplicasAnnotations({ metadata }: ReplicaSet, desired: number, max: number): boolean {
  return Object.entries(replicasAnnotations(desired, max)).every(
    ([key, value]) => metadata.annotations?.[key] === value,
  );
}

/** Undefined without the annotation, and when it is not an integer between 0 and 2^31-1. */
export function annotatedReplicas({ metadata }: ReplicaSet, key: string = DESIRED_REPLICAS): number | undefined {
  const text = metadata.annotations?.[key] ?? "";
  return /^[0-9]+$/.test(text) && Number(text) <= INT32_MAX ? Number(text) : undefined;
}

export interface NewAnnotations {
  readonly annotations: Annotations;
  readonly isChanged: boolean;
}

/** The annotations of the new ReplicaSet: those of its Deployment, its revision, and its earlier revisions. */
export function newSetAnnotations(given: Annotations, deployment: Deployment, newRevision: number): NewAnnotations {
  const annotations: Record<string, string> = { ...given };
  let isChanged = false;
  for (const [key, value] of Object.entries(deployment.metadata.annotations ?? {})) {
    if (OWN.has(key) || annotations[key] === value) continue;
    annotations[key] = value;
    isChanged = true;
  }
  const oldText = annotations[REVISION];
  const old = oldText === undefined || oldText === "" ? 0 : integer(oldText);
  if (old === undefined) return { annotations, isChanged: false }; // the user set this value: leave it alone
  if (old >= newRevision) return { annotations, isChanged };
  annotations[REVISION] = String(newRevision);
  const history = oldText === undefined ? undefined : extendedHistory(annotations[REVISION_HISTORY] ?? "", oldText);
  if (history !== undefined) annotations[REVISION_HISTORY] = history;
  return { annotations, isChanged: true };
}

/** Drops the oldest revisions until the list fits; undefined when even the new one alone does not. */
function extendedHistory(history: string, revision: string): string | undefined {
  const known = history.split(",");
  if (known[0] === "") return revision;
  let length = history.length + revision.length + 1;
  let start = 0;
  for (; length > HISTORY_CHARACTERS_MAX && start < known.length; start++) length -= (known[start] ?? "").length + 1;
  return length <= HISTORY_CHARACTERS_MAX ? [...known.slice(start), revision].join(",") : undefined;
}

/** The revision to roll back to, 0 for the previous one; undefined without a request. */
export function rollbackRevision({ metadata }: Deployment): number | undefined {
  const text = metadata.annotations?.[ROLLBACK_TO] ?? "";
  return text === "" ? undefined : integer(text);
}

export function withoutRollback(annotations: Annotations): Annotations {
  const { [ROLLBACK_TO]: _, ...rest } = annotations;
  return rest;
}

/** The Deployment's own annotations, and the users' annotations from when the ReplicaSet was created. */
export function rolledBackAnnotations(deployment: Deployment, set: ReplicaSet): Annotations {
  const entries = (object: StoredObject, isWanted: (key: string) => boolean): [string, string][] =>
    Object.entries(object.metadata.annotations ?? {}).filter(([key]) => isWanted(key));
  return Object.fromEntries([...entries(deployment, (key) => OWN.has(key)), ...entries(set, (key) => !OWN.has(key))]);
}

function integer(text: string): number | undefined {
  const parsed = parseInt64(text);
  return "value" in parsed ? Number(parsed.value) : undefined;
}
