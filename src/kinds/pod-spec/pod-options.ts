// Options of pod validation: allowances because a gate is on or because the stored pod has the field. Gates that are
// locked on in 1.36 are assumed. Upstream: pkg/api/pod/util.go, GetValidationOptionsFromPodSpecAndMeta

import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import type { ObjectMeta } from "#api/meta.ts";
import { isLabelValue } from "#api/names.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";
import { type Errors, hasLabelSelectorErrors } from "#kinds/parts/checks.ts";
import { amount, type WireAmounts } from "#kinds/parts/quantities.ts";
import { isDivisibleByPage, isHugePage } from "#kinds/parts/resources.ts";
import { nonReservedPath } from "./file-paths.ts";
import { hostSysctl } from "./sysctls.ts";
import { matchLabelKeys } from "./topology.ts";

export interface PodOptions {
  readonly resourceIsPod: boolean;
  readonly allowInvalidDeletionCost: boolean;
  readonly allowIndivisibleHugePages: boolean;
  readonly allowInvalidAffinitySelector: boolean;
  readonly allowInvalidNodeAffinity: boolean;
  readonly allowInvalidSpreadSelector: boolean;
  readonly allowNonLocalTokenPath: boolean;
  readonly allowHostSysctls: boolean;
  readonly allowOnlyRecursiveSELinux: boolean;
  readonly allowPodLevelResources: boolean;
  readonly allowPodLevelResize: boolean;
  readonly allowInitContainerResize: boolean;
  readonly allowSpreadLabelKeys: boolean;
  readonly allowEnvFiles: boolean;
  readonly allowRestartRules: boolean;
  readonly allowRestartAllContainers: boolean;
  readonly allowRestartContainerForInit: boolean;
  readonly allowUserNamespaceVolumeDevices: boolean;
  readonly allowUserNamespaceHostNetwork: boolean;
  readonly allowComparisonTolerations: boolean;
  readonly allowImageVolumeDigest: boolean;
  readonly strictIps: boolean;
  readonly clearNominatedNode: boolean;
}

export interface TemplateLike {
  readonly metadata?: ObjectMeta | undefined;
  readonly spec?: core.PodSpec | undefined;
}

/** All containers of a pod, in upstream's order. */
export function* containersOf(spec: core.PodSpec): Generator<core.Container | core.EphemeralContainer> {
  yield* spec.initContainers ?? [];
  yield* spec.containers ?? [];
  yield* spec.ephemeralContainers ?? [];
}

export function podOptions(
  gates: FeatureGateReader,
  old: TemplateLike | undefined,
  resourceIsPod: boolean,
): PodOptions {
  const spec = old?.spec;
  const on = (gate: string): boolean => gates.isEnabled(gate);
  const was = (test: (spec: core.PodSpec) => boolean): boolean => spec !== undefined && test(spec);
  return {
    resourceIsPod,
    allowInvalidDeletionCost:
      !on("PodDeletionCost") || (old !== undefined && !hasValidDeletionCost(old.metadata?.annotations)),
    allowIndivisibleHugePages: was(hasIndivisibleHugePages),
    allowInvalidAffinitySelector: was(hasInvalidAffinitySelector),
    allowInvalidNodeAffinity: was(hasInvalidNodeAffinity),
    allowInvalidSpreadSelector: was((s) => someSpread(s, (c) => hasLabelSelectorErrors(c.labelSelector))),
    allowNonLocalTokenPath: was(hasNonLocalTokenPath),
    allowHostSysctls: was((s) => (s.securityContext?.sysctls ?? []).some((c) => hostSysctl(c.name, s) !== undefined)),
    allowOnlyRecursiveSELinux: !on("SELinuxMount") && !was((s) => s.securityContext?.seLinuxChangePolicy !== undefined),
    allowPodLevelResources: on("PodLevelResources"),
    allowPodLevelResize: on("InPlacePodLevelResourcesVerticalScaling"),
    allowInitContainerResize: on("InPlacePodVerticalScalingInitContainers"),
    allowSpreadLabelKeys: allowsSpreadLabelKeys(gates, spec),
    allowEnvFiles:
      on("EnvFiles") || was((s) => someContainer(s, (c) => (c.env ?? []).some((e) => e.valueFrom?.fileKeyRef))),
    allowRestartRules: on("ContainerRestartRules") || was(usesRestartRules),
    allowRestartAllContainers: on("RestartAllContainersOnContainerExits") || was(usesRestartAllContainers),
    allowRestartContainerForInit: was(hasRestartContainerForInit),
    allowUserNamespaceVolumeDevices: was(
      (s) => s.hostUsers === false && someContainer(s, (c) => (c.volumeDevices ?? []).length > 0),
    ),
    allowUserNamespaceHostNetwork:
      on("UserNamespacesHostNetworkSupport") || was((s) => s.hostUsers === false && s.hostNetwork === true),
    allowComparisonTolerations:
      on("TaintTolerationComparisonOperators") ||
      was((s) => (s.tolerations ?? []).some((t) => t.operator === "Lt" || t.operator === "Gt")),
    allowImageVolumeDigest: on("ImageVolumeWithDigest"),
    strictIps: on("StrictIPCIDRValidation"),
    clearNominatedNode: on("ClearingNominatedNodeNameAfterBinding"),
  };
}

type AnyContainer = core.Container | core.EphemeralContainer;

function someContainer(spec: core.PodSpec, test: (container: AnyContainer) => unknown): boolean {
  for (const container of containersOf(spec)) if (test(container)) return true;
  return false;
}

const someSpread = (spec: core.PodSpec, test: (constraint: core.TopologySpreadConstraint) => boolean): boolean =>
  (spec.topologySpreadConstraints ?? []).some(test);

/** Label keys are checked like those of affinity terms, unless the stored pod would fail that check. */
function allowsSpreadLabelKeys(gates: FeatureGateReader, old: core.PodSpec | undefined): boolean {
  if (!gates.isEnabled("MatchLabelKeysInPodTopologySpread")) return false;
  if (!gates.isEnabled("MatchLabelKeysInPodTopologySpreadSelectorMerge")) return false;
  if (old === undefined) return true;
  return !someSpread(old, (constraint) => {
    const errors: Errors = [];
    matchLabelKeys(errors, constraint, field.newPath(""));
    return errors.length > 0;
  });
}

// Upstream: pkg/apis/core/helper, GetDeletionCostFromPodAnnotations
export function hasValidDeletionCost(annotations: Readonly<Record<string, string>> | undefined): boolean {
  const value = annotations?.["controller.kubernetes.io/pod-deletion-cost"];
  if (value === undefined) return true;
  return /^(0|-[0-9]+|[1-9][0-9]*)$/.test(value) && Number(value) >= -2_147_483_648 && Number(value) <= 2_147_483_647;
}

function hasIndivisibleHugePages(spec: core.PodSpec): boolean {
  const indivisible = (map: WireAmounts | undefined): boolean =>
    Object.entries(map ?? {}).some(([name, text]) => isHugePage(name) && !isDivisibleByPage(name, amount(text)));
  return (
    someContainer(spec, ({ resources }) => indivisible(resources?.limits) || indivisible(resources?.requests)) ||
    indivisible(spec.overhead)
  );
}

function hasInvalidAffinitySelector({ affinity }: core.PodSpec): boolean {
  const terms = [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((part) => [
    ...(part?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(part?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((weighted) => weighted.podAffinityTerm),
  ]);
  return terms.some(
    (term) => hasLabelSelectorErrors(term?.labelSelector) || hasLabelSelectorErrors(term?.namespaceSelector),
  );
}

function hasInvalidNodeAffinity({ affinity }: core.PodSpec): boolean {
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return terms.some((term) =>
    (term.matchExpressions ?? []).some(({ values }) => (values ?? []).some((value) => isLabelValue(value).length > 0)),
  );
}

function hasNonLocalTokenPath({ volumes }: core.PodSpec): boolean {
  const errors: Errors = [];
  for (const volume of volumes ?? []) {
    for (const { serviceAccountToken } of volume.projected?.sources ?? []) {
      if (serviceAccountToken) nonReservedPath(errors, serviceAccountToken.path ?? "", field.newPath(""));
    }
  }
  return errors.length > 0;
}

function usesRestartRules({ containers, initContainers }: core.PodSpec): boolean {
  return (
    (initContainers ?? []).some(
      ({ restartPolicy, restartPolicyRules }) =>
        (restartPolicy !== undefined && restartPolicy !== "Always") || (restartPolicyRules ?? []).length > 0,
    ) || (containers ?? []).some(({ restartPolicy }) => restartPolicy !== undefined)
  );
}

function usesRestartAllContainers({ containers, initContainers }: core.PodSpec): boolean {
  const hasAction = ({ restartPolicyRules }: core.Container): boolean =>
    (restartPolicyRules ?? []).some(({ action }) => action === "RestartAllContainers");
  return (
    (containers ?? []).some(hasAction) ||
    (initContainers ?? []).some(
      (container) =>
        hasAction(container) ||
        (container.restartPolicy === "Always" && (container.restartPolicyRules ?? []).length > 0),
    )
  );
}

function hasRestartContainerForInit({ initContainers }: core.PodSpec): boolean {
  return (initContainers ?? []).some(
    ({ restartPolicy, resizePolicy }) =>
      restartPolicy !== "Always" && (resizePolicy ?? []).some((policy) => policy.restartPolicy === "RestartContainer"),
  );
}
