// The admission plugins in upstream's order, after NamespaceLifecycle. Default plugins can be disabled, the others
// enabled.
// Upstream: pkg/kubeapiserver/options/plugins.go, AllOrderedPlugins, DefaultOffAdmissionPlugins

import { goQuote } from "#api/go-text.ts";
import type { AdmissionPlugin } from "../admission.ts";
import type { ServerCore } from "../core.ts";
import { nodeDeclaredFeatureValidator, podResizeValidator } from "./bound-pod-updates.ts";
import {
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  clusterTrustBundleAttest,
  podCertificateSigning,
} from "./certificates.ts";
import { defaultStorageClass, persistentVolumeClaimResize } from "./claim-classes.ts";
import { defaultIngressClass } from "./default-ingress-class.ts";
import { defaultTolerationSeconds } from "./default-toleration-seconds.ts";
import { limitRanger } from "./limit-ranger.ts";
import { nodeRestriction } from "./node-restriction.ts";
import { ownerReferencesPermissionEnforcement } from "./owner-references.ts";
import { jobValidation, podGroupProtection, podGroupWorkloadExists } from "./pod-groups.ts";
import { type PodSecurityConfiguration, podSecurity } from "./pod-security/pod-security.ts";
import { podTopologyLabels } from "./pod-topology-labels.ts";
import { priority } from "./priority.ts";
import { resourceQuota } from "./resource-quota.ts";
import { runtimeClass } from "./runtime-class.ts";
import { serviceAccount } from "./service-account.ts";
import { storageObjectInUseProtection } from "./storage-object-in-use-protection.ts";
import { taintNodesByCondition } from "./taint-nodes-by-condition.ts";

type MakePlugin = (core: () => ServerCore, choice: PluginChoice) => AdmissionPlugin;

const ORDERED: readonly MakePlugin[] = [
  limitRanger,
  serviceAccount,
  nodeRestriction,
  taintNodesByCondition,
  (core, choice) => podSecurity(core, choice.podSecurity),
  priority,
  defaultTolerationSeconds,
  defaultStorageClass,
  storageObjectInUseProtection,
  podGroupProtection,
  ownerReferencesPermissionEnforcement,
  persistentVolumeClaimResize,
  runtimeClass,
  podCertificateSigning,
  certificateApproval,
  certificateSigning,
  clusterTrustBundleAttest,
  certificateSubjectRestriction,
  defaultIngressClass,
  podTopologyLabels,
  podGroupWorkloadExists,
  nodeDeclaredFeatureValidator,
  jobValidation,
  podResizeValidator,
  resourceQuota,
];

const OFF_BY_DEFAULT: readonly string[] = ["NodeRestriction", "OwnerReferencesPermissionEnforcement"];

export interface PluginChoice {
  readonly enabled?: readonly string[];
  readonly disabled?: readonly string[];
  /** Absent: namespaces without labels are privileged, and no user, namespace or runtime class is exempt. */
  readonly podSecurity?: PodSecurityConfiguration;
}

export class PluginChoiceError extends Error {
  override readonly name = "PluginChoiceError";
}

export const defaultPlugins = (core: () => ServerCore): readonly AdmissionPlugin[] => choosePlugins({})(core);

/** Throws a PluginChoiceError for unknown names, and for names both enabled and disabled. */
export function choosePlugins(choice: PluginChoice): (core: () => ServerCore) => readonly AdmissionPlugin[] {
  const { enabled = [], disabled = [] } = choice;
  const both = enabled.filter((name) => disabled.includes(name));
  if (both.length > 0) throw new PluginChoiceError(`${both.join(", ")} is both enabled and disabled`);
  const unknown = [...enabled, ...disabled].find((name) => !pluginNames().includes(name));
  if (unknown !== undefined) {
    throw new PluginChoiceError(`${goQuote(unknown)} is not among the plugins ${pluginNames().join(", ")}`);
  }
  return (core) =>
    ORDERED.map((make) => make(core, choice)).filter(
      ({ name }) => !disabled.includes(name) && (enabled.includes(name) || !OFF_BY_DEFAULT.includes(name)),
    );
}

/** Reads the names from the plugins, which do not access the server before they run. */
function pluginNames(): readonly string[] {
  const unasked = (): never => {
    throw new Error("the plugin is only named");
  };
  return ORDERED.map((make) => make(unasked, {}).name);
}
