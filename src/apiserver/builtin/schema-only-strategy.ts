// The strategy of kinds whose rules are not written yet: status and spec are written apart, the generation counts
// changes where upstream counts them, names are what the kind accepts.

import type { FieldError } from "#api/field-error.ts";
import { goTypeOfKind } from "#api/go-layout.ts";
import { lazy } from "#api/lazy.ts";
import { asPrefix, isDns1123Subdomain } from "#api/names.ts";
import type { KubeObject } from "#api/object.ts";
import { withMeta } from "#api/object-meta.ts";
import { deepEqual } from "#api/patch/json-value.ts";
import type { BuiltinResource } from "#api/resource-table.ts";
import { decodeTyped } from "#api/typed-decoding.ts";
import { type KindStrategy, kindStrategy, type SchemaOnly, type UpdateStrategy } from "#kinds/strategy.ts";
import {
  validateFinalizerNames,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../write/object-meta-validation.ts";

type Fields = Readonly<Record<string, unknown>>;

export function schemaOnlyStrategy(stated: SchemaOnly, resource: BuiltinResource): KindStrategy {
  const { kind, namespaced } = resource;
  const { countsGeneration = false, countsLabels = false } = stated;
  const hasStatus = resource.subresources.some(({ name }) => name === "status");
  const zeroStatus = lazy(() => {
    const goType = goTypeOfKind(resource);
    return goType === undefined ? {} : (decodeTyped(goType, {}).value.status ?? {});
  });
  const subresources: Record<string, UpdateStrategy> = {};
  for (const { name, kind: subKind } of resource.subresources) {
    const isSameKind = subKind.group === resource.group && subKind.kind === kind;
    if (isSameKind) subresources[name] = name === "status" ? STATUS : PLAIN;
  }
  return kindStrategy<KubeObject>({
    allowCreateOnUpdate: stated.allowCreateOnUpdate ?? false,
    allowUnconditionalUpdate: stated.allowUnconditionalUpdate ?? true,
    defaultPropagation: stated.defaultPropagation ?? "Background",
    subresources,
    prepareForCreate(object, { now }) {
      const { status, ...rest } = object as Fields;
      const first = stated.newStatus?.(now) ?? zeroStatus();
      const prepared = hasStatus ? { ...rest, ...(status === undefined ? {} : { status: first }) } : object;
      return withMeta(prepared as KubeObject, { generation: countsGeneration ? 1 : undefined });
    },
    validate(object) {
      const { metadata = {} } = object;
      const check = stated.nameCheck?.(object) ?? isDns1123Subdomain;
      const validateName = (name: string, isPrefix: boolean): string[] => check(isPrefix ? asPrefix(name) : name);
      return [
        ...validateObjectMeta(metadata, namespaced, validateName),
        ...validateFinalizerNames(metadata.finalizers),
      ];
    },
    prepareForUpdate(object, old) {
      const prepared = hasStatus ? withField(object, "status", (old as Fields).status) : object;
      const isSame = isSameContent(prepared, old) && (!countsLabels || hasSameLabels(prepared, old));
      return countsGeneration && !isSame
        ? withMeta(prepared, { generation: (old.metadata?.generation ?? 0) + 1 })
        : prepared;
    },
    validateUpdate,
    ...(hasStatus ? { resetFields: [["status"]] } : {}),
  });
}

/** A write of the status changes nothing else but metadata's labels and annotations. */
const STATUS: UpdateStrategy = {
  prepareForUpdate(object, old) {
    const { metadata: _metadata, status: _status, ...oldRest } = old as Fields;
    const { status, metadata } = object as Fields;
    return { ...oldRest, metadata, ...(status === undefined ? {} : { status }) } as KubeObject;
  },
  validateUpdate,
  resetFields: [["spec"]],
};

const PLAIN: UpdateStrategy = { prepareForUpdate: (object) => object, validateUpdate };

/** Kinds check the metadata once more, after the server has: what is wrong is listed twice. */
function validateUpdate({ metadata = {} }: KubeObject, old: KubeObject): FieldError[] {
  return [...validateObjectMetaUpdate(metadata, old.metadata ?? {}), ...validateFinalizerNames(metadata.finalizers)];
}

function isSameContent(object: KubeObject, old: KubeObject): boolean {
  const { metadata: _a, status: _b, ...content } = object as Fields;
  const { metadata: _c, status: _d, ...oldContent } = old as Fields;
  return deepEqual(content, oldContent);
}

const hasSameLabels = ({ metadata }: KubeObject, old: KubeObject): boolean =>
  deepEqual(metadata?.labels ?? {}, old.metadata?.labels ?? {});

function withField(object: KubeObject, name: string, value: unknown): KubeObject {
  const copy: Record<string, unknown> = { ...object };
  if (value === undefined) delete copy[name];
  else copy[name] = value;
  return copy as KubeObject;
}
