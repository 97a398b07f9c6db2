// The component configuration, which the flags set and /configz shows. Field names and their order are those of
// KubeControllerManagerConfiguration v1alpha1, so that /configz can be compared byte for byte.
// Upstream: k8s.io/kube-controller-manager/config/v1alpha1; pkg/controller/apis/config.

import type { GoDuration } from "#api/go-duration.ts";
import { HOUR, MINUTE, SECOND } from "#api/go-duration.ts";

export interface LeaderElectionConfig {
  readonly leaderElect: boolean;
  readonly leaseDuration: GoDuration;
  readonly renewDeadline: GoDuration;
  readonly retryPeriod: GoDuration;
  readonly resourceLock: string;
  readonly resourceName: string;
  readonly resourceNamespace: string;
}

export interface ControllerLeader {
  readonly name: string;
  readonly component: string;
}

export interface LeaderMigrationConfig {
  readonly leaderName: string;
  readonly resourceLock: string;
  readonly controllerLeaders: readonly ControllerLeader[] | null;
}

export interface SignerFiles {
  readonly CertFile: string;
  readonly KeyFile: string;
}

export interface ComponentConfig {
  readonly kind: string;
  readonly apiVersion: string;
  readonly Generic: {
    readonly Port: number;
    readonly Address: string;
    readonly MinResyncPeriod: GoDuration;
    readonly ClientConnection: {
      readonly kubeconfig: string;
      readonly acceptContentTypes: string;
      readonly contentType: string;
      readonly qps: number;
      readonly burst: number;
    };
    readonly ControllerStartInterval: GoDuration;
    readonly LeaderElection: LeaderElectionConfig;
    readonly Controllers: readonly string[];
    readonly Debugging: { readonly enableProfiling: boolean; readonly enableContentionProfiling: boolean };
    readonly LeaderMigrationEnabled: boolean;
    readonly LeaderMigration: LeaderMigrationConfig;
  };
  readonly KubeCloudShared: {
    readonly CloudProvider: { readonly Name: string; readonly CloudConfigFile: string };
    readonly ExternalCloudVolumePlugin: string;
    readonly UseServiceAccountCredentials: boolean;
    readonly AllowUntaggedCloud: boolean;
    readonly RouteReconciliationPeriod: GoDuration;
    readonly NodeMonitorPeriod: GoDuration;
    readonly ClusterName: string;
    readonly ClusterCIDR: string;
    readonly AllocateNodeCIDRs: boolean;
    readonly CIDRAllocatorType: string;
    readonly ConfigureCloudRoutes: boolean;
    readonly NodeSyncPeriod: GoDuration;
  };
  readonly AttachDetachController: {
    readonly DisableAttachDetachReconcilerSync: boolean;
    readonly ReconcilerSyncLoopPeriod: GoDuration;
    readonly disableForceDetachOnTimeout: boolean;
  };
  readonly CSRSigningController: {
    readonly ClusterSigningCertFile: string;
    readonly ClusterSigningKeyFile: string;
    readonly KubeletServingSignerConfiguration: SignerFiles;
    readonly KubeletClientSignerConfiguration: SignerFiles;
    readonly KubeAPIServerClientSignerConfiguration: SignerFiles;
    readonly LegacyUnknownSignerConfiguration: SignerFiles;
    readonly ClusterSigningDuration: GoDuration;
  };
  readonly DaemonSetController: { readonly ConcurrentDaemonSetSyncs: number };
  readonly DeploymentController: { readonly ConcurrentDeploymentSyncs: number };
  readonly StatefulSetController: { readonly ConcurrentStatefulSetSyncs: number };
  readonly DeprecatedController: Readonly<Record<string, never>>;
  readonly EndpointController: {
    readonly ConcurrentEndpointSyncs: number;
    readonly EndpointUpdatesBatchPeriod: GoDuration;
  };
  readonly EndpointSliceController: {
    readonly ConcurrentServiceEndpointSyncs: number;
    readonly MaxEndpointsPerSlice: number;
    readonly EndpointUpdatesBatchPeriod: GoDuration;
  };
  readonly EndpointSliceMirroringController: {
    readonly MirroringConcurrentServiceEndpointSyncs: number;
    readonly MirroringMaxEndpointsPerSubset: number;
    readonly MirroringEndpointUpdatesBatchPeriod: GoDuration;
  };
  readonly EphemeralVolumeController: { readonly ConcurrentEphemeralVolumeSyncs: number };
  readonly GarbageCollectorController: {
    readonly EnableGarbageCollector: boolean;
    readonly ConcurrentGCSyncs: number;
    readonly GCIgnoredResources: readonly { readonly Group: string; readonly Resource: string }[];
  };
  readonly HPAController: {
    readonly ConcurrentHorizontalPodAutoscalerSyncs: number;
    readonly HorizontalPodAutoscalerSyncPeriod: GoDuration;
    readonly HorizontalPodAutoscalerDownscaleStabilizationWindow: GoDuration;
    readonly HorizontalPodAutoscalerTolerance: number;
    readonly HorizontalPodAutoscalerCPUInitializationPeriod: GoDuration;
    readonly HorizontalPodAutoscalerInitialReadinessDelay: GoDuration;
  };
  readonly JobController: { readonly ConcurrentJobSyncs: number };
  readonly CronJobController: { readonly ConcurrentCronJobSyncs: number };
  readonly LegacySATokenCleaner: { readonly CleanUpPeriod: GoDuration };
  readonly NamespaceController: { readonly NamespaceSyncPeriod: GoDuration; readonly ConcurrentNamespaceSyncs: number };
  readonly NodeIPAMController: {
    readonly ServiceCIDR: string;
    readonly SecondaryServiceCIDR: string;
    readonly NodeCIDRMaskSize: number;
    readonly NodeCIDRMaskSizeIPv4: number;
    readonly NodeCIDRMaskSizeIPv6: number;
  };
  readonly NodeLifecycleController: {
    readonly NodeEvictionRate: number;
    readonly SecondaryNodeEvictionRate: number;
    readonly NodeStartupGracePeriod: GoDuration;
    readonly NodeMonitorGracePeriod: GoDuration;
    readonly PodEvictionTimeout: GoDuration;
    readonly LargeClusterSizeThreshold: number;
    readonly UnhealthyZoneThreshold: number;
  };
  readonly PersistentVolumeBinderController: {
    readonly PVClaimBinderSyncPeriod: GoDuration;
    readonly VolumeConfiguration: {
      readonly EnableHostPathProvisioning: boolean;
      readonly EnableDynamicProvisioning: boolean;
      readonly PersistentVolumeRecyclerConfiguration: {
        readonly MaximumRetry: number;
        readonly MinimumTimeoutNFS: number;
        readonly PodTemplateFilePathNFS: string;
        readonly IncrementTimeoutNFS: number;
        readonly PodTemplateFilePathHostPath: string;
        readonly MinimumTimeoutHostPath: number;
        readonly IncrementTimeoutHostPath: number;
      };
      readonly FlexVolumePluginDir: string;
    };
  };
  readonly PodGCController: { readonly TerminatedPodGCThreshold: number };
  readonly ReplicaSetController: { readonly ConcurrentRSSyncs: number };
  readonly ReplicationController: { readonly ConcurrentRCSyncs: number };
  readonly ResourceQuotaController: {
    readonly ResourceQuotaSyncPeriod: GoDuration;
    readonly ConcurrentResourceQuotaSyncs: number;
  };
  readonly SAController: {
    readonly ServiceAccountKeyFile: string;
    readonly ConcurrentSATokenSyncs: number;
    readonly RootCAFile: string;
  };
  readonly ServiceController: { readonly ConcurrentServiceSyncs: number };
  readonly TTLAfterFinishedController: { readonly ConcurrentTTLSyncs: number };
  readonly ValidatingAdmissionPolicyStatusController: { readonly ConcurrentPolicySyncs: number };
  readonly DeviceTaintEvictionController: { readonly ConcurrentSyncs: number };
  readonly ResourceClaimController: { readonly ConcurrentSyncs: number };
}

const noFiles: SignerFiles = { CertFile: "", KeyFile: "" };

export const defaultConfig: ComponentConfig = {
  kind: "KubeControllerManagerConfiguration",
  apiVersion: "kubecontrollermanager.config.k8s.io/v1alpha1",
  Generic: {
    Port: 0,
    Address: "0.0.0.0",
    MinResyncPeriod: 12n * HOUR,
    ClientConnection: {
      kubeconfig: "",
      acceptContentTypes: "",
      contentType: "application/vnd.kubernetes.protobuf",
      qps: 20,
      burst: 30,
    },
    ControllerStartInterval: 0n,
    LeaderElection: {
      leaderElect: true,
      leaseDuration: 15n * SECOND,
      renewDeadline: 10n * SECOND,
      retryPeriod: 2n * SECOND,
      resourceLock: "leases",
      resourceName: "kube-controller-manager",
      resourceNamespace: "kube-system",
    },
    Controllers: ["*"],
    Debugging: { enableProfiling: true, enableContentionProfiling: false },
    LeaderMigrationEnabled: false,
    LeaderMigration: { leaderName: "", resourceLock: "", controllerLeaders: null },
  },
  KubeCloudShared: {
    CloudProvider: { Name: "", CloudConfigFile: "" },
    ExternalCloudVolumePlugin: "",
    UseServiceAccountCredentials: false,
    AllowUntaggedCloud: false,
    RouteReconciliationPeriod: 10n * SECOND,
    NodeMonitorPeriod: 5n * SECOND,
    ClusterName: "kubernetes",
    ClusterCIDR: "",
    AllocateNodeCIDRs: false,
    CIDRAllocatorType: "RangeAllocator",
    ConfigureCloudRoutes: true,
    NodeSyncPeriod: 0n,
  },
  AttachDetachController: {
    DisableAttachDetachReconcilerSync: false,
    ReconcilerSyncLoopPeriod: MINUTE,
    disableForceDetachOnTimeout: false,
  },
  CSRSigningController: {
    ClusterSigningCertFile: "",
    ClusterSigningKeyFile: "",
    KubeletServingSignerConfiguration: noFiles,
    KubeletClientSignerConfiguration: noFiles,
    KubeAPIServerClientSignerConfiguration: noFiles,
    LegacyUnknownSignerConfiguration: noFiles,
    ClusterSigningDuration: 8760n * HOUR,
  },
  DaemonSetController: { ConcurrentDaemonSetSyncs: 2 },
  DeploymentController: { ConcurrentDeploymentSyncs: 5 },
  StatefulSetController: { ConcurrentStatefulSetSyncs: 5 },
  DeprecatedController: {},
  EndpointController: { ConcurrentEndpointSyncs: 5, EndpointUpdatesBatchPeriod: 0n },
  EndpointSliceController: {
    ConcurrentServiceEndpointSyncs: 5,
    MaxEndpointsPerSlice: 100,
    EndpointUpdatesBatchPeriod: 0n,
  },
  EndpointSliceMirroringController: {
    MirroringConcurrentServiceEndpointSyncs: 5,
    MirroringMaxEndpointsPerSubset: 1000,
    MirroringEndpointUpdatesBatchPeriod: 0n,
  },
  EphemeralVolumeController: { ConcurrentEphemeralVolumeSyncs: 5 },
  GarbageCollectorController: {
    EnableGarbageCollector: true,
    ConcurrentGCSyncs: 20,
    GCIgnoredResources: [
      { Group: "", Resource: "events" },
      { Group: "events.k8s.io", Resource: "events" },
    ],
  },
  HPAController: {
    ConcurrentHorizontalPodAutoscalerSyncs: 5,
    HorizontalPodAutoscalerSyncPeriod: 15n * SECOND,
    HorizontalPodAutoscalerDownscaleStabilizationWindow: 5n * MINUTE,
    HorizontalPodAutoscalerTolerance: 0.1,
    HorizontalPodAutoscalerCPUInitializationPeriod: 5n * MINUTE,
    HorizontalPodAutoscalerInitialReadinessDelay: 30n * SECOND,
  },
  JobController: { ConcurrentJobSyncs: 5 },
  CronJobController: { ConcurrentCronJobSyncs: 5 },
  LegacySATokenCleaner: { CleanUpPeriod: 8760n * HOUR },
  NamespaceController: { NamespaceSyncPeriod: 5n * MINUTE, ConcurrentNamespaceSyncs: 10 },
  NodeIPAMController: {
    ServiceCIDR: "",
    SecondaryServiceCIDR: "",
    NodeCIDRMaskSize: 0,
    NodeCIDRMaskSizeIPv4: 0,
    NodeCIDRMaskSizeIPv6: 0,
  },
  NodeLifecycleController: {
    NodeEvictionRate: 0.1,
    SecondaryNodeEvictionRate: 0.01,
    NodeStartupGracePeriod: MINUTE,
    NodeMonitorGracePeriod: 50n * SECOND,
    PodEvictionTimeout: 0n,
    LargeClusterSizeThreshold: 50,
    UnhealthyZoneThreshold: 0.55,
  },
  PersistentVolumeBinderController: {
    PVClaimBinderSyncPeriod: 15n * SECOND,
    VolumeConfiguration: {
      EnableHostPathProvisioning: false,
      EnableDynamicProvisioning: true,
      PersistentVolumeRecyclerConfiguration: {
        MaximumRetry: 3,
        MinimumTimeoutNFS: 300,
        PodTemplateFilePathNFS: "",
        IncrementTimeoutNFS: 30,
        PodTemplateFilePathHostPath: "",
        MinimumTimeoutHostPath: 60,
        IncrementTimeoutHostPath: 30,
      },
      FlexVolumePluginDir: "/usr/libexec/kubernetes/kubelet-plugins/volume/exec/",
    },
  },
  PodGCController: { TerminatedPodGCThreshold: 12500 },
  ReplicaSetController: { ConcurrentRSSyncs: 5 },
  ReplicationController: { ConcurrentRCSyncs: 5 },
  ResourceQuotaController: { ResourceQuotaSyncPeriod: 5n * MINUTE, ConcurrentResourceQuotaSyncs: 5 },
  SAController: { ServiceAccountKeyFile: "", ConcurrentSATokenSyncs: 5, RootCAFile: "" },
  ServiceController: { ConcurrentServiceSyncs: 1 },
  TTLAfterFinishedController: { ConcurrentTTLSyncs: 5 },
  ValidatingAdmissionPolicyStatusController: { ConcurrentPolicySyncs: 5 },
  DeviceTaintEvictionController: { ConcurrentSyncs: 8 },
  ResourceClaimController: { ConcurrentSyncs: 50 },
};
