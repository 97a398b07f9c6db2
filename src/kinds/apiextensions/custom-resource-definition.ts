// Custom resource definitions. Their rules stand in crd-strategy.ts and need the server's decoder.
// Upstream: apiextensions-apiserver pkg/apis/apiextensions/v1/defaults.go

import { servicePort443 } from "#kinds/admissionregistration/webhook-parts.ts";
import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { all, at, inner, isEmpty, isObject, nil, type Rule, set, zero } from "#kinds/parts/defaulting.ts";
import { schemaOnly } from "#kinds/strategy.ts";

const defaults: Rule = all(
  inner(
    "spec",
    all(
      inner("names", (names) => {
        const kind = typeof names.kind === "string" ? names.kind : "";
        if (kind === "") return names;
        return zero({ singular: kind.toLowerCase(), listKind: `${kind}List` })(names, NO_CONTEXT);
      }),
      nil({ conversion: { strategy: "None" } }),
      at("conversion", at("webhook", at("clientConfig", servicePort443))),
    ),
  ),
  (object) => {
    const versions: unknown = isObject(object.spec) ? object.spec.versions : undefined;
    if (!Array.isArray(versions) || (isObject(object.status) && !isEmpty(object.status.storedVersions))) return object;
    const stored: unknown = versions.find((version) => isObject(version) && version.storage === true);
    return isObject(stored)
      ? inner("status", (status) => set(status, "storedVersions", [stored.name ?? ""]))(object, NO_CONTEXT)
      : object;
  },
);

// For rules that read neither the time nor a gate.
const NO_CONTEXT = { now: 0 };

export const customResourceDefinition: SchemaOnlyKind = {
  key: "customresourcedefinitions.apiextensions.k8s.io",
  etcdDirectory: "apiextensions.k8s.io/customresourcedefinitions",
  strategy: schemaOnly({ countsGeneration: true, allowUnconditionalUpdate: false }),
  defaults,
  unprintedSubresources: ["status"],
  isStoredAsJson: true,
};
