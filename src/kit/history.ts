// Controller revisions: the numbered history of an owner's template. A revision is named after the hash of its data, so
// the same template always maps to the same revision.
// Upstream: pkg/controller/history/controller_history.go.

import type { ControllerRevision } from "#api/generated/types/apps-v1.ts";
import { goSortedJson } from "#api/go-text.ts";
import { controllerRevisionHash } from "#api/hash.ts";
import { compareInt64 } from "#api/int64.ts";
import { parseExactJson } from "#api/json.ts";
import type { Selector } from "#api/label-selector.ts";
import { objectKey } from "#api/object.ts";
import { getControllerOf, newControllerRef } from "#api/owner-refs.ts";
import type { Draft, NamespacedObject, Resource, Stored } from "#api/resource.ts";
import { isAlreadyExists, isConflict, isInvalid, isNotFound } from "#api/status-error.ts";
import { type BackoffDeps, defaultBackoff, retryOnError } from "#base/go-backoff.ts";
import type { ResourceClient } from "#client/client.ts";
import type { SharedInformer } from "#informers/informer.ts";
import { addControllerIndex, ownedAndOrphans } from "./controller-index.ts";
import { olderFirst } from "./order.ts";

export const REVISION_HASH_LABEL = "controller.kubernetes.io/hash";
/** Leaves room for a dash and the hash within the length of a DNS subdomain. */
const NAME_PREFIX_MAX = 223;

export type StoredRevision = Stored<ControllerRevision>;
export type RevisionDraft = Draft<StoredRevision>;

export interface NewRevision<O extends NamespacedObject> {
  readonly owner: NoInfer<O>;
  readonly ownerResource: Resource<O>;
  readonly templateLabels: Readonly<Record<string, string>>;
  /** The payload, as revisionData (#api/hash.ts) makes it. */
  readonly data: string;
  readonly revision: number;
  readonly collisionCount?: number;
}

/**
 * A candidate revision: compare it with the existing ones, and create it if none is equal. Callers may add to its
 * metadata.
 */
export function newRevision<O extends NamespacedObject>({
  owner,
  ownerResource,
  templateLabels,
  data,
  revision,
  collisionCount,
}: NewRevision<O>): RevisionDraft {
  const { name } = owner.metadata;
  const hash = controllerRevisionHash(data, collisionCount);
  return {
    metadata: {
      name: revisionName(name, hash),
      labels: { ...templateLabels, [REVISION_HASH_LABEL]: hash },
      ownerReferences: [newControllerRef(owner, ownerResource)],
    },
    data: parseExactJson(data) as Readonly<Record<string, unknown>>,
    revision,
  };
}

function revisionName(prefix: string, hash: string): string {
  return `${prefix.slice(0, NAME_PREFIX_MAX)}-${hash}`;
}

/** Oldest first: by number, then by age, then by name. */
export function sortedRevisions(revisions: readonly StoredRevision[]): StoredRevision[] {
  return revisions.toSorted((a, b) => compareInt64(a.revision, b.revision) || olderFirst(a, b));
}

type Payload = Pick<ControllerRevision, "data">;

/** True if the payloads are equal; numbers, labels and names do not matter. */
export function isSameRevision(a: Payload, b: Payload): boolean {
  return revisionText(a) === revisionText(b);
}

export function findSameRevisions(revisions: readonly StoredRevision[], needle: Payload): StoredRevision[] {
  return revisions.filter((revision) => isSameRevision(revision, needle));
}

/** The payload in its original text, regardless of how a server or client has spelled it since. */
function revisionText({ data }: Payload): string {
  return goSortedJson(data ?? null);
}

export interface HistoryDeps extends BackoffDeps {
  readonly revisions: SharedInformer<StoredRevision>;
  readonly api: ResourceClient<StoredRevision>;
}

/** Lists and writes the revisions of owners. */
export class History {
  readonly #deps: HistoryDeps;

  constructor(deps: HistoryDeps) {
    this.#deps = deps;
    addControllerIndex(deps.revisions);
  }

  /** The revisions that the owner controls, then matching orphans of its namespace. */
  list<O extends NamespacedObject>(
    owner: NoInfer<O>,
    ownerResource: Resource<O>,
    selector: Selector,
  ): readonly StoredRevision[] {
    return ownedAndOrphans(this.#deps.revisions, owner, ownerResource).filter((revision) =>
      selector.matches(revision.metadata.labels ?? {}),
    );
  }

  /**
   * Creates the revision. If the name exists with the same payload, that revision is returned. If it exists with
   * another payload, the collision count is raised until a name is free. Returns the revision and the collision count.
   */
  async create(
    owner: NamespacedObject,
    revision: RevisionDraft,
    collisionCount: number,
    signal: AbortSignal,
  ): Promise<{ revision: StoredRevision; collisionCount: number }> {
    const { api } = this.#deps;
    const { namespace, name: prefix } = owner.metadata;
    for (let count = collisionCount; ; count++) {
      const name = revisionName(prefix, controllerRevisionHash(revisionText(revision), count));
      const object: RevisionDraft = { ...revision, metadata: { ...revision.metadata, name } };
      try {
        return { revision: await api.create({ namespace, object }, signal), collisionCount: count };
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
      }
      const existing = await api.get({ namespace, name }, signal);
      if (isSameRevision(existing, revision)) return { revision: existing, collisionCount: count };
    }
  }

  /** Gives an old revision a new number; this records a rollback. */
  async renumber(revision: StoredRevision, number: number, signal: AbortSignal): Promise<StoredRevision> {
    const { api, revisions } = this.#deps;
    let current = revision;
    const attempt = async (): Promise<StoredRevision> => {
      if (current.revision === number) return current;
      try {
        return await api.update({ object: { ...current, revision: number } }, signal);
      } catch (error) {
        current = revisions.lister.get(objectKey(current)) ?? current;
        throw error;
      }
    };
    return retryOnError(defaultBackoff, isConflict, attempt, this.#deps, signal);
  }

  async delete(revision: StoredRevision, signal: AbortSignal): Promise<void> {
    const { namespace, name } = revision.metadata;
    await this.#deps.api.delete({ namespace, name }, signal);
  }

  /** Makes the owner the orphan's controller. */
  adopt<O extends NamespacedObject>(
    owner: NoInfer<O>,
    ownerResource: Resource<O>,
    revision: StoredRevision,
    signal: AbortSignal,
  ): Promise<StoredRevision> {
    const controller = getControllerOf(revision);
    if (controller !== undefined)
      throw new Error(`attempt to adopt revision owned by ${controller.kind}/${controller.name}`);
    return this.#patch(revision, { ownerReferences: [newControllerRef(owner, ownerResource)] }, signal);
  }

  /** Returns undefined when the revision is gone or has another owner; both are fine. */
  async release(
    owner: NamespacedObject,
    revision: StoredRevision,
    signal: AbortSignal,
  ): Promise<StoredRevision | undefined> {
    try {
      return await this.#patch(revision, { ownerReferences: [{ $patch: "delete", uid: owner.metadata.uid }] }, signal);
    } catch (error) {
      if (isNotFound(error) || isInvalid(error)) return undefined;
      throw error;
    }
  }

  #patch(revision: StoredRevision, metadata: object, signal: AbortSignal): Promise<StoredRevision> {
    const { namespace, name, uid } = revision.metadata;
    const patch = { metadata: { uid, ...metadata } };
    return this.#deps.api.patch({ namespace, name, type: "strategic", patch }, signal);
  }
}
