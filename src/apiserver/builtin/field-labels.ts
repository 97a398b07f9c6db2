// The field labels that a kind's field selectors may use, and upstream's errors for others.
// Upstream: pkg/apis/*/v1/conversion.go, AddFieldLabelConversionFunc

import { apiVersionOf, type GroupVersionKind, type KubeObject } from "#api/object.ts";
import type { Kind } from "#kinds/kind.ts";

export interface FieldLabels {
  /** The field for a label of this version; undefined if the label is not supported. */
  fieldOf(label: string): string | undefined;
  unsupported(label: string): string;
}

/** Kinds without selectable fields accept metadata.namespace even if they are cluster-scoped. */
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
