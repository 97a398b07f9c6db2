// The casts: named sets of controllers that run together while a scenario plays. No controller outside the cast runs.

export type Cast = "workloads" | "network" | "nodes" | "node-ranges" | "storage" | "auth" | "clean-up";

interface CastDescription {
  readonly controllers: readonly string[];
  /** Flags that the cast's controllers need in every profile. */
  readonly flags?: readonly string[];
}

export const casts: Readonly<Record<Cast, CastDescription>> = {
  workloads: {
    controllers: [
      "replicationcontroller-controller",
      "daemonset-controller",
      "job-controller",
      "podgroup-protection-controller",
      "deployment-controller",
      "replicaset-controller",
      "horizontal-pod-autoscaler-controller",
      "disruption-controller",
      "statefulset-controller",
      "cronjob-controller",
      "ttl-after-finished-controller",
      "resourcequota-controller",
      "garbage-collector-controller",
    ],
  },
  network: {
    controllers: [
      "endpoints-controller",
      "endpointslice-controller",
      "endpointslice-mirroring-controller",
      "service-cidr-controller",
    ],
  },
  nodes: {
    controllers: [
      "pod-garbage-collector-controller",
      "ttl-controller",
      "node-lifecycle-controller",
      "taint-eviction-controller",
      "device-taint-eviction-controller",
      "resourceclaim-controller",
      "resourcepoolstatusrequest-controller",
    ],
    flags: ["--allocate-node-cidrs=true"],
  },
  // The assigned ranges depend on all nodes, and the controller shares its identity with node-lifecycle and
  // taint-eviction.
  "node-ranges": {
    controllers: ["node-ipam-controller"],
    flags: ["--allocate-node-cidrs=true"],
  },
  storage: {
    controllers: [
      "persistentvolume-binder-controller",
      "persistentvolume-attach-detach-controller",
      "persistentvolume-expander-controller",
      "persistentvolumeclaim-protection-controller",
      "persistentvolume-protection-controller",
      "volumeattributesclass-protection-controller",
      "ephemeral-volume-controller",
      "selinux-warning-controller",
    ],
  },
  auth: {
    controllers: [
      "serviceaccount-token-controller",
      "serviceaccount-controller",
      "root-ca-certificate-publisher-controller",
      "kube-apiserver-serving-clustertrustbundle-publisher-controller",
      "certificatesigningrequest-signing-controller",
      "certificatesigningrequest-approving-controller",
      "certificatesigningrequest-cleaner-controller",
      "podcertificaterequest-cleaner-controller",
      "bootstrap-signer-controller",
      "token-cleaner-controller",
      "clusterrole-aggregation-controller",
      "legacy-serviceaccount-token-cleaner-controller",
    ],
  },
  "clean-up": {
    controllers: [
      "resourcequota-controller",
      "namespace-controller",
      "garbage-collector-controller",
      "storageversion-garbage-collector-controller",
      "storage-version-migrator-controller",
      "validatingadmissionpolicy-status-controller",
    ],
  },
};
