// Namespaces. Upstream: pkg/registry/core/namespace/strategy.go; pkg/apis/core/validation, ValidateNamespace

import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { isDns1123Label, isQualifiedName } from "#api/names.ts";
import type { Kind } from "#kinds/kind.ts";
import { type Errors, name } from "#kinds/parts/checks.ts";
import { all, at, inner, isObject, isZero, type Rule, set, zero } from "#kinds/parts/defaulting.ts";
import { kubeFinalizer, objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { put, putMeta, statusStrategy } from "#kinds/parts/preparing.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { kindStrategy } from "#kinds/strategy.ts";
import { deleteNamespace, isNamespaceHeld } from "./namespace-deletion.ts";

const METADATA = field.newPath("metadata");

function validateNamespace(namespace: core.Namespace): field.FieldError[] {
  const errors: Errors = [];
  objectMeta(errors, namespace.metadata ?? {}, false, isDns1123Label, METADATA);
  for (const finalizer of namespace.spec?.finalizers ?? []) {
    finalizerName(errors, finalizer, field.newPath("spec", "finalizers"));
  }
  return errors;
}

function finalizerName(errors: Errors, finalizer: string, path: field.FieldPath): void {
  name(errors, finalizer, path, isQualifiedName);
  kubeFinalizer(errors, finalizer, path);
}

function validateNamespaceUpdate(namespace: core.Namespace, old: core.Namespace): field.FieldError[] {
  const errors = validateNamespace(namespace);
  objectMetaUpdate(errors, namespace.metadata ?? {}, old.metadata ?? {}, METADATA);
  return errors;
}

function validateNamespaceStatusUpdate(namespace: core.Namespace, old: core.Namespace): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, namespace.metadata ?? {}, old.metadata ?? {}, METADATA);
  const isDeleting = Boolean(namespace.metadata?.deletionTimestamp);
  const phase = namespace.status?.phase ?? "";
  const expected = isDeleting ? "Terminating" : "Active";
  if (phase !== expected) {
    const detail = `may only be '${expected}' if \`deletionTimestamp\` is ${isDeleting ? "not empty" : "empty"}`;
    errors.push(field.invalid(field.newPath("status", "Phase"), phase, detail));
  }
  return errors;
}

function validateNamespaceFinalize(namespace: core.Namespace, old: core.Namespace): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, namespace.metadata ?? {}, old.metadata ?? {}, METADATA);
  namespace.spec?.finalizers?.forEach((finalizer, i) => {
    finalizerName(errors, finalizer, field.newPath("spec", "finalizers").index(i));
  });
  return errors;
}

const NAME_LABEL = "kubernetes.io/metadata.name";

const defaults: Rule = all(
  at("metadata", (meta) => {
    if (isZero(meta.name)) return meta;
    const labels = isObject(meta.labels) ? meta.labels : {};
    const named = set(labels, "kubernetes.io/metadata.name", meta.name);
    return set(meta, "labels", named);
  }),
  inner("status", zero({ phase: "Active" })),
);

const strategy = kindStrategy<core.Namespace>({
  resetFields: [["status"]],
  prepareForCreate(namespace) {
    const finalizers = namespace.spec?.finalizers ?? [];
    const complete = finalizers.includes("kubernetes") ? finalizers : [...finalizers, "kubernetes"];
    return { ...namespace, spec: { ...namespace.spec, finalizers: complete }, status: { phase: "Active" } };
  },
  validate: validateNamespace,
  canonicalize(namespace) {
    const { name = "", labels } = namespace.metadata ?? {};
    return labels?.[NAME_LABEL] === name
      ? namespace
      : putMeta(namespace, { labels: { ...labels, [NAME_LABEL]: name } });
  },
  prepareForUpdate(namespace, old) {
    const spec = put(namespace.spec ?? {}, "finalizers", old.spec?.finalizers);
    return put(put(namespace, "spec", spec), "status", old.status);
  },
  validateUpdate: validateNamespaceUpdate,
  subresources: {
    status: statusStrategy(validateNamespaceStatusUpdate),
    finalize: {
      prepareForUpdate: (namespace, old) => put(namespace, "status", old.status),
      validateUpdate: validateNamespaceFinalize,
      resetFields: [["status"]],
    },
  },
});

export const namespace: Kind<core.Namespace> = {
  key: "namespaces",
  strategy,
  defaults,
  selectableFields: { "status.phase": ({ status }) => status?.phase ?? "" },
  printer: printer<core.Namespace>("Name|Status|Age", (namespace, now) => [
    nameOf(namespace),
    namespace.status?.phase ?? "",
    ageOf(namespace, now),
  ]),
  unprintedSubresources: ["finalize"],
  returnsDeletedObject: true,
  hooks: () => ({ deletion: deleteNamespace }),
  isHeld: isNamespaceHeld,
};
