// The kinds with a file in kinds/, each a suite with a recording.

import type { JudgeCase } from "./case.ts";
import { casesOf, type KindRow } from "./kind-row.ts";
import {
  mutatingAdmissionPolicies,
  mutatingAdmissionPolicyBindings,
  olderAdmissionPolicies,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
} from "./kinds/admission-policies.ts";
import { apiServices } from "./kinds/api-services.ts";
import { certificateSigningRequests } from "./kinds/certificate-signing-requests.ts";
import { clusterRoles } from "./kinds/cluster-roles.ts";
import { clusterTrustBundles } from "./kinds/cluster-trust-bundles.ts";
import { componentStatusCases } from "./kinds/component-statuses.ts";
import { cronJobs } from "./kinds/cron-jobs.ts";
import { csiDrivers } from "./kinds/csi-drivers.ts";
import { csiNodes } from "./kinds/csi-nodes.ts";
import { csiStorageCapacities } from "./kinds/csi-storage-capacities.ts";
import { deviceClasses, olderDeviceClasses, oldestDeviceClasses } from "./kinds/device-classes.ts";
import { deviceTaintRules, olderDeviceTaintRules, resourcePoolStatusRequests } from "./kinds/device-taint-rules.ts";
import { endpointSlices } from "./kinds/endpoint-slices.ts";
import { endpoints } from "./kinds/endpoints.ts";
import { flowSchemas } from "./kinds/flow-schemas.ts";
import { leaseCandidates, storageVersionMigrations, storageVersions } from "./kinds/hidden-kinds.ts";
import { horizontalPodAutoscalerCases } from "./kinds/horizontal-pod-autoscalers.ts";
import { ingressClasses } from "./kinds/ingress-classes.ts";
import { ingressCases } from "./kinds/ingresses.ts";
import { jobCases } from "./kinds/jobs.ts";
import { networkPolicies } from "./kinds/network-policies.ts";
import { nodeWriteCases } from "./kinds/node-writes.ts";
import { persistentVolumeClaims } from "./kinds/persistent-volume-claims.ts";
import { persistentVolumes } from "./kinds/persistent-volumes.ts";
import { podCertificateRequests } from "./kinds/pod-certificate-requests.ts";
import { podDisruptionBudgets } from "./kinds/pod-disruption-budgets.ts";
import { podGroupCases, priorityClasses, workloads } from "./kinds/pod-groups.ts";
import { priorityLevels } from "./kinds/priority-levels.ts";
import {
  olderResourceClaims,
  olderResourceClaimTemplates,
  resourceClaimRow,
  resourceClaims,
  resourceClaimTemplates,
} from "./kinds/resource-claims.ts";
import { olderResourceSlices, resourceSliceRow, resourceSlices } from "./kinds/resource-slices.ts";
import { clusterRoleBindings, roleBindings } from "./kinds/role-bindings.ts";
import { roles } from "./kinds/roles.ts";
import { runtimeClasses } from "./kinds/runtime-classes.ts";
import { ipAddresses, serviceCidrs } from "./kinds/service-addresses.ts";
import { storageClasses } from "./kinds/storage-classes.ts";
import { volumeAttachments } from "./kinds/volume-attachments.ts";
import { volumeAttributesClasses } from "./kinds/volume-attributes-classes.ts";
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from "./kinds/webhook-configurations.ts";
import { controllerRevisions, daemonSets, deployments, podTemplates, statefulSets } from "./kinds/workload-kinds.ts";

/** By the name of the recording. */
export const kindSuites: Readonly<Record<string, readonly JudgeCase[]>> = {
  apiservices: casesOf(apiServices),
  csidrivers: casesOf(csiDrivers),
  csinodes: casesOf(csiNodes),
  csistoragecapacities: casesOf(csiStorageCapacities),
  persistentvolumes: casesOf(persistentVolumes),
  persistentvolumeclaims: casesOf(persistentVolumeClaims),
  storageclasses: casesOf(storageClasses),
  volumeattachments: casesOf(volumeAttachments),
  volumeattributesclasses: casesOf(volumeAttributesClasses),
  endpoints: casesOf(endpoints),
  endpointslices: casesOf(endpointSlices),
  cronjobs: casesOf(cronJobs),
  horizontalpodautoscalers: horizontalPodAutoscalerCases,
  jobs: jobCases,
  certificatesigningrequests: certificateSigningRequests,
  poddisruptionbudgets: casesOf(podDisruptionBudgets),
  clusterroles: casesOf(clusterRoles),
  roles: casesOf(roles),
  rolebindings: casesOf(roleBindings),
  clusterrolebindings: casesOf(clusterRoleBindings),
  validatingadmissionpolicies: casesOf(validatingAdmissionPolicies),
  validatingadmissionpolicybindings: casesOf(validatingAdmissionPolicyBindings),
  mutatingadmissionpolicies: casesOf(mutatingAdmissionPolicies),
  mutatingadmissionpolicybindings: casesOf(mutatingAdmissionPolicyBindings),
  validatingwebhookconfigurations: casesOf(validatingWebhookConfigurations),
  mutatingwebhookconfigurations: casesOf(mutatingWebhookConfigurations),
  ingresses: ingressCases,
  ingressclasses: casesOf(ingressClasses),
  networkpolicies: casesOf(networkPolicies),
  runtimeclasses: casesOf(runtimeClasses),
  deployments: casesOf(deployments),
  statefulsets: casesOf(statefulSets),
  daemonsets: casesOf(daemonSets),
  controllerrevisions: casesOf(controllerRevisions),
  podtemplates: casesOf(podTemplates),
  servicecidrs: casesOf(serviceCidrs),
  ipaddresses: casesOf(ipAddresses),
  componentstatuses: componentStatusCases,
  flowschemas: casesOf(flowSchemas),
  prioritylevelconfigurations: casesOf(priorityLevels),
  deviceclasses: casesOf(deviceClasses),
  resourceclaims: resourceClaims,
  resourceclaimtemplates: casesOf(resourceClaimTemplates),
  resourceslices: resourceSlices,
  priorityclasses: casesOf(priorityClasses),
};

const older = (row: KindRow, version: string): readonly [suite: string, row: KindRow] => {
  const apiVersion = `${row.apiVersion.split("/")[0]}/${version}`;
  return [`${row.resource}-${version}`, { ...row, apiVersion, label: `${row.label} ${version}` }];
};

/** Older versions with the rules of the newer version. */
const olderVersions = [
  older(clusterTrustBundles, "v1alpha1"),
  older(ipAddresses, "v1beta1"),
  older(leaseCandidates, "v1alpha2"),
  older(resourceClaimRow, "v1beta2"),
  older(resourceClaimTemplates, "v1beta2"),
  older(resourceSliceRow, "v1beta2"),
  older(serviceCidrs, "v1beta1"),
  older(volumeAttributesClasses, "v1beta1"),
];

/** Kinds and versions that are not served by default (judge-flags.ts). */
export const moreKindSuites: Readonly<Record<string, readonly JudgeCase[]>> = {
  devicetaintrules: casesOf(deviceTaintRules),
  "devicetaintrules-v1alpha3": casesOf(olderDeviceTaintRules),
  resourcepoolstatusrequests: casesOf(resourcePoolStatusRequests),
  "deviceclasses-v1beta1": casesOf(oldestDeviceClasses),
  "deviceclasses-v1beta2": casesOf(olderDeviceClasses),
  "resourceclaims-v1beta1": olderResourceClaims,
  "resourceclaimtemplates-v1beta1": casesOf(olderResourceClaimTemplates),
  "resourceslices-v1beta1": olderResourceSlices,
  podgroups: podGroupCases,
  workloads: casesOf(workloads),
  clustertrustbundles: casesOf(clusterTrustBundles),
  podcertificaterequests: casesOf(podCertificateRequests),
  ...Object.fromEntries(Object.entries(olderAdmissionPolicies).map(([suite, row]) => [suite, casesOf(row)])),
  nodewrites: nodeWriteCases,
  storageversions: casesOf(storageVersions),
  storageversionmigrations: casesOf(storageVersionMigrations),
  leasecandidates: casesOf(leaseCandidates),
  ...Object.fromEntries(olderVersions.map(([suite, row]) => [suite, casesOf(row)])),
};
