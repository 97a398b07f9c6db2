// Which fields of a kind a field selector may name, under which label, and how upstream words the refusal of others.
// Upstream: pkg/apis/*/v1/conversion.go, AddFieldLabelConversionFunc

import { apiVersionOf, type GroupVersionKind, type KubeObject } from "#api/object.ts";
import type { Kind } from "#kinds/kind.ts";

export interface FieldLabels {
  /** The selectable field that a label of this version means; undefined for none. */
  fieldOf(label: string): string | undefined;
  unsupported(label: string): string;
}

/** Kinds without selectable fields also take the namespace of what has none. */
export const metadataLabels: FieldLabels = {
  fieldOf: (label) => (label === "metadata.name" || label === "metadata.namespace" ? label : undefined),
  unsupported: (label) => `"${label}" is not a known field selector: only "metadata.name", "metadata.namespace"`,
};

export function fieldLabelsOf(kind: Kind, gvk: GroupVersionKind, namespaced: boolean): FieldLabels {
  const { selectableFields, fieldLabels = {} } = kind;
  if (selectableFields === undefined) return metadataLabels;
  const metadata = namespaced ? ["metadata.name", "metadata.namespace"] : ["metadata.name"];
  const labels = new Map(
    Object.entries(
      fieldLabels[apiVersionOf(gvk)] ??
        Object.fromEntries([...metadata, ...Object.keys(selectableFields)].map((label) => [label, label])),
    ),
  );
  return {
    fieldOf: (label) => labels.get(label),
    unsupported: (label) => kind.unsupportedFieldLabel?.(label, gvk) ?? `field label not supported: ${label}`,
  };
}

/** The values of a kind's selectable fields. */
export function fieldValuesOf({
  selectableFields,
}: Kind): ((object: KubeObject) => Record<string, string>) | undefined {
  if (selectableFields === undefined) return undefined;
  const readers = Object.entries(selectableFields);
  return (object) => {
    const values: Record<string, string> = {};
    for (const [field, read] of readers) values[field] = read(object);
    return values;
  };
}
