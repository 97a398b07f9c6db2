// The objects of a table that a request selects: by namespace, name, labels and fields.
// Upstream: k8s.io/apiserver/pkg/storage/selection_predicate.go

import { type FieldSelector, fieldEquals } from "#api/field-selector.ts";
import type { Selector } from "#api/label-selector.ts";
import { isDns1123Label, isPathSegmentName } from "#api/names.ts";
import type { KubeObject } from "#api/object.ts";
import { newBadRequest } from "#api/status-error.ts";
import type { ListOptions } from "./list-options.ts";
import type { Endpoint } from "./registry.ts";
import type { StoredVersion } from "./storage/storage.ts";

export class Selection {
  readonly #endpoint: Endpoint;
  readonly #labels: Selector;
  readonly #fields: FieldSelector;
  /** "": all namespaces, or a cluster-scoped kind. */
  readonly namespace: string;
  /** The key of the only possible object, when name and namespace are known. */
  readonly key: string | undefined;

  /** A continued list is not narrowed by its fields: upstream's token refers to the whole collection. */
  constructor(endpoint: Endpoint, namespace: string, labels: Selector, fields: FieldSelector, goesOn: boolean) {
    this.#endpoint = endpoint;
    this.#labels = labels;
    this.#fields = fields;
    const { namespaced } = endpoint.row;
    const isWide = namespaced && namespace === "" && !goesOn;
    const fieldNamespace = isWide ? fields.requiredValue("metadata.namespace") : undefined;
    const isNamespace = fieldNamespace !== undefined && isDns1123Label(fieldNamespace).length === 0;
    this.namespace = isNamespace ? fieldNamespace : namespaced ? namespace : "";
    const name = fields.requiredValue("metadata.name");
    const isKeyKnown =
      name !== undefined && isPathSegmentName(name).length === 0 && (!namespaced || this.namespace !== "");
    this.key = isKeyKnown ? (namespaced ? `${this.namespace}/${name}` : name) : undefined;
  }

  /** Whether it selects everything in its namespace. */
  get isEmpty(): boolean {
    return this.#labels.isEmpty && this.#fields.isEmpty;
  }

  /** The common prefix of its keys. */
  get prefix(): string {
    return this.namespace === "" ? "" : `${this.namespace}/`;
  }

  /** The single value that it requires of a field. */
  requiredField(field: string): string | undefined {
    return this.#fields.requiredValue(field);
  }

  /** For an object that is not stored. */
  matchesObject(object: KubeObject): boolean {
    return (
      this.#labels.matches(object.metadata?.labels) &&
      (this.#fields.isEmpty || this.#fields.matches(selectableFields(this.#endpoint, object)))
    );
  }

  /** For a version whose key has the prefix. */
  matches(stored: StoredVersion): boolean {
    if (this.isEmpty) return true;
    if (!this.#labels.matches(stored.object.metadata?.labels)) return false;
    return this.#fields.isEmpty || this.#fields.matches(fieldsOf(this.#endpoint, stored));
  }
}

/** The selectable fields of a version, computed once. */
export function fieldsOf(endpoint: Endpoint, stored: StoredVersion): Readonly<Record<string, string>> {
  stored.renderings ??= new Map();
  let fields = stored.renderings.get("fields") as Record<string, string> | undefined;
  if (fields === undefined) {
    fields = selectableFields(endpoint, stored.object);
    stored.renderings.set("fields", fields);
  }
  return fields;
}

export function selectableFields(endpoint: Endpoint, object: KubeObject): Record<string, string> {
  const { name = "", namespace = "" } = object.metadata ?? {};
  const fields: Record<string, string> = {
    __proto__: null as never,
    ...endpoint.row.selectableFields?.(object),
  };
  fields["metadata.name"] = name;
  if (endpoint.row.namespaced) fields["metadata.namespace"] = namespace;
  return fields;
}

/** Throws a 400 for a field that is not selectable. `name`: set for a request for a single object. */
export function selectionOf(endpoint: Endpoint, namespace: string, options: ListOptions, name = ""): Selection {
  let { fields } = options;
  if (!fields.isEmpty) {
    const labels = endpoint.version.fieldLabels;
    fields = fields.transform((label, value) => {
      const field = labels.fieldOf(label);
      if (field === undefined) throw newBadRequest(labels.unsupported(label));
      return { field, value };
    });
  }
  if (name !== "") {
    if (fields.isEmpty) fields = fieldEquals("metadata.name", name);
    else if (fields.requiredValue("metadata.name") !== name) {
      throw newBadRequest("fieldSelector metadata.name doesn't match requested name");
    }
  }
  return new Selection(endpoint, namespace, options.labels, fields, options.continue !== "");
}
