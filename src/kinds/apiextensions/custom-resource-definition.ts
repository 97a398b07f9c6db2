// Custom resource definitions. Upstream: apiextensions-apiserver pkg/registry/customresourcedefinition;
// pkg/apis/apiextensions/v1/defaults.go

import type { CustomResourceDefinition } from "#cel/json-schema.ts";
import { servicePort443 } from "#kinds/admissionregistration/webhook-parts.ts";
import type { Kind } from "#kinds/kind.ts";
import { all, at, inner, isEmpty, isObject, nil, type Rule, set, zero } from "#kinds/parts/defaulting.ts";
import { definitionStrategy } from "./crd-strategy.ts";
import { withDecodedSchemas } from "./definition-decoding.ts";
import { deleteDefinition } from "./definition-deletion.ts";
import { checkDefaultRules, compileRules } from "./definition-rules.ts";
import { readMetadata } from "./metadata-reader.ts";

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

// For defaulting rules that read neither the time nor a gate.
const NO_CONTEXT = { now: 0 };

export const customResourceDefinition: Kind<CustomResourceDefinition> = {
  key: "customresourcedefinitions.apiextensions.k8s.io",
  etcdDirectory: "apiextensions.k8s.io/customresourcedefinitions",
  strategy: definitionStrategy({ read: readMetadata, checkRules: checkDefaultRules, compileRules }),
  defaults,
  afterDecoding: withDecodedSchemas,
  hooks: () => ({ deletion: deleteDefinition }),
  unprintedSubresources: ["status"],
  isStoredAsJson: true,
};
