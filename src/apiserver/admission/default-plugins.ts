// The admission plugins that are on by default, in upstream's order, after NamespaceLifecycle.
// Upstream: pkg/kubeapiserver/options/plugins.go, AllOrderedPlugins

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
import { podGroupProtection, podGroupWorkloadExists } from "./pod-groups.ts";
import { podSecurity } from "./pod-security/pod-security.ts";
import { podTopologyLabels } from "./pod-topology-labels.ts";
import { priority } from "./priority.ts";
import { resourceQuota } from "./resource-quota.ts";
import { runtimeClass } from "./runtime-class.ts";
import { serviceAccount } from "./service-account.ts";
import { storageObjectInUseProtection } from "./storage-object-in-use-protection.ts";
import { taintNodesByCondition } from "./taint-nodes-by-condition.ts";

export function defaultPlugins(core: () => ServerCore): readonly AdmissionPlugin[] {
  return [
    limitRanger(core),
    serviceAccount(core),
    taintNodesByCondition(),
    podSecurity(core),
    priority(core),
    defaultTolerationSeconds(),
    defaultStorageClass(core),
    storageObjectInUseProtection(),
    podGroupProtection(core),
    persistentVolumeClaimResize(core),
    runtimeClass(core),
    podCertificateSigning(core),
    certificateApproval(core),
    certificateSigning(core),
    clusterTrustBundleAttest(core),
    certificateSubjectRestriction(),
    defaultIngressClass(core),
    podTopologyLabels(core),
    podGroupWorkloadExists(core),
    nodeDeclaredFeatureValidator(core),
    podResizeValidator(core),
    resourceQuota(core),
  ];
}
