// The 52 controllers of kube-controller-manager 1.36, in upstream's order of registration: the single source of their
// names, aliases, gates and identities. The manager's registry says how each is built.
// Upstream: cmd/kube-controller-manager/app/controllermanager.go, NewControllerDescriptors; names/controller_names.go.

import { assert } from "#base/assert.ts";

export interface KnownController {
  readonly name: string;
  readonly aliases: readonly string[];
  /** The controller is built only if all of these gates are on. */
  readonly featureGates: readonly string[];
  /** Its service account, and the suffix of its user agent. */
  readonly identity: string;
  /** A loop of a cloud provider: known by name, but built only with a provider. */
  readonly isCloud?: boolean;
  /** '*' does not include it. */
  readonly isOffByDefault?: boolean;
}

const table = [
  {
    name: "serviceaccount-token-controller",
    aliases: ["serviceaccount-token"],
    featureGates: [],
    identity: "tokens-controller",
  },
  { name: "endpoints-controller", aliases: ["endpoint"], featureGates: [], identity: "endpoint-controller" },
  {
    name: "endpointslice-controller",
    aliases: ["endpointslice"],
    featureGates: [],
    identity: "endpointslice-controller",
  },
  {
    name: "endpointslice-mirroring-controller",
    aliases: ["endpointslicemirroring"],
    featureGates: [],
    identity: "endpointslicemirroring-controller",
  },
  {
    name: "replicationcontroller-controller",
    aliases: ["replicationcontroller"],
    featureGates: [],
    identity: "replication-controller",
  },
  { name: "pod-garbage-collector-controller", aliases: ["podgc"], featureGates: [], identity: "pod-garbage-collector" },
  {
    name: "resourcequota-controller",
    aliases: ["resourcequota"],
    featureGates: [],
    identity: "resourcequota-controller",
  },
  { name: "namespace-controller", aliases: ["namespace"], featureGates: [], identity: "namespace-controller" },
  {
    name: "serviceaccount-controller",
    aliases: ["serviceaccount"],
    featureGates: [],
    identity: "service-account-controller",
  },
  {
    name: "garbage-collector-controller",
    aliases: ["garbagecollector"],
    featureGates: [],
    identity: "generic-garbage-collector",
  },
  { name: "daemonset-controller", aliases: ["daemonset"], featureGates: [], identity: "daemon-set-controller" },
  { name: "job-controller", aliases: ["job"], featureGates: [], identity: "job-controller" },
  {
    name: "podgroup-protection-controller",
    aliases: [],
    featureGates: ["GenericWorkload"],
    identity: "podgroup-protection-controller",
  },
  { name: "deployment-controller", aliases: ["deployment"], featureGates: [], identity: "deployment-controller" },
  { name: "replicaset-controller", aliases: ["replicaset"], featureGates: [], identity: "replicaset-controller" },
  {
    name: "horizontal-pod-autoscaler-controller",
    aliases: ["horizontalpodautoscaling"],
    featureGates: [],
    identity: "horizontal-pod-autoscaler",
  },
  { name: "disruption-controller", aliases: ["disruption"], featureGates: [], identity: "disruption-controller" },
  { name: "statefulset-controller", aliases: ["statefulset"], featureGates: [], identity: "statefulset-controller" },
  { name: "cronjob-controller", aliases: ["cronjob"], featureGates: [], identity: "cronjob-controller" },
  {
    name: "certificatesigningrequest-signing-controller",
    aliases: ["csrsigning"],
    featureGates: [],
    identity: "certificate-controller",
  },
  {
    name: "certificatesigningrequest-approving-controller",
    aliases: ["csrapproving"],
    featureGates: [],
    identity: "certificate-controller",
  },
  {
    name: "certificatesigningrequest-cleaner-controller",
    aliases: ["csrcleaner"],
    featureGates: [],
    identity: "certificate-controller",
  },
  {
    name: "podcertificaterequest-cleaner-controller",
    aliases: [],
    featureGates: ["PodCertificateRequest"],
    identity: "podcertificaterequestcleaner",
  },
  { name: "ttl-controller", aliases: ["ttl"], featureGates: [], identity: "ttl-controller" },
  {
    name: "bootstrap-signer-controller",
    aliases: ["bootstrapsigner"],
    featureGates: [],
    identity: "bootstrap-signer",
    isOffByDefault: true,
  },
  {
    name: "token-cleaner-controller",
    aliases: ["tokencleaner"],
    featureGates: [],
    identity: "token-cleaner",
    isOffByDefault: true,
  },
  { name: "node-ipam-controller", aliases: ["nodeipam"], featureGates: [], identity: "node-controller" },
  { name: "node-lifecycle-controller", aliases: ["nodelifecycle"], featureGates: [], identity: "node-controller" },
  {
    name: "taint-eviction-controller",
    aliases: [],
    featureGates: ["SeparateTaintEvictionController"],
    identity: "node-controller",
  },
  {
    name: "device-taint-eviction-controller",
    aliases: [],
    featureGates: ["DynamicResourceAllocation", "DRADeviceTaints"],
    identity: "device-taint-eviction-controller",
  },
  { name: "service-lb-controller", aliases: ["service"], featureGates: [], identity: "", isCloud: true },
  { name: "node-route-controller", aliases: ["route"], featureGates: [], identity: "", isCloud: true },
  {
    name: "cloud-node-lifecycle-controller",
    aliases: ["cloud-node-lifecycle"],
    featureGates: [],
    identity: "",
    isCloud: true,
  },
  {
    name: "persistentvolume-binder-controller",
    aliases: ["persistentvolume-binder"],
    featureGates: [],
    identity: "persistent-volume-binder",
  },
  {
    name: "persistentvolume-attach-detach-controller",
    aliases: ["attachdetach"],
    featureGates: [],
    identity: "attachdetach-controller",
  },
  {
    name: "persistentvolume-expander-controller",
    aliases: ["persistentvolume-expander"],
    featureGates: [],
    identity: "expand-controller",
  },
  {
    name: "clusterrole-aggregation-controller",
    aliases: ["clusterrole-aggregation"],
    featureGates: [],
    identity: "clusterrole-aggregation-controller",
  },
  {
    name: "persistentvolumeclaim-protection-controller",
    aliases: ["pvc-protection"],
    featureGates: [],
    identity: "pvc-protection-controller",
  },
  {
    name: "persistentvolume-protection-controller",
    aliases: ["pv-protection"],
    featureGates: [],
    identity: "pv-protection-controller",
  },
  {
    name: "volumeattributesclass-protection-controller",
    aliases: [],
    featureGates: ["VolumeAttributesClass"],
    identity: "volumeattributesclass-protection-controller",
  },
  {
    name: "ttl-after-finished-controller",
    aliases: ["ttl-after-finished"],
    featureGates: [],
    identity: "ttl-after-finished-controller",
  },
  {
    name: "root-ca-certificate-publisher-controller",
    aliases: ["root-ca-cert-publisher"],
    featureGates: [],
    identity: "root-ca-cert-publisher",
  },
  {
    name: "kube-apiserver-serving-clustertrustbundle-publisher-controller",
    aliases: [],
    featureGates: ["ClusterTrustBundle"],
    identity: "kube-apiserver-serving-clustertrustbundle-publisher",
  },
  {
    name: "ephemeral-volume-controller",
    aliases: ["ephemeral-volume"],
    featureGates: [],
    identity: "ephemeral-volume-controller",
  },
  {
    name: "storageversion-garbage-collector-controller",
    aliases: ["storage-version-gc"],
    featureGates: ["APIServerIdentity", "StorageVersionAPI"],
    identity: "storage-version-garbage-collector",
  },
  {
    name: "resourceclaim-controller",
    aliases: ["resource-claim-controller"],
    featureGates: ["DynamicResourceAllocation"],
    identity: "resource-claim-controller",
  },
  {
    name: "resourcepoolstatusrequest-controller",
    aliases: [],
    featureGates: ["DRAResourcePoolStatus"],
    identity: "resourcepoolstatusrequest-controller",
  },
  {
    name: "legacy-serviceaccount-token-cleaner-controller",
    aliases: ["legacy-service-account-token-cleaner"],
    featureGates: [],
    identity: "legacy-service-account-token-cleaner",
  },
  {
    name: "validatingadmissionpolicy-status-controller",
    aliases: [],
    featureGates: [],
    identity: "validatingadmissionpolicy-status-controller",
  },
  {
    name: "service-cidr-controller",
    aliases: [],
    featureGates: ["MultiCIDRServiceAllocator"],
    identity: "service-cidrs-controller",
  },
  {
    name: "storage-version-migrator-controller",
    aliases: ["svm"],
    featureGates: [],
    identity: "storage-version-migrator-controller",
  },
  {
    name: "selinux-warning-controller",
    aliases: [],
    featureGates: ["SELinuxChangePolicy"],
    identity: "selinux-warning-controller",
    isOffByDefault: true,
  },
] as const;

export type ControllerName = (typeof table)[number]["name"];

export const knownControllers: readonly (KnownController & { readonly name: ControllerName })[] = table;

const byControllerName: ReadonlyMap<string, KnownController> = new Map(table.map((known) => [known.name, known]));

/** The table's entry for this controller. */
export function knownController(name: ControllerName): KnownController {
  const known = byControllerName.get(name);
  assert(known !== undefined, `no known controller is named ${name}`);
  return known;
}

const byName = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export const knownControllerNames: readonly string[] = knownControllers.map(({ name }) => name).sort(byName);

export const offByDefaultNames: readonly string[] = knownControllers
  .filter(({ isOffByDefault }) => isOffByDefault)
  .map(({ name }) => name)
  .sort(byName);

/** Canonical names by alias. */
export const controllerAliases: ReadonlyMap<string, string> = new Map(
  knownControllers.flatMap(({ name, aliases }) => aliases.map((alias) => [alias, name] as const)),
);
