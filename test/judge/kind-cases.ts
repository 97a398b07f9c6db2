// The rules of the first kinds, one row each, and of reviews. Later kinds have a file each in kinds/.

import type { JudgeCase } from "./case.ts";
import { casesOf, type KindRow } from "./kind-row.ts";
import { del, get, post } from "./steps.ts";

const NS = "/api/v1/namespaces/$ns";
const account = post(`${NS}/serviceaccounts`, { metadata: { name: "default" } });
const container = { name: "c", image: "example/c:1" };
const podSpec = { automountServiceAccountToken: false, containers: [container] };
const template = (labels: object = { app: "a" }, spec: object = podSpec): object => ({ metadata: { labels }, spec });

const rows: readonly KindRow[] = [
  {
    label: "Namespace",
    apiVersion: "v1",
    kind: "Namespace",
    resource: "namespaces",
    isClusterScoped: true,
    minimal: {},
    full: { spec: { finalizers: ["kubernetes", "example.com/more"] }, status: { phase: "Terminating" } },
    invalid: [
      { metadata: { name: "Upper" } },
      { metadata: { name: "a.b" } },
      { metadata: { name: "$ns-a" }, spec: { finalizers: ["no slash"] } },
      { metadata: { name: "$ns-a", labels: { "kubernetes.io/metadata.name": "other" } } },
      { metadata: { name: "a".repeat(64) } },
    ],
    updates: [
      { metadata: { labels: { "kubernetes.io/metadata.name": "other" } } },
      { metadata: { labels: { "kubernetes.io/metadata.name": null } } },
      { spec: { finalizers: null } },
      { spec: { finalizers: ["example.com/x"] } },
      { status: { phase: "Terminating" } },
    ],
    status: [
      { conditions: [{ type: "NamespaceContentRemaining", status: "True", reason: "r", message: "m" }] },
      { phase: "Terminating" },
      { phase: "Nonsense" },
    ],
    patches: {
      merge: { metadata: { annotations: { a: "1" } } },
      json: [{ op: "add", path: "/metadata/annotations/b", value: "2" }],
      strategic: { metadata: { annotations: { a: null, c: "3" } } },
    },
    otherContent: { metadata: { name: "$ns-a", labels: { x: "9" } } },
  },
  {
    label: "Pod",
    apiVersion: "v1",
    kind: "Pod",
    resource: "pods",
    before: [account],
    minimal: { spec: podSpec },
    full: {
      spec: {
        ...podSpec,
        restartPolicy: "Never",
        hostNetwork: true,
        initContainers: [{ name: "i", image: "example/i", command: ["a"] }],
        containers: [
          {
            ...container,
            image: "example/c@sha256:abc",
            ports: [{ containerPort: 80, name: "http" }],
            resources: { limits: { cpu: "1", memory: "1Gi" } },
            livenessProbe: { httpGet: { port: "http" } },
            readinessProbe: { tcpSocket: { port: 80 }, periodSeconds: 3 },
            env: [{ name: "N", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
            volumeMounts: [{ name: "v", mountPath: "/v" }],
            lifecycle: { preStop: { exec: { command: ["x"] } } },
          },
        ],
        volumes: [
          { name: "v", emptyDir: {} },
          { name: "s", secret: { secretName: "s" } },
          { name: "m", configMap: { name: "m" } },
          { name: "p", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } },
          { name: "d", downwardAPI: { items: [{ path: "l", fieldRef: { fieldPath: "metadata.labels" } }] } },
          { name: "h", hostPath: { path: "/h" } },
        ],
        tolerations: [{ operator: "Exists" }],
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: "zone",
            whenUnsatisfiable: "DoNotSchedule",
            labelSelector: { matchLabels: { a: "b" } },
          },
        ],
      },
      status: { phase: "Running" },
    },
    invalid: [
      {},
      { spec: { ...podSpec, containers: [] } },
      { spec: { ...podSpec, containers: [container, container] } },
      { spec: { ...podSpec, containers: [{ name: "Bad_Name" }] } },
      { spec: { ...podSpec, restartPolicy: "Sometimes" } },
      { spec: { ...podSpec, dnsPolicy: "Nonsense", terminationGracePeriodSeconds: -1 } },
      {
        spec: {
          ...podSpec,
          containers: [{ ...container, ports: [{ containerPort: 0 }, { containerPort: 70000, protocol: "X" }] }],
        },
      },
      { spec: { ...podSpec, containers: [{ ...container, volumeMounts: [{ name: "none", mountPath: "" }] }] } },
      { spec: { ...podSpec, volumes: [{ name: "v", emptyDir: {}, hostPath: { path: "x" } }, { name: "v" }] } },
      {
        spec: {
          ...podSpec,
          containers: [{ ...container, resources: { requests: { cpu: "2" }, limits: { cpu: "1" } } }],
        },
      },
      {
        spec: {
          ...podSpec,
          containers: [
            {
              ...container,
              env: [
                { name: "a=b" },
                { name: "c", value: "x", valueFrom: { fieldRef: { fieldPath: "spec.nonsense" } } },
              ],
            },
          ],
        },
      },
      { spec: { ...podSpec, containers: [{ ...container, livenessProbe: { periodSeconds: -1 } }] } },
      {
        spec: {
          ...podSpec,
          nodeSelector: { "bad key!": "x" },
          tolerations: [{ key: "a", operator: "Exists", value: "x" }],
        },
      },
      { spec: { ...podSpec, activeDeadlineSeconds: 0, hostname: "Bad_", subdomain: "-" } },
      { spec: { ...podSpec, containers: [{ ...container, resources: { requests: { cpu: "abc" } } }] } },
    ],
    updates: [
      { spec: { nodeName: "n" } },
      { spec: { restartPolicy: "Never" } },
      { spec: { containers: [{ ...container, image: "example/c:2" }] } },
      { spec: { containers: [{ ...container, command: ["x"] }] } },
      { spec: { activeDeadlineSeconds: 10 } },
      { spec: { activeDeadlineSeconds: 20 } },
      { spec: { terminationGracePeriodSeconds: 5 } },
      { metadata: { labels: { a: "b" } } },
    ],
    status: [
      { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
      { phase: "Running", podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }] },
      { qosClass: "Guaranteed" },
      {
        containerStatuses: [
          { name: "c", image: "x", imageID: "y", restartCount: 1, ready: true, state: { running: {} } },
        ],
      },
    ],
    patches: {
      merge: { metadata: { labels: { a: "1" } } },
      json: [{ op: "replace", path: "/spec/containers/0/image", value: "example/c:3" }],
      strategic: {
        spec: { containers: [{ name: "c", image: "example/c:4" }], tolerations: [{ key: "k", operator: "Exists" }] },
      },
    },
    otherContent: { spec: { ...podSpec, containers: [{ ...container, image: "example/c:9" }] } },
  },
  ...(["ReplicaSet", "ReplicationController"] as const).map((kind): KindRow => {
    const isSet = kind === "ReplicaSet";
    const selector = (labels: object): object => ({ selector: isSet ? { matchLabels: labels } : labels });
    const minimal = { spec: { ...(isSet ? selector({ app: "a" }) : {}), template: template() } };
    return {
      label: kind,
      apiVersion: isSet ? "apps/v1" : "v1",
      kind,
      resource: isSet ? "replicasets" : "replicationcontrollers",
      minimal,
      full: {
        metadata: { name: "a", labels: { own: "1" } },
        spec: {
          ...selector({ app: "a" }),
          replicas: 3,
          minReadySeconds: 5,
          template: template({ app: "a", more: "1" }),
        },
        status: { replicas: 7 },
      },
      invalid: [
        {},
        { spec: { ...selector({ app: "a" }), replicas: -1, template: template() } },
        { spec: { ...selector({ app: "b" }), template: template() } },
        { spec: { ...selector({}), template: template() } },
        {
          spec: {
            ...selector({ app: "a" }),
            minReadySeconds: -1,
            template: template({ app: "a" }, { ...podSpec, restartPolicy: "Never" }),
          },
        },
        { spec: { ...selector({ "bad key!": "x" }), template: template() } },
        {
          spec: {
            ...selector({ app: "a" }),
            template: template({ app: "a" }, { ...podSpec, activeDeadlineSeconds: 5 }),
          },
        },
        { spec: selector({ app: "a" }) },
        ...(isSet
          ? [{ spec: { selector: { matchExpressions: [{ key: "a", operator: "Nonsense" }] }, template: template() } }]
          : []),
      ],
      updates: [
        { spec: { selector: isSet ? { matchLabels: { app: "b" } } : { app: "b" } } },
        { spec: { replicas: 4 } },
        { spec: { replicas: -4 } },
        { spec: { template: { spec: { containers: [{ ...container, image: "" }] } } } },
        { spec: { template: { metadata: { labels: { extra: "1" } } } } },
        { metadata: { labels: { x: "y" } } },
      ],
      status: [
        { replicas: 2, readyReplicas: 1, availableReplicas: 1, fullyLabeledReplicas: 1, observedGeneration: 1 },
        { replicas: 1, readyReplicas: 2 },
        { replicas: -1 },
        { replicas: 1, conditions: [{ type: "ReplicaFailure", status: "True", reason: "r", message: "m" }] },
      ],
      patches: {
        merge: { spec: { replicas: 5 } },
        json: [{ op: "replace", path: "/spec/replicas", value: 6 }],
        strategic: {
          spec: {
            template: {
              spec: {
                containers: [
                  { name: "c", image: "example/c:2" },
                  { name: "d", image: "d" },
                ],
              },
            },
          },
        },
      },
      otherContent: { spec: { ...selector({ app: "a" }), replicas: 9, template: template() } },
    };
  }),
  {
    label: "Node",
    apiVersion: "v1",
    kind: "Node",
    resource: "nodes",
    isClusterScoped: true,
    minimal: {},
    full: {
      spec: { podCIDR: "10.0.0.0/24", podCIDRs: ["10.0.0.0/24"], taints: [{ key: "a", effect: "NoExecute" }] },
      status: { capacity: { cpu: "4", memory: "8Gi" }, addresses: [{ type: "InternalIP", address: "10.0.0.1" }] },
    },
    invalid: [
      { spec: { taints: [{ key: "", effect: "NoSchedule" }] } },
      { spec: { taints: [{ key: "a", effect: "Nonsense" }, { key: "b" }] } },
      {
        spec: {
          taints: [
            { key: "a", effect: "NoSchedule" },
            { key: "a", effect: "NoSchedule" },
          ],
        },
      },
      { spec: { podCIDR: "nonsense" } },
      { spec: { podCIDRs: ["10.0.0.0/24", "10.1.0.0/24"] } },
    ],
    updates: [
      { spec: { podCIDR: "10.0.0.0/24", podCIDRs: ["10.0.0.0/24"] } },
      { spec: { podCIDR: "10.1.0.0/24", podCIDRs: ["10.1.0.0/24"] } },
      { spec: { providerID: "a" } },
      { spec: { providerID: "b" } },
      { spec: { unschedulable: true, taints: [{ key: "k", value: "v", effect: "NoSchedule" }] } },
      { spec: { taints: [{ key: "bad key!", effect: "X" }] } },
    ],
    status: [
      { capacity: { cpu: "4" }, allocatable: { cpu: "3" }, conditions: [{ type: "Ready", status: "True" }] },
      { capacity: { cpu: "-4" } },
      {
        addresses: [
          { type: "InternalIP", address: "10.0.0.1" },
          { type: "InternalIP", address: "10.0.0.1" },
        ],
      },
      { nodeInfo: { kubeletVersion: "v1" }, images: [{ names: ["a"], sizeBytes: 1 }] },
    ],
    patches: {
      merge: { spec: { unschedulable: true } },
      json: [{ op: "add", path: "/spec/taints/-", value: { key: "z", effect: "NoExecute" } }],
      strategic: { spec: { taints: [{ key: "y", effect: "NoSchedule" }] } },
    },
    otherContent: { spec: { providerID: "other" } },
  },
  {
    label: "ServiceAccount",
    apiVersion: "v1",
    kind: "ServiceAccount",
    resource: "serviceaccounts",
    minimal: {},
    full: { automountServiceAccountToken: false, imagePullSecrets: [{ name: "p" }], secrets: [{ name: "s" }] },
    invalid: [
      { metadata: { name: "Upper" } },
      { secrets: "text" },
      { automountServiceAccountToken: "yes" },
      { metadata: { name: "-a" } },
      { imagePullSecrets: [5] },
    ],
    updates: [{ secrets: [{ name: "a" }] }, { automountServiceAccountToken: true }, { imagePullSecrets: [{}] }],
    patches: {
      merge: { secrets: [{ name: "m" }] },
      json: [{ op: "add", path: "/imagePullSecrets", value: [{ name: "j" }] }],
      strategic: { imagePullSecrets: [{ name: "k" }], secrets: [{ name: "n" }] },
    },
    otherContent: { automountServiceAccountToken: true },
  },
  {
    label: "Secret",
    apiVersion: "v1",
    kind: "Secret",
    resource: "secrets",
    minimal: {},
    full: { stringData: { a: "1", b: "2" }, data: { a: "eA==" }, type: "example.com/own" },
    invalid: [
      { data: { "bad key!": "eA==" } },
      { data: { a: "not base64" } },
      { type: "kubernetes.io/basic-auth" },
      { type: "kubernetes.io/tls", data: { "tls.crt": "eA==" } },
      { type: "kubernetes.io/dockerconfigjson", data: { ".dockerconfigjson": "eA==" } },
      { type: "kubernetes.io/service-account-token" },
      { type: "kubernetes.io/ssh-auth" },
      { data: { a: 5 } },
    ],
    updates: [
      { type: "other" },
      { data: { a: "eQ==" } },
      { stringData: { c: "3" } },
      { immutable: true },
      { data: { a: "eg==" } },
      { immutable: false },
      { metadata: { labels: { x: "y" } } },
    ],
    patches: {
      merge: { data: { m: "eA==" } },
      json: [{ op: "add", path: "/data/j", value: "eA==" }],
      strategic: { data: { m: null }, stringData: { s: "t" } },
    },
    otherContent: { data: { a: "OQ==" } },
  },
  {
    label: "ConfigMap",
    apiVersion: "v1",
    kind: "ConfigMap",
    resource: "configmaps",
    minimal: {},
    full: { data: { a: "1", "b.c-d_e": "" }, binaryData: { bin: "eA==" } },
    invalid: [
      { data: { "bad key!": "x" } },
      { data: { a: "x" }, binaryData: { a: "eA==" } },
      { data: { a: 1 } },
      { binaryData: { a: "%" } },
      { data: { "..": "x" } },
      { data: { ["k".repeat(254)]: "x" } },
    ],
    updates: [
      { data: { a: "2" } },
      { immutable: true },
      { data: { a: "3" } },
      { immutable: null },
      { metadata: { labels: { x: "y" } } },
    ],
    patches: {
      merge: { data: { m: "1" } },
      json: [{ op: "add", path: "/data/j", value: "1" }],
      strategic: { data: { m: null, s: "1" } },
    },
    otherContent: { data: { a: "9" } },
  },
  {
    label: "ResourceQuota",
    apiVersion: "v1",
    kind: "ResourceQuota",
    resource: "resourcequotas",
    minimal: {},
    full: {
      spec: { hard: { pods: "10", "requests.cpu": "4", "count/configmaps": "5" }, scopes: ["NotTerminating"] },
      status: { hard: { pods: "1" } },
    },
    invalid: [
      { spec: { hard: { pods: "-1" } } },
      { spec: { hard: { pods: "1.5" } } },
      { spec: { hard: { nonsense: "1" } } },
      { spec: { hard: { "bad key!": "1" } } },
      { spec: { scopes: ["Nonsense"] } },
      { spec: { scopes: ["Terminating", "NotTerminating"] } },
      { spec: { hard: { configmaps: "1" }, scopes: ["BestEffort"] } },
      { spec: { scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator: "In" }] } } },
      { spec: { hard: { pods: "abc" } } },
    ],
    updates: [
      { spec: { hard: { pods: "3" } } },
      { spec: { scopes: ["BestEffort"] } },
      { spec: { hard: { pods: "-3" } } },
    ],
    status: [
      { hard: { pods: "3" }, used: { pods: "1" } },
      { hard: { pods: "3" }, used: { pods: "-1" } },
      { used: { nonsense: "1" } },
    ],
    patches: {
      merge: { spec: { hard: { secrets: "1" } } },
      json: [{ op: "add", path: "/spec/hard", value: { services: "2" } }],
      strategic: { spec: { hard: { services: null, pods: "7" } } },
    },
    otherContent: { spec: { hard: { pods: "9" } } },
  },
  {
    label: "LimitRange",
    apiVersion: "v1",
    kind: "LimitRange",
    resource: "limitranges",
    minimal: { spec: { limits: [{ type: "Container", max: { cpu: "2" } }] } },
    full: {
      spec: {
        limits: [
          {
            type: "Container",
            max: { cpu: "2" },
            min: { cpu: "100m" },
            default: { cpu: "1" },
            defaultRequest: { cpu: "500m" },
            maxLimitRequestRatio: { cpu: "4" },
          },
          { type: "Pod", max: { memory: "1Gi" } },
          { type: "PersistentVolumeClaim", max: { storage: "1Gi" } },
        ],
      },
    },
    invalid: [
      { spec: { limits: [{ type: "Container" }, { type: "Container" }] } },
      { spec: { limits: [{ type: "Pod", default: { cpu: "1" }, defaultRequest: { cpu: "1" } }] } },
      { spec: { limits: [{ type: "Container", min: { cpu: "2" }, max: { cpu: "1" } }] } },
      { spec: { limits: [{ type: "Container", default: { cpu: "1" }, defaultRequest: { cpu: "2" } }] } },
      { spec: { limits: [{ type: "Container", maxLimitRequestRatio: { cpu: "0.5" } }] } },
      { spec: { limits: [{ type: "PersistentVolumeClaim" }] } },
      { spec: { limits: [{ type: "bad type!", max: { nonsense: "1" } }] } },
      { spec: { limits: [{ type: "Container", max: { cpu: "1" }, default: { cpu: "2" } }] } },
    ],
    updates: [
      { spec: { limits: [{ type: "Pod", max: { cpu: "3" } }] } },
      { spec: { limits: [{ type: "" }] } },
      { spec: null },
    ],
    patches: {
      merge: { metadata: { labels: { x: "1" } } },
      json: [{ op: "add", path: "/spec/limits/-", value: { type: "Pod", max: { cpu: "3" } } }],
      strategic: { spec: { limits: [{ type: "Container", max: { cpu: "4" } }] } },
    },
    otherContent: { spec: { limits: [{ type: "Pod", max: { cpu: "9" } }] } },
  },
  {
    label: "Lease",
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    resource: "leases",
    minimal: {},
    full: {
      spec: {
        holderIdentity: "a",
        leaseDurationSeconds: 15,
        acquireTime: "2020-01-01T00:00:00.123456Z",
        renewTime: "2020-01-01T00:00:01.000000Z",
        leaseTransitions: 1,
      },
    },
    invalid: [
      { spec: { leaseDurationSeconds: 0 } },
      { spec: { leaseTransitions: -1 } },
      { spec: { leaseDurationSeconds: "x" } },
      { spec: { renewTime: "nonsense" } },
      { spec: { strategy: "Nonsense!" } },
      { spec: { preferredHolder: "b" } },
    ],
    updates: [
      { spec: { holderIdentity: "b", leaseTransitions: 2 } },
      { spec: { leaseDurationSeconds: -5 } },
      { spec: { holderIdentity: "" } },
    ],
    patches: {
      merge: { spec: { holderIdentity: "m" } },
      json: [{ op: "add", path: "/spec/leaseDurationSeconds", value: 7 }],
      strategic: { spec: { holderIdentity: "s" } },
    },
    otherContent: { spec: { holderIdentity: "other" } },
  },
  {
    label: "Event",
    apiVersion: "v1",
    kind: "Event",
    resource: "events",
    minimal: { involvedObject: { namespace: "$ns" } },
    full: {
      involvedObject: { namespace: "$ns", kind: "Pod", name: "p", uid: "u", apiVersion: "v1", fieldPath: "spec" },
      reason: "Started",
      message: "It started",
      type: "Normal",
      count: 3,
      source: { component: "kubelet", host: "n" },
      firstTimestamp: "2020-01-01T00:00:00Z",
      lastTimestamp: "2020-01-01T00:01:00Z",
    },
    invalid: [
      { involvedObject: { namespace: "other" } },
      { involvedObject: {} },
      { involvedObject: { namespace: "$ns" }, eventTime: "2020-01-01T00:00:00.000000Z" },
      { involvedObject: { namespace: "$ns" }, count: "x" },
      {
        involvedObject: { namespace: "$ns", kind: "Node" },
        series: { count: 1 },
        eventTime: "2020-01-01T00:00:00.000000Z",
        reportingComponent: "a",
      },
    ],
    updates: [
      { count: 5, message: "again" },
      { involvedObject: { namespace: "other" } },
      { type: "Nonsense" },
      { reason: "Other" },
    ],
    patches: {
      merge: { count: 7 },
      json: [{ op: "add", path: "/message", value: "j" }],
      strategic: { reason: "S" },
    },
    otherContent: { involvedObject: { namespace: "$ns" }, reason: "Other" },
  },
  {
    label: "Event of events.k8s.io",
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    resource: "events",
    minimal: {
      eventTime: "2020-01-01T00:00:00.000000Z",
      reportingController: "example.com/c",
      reportingInstance: "i",
      action: "Act",
      reason: "Because",
      type: "Normal",
      regarding: { namespace: "$ns" },
    },
    full: {
      eventTime: "2020-01-01T00:00:00.000000Z",
      reportingController: "example.com/c",
      reportingInstance: "i",
      action: "Act",
      reason: "Because",
      type: "Warning",
      note: "a note",
      regarding: { namespace: "$ns", kind: "Pod", name: "p" },
      related: { kind: "Node", name: "n" },
      series: { count: 2, lastObservedTime: "2020-01-01T00:00:01.000000Z" },
    },
    invalid: [
      {},
      { eventTime: "2020-01-01T00:00:00.000000Z" },
      {
        eventTime: "2020-01-01T00:00:00.000000Z",
        reportingController: "bad name!",
        reportingInstance: "i",
        action: "a",
        reason: "r",
        type: "Nonsense",
        regarding: { namespace: "$ns" },
      },
      {
        eventTime: "2020-01-01T00:00:00.000000Z",
        reportingController: "example.com/c",
        reportingInstance: "i".repeat(129),
        action: "a".repeat(129),
        reason: "r".repeat(129),
        type: "Normal",
        note: "n".repeat(1025),
        regarding: { namespace: "$ns" },
      },
      {
        eventTime: "2020-01-01T00:00:00.000000Z",
        reportingController: "example.com/c",
        reportingInstance: "i",
        action: "a",
        reason: "r",
        type: "Normal",
        regarding: { namespace: "other" },
        deprecatedCount: 1,
        deprecatedSource: { component: "x" },
      },
      {
        eventTime: "2020-01-01T00:00:00.000000Z",
        reportingController: "example.com/c",
        reportingInstance: "i",
        action: "a",
        reason: "r",
        type: "Normal",
        regarding: { namespace: "$ns" },
        series: { count: 1, lastObservedTime: null },
      },
    ],
    updates: [
      { series: { count: 3, lastObservedTime: "2020-01-01T00:00:05.000000Z" } },
      { note: "other" },
      { reason: "Other", action: "Other", type: "Warning" },
      { regarding: { name: "x" }, reportingController: "example.com/d" },
      { eventTime: "2021-01-01T00:00:00.000000Z" },
    ],
    patches: {
      merge: { metadata: { labels: { m: "1" } } },
      json: [{ op: "add", path: "/series", value: { count: 4, lastObservedTime: "2020-01-01T00:00:09.000000Z" } }],
      strategic: { metadata: { labels: { s: "1" } } },
    },
    otherContent: {
      eventTime: "2020-01-01T00:00:00.000000Z",
      reportingController: "example.com/c",
      reportingInstance: "i",
      action: "Act",
      reason: "Otherwise",
      type: "Normal",
      regarding: { namespace: "$ns" },
    },
  },
  {
    label: "CustomResourceDefinition",
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    resource: "customresourcedefinitions",
    isClusterScoped: true,
    name: "things.$ns.example",
    settled: (one) => ({ ...get(one), awaitsValue: ["status.conditions.1.status", "True"] }),
    minimal: {
      spec: {
        group: "$ns.example",
        scope: "Namespaced",
        names: { plural: "things", kind: "Thing" },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
      },
    },
    invalid: [
      {},
      { spec: { group: "other.example", scope: "Nonsense", names: { plural: "things", kind: "Thing" }, versions: [] } },
      {
        spec: {
          group: "$ns.example",
          scope: "Cluster",
          names: { plural: "Things", kind: "1" },
          versions: [{ name: "v1", served: true, storage: false, schema: { openAPIV3Schema: { type: "object" } } }],
        },
      },
      {
        spec: {
          group: "$ns.example",
          scope: "Cluster",
          names: { plural: "things", kind: "Thing" },
          versions: [{ name: "v1", served: true, storage: true }],
        },
      },
      {
        spec: {
          group: "$ns.example",
          scope: "Cluster",
          names: { plural: "things", kind: "Thing" },
          versions: [
            {
              name: "v1",
              served: true,
              storage: true,
              schema: { openAPIV3Schema: { type: "object", properties: { a: {}, b: { type: "nonsense" } } } },
            },
          ],
        },
      },
      {
        spec: {
          group: "$ns.example",
          scope: "Cluster",
          names: { plural: "things", kind: "Thing" },
          preserveUnknownFields: true,
          versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
        },
      },
    ],
    // The server's controllers would write conditions and names again.
    status: [{ storedVersions: ["v1"] }, { storedVersions: [] }, { storedVersions: null }],
    updates: [
      { spec: { scope: "Cluster" } },
      { spec: { group: "other.example" } },
      { spec: { names: { plural: "others", kind: "Thing" } } },
      { spec: { versions: [] } },
    ],
    patches: {
      merge: { metadata: { labels: { m: "1" } } },
      json: [{ op: "add", path: "/metadata/annotations", value: { j: "1" } }],
      strategic: { metadata: { labels: { m: null } } },
    },
    otherContent: {
      spec: {
        group: "$ns.example",
        scope: "Namespaced",
        names: { plural: "things", kind: "Thing" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: "object", description: "other" } },
          },
        ],
      },
    },
  },
];

const REVIEWS = "/apis/authentication.k8s.io/v1";
const RIGHTS = "/apis/authorization.k8s.io/v1";
const asked = { verb: "get", resource: "pods", namespace: "$ns" };

const reviews: readonly JudgeCase[] = [
  {
    name: "TokenReview: created, never kept",
    steps: [
      post(`${REVIEWS}/tokenreviews`, {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenReview",
        spec: { token: "nonsense" },
      }),
      post(`${REVIEWS}/tokenreviews`, { spec: {} }),
      post(`${REVIEWS}/tokenreviews`, {
        metadata: { name: "a", namespace: "b" },
        spec: { token: "x", audiences: ["a"] },
      }),
      post(`${REVIEWS}/tokenreviews?dryRun=All&fieldValidation=Strict`, { spec: { token: "x", nonsense: 1 } }),
      post(`${REVIEWS}/tokenreviews`, { kind: "Nonsense", spec: { token: "x" } }),
      get(`${REVIEWS}/tokenreviews`),
      del(`${REVIEWS}/tokenreviews/a`),
      post(`${REVIEWS}/selfsubjectreviews`, {}, { view: withoutCredential }),
    ],
  },
  {
    name: "SubjectAccessReview: created, never kept",
    steps: [
      post(`${RIGHTS}/subjectaccessreviews`, {
        spec: { user: "u", groups: ["system:masters"], resourceAttributes: asked },
      }),
      post(`${RIGHTS}/subjectaccessreviews`, { spec: {} }),
      post(`${RIGHTS}/subjectaccessreviews`, { spec: { user: "u" } }),
      post(`${RIGHTS}/subjectaccessreviews`, {
        spec: { user: "u", resourceAttributes: asked, nonResourceAttributes: { path: "/", verb: "get" } },
      }),
      post(`${RIGHTS}/subjectaccessreviews`, { metadata: { name: "x" }, spec: { resourceAttributes: asked } }),
      post(`${RIGHTS}/selfsubjectaccessreviews`, { spec: { resourceAttributes: asked } }),
      post(`${RIGHTS}/selfsubjectaccessreviews`, { spec: {} }),
      post(`${RIGHTS}/namespaces/$ns/localsubjectaccessreviews`, {
        metadata: { namespace: "$ns" },
        spec: { groups: ["system:masters"], user: "u", resourceAttributes: asked },
      }),
      post(`${RIGHTS}/namespaces/$ns/localsubjectaccessreviews`, {
        spec: { user: "u", resourceAttributes: { ...asked, namespace: "other" } },
      }),
      get(`${RIGHTS}/subjectaccessreviews`),
    ],
  },
];

/** Only requests over TLS have a certificate to name. */
function withoutCredential(body: unknown): unknown {
  const { status, ...rest } = body as { status: { userInfo: object } };
  return { ...rest, status: { userInfo: { ...status.userInfo, extra: undefined } } };
}

export const kindCases: readonly JudgeCase[] = [...rows.flatMap(casesOf), ...reviews];
