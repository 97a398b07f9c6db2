// The kinds that the server serves, each as a row of data. Rows are added and removed at run time: a custom resource is
// another row. Routing, discovery and OpenAPI read the rows; no other code names kinds.

import type { GoStruct } from "#api/go-layout.ts";
import type { DeleteOptions } from "#api/meta.ts";
import type { GroupVersionKind, KubeObject } from "#api/object.ts";
import { apiVersionOf } from "#api/object.ts";
import { deepEqual } from "#api/patch/json-value.ts";
import type { Subresource, Verb } from "#api/resource-table.ts";
import type { Schema } from "#api/schema.ts";
import type { GroupResource } from "#api/status-error.ts";
import type { DecodingWording, TypedDecoding } from "#api/typed-decoding.ts";
import { assert } from "#base/assert.ts";
import type { EpochMs } from "#base/clock.ts";
import type { Allocation, Deleted, Observed } from "#kinds/hooks.ts";
import type { Printer } from "#kinds/parts/printer.ts";
import type { KindStrategy } from "#kinds/strategy.ts";
import type { RemoteVersion } from "./aggregation/remote-version.ts";
import type { FieldLabels } from "./builtin/field-labels.ts";
import type { ResourceCall, ServerCore } from "./core.ts";
import type { OpenApiForm } from "./discovery/openapi-schemas.ts";
import type { EndpointSeries } from "./request-metrics.ts";
import type { StoredVersion, Table } from "./storage/storage.ts";
import type { SubresourceHandler } from "./subresources/subresource.ts";

export interface KindRow {
  /** The table that stores it. Events of both groups are versions of one row. */
  readonly table: string;
  /** Upstream's key prefix in etcd, which some messages contain. */
  readonly etcdDirectory: string;
  /** Lower-case plural. */
  readonly resource: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** In order of preference within each group. */
  readonly versions: readonly KindVersion[];
  /** Kind and version of stored objects, which strategy and admission see. */
  readonly stored: GroupVersionKind;
  readonly strategy: KindStrategy;
  /** A custom resource: no strategic merge patch, no protobuf, list items carry their kind. */
  readonly isCustom: boolean;
  /** Objects expire this many seconds after their last write. */
  readonly ttlSeconds?: number;
  /** Upstream watches it without a cache, which changes some messages. */
  readonly isUncached: boolean;
  /** Upstream stores it as JSON, which, unlike protobuf, distinguishes an empty list from none. */
  readonly isStoredAsJson: boolean;
  /** Delete answers with the object, even when the object is removed. */
  readonly returnsDeletedObject: boolean;
  /** A special delete; "undefined" continues with the generic one, "retry" starts again. */
  readonly deletion?: DeletionHook;
  /** Checks a delete before the object is read. */
  readonly beforeDelete?: (call: ResourceCall, options: DeleteOptions) => void;
  /** Allocates values for the object before validation. */
  allocation?(object: KubeObject, old: KubeObject | undefined, dryRun: boolean): Allocation;
  /** Whether the user may write this object. Called before validation; throws a refusal. */
  authorizeWrite?(
    call: ResourceCall,
    object: KubeObject,
    old: KubeObject | undefined,
    signal: AbortSignal,
  ): Promise<void>;
  /** The same, called once the object is valid. */
  authorizeValid?: KindRow["authorizeWrite"];
  /** Called after an object was removed. */
  afterDelete?(object: KubeObject): void;
  /** True if more than finalizers keeps an object that is being deleted. */
  isHeld?(object: KubeObject): boolean;
  /** A field with a single value, indexed for watches. */
  readonly indexedField?: string;
  /** An annotation that is removed from PartialObjectMetadata. */
  readonly annotatedField?: string;
  /** Subresources other than an update of the stored object: scale, binding, eviction, token. */
  readonly subresources: ReadonlyMap<string, SubresourceHandler>;
  /** For kinds that are answered and not stored (reviews): the handler of a create. */
  readonly virtual?: SubresourceHandler;
  /** For kinds that are computed at each read and not stored. */
  readonly observed?: Observed;
  readonly printer?: Printer;
  /** Subresources without tables. */
  readonly unprintedSubresources: readonly string[];
  /** The values of the selectable fields besides metadata.name and metadata.namespace. */
  selectableFields?(object: KubeObject): Readonly<Record<string, string>>;
  /** The view of the kind's table through this row; absent: the table itself. */
  viewTable?(table: Table): Table;
}

export type DeletionHook = (
  core: ServerCore,
  call: ResourceCall,
  existing: StoredVersion,
  options: DeleteOptions,
  signal: AbortSignal,
) => Promise<Deleted | "retry" | undefined>;

export interface KindVersion extends GroupVersionKind {
  readonly listKind: string;
  readonly verbs: readonly Verb[];
  readonly subresources: readonly Subresource[];
  readonly storageVersionHash: string;
  schema(): Schema | undefined;
  /**
   * Decodes a JSON value into the kind's type; throws a TypedDecodingError. `before`: an object of this version that
   * was decoded before; the value may share parts with it.
   */
  decode(value: unknown, wording?: DecodingWording, before?: KubeObject): TypedDecoding;
  /** The Go type of a built-in kind: messages print fields in its order. */
  readonly goType?: GoStruct | undefined;
  /** An older version that bodies may also have, with the same fields. */
  readonly alsoReads?: string;
  /** An object without any given field: the first writer of a field is compared with it. */
  zero(): Readonly<Record<string, unknown>>;
  /** Converts to and from the stored form, including apiVersion and kind. */
  toStored(object: KubeObject): KubeObject;
  fromStored(object: KubeObject): KubeObject;
  applyDefaults(object: KubeObject, now: EpochMs): KubeObject;
  /** The fields that a field selector on this version may use. */
  readonly fieldLabels: FieldLabels;
  /** A warning to clients that use an old version. */
  readonly deprecationWarning?: string;
  /** Custom resources: the OpenAPI schema instead of `schema`. */
  openApi?(form: OpenApiForm): Readonly<Record<string, unknown>>;
  /** For kinds whose versions print different columns; otherwise the row's printer. */
  readonly printer?: Printer;
}

/** One kind in one version, as addressed by a request. */
export interface Endpoint {
  readonly row: KindRow;
  readonly version: KindVersion;
  readonly apiVersion: string;
  readonly groupResource: GroupResource;
  readonly isStoredVersion: boolean;
  /** The metrics of its requests, created with the first request. */
  series?: EndpointSeries | undefined;
}

export class Registry {
  readonly #rows = new Map<string, KindRow>();
  /** By group, version, resource. */
  readonly #endpoints = new Map<string, Map<string, Map<string, Endpoint>>>();
  readonly #removalListeners: ((row: KindRow) => void)[] = [];
  /** Versions that other servers serve, by "group/version". */
  readonly #remotes = new Map<string, RemoteVersion>();
  #generation = 0;

  /** Increases with every change: caches of derived documents compare it. */
  get generation(): number {
    return this.#generation;
  }

  /** Adds a row, or replaces the row with the same table. */
  set(row: KindRow): void {
    const { stored } = row;
    assert(
      row.versions.some((v) => v.group === stored.group && v.version === stored.version),
      `${row.table}: the stored version is not among the versions`,
    );
    this.remove(row.table);
    this.#rows.set(row.table, row);
    for (const version of row.versions) {
      const versions = this.#endpoints.get(version.group) ?? new Map<string, Map<string, Endpoint>>();
      this.#endpoints.set(version.group, versions);
      const resources = versions.get(version.version) ?? new Map<string, Endpoint>();
      versions.set(version.version, resources);
      assert(!resources.has(row.resource), `${apiVersionOf(version)} ${row.resource} is served twice`);
      resources.set(row.resource, endpointOf(row, version));
    }
    this.#generation++;
  }

  remove(table: string): void {
    const row = this.#rows.get(table);
    if (row === undefined) return;
    for (const listener of this.#removalListeners) listener(row);
    this.#rows.delete(table);
    for (const { group, version } of row.versions) {
      const versions = this.#endpoints.get(group);
      const resources = versions?.get(version);
      resources?.delete(row.resource);
      if (resources?.size === 0) versions?.delete(version);
      if (versions?.size === 0) this.#endpoints.delete(group);
    }
    this.#generation++;
  }

  /** From now on another server serves this version, in place of this one. */
  setRemote(remote: RemoteVersion): void {
    const key = `${remote.group}/${remote.version}`;
    const before = this.#remotes.get(key);
    this.#remotes.set(key, remote);
    // It is checked every half minute, mostly without a change.
    if (before === undefined || !deepEqual(describedBy(before), describedBy(remote))) this.#generation++;
  }

  removeRemote(group: string, version: string): void {
    if (this.#remotes.delete(`${group}/${version}`)) this.#generation++;
  }

  get hasRemotes(): boolean {
    return this.#remotes.size > 0;
  }

  remote(group: string, version: string): RemoteVersion | undefined {
    return this.#remotes.get(`${group}/${version}`);
  }

  /** The remote versions of one group, or all. */
  remotes(group?: string): readonly RemoteVersion[] {
    const all = [...this.#remotes.values()];
    return group === undefined ? all : all.filter((remote) => remote.group === group);
  }

  /** Calls the listener with each row that is removed or replaced. */
  onRemoval(listener: (row: KindRow) => void): void {
    this.#removalListeners.push(listener);
  }

  row(table: string): KindRow | undefined {
    return this.#rows.get(table);
  }

  rows(): Iterable<KindRow> {
    return this.#rows.values();
  }

  hasGroup(group: string): boolean {
    return this.#endpoints.has(group);
  }

  /** Whether all kinds of the group are custom. */
  isCustomGroup(group: string): boolean {
    for (const resources of this.#endpoints.get(group)?.values() ?? []) {
      for (const { row } of resources.values()) if (!row.isCustom) return false;
    }
    return this.#endpoints.has(group);
  }

  hasVersion(group: string, version: string): boolean {
    return this.#endpoints.get(group)?.has(version) === true;
  }

  endpoint(group: string, version: string, resource: string): Endpoint | undefined {
    return this.#endpoints.get(group)?.get(version)?.get(resource);
  }

  /** The endpoints of one version by resource name; empty when it is not served. */
  endpointsOf(group: string, version: string): readonly Endpoint[] {
    const resources = this.#endpoints.get(group)?.get(version);
    return resources === undefined
      ? []
      : [...resources.values()].sort((a, b) => (a.row.resource < b.row.resource ? -1 : 1));
  }

  groups(): readonly string[] {
    return [...this.#endpoints.keys()];
  }

  versionsOf(group: string): readonly string[] {
    return [...(this.#endpoints.get(group)?.keys() ?? [])];
  }
}

/** All fields that documents are derived from. */
function describedBy({ forward: _, ...description }: RemoteVersion): unknown {
  return description;
}

function endpointOf(row: KindRow, version: KindVersion): Endpoint {
  return {
    row,
    version,
    apiVersion: apiVersionOf(version),
    groupResource: { group: version.group, resource: row.resource },
    isStoredVersion: version.group === row.stored.group && version.version === row.stored.version,
    series: undefined,
  };
}
