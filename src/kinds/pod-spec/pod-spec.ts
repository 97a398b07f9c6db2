// Validation of the spec of a pod or pod template, in upstream's order.
// Upstream: pkg/apis/core/validation, ValidatePodSpec

import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { byteLength } from "#api/go-text.ts";
import type { ObjectMeta } from "#api/meta.ts";
import { inclusiveRange, isDns1123Label, isDns1123Subdomain, isDns1123SubdomainWithUnderscore } from "#api/names.ts";
import {
  dnsLabel,
  dnsSubdomain,
  type Errors,
  labels,
  legacyIp,
  name,
  oneOf,
  type Path,
  qualifiedName,
  requiredOneOf,
} from "#kinds/parts/checks.ts";
import { internalForm } from "#kinds/parts/internal-form.ts";
import { amount } from "#kinds/parts/quantities.ts";
import { containerResourceName, isHugePage, podResourceName, requirements } from "#kinds/parts/resources.ts";
import { aggregateContainers } from "#rules/container-resources.ts";
import { affinity } from "./affinity.ts";
import { containers, ephemeralContainers, initContainers } from "./containers.ts";
import { volumes } from "./mounts.ts";
import { MIRROR_POD } from "./pod-annotations.ts";
import type { PodOptions } from "./pod-options.ts";
import { podSecurityContext } from "./security-context.ts";
import { tolerations } from "./tolerations.ts";
import { topologySpread } from "./topology.ts";
import { eachContainer, hostProcess, linuxPod, windowsPod } from "./windows.ts";

const INT32_MAX = 2_147_483_647;

/** Templates pass no metadata: names derived from the pod's name are then unknown. */
export function podSpec(
  errors: Errors,
  spec: core.PodSpec,
  meta: ObjectMeta | undefined,
  path: Path,
  opts: PodOptions,
): void {
  if (spec.terminationGracePeriodSeconds === undefined) {
    errors.push(field.required(path.child("terminationGracePeriodSeconds"), ""));
  }
  const valid = volumes(errors, spec.volumes ?? [], meta?.name, path.child("volumes"), opts);
  const claimNames = new Set(
    (spec.resourceClaims ?? []).map((claim) => claim.name ?? "").filter((claim) => claim !== ""),
  );
  resourceClaims(errors, spec.resourceClaims ?? [], meta, path.child("resourceClaims"));
  const scope = { spec, volumes: valid, claimNames, opts };
  containers(errors, path.child("containers"), scope);
  initContainers(errors, path.child("initContainers"), scope);
  ephemeralContainers(errors, path.child("ephemeralContainers"), scope);
  if (opts.allowPodLevelResources) podResources(errors, spec, claimNames, path, opts);
  hostNetworkPorts(errors, spec, path, opts);
  requiredOneOf(errors, spec.restartPolicy, path.child("restartPolicy"), ["Always", "OnFailure", "Never"]);
  const policies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
  requiredOneOf(errors, spec.dnsPolicy, path.child("dnsPolicy"), policies);
  labels(errors, spec.nodeSelector, path.child("nodeSelector"));
  podSecurityContext(errors, spec, path.child("securityContext"), opts);
  if (spec.affinity) affinity(errors, spec.affinity, path.child("affinity"), opts);
  dnsConfig(errors, spec, path.child("dnsConfig"), opts);
  spec.readinessGates?.forEach(({ conditionType = "" }, i) => {
    qualifiedName(errors, conditionType, path.child("readinessGates").index(i).child("conditionType"));
  });
  schedulingGates(errors, spec.schedulingGates ?? [], path.child("schedulingGates"));
  topologySpread(errors, spec.topologySpreadConstraints ?? [], path.child("topologySpreadConstraints"), opts);
  hostProcess(errors, spec, path);
  if (spec.hostUsers === false) userNamespace(errors, spec, path, opts);
  hostname(errors, spec, path);
  references(errors, spec, path, opts);
  os(errors, spec, path);
  if (spec.schedulingGroup)
    schedulingGroup(errors, spec.schedulingGroup, path.child("schedulingGroup", "podGroupName"));
  envFileVolumes(errors, spec, path);
}

function resourceClaims(
  errors: Errors,
  claims: readonly core.PodResourceClaim[],
  meta: ObjectMeta | undefined,
  path: Path,
): void {
  const seen = new Set<string>();
  claims.forEach((claim, i) => {
    if (meta?.annotations?.[MIRROR_POD] !== undefined) {
      errors.push(field.forbidden(field.newPath(""), "static pods do not support resource claims"));
      return;
    }
    const at = path.index(i);
    const { name: own = "", resourceClaimName: named, resourceClaimTemplateName: template } = claim;
    if (own === "") errors.push(field.required(at.child("name"), ""));
    else if (seen.has(own)) errors.push(field.duplicate(at.child("name"), own));
    else dnsLabel(errors, own, at.child("name"));
    seen.add(own);
    if ((named === undefined) === (template === undefined)) {
      const detail =
        named === undefined
          ? "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
          : "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified";
      errors.push(field.invalid(at, internalForm("PodResourceClaim", claim), detail));
    }
    if (named !== undefined) dnsSubdomain(errors, named, at.child("resourceClaimName"));
    if (template !== undefined) dnsSubdomain(errors, template, at.child("resourceClaimTemplateName"));
  });
}

function podResources(
  errors: Errors,
  spec: core.PodSpec,
  claimNames: ReadonlySet<string>,
  specPath: Path,
  opts: PodOptions,
): void {
  if (!spec.resources) return;
  const path = specPath.child("resources");
  if (spec.os?.name === "windows") {
    errors.push(field.forbidden(path, "may not be set for a windows pod"));
    return;
  }
  if (spec.resources.claims) {
    errors.push(field.forbidden(path.child("claims"), "claims may not be set for Resources at pod-level"));
  }
  requirements(errors, spec.resources, path, podResourceName, claimNames, opts);
  podCoversContainers(errors, spec, path);
}

// Upstream: validatePodResourceConsistency
function podCoversContainers(errors: Errors, spec: core.PodSpec, path: Path): void {
  const { requests = {}, limits = {} } = spec.resources ?? {};
  const covers = (
    part: "requests" | "limits",
    own: Readonly<Record<string, string>>,
    take: (name: string) => boolean,
  ) => {
    for (const [resource, sum] of aggregateContainers(spec, part)) {
      if (!Object.hasOwn(own, resource) || !take(resource)) continue;
      const given = amount(own[resource] ?? "0");
      if (sum.cmp(given) <= 0) continue;
      const detail = `must be greater than or equal to aggregate container ${part} of ${sum}`;
      errors.push(field.invalid(path.child(part).key(resource), given.toString(), detail));
    }
  };
  covers("requests", requests, () => true);
  covers("limits", limits, isHugePage);
  spec.containers?.forEach((container, i) => {
    for (const [resource, text] of Object.entries(container.resources?.limits ?? {})) {
      if (!Object.hasOwn(limits, resource)) continue;
      const own = amount(text);
      const ofPod = amount(limits[resource] ?? "0");
      if (own.cmp(ofPod) <= 0) continue;
      const at = path.child("containers").index(i).key(resource).child("limits");
      errors.push(field.invalid(at, own.toString(), `must be less than or equal to pod limits of ${ofPod}`));
    }
  });
}

function hostNetworkPorts(errors: Errors, spec: core.PodSpec, path: Path, opts: PodOptions): void {
  if (!spec.hostNetwork) return;
  spec.containers?.forEach((container, i) => {
    container.ports?.forEach(({ hostPort = 0, containerPort = 0 }, j) => {
      if (hostPort === containerPort || (hostPort === 0 && !opts.resourceIsPod)) return;
      const at = path.child("containers").index(i).child("ports").index(j).child("hostPort");
      errors.push(field.invalid(at, hostPort, "must match `containerPort` when `hostNetwork` is true"));
    });
  });
}

const NAMESERVERS_MAX = 3;
const SEARCHES_MAX = 32;
const SEARCH_CHARACTERS_MAX = 2048;

function dnsConfig(errors: Errors, { dnsConfig: config, dnsPolicy }: core.PodSpec, path: Path, opts: PodOptions): void {
  const { nameservers = [], searches = [], options = [] } = config ?? {};
  if (dnsPolicy === "None") {
    if (!config) {
      errors.push(field.required(path, "must provide `dnsConfig` when `dnsPolicy` is None"));
      return;
    }
    if (nameservers.length === 0) {
      const detail = "must provide at least one DNS nameserver when `dnsPolicy` is None";
      errors.push(field.required(path.child("nameservers"), detail));
      return;
    }
  }
  if (nameservers.length > NAMESERVERS_MAX) {
    const detail = `must not have more than ${NAMESERVERS_MAX} nameservers`;
    errors.push(field.invalid(path.child("nameservers"), nameservers, detail));
  }
  nameservers.forEach((server, i) => {
    legacyIp(errors, server, path.child("nameservers").index(i), opts.strictIps);
  });
  if (searches.length > SEARCHES_MAX) {
    const detail = `must not have more than ${SEARCHES_MAX} search paths`;
    errors.push(field.invalid(path.child("searches"), searches, detail));
  }
  if (byteLength(searches.join(" ")) > SEARCH_CHARACTERS_MAX) {
    const detail = `must not have more than ${SEARCH_CHARACTERS_MAX} characters (including spaces) in the search list`;
    errors.push(field.invalid(path.child("searches"), searches, detail));
  }
  searches.forEach((search, i) => {
    if (search === ".") return;
    name(errors, search.replace(/\.$/, ""), path.child("searches").index(i), isDns1123SubdomainWithUnderscore);
  });
  options.forEach((option, i) => {
    if (!option.name) errors.push(field.required(path.child("options").index(i), "must not be empty"));
  });
}

function schedulingGates(errors: Errors, gates: readonly core.PodSchedulingGate[], path: Path): void {
  const seen = new Set<string>();
  gates.forEach(({ name: gate = "" }, i) => {
    qualifiedName(errors, gate, path.index(i));
    if (seen.has(gate)) errors.push(field.duplicate(path.index(i), gate));
    seen.add(gate);
  });
}

function userNamespace(errors: Errors, spec: core.PodSpec, path: Path, opts: PodOptions): void {
  const detail = "when `hostUsers` is false";
  if (!opts.allowUserNamespaceHostNetwork && spec.hostNetwork) {
    errors.push(field.forbidden(path.child("hostNetwork"), detail));
  }
  if (spec.hostPID) errors.push(field.forbidden(path.child("HostPID"), detail));
  if (spec.hostIPC) errors.push(field.forbidden(path.child("HostIPC"), detail));
  if (opts.allowUserNamespaceVolumeDevices) return;
  eachContainer(spec, path, ({ volumeDevices }, at) => {
    if ((volumeDevices ?? []).length > 0) errors.push(field.forbidden(at.child("volumeDevices"), detail));
  });
}

function hostname(errors: Errors, spec: core.PodSpec, specPath: Path): void {
  const override = spec.hostnameOverride;
  if (override === undefined) return;
  const path = specPath.child("hostnameOverride");
  if (spec.setHostnameAsFQDN) {
    errors.push(field.forbidden(path, "may not be specified when setHostnameAsFQDN is true"));
  }
  if (spec.hostNetwork) errors.push(field.forbidden(path, "may not be specified when hostNetwork is true"));
  if (byteLength(override) > 64) errors.push(field.tooLong(path, 64));
  dnsSubdomain(errors, override, path);
}

/** Names of other objects, and the scalars that upstream checks along with them. */
function references(errors: Errors, spec: core.PodSpec, path: Path, opts: PodOptions): void {
  if (spec.serviceAccountName)
    name(errors, spec.serviceAccountName, path.child("serviceAccountName"), isDns1123Subdomain);
  if (spec.nodeName) name(errors, spec.nodeName, path.child("nodeName"), isDns1123Subdomain);
  const deadline = spec.activeDeadlineSeconds;
  if (deadline !== undefined && (deadline < 1 || deadline > INT32_MAX)) {
    errors.push(field.invalid(path.child("activeDeadlineSeconds"), deadline, inclusiveRange(1, INT32_MAX)));
  }
  if (spec.hostname) name(errors, spec.hostname, path.child("hostname"), isDns1123Label);
  if (spec.subdomain) name(errors, spec.subdomain, path.child("subdomain"), isDns1123Label);
  tolerations(errors, spec.tolerations ?? [], path.child("tolerations"), opts);
  spec.hostAliases?.forEach(({ ip = "", hostnames = [] }, i) => {
    const at = path.child("hostAliases").index(i);
    legacyIp(errors, ip, at.child("ip"), opts.strictIps);
    hostnames.forEach((host, j) => {
      dnsSubdomain(errors, host, at.child("hostnames").index(j));
    });
  });
  if (spec.priorityClassName) name(errors, spec.priorityClassName, path.child("priorityClassName"), isDns1123Subdomain);
  if (spec.runtimeClassName !== undefined) {
    name(errors, spec.runtimeClassName, path.child("runtimeClassName"), isDns1123Subdomain);
  }
  if (spec.preemptionPolicy !== undefined) {
    requiredOneOf(errors, spec.preemptionPolicy, path.child("preemptionPolicy"), ["PreemptLowerPriority", "Never"]);
  }
  if (spec.overhead) {
    requirements(errors, { limits: spec.overhead }, path.child("overhead"), containerResourceName, new Set(), opts);
  }
}

function os(errors: Errors, spec: core.PodSpec, path: Path): void {
  if (!spec.os) return;
  const before = errors.length;
  if (!spec.os.name) errors.push(field.required(path.child("os", "name"), ""));
  else oneOf(errors, spec.os.name, path.child("os"), ["linux", "windows"]);
  if (errors.length > before) return;
  if (spec.os.name === "linux") linuxPod(errors, spec, path);
  else windowsPod(errors, spec, path);
}

function schedulingGroup(errors: Errors, { podGroupName }: core.PodSchedulingGroup, path: Path): void {
  if (podGroupName === undefined) errors.push(field.invalid(path, null, "must specify one of: `podGroupName`"));
  else dnsSubdomain(errors, podGroupName, path);
}

function envFileVolumes(errors: Errors, spec: core.PodSpec, path: Path): void {
  eachContainer(spec, path, ({ env }, at) => {
    env?.forEach(({ valueFrom }, i) => {
      if (!valueFrom?.fileKeyRef) return;
      const { volumeName = "" } = valueFrom.fileKeyRef;
      const nameAt = at.child("env").index(i).child("valueFrom", "fileKeyRef", "volumeName");
      const volume = spec.volumes?.findLast((candidate) => candidate.name === volumeName);
      if (!volume) errors.push(field.notFound(nameAt, volumeName));
      else if (!volume.emptyDir) {
        errors.push(field.invalid(nameAt, volumeName, "referenced volume must be of type emptyDir"));
      }
    });
  });
}
