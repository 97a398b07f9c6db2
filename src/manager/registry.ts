// The controllers of the program, each bound to its part of the component configuration. It has all controllers of
// known-controllers.ts except the cloud loops, which are never built.

import { durationMs } from "#api/go-duration.ts";
import type { Host } from "#base/host.ts";
import { bootstrapSigner } from "#controllers/bootstrap-signer/controller.ts";
import { requestApprover } from "#controllers/certificatesigningrequest-approving/controller.ts";
import { requestCleaner } from "#controllers/certificatesigningrequest-cleaner/controller.ts";
import { requestSigner } from "#controllers/certificatesigningrequest-signing/controller.ts";
import { clusterRoleAggregation } from "#controllers/clusterrole-aggregation/controller.ts";
import { cronJobController } from "#controllers/cronjob/controller.ts";
import { daemonSetController } from "#controllers/daemonset/controller.ts";
import { deploymentController } from "#controllers/deployment/controller.ts";
import { deviceTaintEvictionController } from "#controllers/device-taint-eviction/controller.ts";
import { disruptionController } from "#controllers/disruption/controller.ts";
import { endpointsController } from "#controllers/endpoints/controller.ts";
import { endpointSliceController } from "#controllers/endpointslice/controller.ts";
import { endpointSliceMirroringController } from "#controllers/endpointslice-mirroring/controller.ts";
import { ephemeralVolumeController } from "#controllers/ephemeral-volume/controller.ts";
import { garbageCollectorController } from "#controllers/garbage-collector/controller.ts";
import { horizontalPodAutoscalerController } from "#controllers/horizontal-pod-autoscaler/controller.ts";
import { jobController } from "#controllers/job/controller.ts";
import { trustBundlePublisher } from "#controllers/kube-apiserver-serving-clustertrustbundle-publisher/controller.ts";
import { legacyTokenCleanerController } from "#controllers/legacy-serviceaccount-token-cleaner/controller.ts";
import { namespaceController } from "#controllers/namespace/controller.ts";
import { nodeIpamController } from "#controllers/node-ipam/controller.ts";
import { nodeLifecycleController } from "#controllers/node-lifecycle/controller.ts";
import { attachDetachController } from "#controllers/persistentvolume-attach-detach/controller.ts";
import { persistentVolumeBinder } from "#controllers/persistentvolume-binder/controller.ts";
import { persistentVolumeExpander } from "#controllers/persistentvolume-expander/controller.ts";
import { persistentVolumeProtection } from "#controllers/persistentvolume-protection/controller.ts";
import { persistentVolumeClaimProtection } from "#controllers/persistentvolumeclaim-protection/controller.ts";
import { podGarbageCollector } from "#controllers/pod-garbage-collector/controller.ts";
import { podRequestCleaner } from "#controllers/podcertificaterequest-cleaner/controller.ts";
import { podGroupProtection } from "#controllers/podgroup-protection/controller.ts";
import { replicaSetController } from "#controllers/replicaset/controller.ts";
import { replicationController } from "#controllers/replicationcontroller/controller.ts";
import { resourceClaimController } from "#controllers/resourceclaim/controller.ts";
import { resourcePoolStatusRequestController } from "#controllers/resourcepoolstatusrequest/controller.ts";
import { resourceQuotaController } from "#controllers/resourcequota/controller.ts";
import { rootCaPublisherController } from "#controllers/root-ca-certificate-publisher/controller.ts";
import { seLinuxWarningController } from "#controllers/selinux-warning/controller.ts";
import { serviceCidrController } from "#controllers/service-cidr/controller.ts";
import { serviceAccountController } from "#controllers/serviceaccount/controller.ts";
import { serviceAccountTokenController } from "#controllers/serviceaccount-token/controller.ts";
import { statefulSetController } from "#controllers/statefulset/controller.ts";
import { storageVersionMigrator } from "#controllers/storage-version-migrator/controller.ts";
import { storageVersionGarbageCollector } from "#controllers/storageversion-garbage-collector/controller.ts";
import { taintEvictionController } from "#controllers/taint-eviction/controller.ts";
import { tokenCleanerController } from "#controllers/token-cleaner/controller.ts";
import { ttlController } from "#controllers/ttl/controller.ts";
import { ttlAfterFinishedController } from "#controllers/ttl-after-finished/controller.ts";
import { policyStatusController } from "#controllers/validatingadmissionpolicy-status/controller.ts";
import { volumeAttributesClassProtection } from "#controllers/volumeattributesclass-protection/controller.ts";
import type { ContractHolder } from "#kit/contract.ts";
import type { Controller, ControllerContext, ControllerDescriptor } from "#kit/controller.ts";
import { knownController } from "#kit/known-controllers.ts";
import { rootCa, signingFiles, tokenSigner, volumePlugins } from "./controller-files.ts";
import type { ComponentConfig } from "./options/config.ts";

/** The configuration of controllers: the flags, and the machine with the files they name. */
export interface ControllerSettings {
  readonly config: ComponentConfig;
  readonly host: Host;
}

export interface RegisteredController {
  readonly name: string;
  readonly featureGates: readonly string[];
  build(context: ControllerContext, settings: ControllerSettings, signal: AbortSignal): Promise<Controller | undefined>;
}

/** A controller of kube-controller-manager with its contract. */
export type WrittenController = RegisteredController &
  ContractHolder & {
    /** The controller's options from the settings. */
    options(settings: ControllerSettings): unknown;
  };

export const registeredControllers: readonly WrittenController[] = [
  bind(endpointsController, ({ config: { EndpointController: config } }) => ({
    workers: config.ConcurrentEndpointSyncs,
    batchPeriodMs: durationMs(config.EndpointUpdatesBatchPeriod),
  })),
  bind(endpointSliceMirroringController, ({ config: { EndpointSliceMirroringController: config } }) => ({
    workers: config.MirroringConcurrentServiceEndpointSyncs,
    endpointsMax: config.MirroringMaxEndpointsPerSubset,
    batchPeriodMs: durationMs(config.MirroringEndpointUpdatesBatchPeriod),
  })),
  bind(endpointSliceController, ({ config: { EndpointSliceController: config } }) => ({
    workers: config.ConcurrentServiceEndpointSyncs,
    endpointsMax: config.MaxEndpointsPerSlice,
    batchPeriodMs: durationMs(config.EndpointUpdatesBatchPeriod),
  })),
  bind(replicationController, ({ config }) => ({ workers: config.ReplicationController.ConcurrentRCSyncs })),
  bind(resourceQuotaController, ({ config: { ResourceQuotaController: config } }) => ({
    workers: config.ConcurrentResourceQuotaSyncs,
    resyncPeriodMs: durationMs(config.ResourceQuotaSyncPeriod),
  })),
  bind(namespaceController, ({ config: { NamespaceController: config } }) => ({
    workers: config.ConcurrentNamespaceSyncs,
    resyncPeriodMs: durationMs(config.NamespaceSyncPeriod),
  })),
  bind(serviceAccountController, () => undefined),
  bind(garbageCollectorController, ({ config: { GarbageCollectorController: config } }) => ({
    isEnabled: config.EnableGarbageCollector,
    workers: config.ConcurrentGCSyncs,
    ignoredResources: config.GCIgnoredResources,
  })),
  bind(replicaSetController, ({ config }) => ({ workers: config.ReplicaSetController.ConcurrentRSSyncs })),
  bind(podGarbageCollector, ({ config }) => ({ terminatedPodsMax: config.PodGCController.TerminatedPodGCThreshold })),
  bind(daemonSetController, ({ config }) => ({ workers: config.DaemonSetController.ConcurrentDaemonSetSyncs })),
  bind(jobController, ({ config }) => ({ workers: config.JobController.ConcurrentJobSyncs })),
  bind(podGroupProtection, () => undefined),
  bind(deploymentController, ({ config }) => ({ workers: config.DeploymentController.ConcurrentDeploymentSyncs })),
  bind(statefulSetController, ({ config }) => ({ workers: config.StatefulSetController.ConcurrentStatefulSetSyncs })),
  bind(horizontalPodAutoscalerController, ({ config: { HPAController: config } }) => ({
    workers: config.ConcurrentHorizontalPodAutoscalerSyncs,
    syncPeriodMs: durationMs(config.HorizontalPodAutoscalerSyncPeriod),
    downscaleWindowMs: durationMs(config.HorizontalPodAutoscalerDownscaleStabilizationWindow),
    tolerance: config.HorizontalPodAutoscalerTolerance,
    cpuInitializationMs: durationMs(config.HorizontalPodAutoscalerCPUInitializationPeriod),
    initialReadinessMs: durationMs(config.HorizontalPodAutoscalerInitialReadinessDelay),
  })),
  bind(disruptionController, () => undefined),
  bind(clusterRoleAggregation, () => undefined),
  bind(requestSigner, (settings) => ({
    files: signingFiles(settings),
    durationMs: durationMs(settings.config.CSRSigningController.ClusterSigningDuration),
  })),
  bind(requestApprover, () => undefined),
  bind(requestCleaner, () => undefined),
  bind(cronJobController, ({ config }) => ({ workers: config.CronJobController.ConcurrentCronJobSyncs })),
  bind(podRequestCleaner, () => undefined),
  bind(ttlController, () => undefined),
  bind(bootstrapSigner, () => undefined),
  bind(tokenCleanerController, () => undefined),
  bind(nodeIpamController, ({ config: { KubeCloudShared: shared, NodeIPAMController: config } }) => ({
    isEnabled: shared.AllocateNodeCIDRs,
    allocatorType: shared.CIDRAllocatorType,
    clusterCidr: shared.ClusterCIDR,
    serviceCidrs: [config.ServiceCIDR, config.SecondaryServiceCIDR],
    maskSize: config.NodeCIDRMaskSize,
    maskSizeV4: config.NodeCIDRMaskSizeIPv4,
    maskSizeV6: config.NodeCIDRMaskSizeIPv6,
  })),
  bind(nodeLifecycleController, ({ config: { KubeCloudShared, NodeLifecycleController: config } }) => ({
    monitorPeriodMs: durationMs(KubeCloudShared.NodeMonitorPeriod),
    grace: {
      monitorMs: durationMs(config.NodeMonitorGracePeriod),
      startupMs: durationMs(config.NodeStartupGracePeriod),
    },
    rates: {
      normalPerSecond: config.NodeEvictionRate,
      reducedPerSecond: config.SecondaryNodeEvictionRate,
      largeZoneSize: config.LargeClusterSizeThreshold,
    },
    unhealthyZoneThreshold: config.UnhealthyZoneThreshold,
  })),
  bind(taintEvictionController, () => undefined),
  bind(ttlAfterFinishedController, ({ config }) => ({ workers: config.TTLAfterFinishedController.ConcurrentTTLSyncs })),
  bind(persistentVolumeBinder, (settings) => ({
    syncPeriodMs: durationMs(settings.config.PersistentVolumeBinderController.PVClaimBinderSyncPeriod),
    provisions: settings.config.PersistentVolumeBinderController.VolumeConfiguration.EnableDynamicProvisioning,
    plugins: volumePlugins(settings),
  })),
  bind(attachDetachController, ({ config: { AttachDetachController: config } }) => ({
    isVerifyDisabled: config.DisableAttachDetachReconcilerSync,
    verifyPeriodMs: durationMs(config.ReconcilerSyncLoopPeriod),
    isForceDetachDisabled: config.disableForceDetachOnTimeout,
  })),
  bind(persistentVolumeExpander, () => undefined),
  bind(persistentVolumeClaimProtection, () => undefined),
  bind(persistentVolumeProtection, () => undefined),
  bind(volumeAttributesClassProtection, () => undefined),
  bind(ephemeralVolumeController, ({ config }) => ({
    workers: config.EphemeralVolumeController.ConcurrentEphemeralVolumeSyncs,
  })),
  bind(legacyTokenCleanerController, ({ config }) => ({ period: config.LegacySATokenCleaner.CleanUpPeriod })),
  bind(policyStatusController, ({ config }) => ({
    workers: config.ValidatingAdmissionPolicyStatusController.ConcurrentPolicySyncs,
  })),
  bind(storageVersionMigrator, ({ config }) => ({
    hasGarbageCollector: config.GarbageCollectorController.EnableGarbageCollector,
  })),
  bind(storageVersionGarbageCollector, () => undefined),
  bind(deviceTaintEvictionController, ({ config }) => ({
    workers: config.DeviceTaintEvictionController.ConcurrentSyncs,
  })),
  bind(resourcePoolStatusRequestController, () => undefined),
  bind(resourceClaimController, ({ config }) => ({ workers: config.ResourceClaimController.ConcurrentSyncs })),
  bind(serviceCidrController, () => undefined),
  bind(seLinuxWarningController, () => undefined),
  bind(rootCaPublisherController, (settings) => ({ rootCa: rootCa(settings) })),
  bind(trustBundlePublisher, (settings) => ({ rootCa: rootCa(settings) })),
];

/** Built before all others, with the root client, regardless of --controllers. */
export const serviceAccountTokens: WrittenController = bind(serviceAccountTokenController, (settings) => ({
  workers: settings.config.SAController.ConcurrentSATokenSyncs,
  rootCa: rootCa(settings),
  sign: tokenSigner(settings),
}));

function bind<Options>(
  descriptor: ControllerDescriptor<Options>,
  optionsOf: (settings: ControllerSettings) => Options,
): WrittenController {
  const { name, contract } = descriptor;
  const { featureGates } = knownController(name);
  const build: WrittenController["build"] = (context, settings, signal) =>
    descriptor.build(context, optionsOf(settings), signal);
  return { name, featureGates, contract, options: optionsOf, build };
}
