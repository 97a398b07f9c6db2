// Everything the API server knows about one built-in kind. Each kind is one file, src/kinds/<group>/<kind>.ts, that
// exports a value of this type; builtin-kinds.ts lists them. Names, scope, versions, verbs and subresource paths come
// from the generated resource table. docs/writing-a-kind.md explains how to add a kind.

import type { DeleteOptions } from "#api/meta.ts";
import type { GroupVersionKind, KubeObject } from "#api/object.ts";
import type { TypedDecoding } from "#api/typed-decoding.ts";
import type { KindCall, KindHooks, KindServer, ScalePaths } from "./hooks.ts";
import type { Rule } from "./parts/defaulting.ts";
import type { Printer } from "./parts/printer.ts";
import type { KindStrategy } from "./strategy.ts";

export interface Kind<T extends KubeObject = KubeObject> {
  /** "resource.group", or the resource alone in the core group. Also the name of the table in the store. */
  readonly key: string;
  /** Keys under which other groups serve the same objects. */
  readonly otherKeys?: readonly string[];
  /** The kind's directory in upstream's etcd, which some errors name. Absent: the resource. */
  readonly etcdDirectory?: string;

  /** How objects are prepared, validated, warned about and deleted. */
  readonly strategy: KindStrategy<T>;
  /** Defaults that decoding applies, by version if versions differ. */
  readonly defaults?: Rule | Readonly<Record<string, Rule>>;
  /** Decodes fields for which the Go type has custom decoders. */
  afterDecoding?(decoded: TypedDecoding): TypedDecoding;
  /** Fills in fields that have a second name or form: writing one writes both. */
  fillAliases?(object: T): T;
  /** By apiVersion, for versions whose fields differ from the stored version. */
  readonly conversions?: Readonly<Record<string, Conversion>>;

  /** Fields for field selectors besides metadata.name and metadata.namespace, read from the stored form. */
  readonly selectableFields?: Readonly<Record<string, FieldReader<T>>>;
  /** By apiVersion, for versions that name these fields differently: from label to field, including metadata. */
  readonly fieldLabels?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The error for any other label. Absent: "field label not supported: <label>". */
  unsupportedFieldLabel?(label: string, version: GroupVersionKind): string;
  /** A selectable field with a single value, indexed for watches. */
  readonly indexedField?: string;

  /** An annotation that upstream keeps as a field. Metadata-only forms, as in tables, omit it. */
  readonly annotatedField?: string;
  /** Absent: name and age. */
  readonly printer?: Printer;
  /** Subresources that upstream does not print as tables. */
  readonly unprintedSubresources?: readonly string[];
  /** Warning on every request, by version if not all versions are deprecated. */
  readonly deprecationWarning?: string | Readonly<Record<string, string>>;
  /** Warning on creates and updates that upstream does not send. */
  readonly writeWarning?: string;

  /** What the kind does beyond the generic verbs. Created once per server. */
  hooks?(server: KindServer): KindHooks<T>;
  /** Fields for the scale subresource. */
  readonly scale?: ScalePaths<T>;
  /** Runs before a delete. Adds warnings, or throws to refuse it. */
  beforeDelete?(call: KindCall, options: DeleteOptions): void;
  /** True if something other than metadata.finalizers keeps an object that is being deleted. */
  isHeld?(object: T): boolean;

  /** Delete answers with the object, even if it was removed. */
  readonly returnsDeletedObject?: boolean;
  /** Upstream stores the kind as JSON, not as protobuf, which cannot tell an empty list from none. */
  readonly isStoredAsJson?: boolean;
  /** Upstream watches the kind without a cache, which shows in error messages. */
  readonly isUncached?: boolean;
  /** Objects expire this many seconds after their last write. */
  readonly ttlSeconds?: number;
}

/** A method type, so that a kind of one type is assignable to a kind of any object. */
export type FieldReader<T extends KubeObject> = { read(object: T): string }["read"];

/** Converts between another version and the stored one, including apiVersion and kind. */
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
