// The revisions of a StatefulSet: that of its template, that of its current pods, and the surplus ones.
// Upstream: pkg/controller/statefulset/stateful_set_control.go, getStatefulSetRevisions, truncateHistory.

import { StatefulSets } from "#api/generated/resources/apps-v1.ts";
import type { PodTemplateSpec } from "#api/generated/types/core-v1.ts";
import { goStruct } from "#api/go-layout.ts";
import { goSortedJson } from "#api/go-text.ts";
import { revisionData } from "#api/hash.ts";
import { parseExactJson } from "#api/json.ts";
import type { Selector } from "#api/label-selector.ts";
import { getControllerOf } from "#api/owner-refs.ts";
import type { JsonObject } from "#api/patch/json-value.ts";
import { applyStrategicMergePatch } from "#api/patch/strategic-merge.ts";
import { schemaOf } from "#api/schema-table.ts";
import { ApiError } from "#api/status-error.ts";
import { decodeTyped, TypedDecodingError } from "#api/typed-decoding.ts";
import { assert } from "#base/assert.ts";
import { errorMessage } from "#base/errors.ts";
import { stringifyJson } from "#base/json.ts";
import { template as templateDefaults } from "#kinds/pod-spec/template-defaults.ts";
import { requireLivingOwner } from "#kit/claim.ts";
import {
  findSameRevisions,
  isSameRevision,
  newRevision,
  type RevisionDraft,
  type StoredRevision,
  sortedRevisions,
} from "#kit/history.ts";
import { type Deps, revisionOf, type StatefulPod, type StatefulSet } from "./model.ts";

const HISTORY_LIMIT = 10;

export interface Revisions {
  /** The revision of the pods that are not updated yet. */
  readonly current: StoredRevision;
  /** The revision of the template. */
  readonly update: StoredRevision;
  readonly collisionCount: number;
}

export async function adoptRevisions(
  set: StatefulSet,
  selector: Selector,
  deps: Deps,
  signal: AbortSignal,
): Promise<void> {
  const revisions = deps.history.list(set, StatefulSets, selector);
  const orphans = revisions.filter((revision) => getControllerOf(revision) === undefined);
  if (orphans.length === 0) return;
  const { namespace, name } = set.metadata;
  try {
    const readOwnerLive = () => deps.setsApi.get({ namespace, name }, signal);
    await requireLivingOwner({ owner: set, ownerResource: StatefulSets, readOwnerLive });
  } catch (error) {
    throw new Error(`can't adopt ControllerRevisions: ${errorMessage(error)}`, { cause: error });
  }
  for (const orphan of orphans) await deps.history.adopt(set, StatefulSets, orphan, signal);
}

/** Oldest first. */
export function revisionsOf(set: StatefulSet, selector: Selector, deps: Deps): readonly StoredRevision[] {
  return sortedRevisions(deps.history.list(set, StatefulSets, selector));
}

/** Finds the revision of the template, renumbers an older equal one, or creates it. */
export async function resolveRevisions(
  set: StatefulSet,
  revisions: readonly StoredRevision[],
  deps: Deps,
  signal: AbortSignal,
): Promise<Revisions> {
  const count = set.status?.collisionCount ?? 0;
  const newest = revisions.at(-1);
  const number = newest === undefined ? 1 : Number(newest.revision) + 1;
  const wanted = revisionFor(set, templateOf(set), number, count);
  const same = findSameRevisions(revisions, wanted).at(-1);
  const resolve = async (): Promise<{ revision: StoredRevision; collisionCount: number }> => {
    if (newest !== undefined && same !== undefined && isSameRevision(newest, same))
      return { revision: newest, collisionCount: count };
    if (same !== undefined)
      return { revision: await deps.history.renumber(same, number, signal), collisionCount: count };
    if (newest !== undefined && isSameWhenDefaulted(set, wanted, newest, deps))
      return { revision: newest, collisionCount: count };
    return deps.history.create(set, wanted, count, signal);
  };
  const { revision: update, collisionCount } = await resolve();
  const current = revisions.find(({ metadata }) => metadata.name === set.status?.currentRevision) ?? update;
  return { current, update, collisionCount };
}

function revisionFor(set: StatefulSet, template: PodTemplateSpec, revision: number, collisionCount: number) {
  const draft = newRevision({
    owner: set,
    ownerResource: StatefulSets,
    templateLabels: template.metadata?.labels ?? {},
    data: revisionData("StatefulSet", template),
    revision,
    collisionCount,
  });
  const { annotations } = set.metadata;
  return annotations === undefined ? draft : { ...draft, metadata: { ...draft.metadata, annotations } };
}

/**
 * True if the set would have the same template after a rollback to this revision. An API server of a later version may
 * have added a default to the template that the revision lacks, which is no reason to replace pods.
 */
function isSameWhenDefaulted(
  set: StatefulSet,
  wanted: Pick<RevisionDraft, "data">,
  newest: StoredRevision,
  deps: Deps,
): boolean {
  if (!deps.gates.isEnabled("StatefulSetSemanticRevisionComparison")) return false;
  const { uid, generation = 0 } = set.metadata;
  const key = `${uid}/${generation}/${newest.metadata.resourceVersion}`;
  if (deps.equalRevisions.get(key) === true) return true;
  const restored = restoredTemplate(set, newest);
  if (restored === undefined) return false;
  const context = { now: deps.clock.now(), gates: deps.gates };
  const { template } = templateDefaults({ template: restored }, context) as { template: PodTemplateSpec };
  if (!isSameRevision(wanted, revisionFor(set, template, 0, 0))) return false;
  deps.equalRevisions.set(key, true);
  return true;
}

/** Undefined: the revision is not a patch of this set, because another client wrote it. It blocks nothing. */
function restoredTemplate(set: StatefulSet, revision: StoredRevision): PodTemplateSpec | undefined {
  try {
    return templateOf(atRevision(set, revision));
  } catch (error) {
    if (error instanceof ApiError || error instanceof TypedDecodingError) return undefined;
    throw error;
  }
}

/**
 * The set with the pod template of the revision. Structs that Go always writes are added if the revision lacks them.
 * Deviation: the revision of the set's own template changes nothing. Upstream's revisions round integers beyond 2^53
 * (revisionData); upstream then reads the rounded values, or fails to read them.
 */
export function atRevision(set: StatefulSet, { data }: StoredRevision): StatefulSet {
  if (goSortedJson(data ?? {}) === revisionData("StatefulSet", templateOf(set))) return set;
  const schema = schemaOf(StatefulSets);
  assert(schema !== undefined, "no schema of StatefulSets");
  const original = parseExactJson(stringifyJson(set)) as JsonObject;
  const restored = applyStrategicMergePatch(original, data ?? {}, schema);
  return decodeTyped(goStruct("apps.v1", "StatefulSet"), restored).value as unknown as StatefulSet;
}

/** Deletes the oldest revisions beyond the limit that neither the set nor a pod uses. */
export async function truncateHistory(
  set: StatefulSet,
  pods: readonly StatefulPod[],
  revisions: readonly StoredRevision[],
  resolved: Revisions | undefined,
  deps: Deps,
  signal: AbortSignal,
): Promise<void> {
  const live = new Set(pods.map(revisionOf));
  if (resolved !== undefined) live.add(resolved.current.metadata.name).add(resolved.update.metadata.name);
  for (const revision of surplusRevisions(revisions, live, set.spec?.revisionHistoryLimit ?? HISTORY_LIMIT))
    await deps.history.delete(revision, signal);
}

/** The revisions come oldest first. A negative limit keeps all of them. */
export function surplusRevisions(
  revisions: readonly StoredRevision[],
  live: ReadonlySet<string>,
  limit: number,
): readonly StoredRevision[] {
  const old = revisions.filter(({ metadata }) => !live.has(metadata.name));
  return limit < 0 || old.length <= limit ? [] : old.slice(0, old.length - limit);
}

function templateOf({ spec }: StatefulSet): PodTemplateSpec {
  return spec?.template ?? {};
}
