// The rules of kinds that have none of their own yet: status and spec are written apart, the
// generation counts changes of the spec where upstream counts them, names are what the kind accepts.

import type { FieldError } from "#api/field-error.ts";
import { goTypeOfKind } from "#api/go-layout.ts";
import { asPrefix } from "#api/names.ts";
import type { KubeObject } from "#api/object.ts";
import { deepEqual } from "#api/patch/json-value.ts";
import type { BuiltinResource } from "#api/resource-table.ts";
import { formatTime } from "#api/time.ts";
import { kindNameCheck } from "#kinds/kind-names.ts";
import type { KindStrategy, UpdateStrategy } from "#kinds/strategy.ts";
import { decodeTyped } from "../decoding/typed-decoding.ts";
import { withMeta } from "../object-meta.ts";
import {
  validateFinalizerNames,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../write/object-meta-validation.ts";
import { fieldReaderOf } from "./field-labels.ts";

/** Kinds whose generation is 1 from the start and grows with the spec. */
const WITH_GENERATION: ReadonlySet<string> = new Set([
  "ReplicationController",
  "ReplicaSet",
  "Deployment",
  "StatefulSet",
  "DaemonSet",
  "Job",
  "CronJob",
  "PodDisruptionBudget",
  "Ingress",
  "IngressClass",
  "NetworkPolicy",
  "MutatingWebhookConfiguration",
  "ValidatingWebhookConfiguration",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionPolicyBinding",
  "MutatingAdmissionPolicy",
  "MutatingAdmissionPolicyBinding",
  "CustomResourceDefinition",
  "FlowSchema",
  "PriorityLevelConfiguration",
  "DeviceClass",
  "ResourceSlice",
  "DeviceTaintRule",
  "PodTemplate",
  "Pod",
  "EndpointSlice",
  "PriorityClass",
]);

/** Kinds that a PUT creates. */
const CREATED_BY_UPDATE: ReadonlySet<string> = new Set([
  "RuntimeClass",
  "Role",
  "RoleBinding",
  "ClusterRole",
  "ClusterRoleBinding",
  "Lease",
  "LeaseCandidate",
  "LimitRange",
  "Event",
  "Service",
  "Endpoints",
]);

/** Kinds whose PUT must say which version it changes. */
const CONDITIONAL_ONLY: ReadonlySet<string> = new Set([
  "PodCertificateRequest",
  "ClusterTrustBundle",
  "RuntimeClass",
  "StorageVersionMigration",
  "PodDisruptionBudget",
  "StorageVersion",
  "CSIDriver",
  "CSIStorageCapacity",
  "VolumeAttachment",
  "CSINode",
  "Lease",
  "LeaseCandidate",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionPolicyBinding",
  "MutatingAdmissionPolicy",
  "MutatingAdmissionPolicyBinding",
  "MutatingWebhookConfiguration",
  "ValidatingWebhookConfiguration",
  "CustomResourceDefinition",
  "APIService",
]);

/** Kinds that leave their dependents alone unless told otherwise. */
const ORPHANING: ReadonlySet<string> = new Set(["ReplicationController", "Job"]);

type Fields = Readonly<Record<string, unknown>>;

export function genericStrategy(resource: BuiltinResource): KindStrategy {
  const { kind, namespaced } = resource;
  const hasStatus = resource.subresources.some(({ name }) => name === "status");
  const hasGeneration = WITH_GENERATION.has(kind);
  const selectableFields = fieldReaderOf(resource);
  const goType = goTypeOfKind(resource);
  const zeroStatus = goType === undefined ? {} : (decodeTyped(goType, {}).value.status ?? {});
  // A default, which upstream applies to what it reads from the store.
  const newStatus = kind === "PersistentVolumeClaim" ? { ...(zeroStatus as object), phase: "Pending" } : zeroStatus;
  const subresources: Record<string, UpdateStrategy> = {};
  for (const { name, kind: subKind } of resource.subresources) {
    const isSameKind = subKind.group === resource.group && subKind.kind === kind;
    if (isSameKind && name !== "log") subresources[name] = name === "status" ? STATUS : PLAIN;
  }
  return {
    namespaced,
    allowCreateOnUpdate: CREATED_BY_UPDATE.has(kind),
    allowUnconditionalUpdate: !CONDITIONAL_ONLY.has(kind),
    defaultPropagation: ORPHANING.has(kind) ? "Orphan" : "Background",
    subresources,
    prepareForCreate(object, { now }) {
      const { status, ...rest } = object as Fields;
      const first =
        kind === "PersistentVolume" ? { phase: "Pending", lastPhaseTransitionTime: formatTime(now) } : newStatus;
      const prepared = hasStatus ? { ...rest, ...(status === undefined ? {} : { status: first }) } : object;
      return withMeta(prepared as KubeObject, { generation: hasGeneration ? 1 : undefined });
    },
    validate(object, { gates }) {
      const { metadata = {} } = object;
      const check = kindNameCheck(resource, object, gates);
      const validateName = (name: string, isPrefix: boolean): string[] => check(isPrefix ? asPrefix(name) : name);
      return [
        ...validateObjectMeta(metadata, namespaced, validateName),
        ...validateFinalizerNames(metadata.finalizers),
      ];
    },
    prepareForUpdate(object, old) {
      const prepared = hasStatus ? withField(object, "status", (old as Fields).status) : object;
      const isSame = isSameContent(prepared, old) && (kind !== "EndpointSlice" || hasSameLabels(prepared, old));
      return hasGeneration && !isSame
        ? withMeta(prepared, { generation: (old.metadata?.generation ?? 0) + 1 })
        : prepared;
    },
    validateUpdate,
    ...(selectableFields === undefined ? {} : { selectableFields }),
    ...(hasStatus ? { resetFields: [["status"]] } : {}),
  };
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
