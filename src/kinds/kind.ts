// Everything the API server knows about one built-in kind. Each kind is one file, src/kinds/<group>/<kind>.ts, that
// exports a value of this type; builtin-kinds.ts lists them. Names, scope, versions, verbs and subresource paths are
// not repeated here: they come from the generated resource table. docs/writing-a-kind.md tells how to add one.

import type { DeleteOptions } from "#api/meta.ts";
import type { GroupVersionKind, KubeObject } from "#api/object.ts";
import type { TypedDecoding } from "#api/typed-decoding.ts";
import type { KindCall, KindHooks, KindServer, ScalePaths } from "./hooks.ts";
import type { Rule } from "./parts/defaulting.ts";
import type { Printer } from "./parts/printer.ts";
import type { KindStrategy } from "./strategy.ts";

export interface Kind<T extends KubeObject = KubeObject> {
  /** "resource.group", or the resource alone in the core group. The store's table has the same name. */
  readonly key: string;
  /** The keys of other groups that serve the same objects. */
  readonly otherKeys?: readonly string[];
  /** Where upstream keeps it in etcd, which some refusals name; absent: the resource. */
  readonly etcdDirectory?: string;

  /** How its objects are prepared, validated, warned about and deleted. */
  readonly strategy: KindStrategy<T>;
  /** What decoding fills in; by version where versions differ. */
  readonly defaults?: Rule | Readonly<Record<string, Rule>>;
  /** Reads what its Go type leaves to decoders of its own. */
  afterDecoding?(decoded: TypedDecoding): TypedDecoding;
  /** Fields that have a second name or form: a client that writes one has written both. */
  fillAliases?(object: T): T;
  /** By apiVersion, for versions whose fields have other names than the stored ones. */
  readonly conversions?: Readonly<Record<string, Conversion>>;

  /** The fields that a field selector may name besides metadata.name and metadata.namespace, read from the stored form. */
  readonly selectableFields?: Readonly<Record<string, FieldReader<T>>>;
  /** By apiVersion, for versions that name these fields differently: from label to field, metadata included. */
  readonly fieldLabels?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The refusal of any other label; absent: "field label not supported: <label>". */
  unsupportedFieldLabel?(label: string, version: GroupVersionKind): string;
  /** A selectable field whose single value is indexed for watches. */
  readonly indexedField?: string;

  /** An annotation that upstream keeps as a field: metadata alone, as in tables, is shown without it. */
  readonly annotatedField?: string;
  /** Absent: name and creation time. */
  readonly printer?: Printer;
  /** Subresources that upstream does not print as tables. */
  readonly unprintedSubresources?: readonly string[];
  /** Requests are answered with this warning; by version where not all are deprecated. */
  readonly deprecationWarning?: string | Readonly<Record<string, string>>;
  /** Creates and updates are answered with this warning, which upstream does not give. */
  readonly writeWarning?: string;

  /** What it does beyond the generic verbs, made once for each server. */
  hooks?(server: KindServer): KindHooks<T>;
  /** Where its scale subresource finds the replicas. */
  readonly scale?: ScalePaths<T>;
  /** Looks at a delete before it happens: warns, or throws a refusal. */
  beforeDelete?(call: KindCall, options: DeleteOptions): void;
  /** More than finalizers keeps an object that is being deleted. */
  isHeld?(object: T): boolean;

  /** Delete answers with the object, even when it is gone. */
  readonly returnsDeletedObject?: boolean;
  /** Upstream stores it as JSON and not as protobuf, which does not tell an empty list from none. */
  readonly isStoredAsJson?: boolean;
  /** Upstream watches it without a cache, which shows in the words of refusals. */
  readonly isUncached?: boolean;
  /** Seconds after its last write at which an object vanishes by itself. */
  readonly ttlSeconds?: number;
}

/** Declared through a method, so that a kind of one type is also a kind of objects in general. */
export type FieldReader<T extends KubeObject> = { read(object: T): string }["read"];

/** Between another version and the stored one, apiVersion and kind included. */
export interface Conversion {
  toStored(object: KubeObject): KubeObject;
  fromStored(object: KubeObject): KubeObject;
}

export function defaultsOf({ defaults }: Kind, version: string): Rule | undefined {
  if (defaults === undefined || typeof defaults === "function") return defaults;
  return Object.hasOwn(defaults, version) ? defaults[version] : undefined;
}

export function warningOf({ deprecationWarning }: Kind, version: string): string | undefined {
  if (deprecationWarning === undefined || typeof deprecationWarning === "string") return deprecationWarning;
  return Object.hasOwn(deprecationWarning, version) ? deprecationWarning[version] : undefined;
}
