// Updates of a pod's status and of its ephemeral containers.
// Upstream: pkg/apis/core/validation, ValidatePodStatusUpdate, ValidatePodEphemeralContainersUpdate

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { byteLength, goQuote } from "#api/go-text.ts";
import type { Int64 } from "#api/int64.ts";
import { isDns1123Subdomain, isUserId } from "#api/names.ts";
import {
  dnsLabel,
  dnsSubdomain,
  type Errors,
  IMMUTABLE,
  legacyIp,
  name,
  oneOf,
  type Path,
  qualifiedName,
} from "#kinds/parts/checks.ts";
import { internalForm } from "#kinds/parts/internal-form.ts";
import { objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { amount } from "#kinds/parts/quantities.ts";
import { diffJson } from "#kinds/parts/unified-diff.ts";
import { MIRROR_POD, podAnnotationUpdates } from "#kinds/pod-spec/pod-annotations.ts";
import type { PodOptions } from "#kinds/pod-spec/pod-options.ts";
import { EPHEMERAL_CONTAINER } from "#kinds/pod-spec/pod-schema.ts";
import { isDualStack, parseSloppyIp } from "#rules/ip.ts";
import { containerShouldRestart } from "#rules/pod-conditions.ts";
import { metadataAndSpec, specOf } from "./pod-validation.ts";

const METADATA = field.newPath("metadata");
const STATUS = field.newPath("status");
const STATUS_LISTS = ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"] as const;

export function validatePodStatusUpdate(pod: core.Pod, old: core.Pod, opts: PodOptions): field.FieldError[] {
  const errors: Errors = [];
  const [spec, oldSpec] = [specOf(pod), specOf(old)];
  const [status, oldStatus] = [pod.status ?? {}, old.status ?? {}];
  objectMetaUpdate(errors, pod.metadata ?? {}, old.metadata ?? {}, METADATA);
  const at = METADATA.child("annotations");
  podAnnotationUpdates(errors, pod.metadata?.annotations, old.metadata?.annotations, spec, at, opts);
  conditions(errors, status.conditions ?? [], STATUS.child("conditions"));
  if (spec.nodeName !== oldSpec.nodeName) {
    errors.push(field.forbidden(STATUS.child("nodeName"), "may not be changed directly"));
  }
  nominatedNode(errors, status, oldStatus, oldSpec, opts);
  notNegative(errors, status.observedGeneration, STATUS.child("observedGeneration"));
  if ((status.qosClass ?? "") !== (oldStatus.qosClass ?? "")) {
    errors.push(field.invalid(STATUS.child("qosClass"), status.qosClass ?? "", IMMUTABLE));
  }
  for (const list of STATUS_LISTS) stateTransitions(errors, list, status, oldStatus, oldSpec, opts);
  claimStatuses(errors, status.resourceClaimStatuses ?? [], spec, STATUS.child("resourceClaimStatuses"));
  const extended = STATUS.child("extendedResourceClaimStatus");
  if (status.extendedResourceClaimStatus) extendedClaim(errors, status.extendedResourceClaimStatus, spec, extended);
  allocatableClaims(errors, status, spec, STATUS.child("nodeAllocatableResourceClaimStatuses"));
  const podIps = (status.podIPs ?? []).map(({ ip }) => ip ?? "");
  ips(
    errors,
    podIps,
    (oldStatus.podIPs ?? []).map(({ ip }) => ip ?? ""),
    "PodIP",
    STATUS.child("podIPs"),
    opts,
  );
  hostIps(errors, status, oldStatus, opts);
  for (const list of STATUS_LISTS) users(errors, status[list] ?? [], spec.os, STATUS.child(list));
  health(errors, status.containerStatuses ?? [], spec.containers ?? [], STATUS.child("containerStatuses"));
  health(errors, status.initContainerStatuses ?? [], spec.initContainers ?? [], STATUS.child("initContainerStatuses"));
  status.ephemeralContainerStatuses?.forEach((container, i) => {
    if ((container.allocatedResourcesStatus ?? []).length === 0) return;
    const path = STATUS.child("ephemeralContainerStatuses").index(i).child("allocatedResourcesStatus");
    errors.push(field.forbidden(path, "must not be specified in container status"));
  });
  if (opts.allowImageVolumeDigest) {
    for (const list of STATUS_LISTS) imageVolumes(errors, status[list] ?? [], STATUS.child(list));
  }
  return errors;
}

function notNegative(errors: Errors, value: number | undefined, path: Path): void {
  if (value !== undefined && value < 0) errors.push(field.invalid(path, value, "must be a non-negative integer"));
}

function conditions(errors: Errors, list: readonly core.PodCondition[], path: Path): void {
  list.forEach(({ type = "", observedGeneration }, i) => {
    notNegative(errors, observedGeneration, path.index(i).child("observedGeneration"));
    if (["PodScheduled", "Ready", "Initialized"].includes(type)) return;
    qualifiedName(errors, type, path.index(i).child("Type"));
  });
}

function nominatedNode(
  errors: Errors,
  { nominatedNodeName: node = "" }: core.PodStatus,
  { nominatedNodeName: oldNode = "" }: core.PodStatus,
  oldSpec: core.PodSpec,
  opts: PodOptions,
): void {
  if (node === oldNode || node === "") return;
  const path = STATUS.child("nominatedNodeName");
  name(errors, node, path, isDns1123Subdomain);
  if (opts.clearNominatedNode && oldSpec.nodeName) {
    errors.push(field.forbidden(path, "may not be set on pods that are already bound to a node"));
  }
}

/** A terminated container may restart only if its restart policy allows it. */
function stateTransitions(
  errors: Errors,
  list: (typeof STATUS_LISTS)[number],
  status: core.PodStatus,
  oldStatus: core.PodStatus,
  spec: core.PodSpec,
  opts: PodOptions,
): void {
  const isEphemeral = list === "ephemeralContainerStatuses";
  if (!isEphemeral && opts.allowRestartAllContainers && canRestartAll(spec)) return;
  const inSpec = list === "initContainerStatuses" ? spec.initContainers : spec.containers;
  oldStatus[list]?.forEach((before, i) => {
    const exit = before.state?.terminated;
    const runs = (status[list] ?? []).some(({ name, state }) => name === before.name && !state?.terminated);
    if (!exit || !runs) return;
    const container = inSpec?.find((candidate) => candidate.name === before.name);
    if (
      !isEphemeral &&
      container &&
      containerShouldRestart(container, spec, exit.exitCode ?? 0, opts.allowRestartAllContainers)
    )
      return;
    errors.push(
      field.forbidden(STATUS.child(list).index(i).child("state"), "may not be transitioned to non-terminated state"),
    );
  });
}

function canRestartAll({ containers, initContainers }: core.PodSpec): boolean {
  return [...(initContainers ?? []), ...(containers ?? [])].some(({ restartPolicyRules }) =>
    (restartPolicyRules ?? []).some(({ action }) => action === "RestartAllContainers"),
  );
}

function claimStatuses(
  errors: Errors,
  list: readonly core.PodResourceClaimStatus[],
  spec: core.PodSpec,
  path: Path,
): void {
  const seen = new Set<string>();
  list.forEach(({ name: claim = "", resourceClaimName }, i) => {
    const at = path.index(i);
    if (!spec.resourceClaims?.some((candidate) => candidate.name === claim)) {
      const detail = "must match the name of an entry in `spec.resourceClaims`";
      errors.push(field.invalid(at.child("name"), claim, detail));
    }
    if (seen.has(claim)) errors.push(field.duplicate(at.child("name"), claim));
    seen.add(claim);
    if (resourceClaimName !== undefined) dnsSubdomain(errors, resourceClaimName, at.child("resourceClaimName"));
  });
}

function extendedClaim(
  errors: Errors,
  status: core.PodExtendedResourceClaimStatus,
  spec: core.PodSpec,
  path: Path,
): void {
  const all = [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
  const mappings = status.requestMappings ?? [];
  if (mappings.length === 0) {
    errors.push(field.required(path.child("requestMappings"), "at least one request mapping is required"));
  }
  const seen = new Set<string>();
  mappings.forEach(({ containerName = "", resourceName = "", requestName = "" }, i) => {
    const at = path.child("requestMappings").index(i);
    const container = all.findLast((candidate) => candidate.name === containerName);
    if (!container) {
      const detail = "must match the name of an entry in spec.initContainers.name or spec.containers.name";
      errors.push(field.invalid(at.child("containerName"), containerName, detail));
    } else if (!Object.hasOwn(container.resources?.requests ?? {}, resourceName)) {
      const detail =
        "must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests";
      errors.push(field.invalid(at.child("resourceName"), resourceName, detail));
    }
    dnsLabel(errors, requestName, path.child("requestName"));
    const key = JSON.stringify([containerName, resourceName, requestName]);
    if (seen.has(key)) {
      errors.push(field.duplicate(at.child("containerName"), containerName));
      errors.push(field.duplicate(at.child("resourceName"), resourceName));
      errors.push(field.duplicate(at.child("requestName"), requestName));
    }
    seen.add(key);
  });
  if (!status.resourceClaimName) errors.push(field.required(path.child("resourceClaimName"), ""));
  else dnsSubdomain(errors, status.resourceClaimName, path.child("resourceClaimName"));
}

function allocatableClaims(errors: Errors, status: core.PodStatus, spec: core.PodSpec, path: Path): void {
  const known = [...(spec.resourceClaims ?? []), ...(status.resourceClaimStatuses ?? [])].map(
    (c) => c.resourceClaimName,
  );
  status.nodeAllocatableResourceClaimStatuses?.forEach(
    ({ resourceClaimName = "", containers = [], resources = {} }, i) => {
      const at = path.index(i);
      const nameAt = at.child("resourceClaimName");
      if (resourceClaimName === "") errors.push(field.required(nameAt, "must not be empty"));
      if (!known.includes(resourceClaimName)) {
        errors.push(field.invalid(nameAt, resourceClaimName, "no mapping found in pod reference"));
      }
      if (containers.length === 0) errors.push(field.required(at.child("containers"), "must not be empty"));
      const entries = Object.entries(resources);
      if (entries.length === 0) errors.push(field.required(at.child("resources"), "must not be empty"));
      for (const [resource, text] of entries) {
        const keyAt = at.child("resources").key(resource);
        const quantity = amount(text);
        if (resource.includes("/") && !resource.includes("kubernetes.io/")) {
          errors.push(field.invalid(keyAt, resource, "must be a node allocatable resource name"));
        }
        if (quantity.sign < 0) errors.push(field.invalid(keyAt, quantity.toString(), "must be non-negative"));
      }
    },
  );
}

function ips(
  errors: Errors,
  list: readonly string[],
  old: readonly string[],
  type: "PodIP" | "HostIP",
  path: Path,
  opts: PodOptions,
): void {
  list.forEach((ip, i) => {
    legacyIp(errors, ip, path.index(i), opts.strictIps, old);
  });
  if (list.length < 2) return;
  const parsed = list.map(parseSloppyIp);
  const unparsed = parsed.indexOf(undefined);
  if (unparsed >= 0) {
    const cause = `invalid IP[${unparsed}]: ${list[unparsed] ?? ""}`;
    errors.push(field.internalError(path, `failed to check for dual stack with error:${cause}`));
  }
  if (unparsed < 0 && isDualStack(parsed.map((ip) => ip?.family)) && list.length <= 2) return;
  const value = list.map((ip) => internalForm(type, { ip }));
  errors.push(field.invalid(path, value, "may specify no more than one IP for each IP family"));
}

function hostIps(errors: Errors, status: core.PodStatus, old: core.PodStatus, opts: PodOptions): void {
  const list = (status.hostIPs ?? []).map(({ ip }) => ip ?? "");
  const path = STATUS.child("hostIPs");
  if (list.length === 0) return;
  if ((status.hostIP ?? "") !== list[0]) {
    errors.push(field.invalid(path.index(0).child("ip"), list[0], "must be equal to `hostIP`"));
  }
  ips(
    errors,
    list,
    (old.hostIPs ?? []).map(({ ip }) => ip ?? ""),
    "HostIP",
    path,
    opts,
  );
}

function users(errors: Errors, list: readonly core.ContainerStatus[], os: core.PodOS | undefined, path: Path): void {
  list.forEach(({ user }, i) => {
    if (!user?.linux) return;
    const at = path.index(i).child("user", "linux");
    if (os?.name === "windows") {
      errors.push(field.forbidden(at, "cannot be set for a windows pod"));
      return;
    }
    if (os !== undefined && os.name !== "linux") return;
    const id = (value: Int64 | undefined, idAt: Path): void => {
      for (const message of isUserId(value ?? 0)) errors.push(field.invalid(idAt, value ?? 0, message));
    };
    id(user.linux.uid, at.child("uid"));
    id(user.linux.gid, at.child("gid"));
    user.linux.supplementalGroups?.forEach((group, j) => {
      id(group, at.child("supplementalGroups").index(j));
    });
  });
}

const HEALTH_MESSAGE_BYTES_MAX = 1024;

function health(
  errors: Errors,
  list: readonly core.ContainerStatus[],
  containers: readonly core.Container[],
  path: Path,
): void {
  list.forEach((status, i) => {
    const container = containers.find((candidate) => candidate.name === status.name);
    status.allocatedResourcesStatus?.forEach(({ name: resource = "", resources = [] }, j) => {
      const at = path.index(i).child("allocatedResourcesStatus").index(j);
      const problem = container && unknownResource(resource, container);
      if (problem) errors.push(field.invalid(at.child("name"), resource, problem));
      const seen = new Set<string>();
      resources.forEach(({ health: value, message, resourceID = "" }, k) => {
        const itemAt = at.child("resources").index(k);
        oneOf(errors, value, itemAt.child("health"), ["Healthy", "Unhealthy", "Unknown"]);
        if (message === "") errors.push(field.required(itemAt.child("message"), "must be non-empty if specified"));
        else if (message !== undefined && byteLength(message) > HEALTH_MESSAGE_BYTES_MAX) {
          errors.push(field.tooLong(itemAt.child("message"), HEALTH_MESSAGE_BYTES_MAX));
        }
        if (seen.has(resourceID)) errors.push(field.duplicate(itemAt.child("resourceID"), resourceID));
        seen.add(resourceID);
      });
    });
  });
}

function unknownResource(resource: string, { resources }: core.Container): string | undefined {
  if (!resource.startsWith("claim:")) {
    if (Object.hasOwn(resources?.requests ?? {}, resource)) return undefined;
    return "must match one of the container's resource requests";
  }
  const claims = (resources?.claims ?? []).map(({ name, request }) => `claim:${name}${request ? `/${request}` : ""}`);
  if (claims.includes(resource)) return undefined;
  return "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty";
}

const IMAGE_REF_BYTES_MAX = 256;

function imageVolumes(errors: Errors, list: readonly core.ContainerStatus[], path: Path): void {
  list.forEach(({ volumeMounts }, i) => {
    volumeMounts?.forEach(({ volumeStatus }, j) => {
      if (!volumeStatus?.image) return;
      const at = path.index(i).child("volumeMounts").index(j).child("volumeStatus", "imageVolumeStatus", "imageRef");
      const ref = volumeStatus.image.imageRef ?? "";
      if (ref === "") errors.push(field.required(at, "imageRef must not be empty"));
      if (byteLength(ref) > IMAGE_REF_BYTES_MAX) errors.push(field.tooLong(at, IMAGE_REF_BYTES_MAX));
    });
  });
}

export function validateEphemeralContainersUpdate(pod: core.Pod, old: core.Pod, opts: PodOptions): field.FieldError[] {
  if (old.metadata?.annotations?.[MIRROR_POD] !== undefined) {
    return [field.forbidden(field.newPath(""), "static pods do not support ephemeral containers")];
  }
  const errors: Errors = [];
  const spec = specOf(pod);
  objectMetaUpdate(errors, pod.metadata ?? {}, old.metadata ?? {}, METADATA);
  metadataAndSpec(errors, pod, opts);
  const at = METADATA.child("annotations");
  podAnnotationUpdates(errors, pod.metadata?.annotations, old.metadata?.annotations, spec, at, opts);
  const path = field.newPath("spec", "ephemeralContainers");
  for (const before of specOf(old).ephemeralContainers ?? []) {
    const now = spec.ephemeralContainers?.findLast((candidate) => candidate.name === before.name);
    const subject = `existing ephemeral containers ${goQuote(before.name)}`;
    if (!now) errors.push(field.forbidden(path, `${subject} may not be removed\n`));
    else if (!semanticEqual(before, now, EPHEMERAL_CONTAINER())) {
      const diff = diffJson(internalForm("EphemeralContainer", before), internalForm("EphemeralContainer", now));
      errors.push(field.forbidden(path, `${subject} may not be changed\n${diff}`));
    }
  }
  return errors;
}
