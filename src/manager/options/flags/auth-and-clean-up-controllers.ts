// Flags of the controllers of certificates, accounts, quotas, namespaces and garbage.

import { bool, duration, int32, string } from "../../flags/flag-types.ts";
import { at, type BoundFlag, workers } from "./bound-flag.ts";

const signerFiles = (prefix: string, path: string, signer: string): readonly BoundFlag[] => [
  at(
    `cluster-signing-${prefix}-cert-file`,
    string,
    `config.CSRSigningController.${path}.CertFile`,
    `CA certificate for the ${signer} signer. Excludes --cluster-signing-cert-file.`,
  ),
  at(
    `cluster-signing-${prefix}-key-file`,
    string,
    `config.CSRSigningController.${path}.KeyFile`,
    `CA key for the ${signer} signer. Excludes --cluster-signing-key-file.`,
  ),
];

export const authAndCleanUpFlags: Readonly<Record<string, readonly BoundFlag[]>> = {
  "certificatesigningrequest-signing": [
    at(
      "cluster-signing-cert-file",
      string,
      "config.CSRSigningController.ClusterSigningCertFile",
      "CA certificate for all signers. Excludes the flags of single signers.",
    ),
    at(
      "cluster-signing-key-file",
      string,
      "config.CSRSigningController.ClusterSigningKeyFile",
      "CA key for all signers. Excludes the flags of single signers.",
    ),
    ...signerFiles("kubelet-serving", "KubeletServingSignerConfiguration", "kubernetes.io/kubelet-serving"),
    ...signerFiles("kubelet-client", "KubeletClientSignerConfiguration", "kubernetes.io/kube-apiserver-client-kubelet"),
    ...signerFiles(
      "kube-apiserver-client",
      "KubeAPIServerClientSignerConfiguration",
      "kubernetes.io/kube-apiserver-client",
    ),
    ...signerFiles("legacy-unknown", "LegacyUnknownSignerConfiguration", "kubernetes.io/legacy-unknown"),
    at(
      "cluster-signing-duration",
      duration,
      "config.CSRSigningController.ClusterSigningDuration",
      "Longest validity of a signed certificate. A request may ask for less.",
    ),
  ],
  "garbage-collector": [
    at(
      "concurrent-gc-syncs",
      int32,
      "config.GarbageCollectorController.ConcurrentGCSyncs",
      "Workers of each garbage collector queue.",
    ),
    at(
      "enable-garbage-collector",
      bool,
      "config.GarbageCollectorController.EnableGarbageCollector",
      "Collect garbage. Must agree with the API server's flag of this name.",
    ),
  ],
  "legacy-serviceaccount-token-cleaner": [
    at(
      "legacy-service-account-token-clean-up-period",
      duration,
      "config.LegacySATokenCleaner.CleanUpPeriod",
      "Remove token Secrets that were not used for this time.",
    ),
  ],
  namespace: [
    at(
      "namespace-sync-period",
      duration,
      "config.NamespaceController.NamespaceSyncPeriod",
      "Period after which each namespace is synced again.",
    ),
    at(
      "concurrent-namespace-syncs",
      int32,
      "config.NamespaceController.ConcurrentNamespaceSyncs",
      workers("Namespaces"),
    ),
  ],
  "pod-garbage-collector": [
    at(
      "terminated-pod-gc-threshold",
      int32,
      "config.PodGCController.TerminatedPodGCThreshold",
      "Terminated pods beyond this number are deleted; 0 or less keeps them all.",
    ),
  ],
  resourcequota: [
    at(
      "resource-quota-sync-period",
      duration,
      "config.ResourceQuotaController.ResourceQuotaSyncPeriod",
      "Period after which every quota is computed again.",
    ),
    at(
      "concurrent-resource-quota-syncs",
      int32,
      "config.ResourceQuotaController.ConcurrentResourceQuotaSyncs",
      workers("ResourceQuotas"),
    ),
  ],
  serviceaccount: [
    at(
      "service-account-private-key-file",
      string,
      "config.SAController.ServiceAccountKeyFile",
      "RSA or ECDSA key that signs the tokens in service account secrets. Empty: such secrets are not filled.",
    ),
    at(
      "concurrent-serviceaccount-token-syncs",
      int32,
      "config.SAController.ConcurrentSATokenSyncs",
      workers("service account tokens"),
    ),
    at(
      "root-ca-file",
      string,
      "config.SAController.RootCAFile",
      "CA bundle that pods use to verify the API server; published to every namespace.",
    ),
  ],
  "validatingadmissionpolicy-status": [
    at(
      "concurrent-validating-admission-policy-status-syncs",
      int32,
      "config.ValidatingAdmissionPolicyStatusController.ConcurrentPolicySyncs",
      workers("ValidatingAdmissionPolicies"),
    ),
  ],
};
