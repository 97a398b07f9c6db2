// The strategy of CustomResourceDefinitions.
// Upstream: k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition/strategy.go

import { semanticEqual } from "#api/equality.ts";
import { goQuote } from "#api/go-text.ts";
import { recognizedFormat } from "#cel/formats.ts";
import { type CustomResourceDefinition, someSchema } from "#cel/json-schema.ts";
import { put, putMeta } from "#kinds/parts/preparing.ts";
import type { KindStrategy, UpdateStrategy } from "#kinds/strategy.ts";
import { internalSpec, schemasOf } from "./crd-internal.ts";
import {
  type DefinitionChecks,
  validateDefinition,
  validateDefinitionStatusUpdate,
  validateDefinitionUpdate,
} from "./crd-validation.ts";

export function definitionStrategy(checks: DefinitionChecks): KindStrategy<CustomResourceDefinition> {
  return {
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: false,
    defaultPropagation: "Background",
    prepareForCreate: (crd) => withStoredVersion({ ...putMeta(crd, { generation: 1 }), status: EMPTY_STATUS }),
    validate: (crd) => validateDefinition(crd, checks),
    warningsOnCreate: (crd) => unknownFormats(crd).map(warning),
    prepareForUpdate(crd, old) {
      const kept = put(crd, "status", old.status);
      const counted = semanticEqual(kept.spec, old.spec)
        ? kept
        : putMeta(kept, { generation: (old.metadata?.generation ?? 0) + 1 });
      return withStoredVersion(counted);
    },
    validateUpdate: (crd, old) => validateDefinitionUpdate(crd, old, checks),
    warningsOnUpdate(crd, old) {
      const known = new Set(unknownFormats(old));
      return unknownFormats(crd)
        .filter((format) => !known.has(format))
        .map(warning);
    },
    resetFields: [["status"]],
    subresources: { status: statusStrategy },
  };
}

/** In Go's form: unknown lists are null. */
const EMPTY_STATUS = {
  acceptedNames: { kind: "", plural: "" },
  conditions: null,
  storedVersions: null,
} as unknown as NonNullable<CustomResourceDefinition["status"]>;

/** The status subresource also changes metadata: the clean-up removes its finalizer this way. */
const statusStrategy: UpdateStrategy<CustomResourceDefinition> = {
  prepareForUpdate: (crd, old) => put(crd, "spec", old.spec),
  validateUpdate: validateDefinitionStatusUpdate,
  resetFields: [["spec"]],
};

/** Adds the storage version to status.storedVersions. */
function withStoredVersion(crd: CustomResourceDefinition): CustomResourceDefinition {
  const stored = crd.status?.storedVersions ?? [];
  const storage = crd.spec.versions?.find((version) => version.storage);
  if (storage === undefined || stored.includes(storage.name)) return crd;
  return { ...crd, status: { ...crd.status, storedVersions: [...stored, storage.name] } };
}

const warning = (format: string): string => `unrecognized format ${goQuote(format)}`;

function unknownFormats(crd: CustomResourceDefinition): string[] {
  const formats: string[] = [];
  for (const root of schemasOf(internalSpec(crd.spec))) {
    someSchema(root, ({ type = "", format = "" }) => {
      if (format !== "" && recognizedFormat(type, format) === "") formats.push(format);
      return false;
    });
  }
  return formats;
}
