// The structural schema of a kind in one normalised form, whether it comes from the generated
// tables (built-in kinds) or from a CustomResourceDefinition. Patches, apply, pruning, defaulting
// and unknown-field checks all read this form. Nodes are shared and may be cyclic; never mutate them.

export type SchemaType = "object" | "array" | "string" | "integer" | "number" | "boolean";

export interface Schema {
  /** Absent: any value. */
  readonly type?: SchemaType;
  readonly format?: string;
  /** The upstream definition, for example "io.k8s.api.core.v1.PodSpec"; absent in custom resources. */
  readonly typeName?: string;
  /** Without a prototype: safe to index with any key. */
  readonly properties?: Readonly<Record<string, Schema>>;
  /** The values of a map; `true` allows any. */
  readonly additionalProperties?: Schema | true;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly nullable?: boolean;
  /** Apply: how a list is owned. Absent means atomic. */
  readonly listType?: "atomic" | "set" | "map";
  readonly listMapKeys?: readonly string[];
  /** Apply: an atomic object or map is owned as a whole. Absent means granular. */
  readonly mapType?: "granular" | "atomic";
  /** Strategic merge; several are possible ("merge,retainKeys"). */
  readonly patchStrategy?: readonly ("merge" | "replace" | "retainKeys")[];
  readonly patchMergeKey?: string;
  readonly intOrString?: boolean;
  readonly preserveUnknownFields?: boolean;
  readonly embeddedResource?: boolean;
}
