// Serves the custom resources of all definitions. For each definition it accepts the names or reports the conflict,
// establishes the definition, keeps its kind in the registry, and on deletion removes it after its last instance.
// Upstream: apiextensions-apiserver/pkg/controller/{status,establish,finalizer,apiapproval}, pkg/apiserver
//
// Deviation: what several of upstream's controllers do one after the other happens here in one sync.

import type { KubeObject } from "#api/object.ts";
import { deepEqual } from "#api/patch/json-value.ts";
import { isConflict, isNotFound } from "#api/status-error.ts";
import { assert } from "#base/assert.ts";
import { errorMessage, isAborted } from "#base/errors.ts";
import type { CustomResourceDefinition } from "#cel/json-schema.ts";
import {
  approvalCondition,
  conditionOf,
  ESTABLISHED,
  isSameCondition,
  isTrue,
  terminating,
  withCondition,
} from "#kinds/apiextensions/definition-conditions.ts";
import { CLEANUP_FINALIZER } from "#kinds/apiextensions/definition-deletion.ts";
import { internalCall } from "../admission/internal-call.ts";
import type { ServerCore } from "../core.ts";
import { KeyedSync, retryDelayMs } from "../keyed-sync.ts";
import { recordUpdate } from "../managed-fields.ts";
import type { KindRow } from "../registry.ts";
import type { Table } from "../storage/storage.ts";
import { deleteObject } from "../write/delete-object.ts";
import { rowNamed } from "../write/own-objects.ts";
import { updateObject } from "../write/update-object.ts";
import { customKind } from "./custom-kind.ts";
import { nameDefinition } from "./names.ts";

const DEFINITIONS = "customresourcedefinitions.apiextensions.k8s.io";
const MANAGER = "kube-apiserver";
const WRITE_OPTIONS = { dryRun: false, fieldManager: MANAGER, fieldValidation: "Ignore", force: false } as const;
/** Interval and duration of the wait for the last instance to be deleted. */
const POLL_MS = 5_000;
const POLL_MS_MAX = 60_000;

type Definition = CustomResourceDefinition & KubeObject;

export function serveCustomResources(core: ServerCore): void {
  new CustomResources(core, rowNamed(core, DEFINITIONS)).start();
}

interface Served {
  readonly row: KindRow;
  readonly spec: unknown;
  readonly acceptedNames: unknown;
}

class CustomResources {
  readonly #core: ServerCore;
  readonly #row: KindRow;
  readonly #table: Table;
  readonly #served = new Map<string, Served>();
  readonly #cleaning = new Set<string>();
  readonly #queue: KeyedSync;

  constructor(core: ServerCore, row: KindRow) {
    this.#core = core;
    this.#row = row;
    this.#table = core.tableOf(row);
    this.#queue = new KeyedSync(core, {
      failure: "Custom resource definition failed",
      sync: async (name) => {
        await this.#sync(name);
        this.#queue.forget(name);
      },
    });
  }

  start(): void {
    // Definitions established before the start are served from the first request on.
    for (const { object } of this.#table.scan({ prefix: "" })) {
      const crd = object as Definition;
      if (isTrue(crd, "Established")) this.#serve(crd);
      this.#queue.add(nameOf(crd));
    }
    const subscription = this.#table.subscribe(({ key }) => this.#queue.add(key));
    this.#core.closing.addEventListener("abort", () => subscription[Symbol.dispose](), { once: true });
  }

  async #sync(name: string): Promise<void> {
    const crd = this.#table.get(name)?.object as Definition | undefined;
    if (crd === undefined) {
      this.#withdraw(name);
      this.#enqueueOthers(name);
      return;
    }
    if (isTrue(crd, "Established")) this.#serve(crd);
    // Each write causes an event, which triggers the next step.
    if (await this.#acceptNames(crd)) return;
    if (crd.metadata?.deletionTimestamp !== undefined) {
      if (crd.metadata.finalizers?.includes(CLEANUP_FINALIZER)) void this.#cleanUp(crd);
      return;
    }
    if (isTrue(crd, "NamesAccepted") && !isTrue(crd, "Established")) {
      await this.#write(crd, (existing, now) => withCondition(existing, ESTABLISHED, now));
      return;
    }
    const approval = approvalCondition(crd);
    if (approval !== undefined && !isSameCondition(conditionOf(crd, approval.type), approval)) {
      await this.#write(crd, (existing, now) => withCondition(existing, approval, now));
    }
  }

  /** True if the status was written. */
  async #acceptNames(crd: Definition): Promise<boolean> {
    if (deepEqual(crd.spec.names, crd.status?.acceptedNames)) return false;
    const group = [...this.#table.scan({ prefix: "" })]
      .map(({ object }) => object as Definition)
      .filter(({ spec }) => spec.group === crd.spec.group);
    const { acceptedNames, namesAccepted, established } = nameDefinition(crd, group);
    const isSame =
      deepEqual(crd.status?.acceptedNames, acceptedNames) &&
      isSameCondition(conditionOf(crd, "NamesAccepted"), namesAccepted);
    if (isSame) return false;
    await this.#write(crd, (existing, now) => {
      const named = { ...existing, status: { ...existing.status, acceptedNames } };
      return withCondition(withCondition(named, namesAccepted, now), established, now);
    });
    this.#enqueueOthers(nameOf(crd));
    return true;
  }

  /** Another definition of the group may wait for a name that became free. */
  #enqueueOthers(name: string): void {
    const group = name.slice(name.indexOf(".") + 1);
    for (const { key, object } of this.#table.scan({ prefix: "" })) {
      if (key !== name && (object as Definition).spec.group === group) this.#queue.add(key);
    }
  }

  /** A status update by the server itself. After a conflict, the other writer's event triggers a retry. */
  async #write(
    crd: Definition,
    change: (crd: CustomResourceDefinition, now: number) => CustomResourceDefinition,
  ): Promise<void> {
    const core = this.#core;
    const now = core.clock.now();
    const target = { namespace: "", name: nameOf(crd), subresource: "status", now };
    const call = internalCall(core, this.#row, target);
    const rules = this.#row.strategy.subresources.status;
    assert(rules !== undefined, "definitions have a status");
    try {
      await updateObject(
        core,
        call,
        {
          options: WRITE_OPTIONS,
          rules,
          forceAllowCreate: false,
          uid: crd.metadata?.uid ?? "",
          authorizeCreate: async () => undefined,
          desired: (existing) => {
            const before = existing as Definition;
            return recordUpdate(core, call, before, change(before, now) as KubeObject, MANAGER);
          },
        },
        core.closing,
      );
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }

  #serve(crd: Definition): void {
    const { registry, log } = this.#core;
    const name = nameOf(crd);
    const before = this.#served.get(name);
    const acceptedNames = crd.status?.acceptedNames;
    const isSame =
      before !== undefined && deepEqual(before.spec, crd.spec) && deepEqual(before.acceptedNames, acceptedNames);
    if (isSame) return;
    const row = this.#rowOf(crd);
    if (row === undefined) {
      this.#withdraw(name);
      return;
    }
    const isTaken = row.versions.some((version) => {
      const endpoint = registry.endpoint(version.group, version.version, row.resource);
      return endpoint !== undefined && endpoint.row.table !== row.table;
    });
    if (isTaken || (before === undefined && registry.row(row.table) !== undefined)) {
      log.info("Custom resource definition conflicts with a kind that is already served", { name });
      return;
    }
    registry.set(row);
    this.#served.set(name, { row, spec: crd.spec, acceptedNames });
  }

  #rowOf(crd: Definition): KindRow | undefined {
    const name = nameOf(crd);
    return customKind(crd, {
      revision: this.#core.storage.revision,
      isTerminating: () => {
        const now = this.#table.get(name)?.object as Definition | undefined;
        return now !== undefined && isTrue(now, "Terminating");
      },
    });
  }

  #withdraw(name: string): void {
    const served = this.#served.get(name);
    if (served === undefined) return;
    this.#served.delete(name);
    this.#core.registry.remove(served.row.table);
  }

  async #cleanUp(crd: Definition): Promise<void> {
    const { uid = "" } = crd.metadata ?? {};
    if (this.#cleaning.has(uid)) return;
    this.#cleaning.add(uid);
    const { closing, log, clock } = this.#core;
    for (let failures = 0; !closing.aborted; failures++) {
      try {
        if (await this.#cleanUpOnce(crd)) break;
        await clock.sleep(retryDelayMs(failures), closing);
      } catch (error) {
        if (isAborted(error, closing)) break;
        log.error(error, "Cleaning up a definition failed", { name: nameOf(crd) });
        await clock.sleep(retryDelayMs(failures), closing).catch(ignoreAbort);
      }
    }
    this.#cleaning.delete(uid);
  }

  /** True if the clean-up is done. */
  async #cleanUpOnce(crd: Definition): Promise<boolean> {
    const set = (isDone: boolean, reason: string, message: string): Promise<void> =>
      this.#write(crd, (existing, now) => {
        const next = withCondition(existing, terminating(isDone, reason, message), now);
        return isDone ? withoutFinalizer(next) : next;
      });
    await set(false, "InstanceDeletionInProgress", "CustomResource deletion is in progress");
    if (!isTrue(crd, "Established")) {
      await set(true, "NeverEstablished", "resource was never established");
      return true;
    }
    const failure = await this.#deleteInstances(crd);
    if (failure === undefined) await set(true, "InstanceDeletionCompleted", "removed all instances");
    else await set(false, failure.reason, failure.message);
    return failure === undefined;
  }

  async #deleteInstances(crd: Definition): Promise<{ reason: string; message: string } | undefined> {
    const core = this.#core;
    const row = this.#served.get(nameOf(crd))?.row ?? this.#rowOf(withServedStorage(crd));
    assert(row !== undefined, "a definition has a storage version");
    const table = core.tableOf(row);
    const failures: string[] = [];
    for (const { object } of [...table.scan({ prefix: "" })]) {
      const { name = "", namespace = "" } = object.metadata ?? {};
      if (!this.#served.has(nameOf(crd))) break;
      const call = internalCall(core, row, { namespace, name, subresource: "", now: core.clock.now() });
      try {
        await deleteObject(core, call, {}, core.closing);
      } catch (error) {
        if (isAborted(error, core.closing)) throw error;
        if (!isNotFound(error)) failures.push(errorMessage(error));
      }
    }
    if (failures.length > 0) {
      return { reason: "InstanceDeletionFailed", message: `could not issue all deletes: ${failures.join(", ")}` };
    }
    for (let waitedMs = 0; table.size > 0; waitedMs += POLL_MS) {
      if (waitedMs >= POLL_MS_MAX) {
        const message = "could not confirm zero CustomResources remaining: context deadline exceeded";
        return { reason: "InstanceDeletionCheck", message };
      }
      await core.clock.sleep(POLL_MS, core.closing);
    }
    return undefined;
  }
}

const ignoreAbort = (error: unknown): void => {
  if (!isAborted(error)) throw error;
};

const nameOf = ({ metadata }: CustomResourceDefinition): string => metadata?.name ?? "";

function withoutFinalizer(crd: CustomResourceDefinition): CustomResourceDefinition {
  const { finalizers = [], ...metadata } = crd.metadata ?? {};
  const kept = finalizers.filter((name) => name !== CLEANUP_FINALIZER);
  return { ...crd, metadata: kept.length === 0 ? metadata : { ...metadata, finalizers: kept } };
}

/** Makes the storage version served, so that instances of an unserved kind are found. */
function withServedStorage(crd: Definition): Definition {
  const versions = crd.spec.versions.map((version) => ({ ...version, served: version.served || version.storage }));
  return { ...crd, spec: { ...crd.spec, versions } };
}
