// Pods and their owners, for fuzzed requests.

import { INT64_MAX, INT64_MIN } from "#api/int64.ts";
import type { Place } from "./fuzz-kinds.ts";
import type { Edits } from "./fuzz-random.ts";

const NS = "/api/v1/namespaces/$ns";
const container = { name: "c", image: "example/c:1" };
const podSpec = { automountServiceAccountToken: false, containers: [container] };

/** Paths below a pod's spec. */
const specOptions: readonly Edits[] = [
  { "/containers/-": { name: "d", image: "example/d", command: ["x"], args: ["$(A)"] } },
  {
    "/containers/0/ports": [
      { containerPort: 80, name: "http" },
      { containerPort: 81, protocol: "UDP" },
    ],
  },
  {
    "/containers/0/env": [
      { name: "A", value: "1" },
      { name: "N", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
    ],
  },
  { "/containers/0/resources": { requests: { cpu: "100m", memory: "64Mi" }, limits: { cpu: "0.5" } } },
  { "/containers/0/resources": { limits: { cpu: "1", memory: "1Gi", "example.com/x": "1" } } },
  { "/containers/0/livenessProbe": { httpGet: { port: 80 }, periodSeconds: 3 } },
  { "/containers/0/readinessProbe": { exec: { command: ["true"] } } },
  { "/containers/0/securityContext": { runAsUser: 5, capabilities: { add: ["NET_ADMIN"] } } },
  { "/containers/0/imagePullPolicy": "Never", "/containers/0/workingDir": "/w", "/containers/0/tty": true },
  { "/initContainers": [{ name: "i", image: "example/i", restartPolicy: "Always" }] },
  { "/volumes": [{ name: "v", emptyDir: {} }], "/containers/0/volumeMounts": [{ name: "v", mountPath: "/v" }] },
  {
    "/volumes": [
      { name: "s", secret: { secretName: "s" } },
      { name: "m", configMap: { name: "m", optional: true } },
    ],
  },
  { "/volumes": [{ name: "p", projected: { sources: [{ downwardAPI: { items: [] } }] } }] },
  { "/tolerations": [{ key: "k", operator: "Exists", effect: "NoExecute", tolerationSeconds: INT64_MAX }] },
  { "/nodeSelector": { disk: "ssd" } },
  { "/affinity": { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "zone" }] } } },
  {
    "/affinity": {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: ["a"] }] }],
        },
      },
    },
  },
  { "/topologySpreadConstraints": [{ maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "ScheduleAnyway" }] },
  { "/securityContext": { runAsNonRoot: true, fsGroup: 1, seccompProfile: { type: "RuntimeDefault" } } },
  { "/terminationGracePeriodSeconds": 0 },
  { "/hostNetwork": true, "/dnsPolicy": "ClusterFirstWithHostNet" },
  { "/hostname": "h", "/subdomain": "s", "/hostAliases": [{ ip: "10.0.0.1", hostnames: ["a"] }] },
  { "/priorityClassName": "system-node-critical" },
];

const specWrong: readonly Edits[] = [
  { "/containers": [] },
  { "/containers/-": container },
  { "/containers/0/name": "Bad_Name", "/containers/0/image": "" },
  { "/containers/0/ports": [{ containerPort: 0 }, { containerPort: 70000, protocol: "X" }] },
  {
    "/containers/0/env": [
      { name: "a=b" },
      { name: "c", value: "x", valueFrom: { fieldRef: { fieldPath: "spec.no" } } },
    ],
  },
  { "/containers/0/resources": { requests: { cpu: "2" }, limits: { cpu: "1" } } },
  { "/containers/0/resources": { requests: { cpu: "abc" } } },
  { "/containers/0/resources": { requests: { nonsense: "1", cpu: "-1" } } },
  { "/containers/0/livenessProbe": { periodSeconds: -1 } },
  { "/containers/0/volumeMounts": [{ name: "none", mountPath: "" }] },
  { "/containers/0/imagePullPolicy": "Sometimes" },
  { "/restartPolicy": "Sometimes" },
  { "/dnsPolicy": "Nonsense", "/terminationGracePeriodSeconds": INT64_MIN },
  { "/volumes": [{ name: "v", emptyDir: {}, hostPath: { path: "x" } }, { name: "v" }] },
  { "/nodeSelector": { "bad key!": "x" }, "/tolerations": [{ key: "a", operator: "Exists", value: "x" }] },
  { "/activeDeadlineSeconds": INT64_MAX, "/hostname": "Bad_" },
  { "/affinity": { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{}] } } },
  { "/topologySpreadConstraints": [{ maxSkew: 0, topologyKey: "", whenUnsatisfiable: "X" }] },
  { "/priorityClassName": "missing" },
  { "/securityContext": { runAsUser: -1, sysctls: [{ name: "Bad!" }] } },
  { "/hostNetwork": true, "/containers/0/ports": [{ containerPort: 80, hostPort: 81 }] },
  { "/serviceAccountName": "missing" },
  { "/schedulingGates": [{ name: "bad gate" }] },
  { "/os": { name: "plan9" } },
];

/** The same edits below another path. */
const below = (prefix: string, all: readonly Edits[]): readonly Edits[] =>
  all.map((edits) => Object.fromEntries(Object.entries(edits).map(([path, value]) => [`${prefix}${path}`, value])));

const pods: Place = {
  label: "pods",
  collection: `${NS}/pods`,
  apiVersion: "v1",
  kind: "Pod",
  minimal: { spec: podSpec },
  options: [
    ...below("/spec", specOptions),
    { "/spec/restartPolicy": "Never" },
    { "/spec/nodeName": "n1" },
    { "/spec/nodeName": "n1" },
    { "/spec/schedulingGates": [{ name: "example.com/gate" }] },
    { "/status/phase": "Running" },
  ],
  changes: [
    { "/spec/containers/0/image": "example/c:2" },
    { "/spec/activeDeadlineSeconds": 10 },
    { "/spec/tolerations/-": { key: "more", operator: "Exists" } },
    { "/metadata/labels/more": "1" },
    { "/metadata/annotations/more": "2" },
  ],
  wrong: [
    ...below("/spec", specWrong),
    { "/spec/restartPolicy": "OnFailure" },
    { "/spec/nodeName": "n2" },
    { "/spec/containers/0/command": ["other"] },
    { "/spec/terminationGracePeriodSeconds": 7 },
    { "/spec/containers": "text" },
    { "/spec/unknown": 1, "/spec/containers/0/odd": true },
  ],
  status: [
    { "/status/phase": "Running", "/status/conditions": [{ type: "Ready", status: "True" }] },
    { "/status/podIP": "10.0.0.1", "/status/podIPs": [{ ip: "10.0.0.1" }], "/status/hostIP": "10.0.0.9" },
    {
      "/status/containerStatuses": [
        { name: "c", image: "x", imageID: "y", restartCount: 1, ready: true, state: { running: {} } },
      ],
    },
    { "/status/phase": "Succeeded", "/status/reason": "R", "/status/message": "m" },
    { "/status/observedGeneration": 1, "/status/startTime": "2020-01-01T00:00:00Z" },
    { "/status/nominatedNodeName": "n3" },
  ],
  wrongStatus: [
    { "/status/podIPs": [{ ip: "nonsense" }] },
    { "/status/containerStatuses": [{ name: "c", state: { terminated: { exitCode: 1 } } }] },
    { "/status/phase": 5 },
    { "/status/qosClass": "Guaranteed" },
  ],
  strategic: [
    { spec: { containers: [{ name: "c", image: "example/c:4" }] } },
    { spec: { tolerations: [{ key: "s", operator: "Exists" }] } },
    { spec: { containers: [{ name: "extra", image: "x" }] } },
    { spec: { $retainKeys: ["containers"], containers: [{ name: "c" }] } },
    { metadata: { labels: { more: null } } },
  ],
  subresources: [
    {
      name: "binding",
      posts: [
        { target: { kind: "Node", name: "n1" } },
        { apiVersion: "v1", kind: "Binding", target: { apiVersion: "v1", kind: "Node", name: "n2" } },
        { target: { kind: "Pod", name: "x" } },
        { target: {} },
      ],
    },
    {
      name: "eviction",
      posts: [
        { apiVersion: "policy/v1", kind: "Eviction" },
        { apiVersion: "policy/v1", kind: "Eviction", deleteOptions: { dryRun: ["All"] } },
        { apiVersion: "policy/v1", kind: "Eviction", deleteOptions: { gracePeriodSeconds: 0 } },
        { apiVersion: "policy/v1", kind: "Eviction", deleteOptions: { preconditions: { uid: "wrong" } } },
        { apiVersion: "policy/v1beta1", kind: "Eviction" },
        { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "other" } },
      ],
    },
    {
      name: "resize",
      edits: [
        { "/spec/containers/0/resources": { requests: { cpu: "150m" } } },
        { "/spec/containers/0/resources": { requests: { cpu: "200m", memory: "64Mi" }, limits: { cpu: "300m" } } },
        { "/spec/containers/0/resources/requests/cpu": "120m" },
        { "/spec/containers/0/image": "example/c:9" },
        { "/spec/containers/0/resources": { requests: { "example.com/x": "1" } } },
        { "/metadata/labels/via": "resize" },
      ],
      strategic: [
        { spec: { containers: [{ name: "c", resources: { requests: { cpu: "130m" } } }] } },
        { spec: { containers: [{ name: "c", resources: { limits: { cpu: "1" } } }] } },
        { spec: { containers: [{ name: "c", resources: null }] } },
      ],
    },
    {
      name: "ephemeralcontainers",
      edits: [
        { "/spec/ephemeralContainers": [{ name: "debug", image: "example/debug:1" }] },
        { "/spec/ephemeralContainers": [{ name: "c", image: "example/debug:1" }] },
        { "/spec/ephemeralContainers": [{ name: "other", image: "example/debug:1", targetContainerName: "c" }] },
        { "/spec/containers/0/image": "example/c:9" },
      ],
      strategic: [{ spec: { ephemeralContainers: [{ name: "more", image: "example/debug:2" }] } }],
    },
  ],
  fieldSelectors: ["spec.nodeName=n1", "status.phase!=Running,spec.nodeName=", "spec.restartPolicy=Always"],
};

const scale = {
  name: "scale",
  edits: [{ "/spec/replicas": 2 }, { "/spec/replicas": 4 }, { "/spec/replicas": -1 }, { "/metadata/labels/x": "y" }],
} as const;

function replicaPlace(kind: "ReplicaSet" | "ReplicationController"): Place {
  const isSet = kind === "ReplicaSet";
  const selector = isSet ? { matchLabels: { app: "a" } } : { app: "a" };
  return {
    label: isSet ? "replicasets" : "replicationcontrollers",
    collection: isSet ? "/apis/apps/v1/namespaces/$ns/replicasets" : `${NS}/replicationcontrollers`,
    apiVersion: isSet ? "apps/v1" : "v1",
    kind,
    minimal: { spec: { selector, template: { metadata: { labels: { app: "a" } }, spec: podSpec } } },
    options: [
      { "/spec/replicas": 3 },
      { "/spec/replicas": 0, "/spec/minReadySeconds": 5 },
      { "/spec/template/metadata/labels/more": "1" },
      { "/status/replicas": 7 },
      ...below("/spec/template/spec", specOptions.slice(0, 8)),
    ],
    changes: [
      { "/spec/replicas": 4 },
      { "/spec/replicas": 1 },
      { "/spec/minReadySeconds": 3 },
      { "/spec/template/spec/containers/0/image": "example/c:2" },
      { "/spec/template/metadata/labels/extra": "1" },
    ],
    wrong: [
      { "/spec/replicas": -1 },
      { [isSet ? "/spec/selector/matchLabels/app" : "/spec/selector/app"]: "b" },
      { "/spec/selector": {} },
      { "/spec/selector": isSet ? { matchExpressions: [{ key: "a", operator: "Nonsense" }] } : { "bad key!": "x" } },
      { "/spec/minReadySeconds": -1, "/spec/template/spec/restartPolicy": "Never" },
      { "/spec/template": undefined },
      { "/spec/template/spec/activeDeadlineSeconds": 5 },
      { "/spec/replicas": "many" },
      ...below("/spec/template/spec", specWrong.slice(0, 12)),
    ],
    status: [
      { "/status/replicas": 2, "/status/readyReplicas": 1, "/status/observedGeneration": 1 },
      { "/status/replicas": 3, "/status/availableReplicas": 0 },
      { "/status/conditions": [{ type: "ReplicaFailure", status: "True", reason: "r", message: "m" }] },
    ],
    wrongStatus: [
      { "/status/replicas": 1, "/status/readyReplicas": 2 },
      { "/status/replicas": -1, "/status/observedGeneration": -2 },
      { "/status/fullyLabeledReplicas": 9 },
    ],
    strategic: [
      { spec: { template: { spec: { containers: [{ name: "c", image: "example/c:2" }] } } } },
      { spec: { template: { spec: { containers: [{ name: "e", image: "e" }] } } } },
      { spec: { template: { spec: { containers: [{ name: "e", $patch: "delete" }] } } } },
      { spec: { template: { spec: { $setElementOrder$containers: [], containers: [] } } } },
      { spec: { replicas: 2 } },
    ],
    subresources: [scale],
    fieldSelectors: ["status.replicas=2"],
  };
}

export const podPlaces: readonly Place[] = [pods, replicaPlace("ReplicaSet"), replicaPlace("ReplicationController")];
