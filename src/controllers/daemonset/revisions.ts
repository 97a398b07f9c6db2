// The revisions of a DaemonSet: the one of its template, and the old ones.
// Upstream: pkg/controller/daemon/update.go, constructHistory, snapshot, cleanupHistory.

import { ValueError } from "#api/errors.ts";
import { ControllerRevisions, DaemonSets } from "#api/generated/resources/apps-v1.ts";
import { podTemplateHash, revisionData } from "#api/hash.ts";
import { parseExactJson } from "#api/json.ts";
import { newControllerRef } from "#api/owner-refs.ts";
import { isAlreadyExists } from "#api/status-error.ts";
import { claim } from "#kit/claim.ts";
import { ownedAndOrphans } from "#kit/controller-index.ts";
import { isSameRevision, type RevisionDraft, sortedRevisions } from "#kit/history.ts";
import { claimPods, podsByNode } from "./daemon-pods.ts";
import { type DaemonSet, type Deps, HASH_LABEL, type Revision } from "./model.ts";

const HISTORY_LIMIT = 10;

export interface Revisions {
  readonly current: Revision;
  readonly old: readonly Revision[];
}

export const hashOf = ({ metadata }: Revision): string => metadata.labels?.[HASH_LABEL] ?? "";

/** Finds or creates the revision of the template, and gives it the highest number. */
export async function resolveRevisions(set: DaemonSet, deps: Deps, signal: AbortSignal): Promise<Revisions> {
  const wanted = { data: parseExactJson(dataOf(set)) as Readonly<Record<string, unknown>> };
  const same: Revision[] = [];
  const old: Revision[] = [];
  for (const claimed of sortedRevisions(await claimRevisions(set, deps, signal))) {
    const revision = await withHash(claimed, deps, signal);
    (isSameRevision(revision, wanted) ? same : old).push(revision);
  }
  const number = Math.max(0, ...old.map(({ revision }) => Number(revision))) + 1;
  const newest = same.at(-1);
  if (newest === undefined) return { current: await snapshot(set, wanted.data, number, deps, signal), old };
  await removeDuplicates(set, newest, same.slice(0, -1), deps, signal);
  if (Number(newest.revision) < number)
    await deps.revisionsApi.update({ object: { ...newest, revision: number } }, signal);
  return { current: newest, old };
}

function dataOf({ spec }: DaemonSet): string {
  return revisionData("DaemonSet", spec?.template ?? {});
}

function claimRevisions(set: DaemonSet, deps: Deps, signal: AbortSignal): Promise<readonly Revision[]> {
  const { namespace, name } = set.metadata;
  const selector = deps.selectorOf(set);
  if (selector instanceof ValueError) throw selector;
  return claim(ownedAndOrphans(deps.revisions, set, DaemonSets), {
    owner: set,
    ownerResource: DaemonSets,
    resource: ControllerRevisions,
    matches: ({ metadata }) => selector.matches(metadata.labels ?? {}),
    readOwnerLive: () => deps.setsApi.get({ namespace, name }, signal),
    patch: ({ metadata }, patch) =>
      deps.revisionsApi.patch({ namespace, name: metadata.name, type: "strategic", patch }, signal),
  });
}

/** A revision without a hash label gets its name as the hash, which cannot collide. */
async function withHash(revision: Revision, deps: Deps, signal: AbortSignal): Promise<Revision> {
  const { metadata } = revision;
  if (metadata.labels?.[HASH_LABEL] !== undefined) return revision;
  const labels = { ...metadata.labels, [HASH_LABEL]: metadata.name };
  return deps.revisionsApi.update({ object: { ...revision, metadata: { ...metadata, labels } } }, signal);
}

/** Moves the pods of a duplicate to the revision that is kept. */
async function removeDuplicates(
  set: DaemonSet,
  kept: Revision,
  duplicates: readonly Revision[],
  deps: Deps,
  signal: AbortSignal,
): Promise<void> {
  if (duplicates.length === 0) return;
  const { namespace } = set.metadata;
  const patch = { metadata: { labels: { [HASH_LABEL]: hashOf(kept) } } };
  for (const { metadata } of await claimPods(set, deps, signal)) {
    if (metadata.labels?.[HASH_LABEL] === hashOf(kept)) continue;
    await deps.podsApi.patch({ namespace, name: metadata.name, type: "merge", patch }, signal);
  }
  for (const { metadata } of duplicates) await deps.revisionsApi.delete({ namespace, name: metadata.name }, signal);
}

/** If another payload has the name, the collision count is raised, and the next sync uses another name. */
async function snapshot(
  set: DaemonSet,
  data: Readonly<Record<string, unknown>>,
  revision: number,
  deps: Deps,
  signal: AbortSignal,
): Promise<Revision> {
  const { namespace, name: setName, annotations } = set.metadata;
  const template = set.spec?.template ?? {};
  const hash = podTemplateHash(template, set.status?.collisionCount);
  const name = `${setName}-${hash}`;
  const object: RevisionDraft = {
    metadata: {
      name,
      namespace,
      labels: { ...template.metadata?.labels, [HASH_LABEL]: hash },
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [newControllerRef(set, DaemonSets)],
    },
    data,
    revision,
  };
  try {
    return await deps.revisionsApi.create({ namespace, object }, signal);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const existing = await deps.revisionsApi.get({ namespace, name }, signal);
    if (isSameRevision(existing, object)) return existing;
    await raiseCollisionCount(set, deps, signal);
    throw error;
  }
}

async function raiseCollisionCount(set: DaemonSet, deps: Deps, signal: AbortSignal): Promise<void> {
  const { namespace, name } = set.metadata;
  const live = await deps.setsApi.get({ namespace, name }, signal);
  const [cached, current] = [set.status?.collisionCount, live.status?.collisionCount];
  if (cached !== current) {
    const counts = `(${cached ?? 0}, expected ${current ?? 0})`;
    throw new Error(
      `found a stale collision count ${counts} of DaemonSet "${name}" while processing; will retry until it is updated`,
    );
  }
  const noPods = { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 };
  const status = { ...noPods, ...live.status, collisionCount: (current ?? 0) + 1 };
  await deps.setsApi.updateStatus({ object: { ...live, status } }, signal);
}

/** Deletes the oldest revisions beyond the limit that no pod uses. */
export async function cleanUpRevisions(
  set: DaemonSet,
  old: readonly Revision[],
  deps: Deps,
  signal: AbortSignal,
): Promise<void> {
  const pods = [...(await podsByNode(set, deps, signal, { withEnded: true })).values()].flat();
  const live = new Set(pods.map(({ metadata }) => metadata.labels?.[HASH_LABEL] ?? ""));
  live.delete("");
  for (const { metadata } of surplusRevisions(old, live, set.spec?.revisionHistoryLimit ?? HISTORY_LIMIT))
    await deps.revisionsApi.delete({ namespace: metadata.namespace, name: metadata.name }, signal);
}

export function surplusRevisions(
  old: readonly Revision[],
  liveHashes: ReadonlySet<string>,
  limit: number,
): readonly Revision[] {
  const count = Math.max(0, old.length - limit);
  return sortedRevisions(old)
    .filter((revision) => !liveHashes.has(hashOf(revision)))
    .slice(0, count);
}
