// The flags of the real server as a judge. All its default admission plugins are on.

export const judgeFlags: readonly string[] = [
  // Its controller would write the status of flow schemas at an unknown time.
  "--enable-priority-and-fairness=false",
];

/** The settings of both servers beyond the defaults. */
export interface JudgeSettings {
  readonly gates: readonly string[];
  readonly versions: readonly string[];
  /** Admission plugins that are off by default. */
  readonly plugins: readonly string[];
}

export const plainSettings: JudgeSettings = { gates: [], versions: [], plugins: [] };

/** For kinds and versions that are not served by default. */
export const moreSettings: JudgeSettings = {
  gates: [
    "ClusterTrustBundle",
    "PodCertificateRequest",
    "DRADeviceTaintRules",
    "DRAResourcePoolStatus",
    "GenericWorkload",
    "StorageVersionMigrator",
  ],
  versions: [
    "admissionregistration.k8s.io/v1alpha1",
    "admissionregistration.k8s.io/v1beta1",
    "certificates.k8s.io/v1alpha1",
    "certificates.k8s.io/v1beta1",
    "coordination.k8s.io/v1alpha2",
    "coordination.k8s.io/v1beta1",
    "internal.apiserver.k8s.io/v1alpha1",
    "networking.k8s.io/v1beta1",
    "resource.k8s.io/v1alpha3",
    "resource.k8s.io/v1beta1",
    "resource.k8s.io/v1beta2",
    "scheduling.k8s.io/v1alpha2",
    "storage.k8s.io/v1beta1",
    "storagemigration.k8s.io/v1beta1",
  ],
  plugins: ["NodeRestriction", "OwnerReferencesPermissionEnforcement"],
};

export const flagsOf = ({ gates, versions, plugins }: JudgeSettings): readonly string[] => [
  ...judgeFlags,
  ...(plugins.length === 0 ? [] : [`--enable-admission-plugins=${plugins.join(",")}`]),
  ...(gates.length === 0 ? [] : [`--feature-gates=${gates.map((gate) => `${gate}=true`).join(",")}`]),
  ...(versions.length === 0 ? [] : [`--runtime-config=${versions.map((version) => `${version}=true`).join(",")}`]),
];
