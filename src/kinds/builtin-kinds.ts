// The list of built-in kinds: one import and one line per kind. Loading it creates only small objects; expensive parts
// are created at first use.

import { mutatingAdmissionPolicy } from "./admissionregistration/mutating-admission-policy.ts";
import { mutatingAdmissionPolicyBinding } from "./admissionregistration/mutating-admission-policy-binding.ts";
import { mutatingWebhookConfiguration } from "./admissionregistration/mutating-webhook-configuration.ts";
import { validatingAdmissionPolicy } from "./admissionregistration/validating-admission-policy.ts";
import { validatingAdmissionPolicyBinding } from "./admissionregistration/validating-admission-policy-binding.ts";
import { validatingWebhookConfiguration } from "./admissionregistration/validating-webhook-configuration.ts";
import { customResourceDefinition } from "./apiextensions/custom-resource-definition.ts";
import { apiService } from "./apiregistration/api-service.ts";
import { controllerRevision } from "./apps/controller-revision.ts";
import { daemonSet } from "./apps/daemon-set.ts";
import { deployment } from "./apps/deployment.ts";
import { replicaSet } from "./apps/replica-set.ts";
import { statefulSet } from "./apps/stateful-set.ts";
import { selfSubjectReview } from "./authentication/self-subject-review.ts";
import { tokenReview } from "./authentication/token-review.ts";
import { localSubjectAccessReview } from "./authorization/local-subject-access-review.ts";
import { selfSubjectAccessReview } from "./authorization/self-subject-access-review.ts";
import { selfSubjectRulesReview } from "./authorization/self-subject-rules-review.ts";
import { subjectAccessReview } from "./authorization/subject-access-review.ts";
import { horizontalPodAutoscaler } from "./autoscaling/horizontal-pod-autoscaler.ts";
import { cronJob } from "./batch/cron-job.ts";
import { job } from "./batch/job.ts";
import { certificateSigningRequest } from "./certificates/certificate-signing-request.ts";
import { clusterTrustBundle } from "./certificates/cluster-trust-bundle.ts";
import { podCertificateRequest } from "./certificates/pod-certificate-request.ts";
import { lease } from "./coordination/lease.ts";
import { leaseCandidate } from "./coordination/lease-candidate.ts";
import { binding } from "./core/binding.ts";
import { componentStatus } from "./core/component-status.ts";
import { configMap } from "./core/config-map.ts";
import { endpoints } from "./core/endpoints.ts";
import { event } from "./core/event.ts";
import { limitRange } from "./core/limit-range.ts";
import { namespace } from "./core/namespace.ts";
import { node } from "./core/node.ts";
import { persistentVolume } from "./core/persistent-volume.ts";
import { persistentVolumeClaim } from "./core/persistent-volume-claim.ts";
import { pod } from "./core/pod.ts";
import { podTemplate } from "./core/pod-template.ts";
import { replicationController } from "./core/replication-controller.ts";
import { resourceQuota } from "./core/resource-quota.ts";
import { secret } from "./core/secret.ts";
import { service } from "./core/service.ts";
import { serviceAccount } from "./core/service-account.ts";
import { endpointSlice } from "./discovery/endpoint-slice.ts";
import { flowSchema } from "./flowcontrol/flow-schema.ts";
import { priorityLevelConfiguration } from "./flowcontrol/priority-level-configuration.ts";
import { storageVersion } from "./internal/storage-version.ts";
import type { Kind } from "./kind.ts";
import { ingress } from "./networking/ingress.ts";
import { ingressClass } from "./networking/ingress-class.ts";
import { ipAddress } from "./networking/ip-address.ts";
import { networkPolicy } from "./networking/network-policy.ts";
import { serviceCidr } from "./networking/service-cidr.ts";
import { runtimeClass } from "./node/runtime-class.ts";
import { podDisruptionBudget } from "./policy/pod-disruption-budget.ts";
import { clusterRole } from "./rbac/cluster-role.ts";
import { clusterRoleBinding } from "./rbac/cluster-role-binding.ts";
import { role } from "./rbac/role.ts";
import { roleBinding } from "./rbac/role-binding.ts";
import { deviceClass } from "./resource/device-class.ts";
import { deviceTaintRule } from "./resource/device-taint-rule.ts";
import { resourceClaim } from "./resource/resource-claim.ts";
import { resourceClaimTemplate } from "./resource/resource-claim-template.ts";
import { resourcePoolStatusRequest } from "./resource/resource-pool-status-request.ts";
import { resourceSlice } from "./resource/resource-slice.ts";
import { podGroup } from "./scheduling/pod-group.ts";
import { priorityClass } from "./scheduling/priority-class.ts";
import { workload } from "./scheduling/workload.ts";
import { csiDriver } from "./storage/csi-driver.ts";
import { csiNode } from "./storage/csi-node.ts";
import { csiStorageCapacity } from "./storage/csi-storage-capacity.ts";
import { storageClass } from "./storage/storage-class.ts";
import { volumeAttachment } from "./storage/volume-attachment.ts";
import { volumeAttributesClass } from "./storage/volume-attributes-class.ts";
import { storageVersionMigration } from "./storagemigration/storage-version-migration.ts";

const KINDS: readonly Kind[] = [
  mutatingAdmissionPolicyBinding,
  mutatingAdmissionPolicy,
  mutatingWebhookConfiguration,
  validatingAdmissionPolicyBinding,
  validatingAdmissionPolicy,
  validatingWebhookConfiguration,
  customResourceDefinition,
  apiService,
  controllerRevision,
  daemonSet,
  deployment,
  replicaSet,
  statefulSet,
  selfSubjectReview,
  tokenReview,
  localSubjectAccessReview,
  selfSubjectAccessReview,
  selfSubjectRulesReview,
  subjectAccessReview,
  horizontalPodAutoscaler,
  cronJob,
  job,
  certificateSigningRequest,
  clusterTrustBundle,
  podCertificateRequest,
  leaseCandidate,
  lease,
  binding,
  componentStatus,
  configMap,
  endpoints,
  event,
  limitRange,
  namespace,
  node,
  persistentVolumeClaim,
  persistentVolume,
  podTemplate,
  pod,
  replicationController,
  resourceQuota,
  secret,
  serviceAccount,
  service,
  endpointSlice,
  flowSchema,
  priorityLevelConfiguration,
  storageVersion,
  ingressClass,
  ingress,
  ipAddress,
  networkPolicy,
  serviceCidr,
  runtimeClass,
  podDisruptionBudget,
  clusterRoleBinding,
  clusterRole,
  roleBinding,
  role,
  deviceClass,
  deviceTaintRule,
  resourceClaimTemplate,
  resourceClaim,
  resourcePoolStatusRequest,
  resourceSlice,
  podGroup,
  priorityClass,
  workload,
  csiDriver,
  csiNode,
  csiStorageCapacity,
  storageClass,
  volumeAttachment,
  volumeAttributesClass,
  storageVersionMigration,
];

const BY_KEY: ReadonlyMap<string, Kind> = new Map(
  KINDS.flatMap((kind) => [kind.key, ...(kind.otherKeys ?? [])].map((key) => [key, kind] as const)),
);

/** key: "resource.group", or the resource alone in the core group. */
export function builtinKind(key: string): Kind | undefined {
  return BY_KEY.get(key);
}
