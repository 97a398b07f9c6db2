// The kinds that fuzzed requests are about, and for each the pieces that its objects are made of: right
// ones, changes that are allowed later, and wrong ones. Pods and what makes them are in fuzz-pods.ts.

import { CONTRAPTIONS, GADGETS } from "./custom-kind.ts";
import { podPlaces } from "./fuzz-pods.ts";
import type { Edits } from "./fuzz-random.ts";

export interface Place {
  /** Of the resource; unique among the places. */
  readonly label: string;
  /** Absolute path with "$ns". */
  readonly collection: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** Before each name. */
  readonly prefix?: string;
  /** The smallest object without its metadata. */
  readonly minimal: object;
  /** For new objects. */
  readonly options: readonly Edits[];
  /** Allowed later. */
  readonly changes: readonly Edits[];
  /** Refused, at least later. */
  readonly wrong: readonly Edits[];
  /** Of a kind with a status. */
  readonly status?: readonly Edits[];
  readonly wrongStatus?: readonly Edits[];
  readonly strategic?: readonly object[];
  readonly subresources?: readonly Subresource[];
  readonly fieldSelectors?: readonly string[];
  /** It can only be updated from a version that the client knows. */
  readonly needsVersion?: boolean;
  readonly isCustom?: boolean;
}

export type Subresource =
  | { readonly name: string; readonly posts: readonly object[] }
  /** Read, and written by all verbs. */
  | { readonly name: string; readonly edits: readonly Edits[]; readonly strategic?: readonly object[] };

const NS = "/api/v1/namespaces/$ns";
/** Limits and quotas have a namespace of their own, where they meet nothing else: admission reads caches that lag. */
const QUOTA_NS = "/api/v1/namespaces/$ns-quota";

const plainPlaces: readonly Place[] = [
  {
    label: "configmaps",
    collection: `${NS}/configmaps`,
    apiVersion: "v1",
    kind: "ConfigMap",
    minimal: {},
    options: [
      { "/data/k1": "v1" },
      { "/data/k1": "v2", "/data/k2": "" },
      { "/data/k3": "two\nlines" },
      { "/binaryData/bin": "eA==" },
      { "/immutable": false },
    ],
    changes: [
      { "/data/k1": "v3" },
      { "/data/k2": undefined },
      { "/data": { only: "1" } },
      { "/binaryData/b2": "eQ==" },
    ],
    wrong: [
      { "/data/bad key!": "x" },
      { "/data/..": "x" },
      { "/data/k1": 1 },
      { "/data/same": "x", "/binaryData/same": "eA==" },
      { "/binaryData/bin": "not base64" },
      { "/immutable": true },
      { "/unknown": { deep: 1 } },
    ],
  },
  {
    label: "secrets",
    collection: `${NS}/secrets`,
    apiVersion: "v1",
    kind: "Secret",
    minimal: {},
    options: [
      { "/data/a": "eA==" },
      { "/stringData/a": "1", "/stringData/b": "2" },
      { "/type": "example.com/own" },
      { "/type": "kubernetes.io/basic-auth", "/data/username": "eA==" },
      { "/type": "kubernetes.io/ssh-auth", "/data/ssh-privatekey": "eA==" },
    ],
    changes: [{ "/data/a": "eQ==" }, { "/stringData/c": "3" }, { "/data/z": "" }, { "/data": { only: "eA==" } }],
    wrong: [
      { "/type": "kubernetes.io/tls", "/data/tls.crt": "eA==" },
      { "/type": "kubernetes.io/basic-auth" },
      { "/type": "kubernetes.io/service-account-token" },
      { "/type": "kubernetes.io/dockerconfigjson", "/data/.dockerconfigjson": "eA==" },
      { "/data/a": "%%" },
      { "/data/bad key!": "eA==" },
      { "/type": "" },
      { "/immutable": true },
    ],
    fieldSelectors: ["type=Opaque", "type!=Opaque"],
  },
  {
    label: "serviceaccounts",
    collection: `${NS}/serviceaccounts`,
    apiVersion: "v1",
    kind: "ServiceAccount",
    minimal: {},
    options: [
      { "/automountServiceAccountToken": false },
      { "/imagePullSecrets": [{ name: "s1" }, { name: "s2" }] },
      { "/secrets": [{ name: "own" }] },
    ],
    changes: [
      { "/automountServiceAccountToken": true },
      { "/imagePullSecrets": [{ name: "s3" }] },
      { "/secrets/-": { name: "more" } },
      { "/imagePullSecrets": undefined },
    ],
    wrong: [
      { "/secrets": "text" },
      { "/automountServiceAccountToken": "yes" },
      { "/imagePullSecrets": [{ name: "s1" }, { name: "s1" }] },
      { "/imagePullSecrets": [{ nonsense: "x" }] },
    ],
    strategic: [
      { imagePullSecrets: [{ name: "s3" }] },
      { imagePullSecrets: [{ name: "s1", $patch: "delete" }] },
      { secrets: [{ name: "own", kind: "Secret" }] },
    ],
    subresources: [
      {
        name: "token",
        posts: [
          { spec: { audiences: ["a"], expirationSeconds: 900 } },
          { spec: {} },
          { spec: { expirationSeconds: 5 } },
          { spec: { boundObjectRef: { kind: "Nonsense", apiVersion: "v1", name: "x" } } },
          { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 3600 } },
        ],
      },
    ],
  },
  {
    label: "leases",
    collection: "/apis/coordination.k8s.io/v1/namespaces/$ns/leases",
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    minimal: {},
    options: [
      { "/spec/holderIdentity": "a", "/spec/leaseDurationSeconds": 15 },
      { "/spec/acquireTime": "2020-01-01T00:00:00.123456Z", "/spec/renewTime": "2020-01-01T00:00:01.000000Z" },
      { "/spec/leaseTransitions": 1 },
      { "/spec/renewTime": "2020-01-01T01:00:00.500000+01:00" },
    ],
    changes: [
      { "/spec/holderIdentity": "b" },
      { "/spec/leaseTransitions": 2, "/spec/leaseDurationSeconds": 7 },
      { "/spec/renewTime": "2021-01-01T00:00:00.000001Z" },
      { "/spec/holderIdentity": undefined },
    ],
    wrong: [
      { "/spec/leaseDurationSeconds": 0 },
      { "/spec/leaseTransitions": -1, "/spec/leaseDurationSeconds": -5 },
      { "/spec/leaseDurationSeconds": "x" },
      { "/spec/renewTime": "nonsense" },
      { "/spec/renewTime": "2020-01-01T01:00:00.5+01:00", "/spec/leaseTransitions": "x" },
      { "/spec/preferredHolder": "b" },
      { "/spec/strategy": "Nonsense!" },
      { "/spec/holderIdentity": "" },
      { "/spec/leaseDurationSeconds": 3000000000 },
    ],
    fieldSelectors: ["spec.holderIdentity=a"],
  },
  {
    label: "events",
    collection: `${NS}/events`,
    apiVersion: "v1",
    kind: "Event",
    minimal: { involvedObject: { namespace: "$ns" } },
    options: [
      { "/reason": "Started", "/message": "It started", "/type": "Normal", "/count": 3 },
      { "/source": { component: "kubelet", host: "n" } },
      { "/firstTimestamp": "2020-01-01T00:00:00Z", "/lastTimestamp": "2020-01-01T00:01:00Z" },
      { "/involvedObject/kind": "Pod", "/involvedObject/name": "p", "/involvedObject/fieldPath": "spec" },
      { "/type": "Warning" },
    ],
    changes: [
      { "/count": 5, "/message": "again" },
      { "/lastTimestamp": "2020-01-01T00:02:00Z" },
      { "/reason": "Other" },
      { "/type": "Odd" },
    ],
    wrong: [
      { "/involvedObject/namespace": "other" },
      { "/involvedObject": {} },
      { "/eventTime": "2020-01-01T00:00:00.000000Z" },
      { "/count": "x" },
      { "/involvedObject/kind": "Node" },
      { "/series": { count: 1 } },
    ],
    fieldSelectors: ["reason=Started", "involvedObject.kind=Pod,type!=Normal", "source=kubelet"],
  },
  {
    label: "events.events.k8s.io",
    collection: "/apis/events.k8s.io/v1/namespaces/$ns/events",
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    prefix: "new-",
    minimal: {
      eventTime: "2020-01-01T00:00:00.000000Z",
      reportingController: "example.com/c",
      reportingInstance: "i",
      action: "Act",
      reason: "Because",
      type: "Normal",
      regarding: { namespace: "$ns" },
    },
    options: [
      { "/note": "a note" },
      { "/regarding/kind": "Pod", "/regarding/name": "p" },
      { "/related": { kind: "Node", name: "n" } },
      { "/series": { count: 2, lastObservedTime: "2020-01-01T00:00:01.000000Z" } },
      { "/type": "Warning" },
    ],
    changes: [
      { "/series": { count: 3, lastObservedTime: "2020-01-01T00:00:05.000000Z" } },
      { "/series": { count: 4, lastObservedTime: "2020-01-01T00:00:06.000000Z" } },
      { "/metadata/annotations/more": "1" },
    ],
    wrong: [
      { "/eventTime": undefined },
      { "/reportingController": "bad name!", "/type": "Nonsense" },
      { "/note": "n".repeat(1025) },
      { "/reason": "r".repeat(129), "/action": "" },
      { "/regarding/namespace": "other" },
      { "/deprecatedCount": 1 },
      { "/series": { count: 1, lastObservedTime: null } },
      { "/reason": "Other" },
    ],
    fieldSelectors: ["reason=Because", "regarding.kind=Pod", "type=Warning"],
  },
  {
    label: "nodes",
    collection: "/api/v1/nodes",
    apiVersion: "v1",
    kind: "Node",
    prefix: "$ns-",
    minimal: {},
    options: [
      { "/spec/unschedulable": true },
      { "/spec/taints": [{ key: "a", effect: "NoExecute" }] },
      { "/spec/podCIDR": "10.0.0.0/24", "/spec/podCIDRs": ["10.0.0.0/24"] },
      { "/status/capacity": { cpu: "4", memory: "8Gi" } },
      { "/metadata/labels/node-role.kubernetes.io~1worker": "" },
    ],
    changes: [
      { "/spec/unschedulable": true },
      { "/spec/unschedulable": undefined },
      { "/spec/taints": [{ key: "b", value: "v", effect: "NoSchedule" }] },
      { "/spec/taints/-": { key: "c", effect: "PreferNoSchedule" } },
    ],
    wrong: [
      { "/spec/taints": [{ key: "", effect: "NoSchedule" }] },
      { "/spec/taints": [{ key: "a", effect: "Nonsense" }, { key: "b" }] },
      { "/spec/podCIDR": "nonsense" },
      { "/spec/podCIDRs": ["10.0.0.0/24", "10.1.0.0/24"] },
      { "/spec/providerID": "a" },
      { "/spec/configSource": { configMap: {} } },
    ],
    status: [
      { "/status/capacity": { cpu: "4" }, "/status/allocatable": { cpu: "3.5" } },
      { "/status/conditions": [{ type: "Ready", status: "True" }] },
      { "/status/addresses": [{ type: "InternalIP", address: "10.0.0.1" }] },
      { "/status/nodeInfo": { kubeletVersion: "v1", architecture: "a" } },
      { "/status/images": [{ names: ["a"], sizeBytes: 1 }], "/status/volumesInUse": ["v"] },
    ],
    wrongStatus: [
      { "/status/capacity": { cpu: "-4" } },
      { "/status/conditions": "x" },
      { "/status/capacity": { cpu: "x" } },
    ],
    strategic: [
      { spec: { taints: [{ key: "y", effect: "NoSchedule" }] } },
      { status: { conditions: [{ type: "Ready", status: "False", reason: "R" }] } },
      { status: { addresses: [{ type: "InternalIP", address: "10.0.0.9" }] } },
    ],
    fieldSelectors: ["spec.unschedulable=true"],
  },
  {
    label: "namespaces",
    collection: "/api/v1/namespaces",
    apiVersion: "v1",
    kind: "Namespace",
    prefix: "$ns-ns-",
    minimal: {},
    options: [
      { "/spec/finalizers": ["kubernetes", "example.com/more"] },
      { "/status/phase": "Terminating" },
      { "/metadata/labels/team": "t" },
    ],
    changes: [
      { "/metadata/annotations/more": "1" },
      { "/metadata/labels/team": "u" },
      { "/spec/finalizers": undefined },
      { "/status": undefined },
    ],
    wrong: [
      { "/metadata/labels/kubernetes.io~1metadata.name": "other" },
      { "/spec/finalizers": ["no slash"] },
      { "/spec": "x" },
      { "/metadata/labels/bad key!": "x" },
    ],
    status: [
      {
        "/status/conditions": [
          { type: "NamespaceContentRemaining", status: "True", reason: "r", message: "m", lastTransitionTime: null },
        ],
      },
      { "/status/conditions": [] },
    ],
    wrongStatus: [{ "/status/phase": "Nonsense" }, { "/status/phase": "Terminating" }],
    subresources: [
      {
        name: "finalize",
        edits: [
          { "/spec/finalizers": ["kubernetes"] },
          { "/spec/finalizers": ["kubernetes", "example.com/x"] },
          { "/spec/finalizers": ["bad"] },
          { "/metadata/labels/via": "finalize" },
        ],
      },
    ],
    fieldSelectors: ["status.phase=Active"],
  },
  {
    label: "resourcequotas",
    collection: `${QUOTA_NS}/resourcequotas`,
    apiVersion: "v1",
    kind: "ResourceQuota",
    minimal: {},
    options: [
      { "/spec/hard": { pods: "10", "requests.cpu": "4", "count/configmaps": "5" } },
      { "/spec/hard": { pods: "3" }, "/spec/scopes": ["NotTerminating"] },
      { "/spec/hard": { "limits.memory": "1Gi", "requests.storage": "10Gi" } },
      {
        "/spec/hard": { pods: "1" },
        "/spec/scopeSelector": { matchExpressions: [{ scopeName: "PriorityClass", operator: "In", values: ["p"] }] },
      },
      { "/status/hard": { pods: "1" } },
    ],
    changes: [
      { "/spec/hard/pods": "5" },
      { "/spec/hard": { pods: "7", services: "1" } },
      { "/spec/hard/requests.cpu": "1500m" },
      { "/spec/hard/memory": "0.5Gi" },
    ],
    wrong: [
      { "/spec/hard": { pods: "-1" } },
      { "/spec/hard": { pods: "1.5" } },
      { "/spec/hard": { nonsense: "1" } },
      { "/spec/hard": { pods: "abc" } },
      { "/spec/scopes": ["Nonsense"] },
      { "/spec/scopes": ["Terminating", "NotTerminating"] },
      { "/spec/hard": { configmaps: "1" }, "/spec/scopes": ["BestEffort"] },
      { "/spec/scopeSelector": { matchExpressions: [{ scopeName: "PriorityClass", operator: "In" }] } },
    ],
    status: [
      { "/status/hard": { pods: "3" }, "/status/used": { pods: "1" } },
      { "/status/used": { pods: "2" } },
      { "/status/hard": { "requests.cpu": "2" }, "/status/used": { "requests.cpu": "0" } },
    ],
    wrongStatus: [
      { "/status/used": { pods: "-1" } },
      { "/status/hard": { nonsense: "1" } },
      { "/status/used": { pods: [] } },
    ],
  },
  {
    label: "limitranges",
    collection: `${QUOTA_NS}/limitranges`,
    apiVersion: "v1",
    kind: "LimitRange",
    minimal: { spec: { limits: [{ type: "Container", max: { cpu: "2" } }] } },
    options: [
      { "/spec/limits/0/min": { cpu: "100m" }, "/spec/limits/0/default": { cpu: "1" } },
      { "/spec/limits/0/defaultRequest": { cpu: "500m" } },
      { "/spec/limits/-": { type: "Pod", max: { memory: "1Gi" } } },
      { "/spec/limits/0/maxLimitRequestRatio": { cpu: "4" } },
    ],
    changes: [
      { "/spec/limits/0/max": { cpu: "3" } },
      { "/spec/limits": [{ type: "Pod", max: { cpu: "3" } }] },
      { "/spec/limits/-": { type: "PersistentVolumeClaim", max: { storage: "1Gi" } } },
    ],
    wrong: [
      { "/spec/limits/-": { type: "Container" } },
      { "/spec/limits": [{ type: "Pod", default: { cpu: "1" } }] },
      { "/spec/limits": [{ type: "Container", min: { cpu: "2" }, max: { cpu: "1" } }] },
      { "/spec/limits": [{ type: "PersistentVolumeClaim" }] },
      { "/spec/limits": [{ type: "bad type!", max: { nonsense: "1" } }] },
      { "/spec/limits/0/maxLimitRequestRatio": { cpu: "0.5" } },
      { "/spec/limits/0/default": { cpu: "9" } },
    ],
  },
  {
    label: "gadgets",
    collection: GADGETS,
    apiVersion: "judge.example/v1",
    kind: "Gadget",
    isCustom: true,
    needsVersion: true,
    minimal: { spec: { size: 1 } },
    options: [
      { "/spec/size": 3 },
      { "/spec/color": "blue" },
      { "/spec/tags": ["t1", "t2"] },
      { "/spec/parts": [{ name: "p" }, { name: "q", weight: 2 }] },
      { "/spec/free": { any: 1, other: null } },
      { "/spec/unknown": { deep: true } },
      { "/status/size": 2 },
    ],
    changes: [
      { "/spec/size": 4 },
      { "/spec/color": "red" },
      { "/spec/tags": ["t3"] },
      { "/spec/parts": [{ name: "r" }] },
      { "/spec": {} },
    ],
    wrong: [
      { "/spec/size": 101 },
      { "/spec/size": "x" },
      { "/spec/size": 1.5 },
      { "/spec/color": "green" },
      { "/spec/color": null },
      { "/spec/tags": ["t1", "t1"] },
      { "/spec/parts": [{ name: "P" }, { weight: 1 }] },
      { "/spec": null },
    ],
    status: [{ "/status/size": 1 }, { "/status/selector": "a=b", "/status/note": "n" }, { "/status": {} }],
    wrongStatus: [{ "/status/size": "x" }, { "/status": 5 }],
    subresources: [
      {
        name: "scale",
        edits: [{ "/spec/replicas": 2 }, { "/spec/replicas": 7 }, { "/spec/replicas": -1 }, { "/spec/replicas": 101 }],
      },
    ],
    fieldSelectors: ["spec.color=red", "spec.color!=red"],
  },
  {
    label: "contraptions",
    collection: CONTRAPTIONS,
    apiVersion: "fuzz.example/v1",
    kind: "Contraption",
    isCustom: true,
    needsVersion: true,
    minimal: { spec: { min: 1, max: 5 } },
    options: [
      { "/spec/min": 2, "/spec/max": 2 },
      { "/spec/fixed": "f" },
      { "/spec/port": "http" },
      { "/spec/port": 80, "/spec/when": "2020-01-01T00:00:00Z" },
      { "/spec/limits": { a: 1, b: 2 } },
      { "/spec/rows": [{ key: "a", value: "1" }, { key: "b" }] },
      { "/spec/note": null },
    ],
    changes: [
      { "/spec/max": 9 },
      { "/spec/limits/c": 3 },
      { "/spec/rows": [{ key: "c", value: "3" }] },
      { "/spec/port": 443 },
      { "/spec/note": "n" },
    ],
    wrong: [
      { "/spec/min": 7 },
      { "/spec/min": 9, "/spec/limits": { a: 200 } },
      { "/spec/fixed": "g" },
      { "/spec/rows": [{ key: "a" }, { key: "a" }] },
      { "/spec/rows": [{ value: "x" }] },
      { "/spec/when": "nonsense" },
      { "/spec/limits": { a: 1, b: 2, c: 3, d: 4 } },
      { "/spec/port": 1.5 },
      { "/spec/max": undefined },
      { "/spec/level": 4 },
    ],
    status: [{ "/status/phase": "Up" }, { "/status/phase": "Up", "/status/count": 2 }],
    wrongStatus: [{ "/status/phase": "Sideways" }, { "/status/count": -1 }],
  },
];

export const places: readonly Place[] = [...plainPlaces, ...podPlaces];

export const names: readonly string[] = ["a", "b", "c", "d", "e"];

export const nameAt = (place: Place, name: string): string => `${place.prefix ?? ""}${name}`;

/** A sensible object: what requests find there. */
export function furniture(place: Place, name: string): object {
  return {
    apiVersion: place.apiVersion,
    kind: place.kind,
    metadata: { name: nameAt(place, name), labels: { app: "x" }, annotations: { note: "0" } },
    ...place.minimal,
  };
}
