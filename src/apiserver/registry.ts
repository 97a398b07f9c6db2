// The kinds that the server serves, each a row of data. Rows come and go at run time: a custom
// resource is one more row. Routing, discovery and OpenAPI read the rows; nothing else names kinds.

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
  /** The table that stores it. Kinds of two groups that are one kind (events) are versions of one row. */
  readonly table: string;
  /** Where upstream keeps it in etcd, which some refusals name. */
  readonly etcdDirectory: string;
  /** Lower-case plural. */
  readonly resource: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** In order of preference within each group. */
  readonly versions: readonly KindVersion[];
  /** The kind and version of stored objects, which strategy and admission see. */
  readonly stored: GroupVersionKind;
  readonly strategy: KindStrategy;
  /** A custom resource: no strategic merge patch, no protobuf, list items carry their kind. */
  readonly isCustom: boolean;
  /** Seconds after its last write at which an object vanishes by itself. */
  readonly ttlSeconds?: number;
  /** Upstream watches it without a cache, and says so in other words. */
  readonly isUncached: boolean;
  /** Upstream stores it as JSON and not as protobuf, which does not tell an empty list from none. */
  readonly isStoredAsJson: boolean;
  /** Delete answers with the object, even when it is gone. */
  readonly returnsDeletedObject: boolean;
  /** A delete that is more than the generic one; "undefined" leaves it to that, "retry" starts again. */
  readonly deletion?: DeletionHook;
  /** Looks at a delete before the object is looked for. */
  readonly beforeDelete?: (call: ResourceCall, options: DeleteOptions) => void;
  /** Takes what the server itself gives such an object, before the kind's rules see it. */
  allocation?(object: KubeObject, old: KubeObject | undefined, dryRun: boolean): Allocation;
  /** May the user write this object? Asked before the kind's rules see it; throws a refusal. */
  authorizeWrite?(
    call: ResourceCall,
    object: KubeObject,
    old: KubeObject | undefined,
    signal: AbortSignal,
  ): Promise<void>;
  /** The same, asked once the object is valid. */
  authorizeValid?: KindRow["authorizeWrite"];
  /** Once an object is gone. */
  afterDelete?(object: KubeObject): void;
  /** More than finalizers keeps an object that is being deleted. */
  isHeld?(object: KubeObject): boolean;
  /** Fields whose single value an index of watches may use. */
  readonly indexedField?: string;
  /** An annotation that metadata alone is shown without. */
  readonly annotatedField?: string;
  /** Subresources that are more than an update of the stored object: scale, binding, eviction, token. */
  readonly subresources: ReadonlyMap<string, SubresourceHandler>;
  /** Kinds that are answered, not stored (reviews): how a create is answered. */
  readonly virtual?: SubresourceHandler;
  /** Kinds that are looked up at each read, and not stored. */
  readonly observed?: Observed;
  readonly printer?: Printer;
  /** Subresources that are not printed as tables. */
  readonly unprintedSubresources: readonly string[];
  /** The values of the fields that a field selector may name besides metadata.name and metadata.namespace. */
  selectableFields?(object: KubeObject): Readonly<Record<string, string>>;
  /** The kind's table as it is seen through this row; absent: as it is. */
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
   * Reads a JSON value into the kind's type; throws a TypedDecodingError. `before`: an object of this version that was
   * read before, of which the value may have parts.
   */
  decode(value: unknown, wording?: DecodingWording, before?: KubeObject): TypedDecoding;
  /** The Go type of a built-in kind: messages print objects in its order. */
  readonly goType?: GoStruct | undefined;
  /** An older version that bodies may have as well: it has the same fields. */
  readonly alsoReads?: string;
  /** An object of which nothing was given: what the first writer of a field is compared with. */
  zero(): Readonly<Record<string, unknown>>;
  /** To and from the stored form, apiVersion and kind included. */
  toStored(object: KubeObject): KubeObject;
  fromStored(object: KubeObject): KubeObject;
  applyDefaults(object: KubeObject, now: EpochMs): KubeObject;
  /** What a field selector on this version may name. */
  readonly fieldLabels: FieldLabels;
  /** A hint to clients that use an old version. */
  readonly deprecationWarning?: string;
  /** Custom resources: what OpenAPI publishes instead of `schema`. */
  openApi?(form: OpenApiForm): Readonly<Record<string, unknown>>;
  /** Kinds whose versions print different columns; else the row's printer. */
  readonly printer?: Printer;
}

/** One kind in one version: what a request addresses. */
export interface Endpoint {
  readonly row: KindRow;
  readonly version: KindVersion;
  readonly apiVersion: string;
  readonly groupResource: GroupResource;
  readonly isStoredVersion: boolean;
  /** The metrics of its requests, made with the first request. */
  series?: EndpointSeries | undefined;
}

export class Registry {
  readonly #rows = new Map<string, KindRow>();
  /** By group, version, resource. */
  readonly #endpoints = new Map<string, Map<string, Map<string, Endpoint>>>();
  readonly #removalListeners: ((row: KindRow) => void)[] = [];
  /** Versions that other servers answer for, by "group/version". */
  readonly #remotes = new Map<string, RemoteVersion>();
  #generation = 0;

  /** Grows with every change: caches of derived documents compare it. */
  get generation(): number {
    return this.#generation;
  }

  /** Adds a row or replaces the one with the same table. */
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

  /** From now on another server answers for this version, whatever this one serves of it. */
  setRemote(remote: RemoteVersion): void {
    const key = `${remote.group}/${remote.version}`;
    const before = this.#remotes.get(key);
    this.#remotes.set(key, remote);
    // It is looked at every half minute, and most looks find the same.
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

  /** Those of one group, or of all. */
  remotes(group?: string): readonly RemoteVersion[] {
    const all = [...this.#remotes.values()];
    return group === undefined ? all : all.filter((remote) => remote.group === group);
  }

  /** Calls the listener with each row that goes or is replaced. */
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

  /** Are all kinds of the group custom ones? */
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

  /** The endpoints of one version by resource name; none when it is not served. */
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

/** All that documents are derived from. */
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
