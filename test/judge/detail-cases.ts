// Findings of fuzzed requests and of reading upstream: the embedded server once answered each case differently.

import type { JudgeCase, Step } from "./case.ts";
import { GADGETS } from "./custom-kind.ts";
import {
  applyYaml,
  asMetadata,
  asMetadataList,
  asTable,
  captureVersion,
  del,
  get,
  jsonPatch,
  merge,
  patch,
  post,
  put,
  strategic,
} from "./steps.ts";

const NS = "/api/v1/namespaces/$ns";
const MAPS = `${NS}/configmaps`;
const PODS = `${NS}/pods`;
const EVENTS = `${NS}/events`;
const NEW_EVENTS = "/apis/events.k8s.io/v1/namespaces/$ns/events";
const CONTROLLERS = `${NS}/replicationcontrollers`;
const SETS = "/apis/apps/v1/namespaces/$ns/replicasets";
const LEASES = "/apis/coordination.k8s.io/v1/namespaces/$ns/leases";
const RIGHTS = "/apis/authorization.k8s.io/v1";

const account = post(`${NS}/serviceaccounts`, { metadata: { name: "default" } });
const gadget = (more: object = {}, metadata: object = {}): object => ({
  apiVersion: "judge.example/v1",
  kind: "Gadget",
  metadata: { name: "a", ...metadata },
  spec: { size: 1 },
  ...more,
});
const template = (labels: object = {}): object => ({
  metadata: { labels: { app: "a", ...labels } },
  spec: { containers: [{ name: "c", image: "x" }] },
});
const controller = (replicas: number, labels: object = {}, spec: object = {}): object => ({
  metadata: { name: "a" },
  spec: { replicas, selector: { app: "a" }, template: template(labels), ...spec },
});
const set = (replicas: number): object => ({
  metadata: { name: "a" },
  spec: { replicas, selector: { matchLabels: { app: "a" } }, template: template() },
});
const scale = (replicas: number, metadata: object = {}): object => ({
  apiVersion: "autoscaling/v1",
  kind: "Scale",
  metadata: { name: "a", namespace: "$ns", ...metadata },
  spec: { replicas },
});
const event = { metadata: { name: "a" }, involvedObject: { namespace: "$ns" } };
const newEvent = {
  metadata: { name: "b" },
  eventTime: "2020-01-01T00:00:00.000000Z",
  reportingController: "example.com/c",
  reportingInstance: "i",
  action: "Act",
  reason: "Because",
  type: "Normal",
  regarding: { namespace: "$ns" },
};

const namespaces = (name: string): string => `/api/v1/namespaces/$ns-${name}`;

const deletions: readonly JudgeCase[] = [
  {
    name: "a terminating namespace stays until it is finalized, whatever is written to it",
    steps: [
      post("/api/v1/namespaces", { metadata: { name: "$ns-x" } }),
      del(namespaces("x")),
      patch(namespaces("x"), merge, { metadata: { labels: { a: "b" } } }),
      patch(`${namespaces("x")}/status`, merge, {
        status: { conditions: [{ type: "NamespaceContentRemaining", status: "True" }] },
      }),
      get(namespaces("x")),
      put(`${namespaces("x")}/finalize`, { metadata: { name: "$ns-x" }, spec: { finalizers: [] } }),
      get(namespaces("x")),
    ],
  },
  {
    name: "how a namespace is to be deleted",
    steps: [{ orphanDependents: false }, { orphanDependents: true }, { propagationPolicy: "Foreground" }].flatMap(
      (options, index) => [
        post("/api/v1/namespaces", { metadata: { name: `$ns-y${index}` } }),
        del(namespaces(`y${index}`), options),
      ],
    ),
  },
  {
    name: "events have no dependents",
    steps: [
      post(EVENTS, event),
      del(`${EVENTS}/a`, { propagationPolicy: "Foreground" }),
      post(NEW_EVENTS, newEvent),
      del(`${NEW_EVENTS}/b`, { propagationPolicy: "Orphan" }),
      get(`${NEW_EVENTS}/b`),
    ],
  },
];

const versions: readonly string[] = ["abc", "-1", "0"];

const reads: readonly JudgeCase[] = [
  {
    name: "versions in reads, with a cache and without",
    steps: [
      post(EVENTS, event),
      post(MAPS, { metadata: { name: "a" } }),
      ...[MAPS, EVENTS].flatMap((collection) =>
        versions.flatMap((version) => [
          get(`${collection}/a?resourceVersion=${version}`),
          get(`${collection}?resourceVersion=${version}`),
          get(`${collection}?resourceVersion=${version}&resourceVersionMatch=Exact&limit=5`),
          get(`${collection}?resourceVersion=${version}&limit=1`),
        ]),
      ),
      get(`${EVENTS}/a?resourceVersion=900000000`),
    ],
  },
  {
    name: "limits that are none, and empty tables",
    steps: [
      post(MAPS, { metadata: { name: "a" } }),
      post(MAPS, { metadata: { name: "b" } }),
      ...[MAPS, GADGETS, EVENTS, `${NS}/limitranges`].flatMap((collection) =>
        ["-1", "0", "1"].flatMap((limit) =>
          ["", "&labelSelector=no%3Dpe"].flatMap((more) =>
            [asTable, {}, asMetadataList].map((headers) => get(`${collection}?limit=${limit}${more}`, headers)),
          ),
        ),
      ),
    ],
  },
  {
    name: "continue tokens that are none",
    steps: ["1", "12", "123", "1234", "12345", "a=", "%%%%", "ab=="].map((token) =>
      get(`${MAPS}?continue=${encodeURIComponent(token)}`),
    ),
  },
  {
    name: "forms that lists and watches do not have",
    steps: [
      get(MAPS, { accept: "text/nonsense" }),
      get(`${MAPS}/a`, { accept: "text/nonsense" }),
      get(`${MAPS}?watch=1&timeoutSeconds=1`, { accept: "text/nonsense" }),
      get(`${MAPS}?watch=1&timeoutSeconds=1`, { accept: "application/yaml" }),
      get(`${MAPS}?watch=1&timeoutSeconds=x`, { accept: "application/yaml" }),
      get(`${MAPS}?watch=1&resourceVersion=abc`, { accept: "application/yaml" }),
    ],
  },
];

const columnsOf = (body: { columnDefinitions?: unknown }): unknown => body.columnDefinitions ?? body;
const bookmarksOf = (body: unknown): unknown =>
  Array.isArray(body) ? body.filter(({ type }: { type: string }) => type === "BOOKMARK") : body;

const lastBookmark = `${MAPS}?watch=1&allowWatchBookmarks=true&timeoutSeconds=4&labelSelector=no%3Dpe`;
/** The first bookmark ends the initial events; how many follow is chance. */
const typesOf = (body: { type: string }[]): unknown => body.map(({ type }) => type).slice(0, 2);

/** By path, the resources of each group that the embedded server prints as a specific table. */
const served: readonly (readonly [root: string, resources: string])[] = [
  [
    "/api/v1",
    "configmaps endpoints events limitranges namespaces nodes persistentvolumeclaims persistentvolumes pods podtemplates " +
      "replicationcontrollers resourcequotas secrets serviceaccounts services",
  ],
  ["/apis/apps/v1", "controllerrevisions daemonsets deployments replicasets statefulsets"],
  ["/apis/batch/v1", "jobs cronjobs"],
  ["/apis/autoscaling/v2", "horizontalpodautoscalers"],
  ["/apis/certificates.k8s.io/v1", "certificatesigningrequests"],
  ["/apis/coordination.k8s.io/v1", "leases"],
  ["/apis/discovery.k8s.io/v1", "endpointslices"],
  ["/apis/events.k8s.io/v1", "events"],
  ["/apis/networking.k8s.io/v1", "ingresses ingressclasses networkpolicies ipaddresses servicecidrs"],
  ["/apis/policy/v1", "poddisruptionbudgets"],
  ["/apis/rbac.authorization.k8s.io/v1", "roles rolebindings clusterroles clusterrolebindings"],
  ["/apis/scheduling.k8s.io/v1", "priorityclasses"],
  ["/apis/storage.k8s.io/v1", "storageclasses csidrivers csinodes volumeattachments csistoragecapacities"],
  ["/apis/apiextensions.k8s.io/v1", "customresourcedefinitions"],
  ["/apis/apiregistration.k8s.io/v1", "apiservices"],
  ["/apis/node.k8s.io/v1", "runtimeclasses"],
  ["/apis/judge.example/v1", "gadgets"],
];

const tablesAndWatches: readonly JudgeCase[] = [
  {
    name: "columns of all kinds",
    steps: served.flatMap(([root, resources]) =>
      resources.split(" ").map((resource): Step => ({ ...get(`${root}/${resource}`, asTable), view: columnsOf })),
    ),
  },
  ...["configmaps", "events", "namespaces", "nodes", "pods", "limitranges", "replicationcontrollers"].map(
    (resource): JudgeCase => ({
      name: `the end of initial events of ${resource} is an empty object`,
      steps: [watchEnd(`${NS.replace("/namespaces/$ns", "")}/${resource}`)],
    }),
  ),
  ...["replicasets", "deployments", "controllerrevisions"].map(
    (resource): JudgeCase => ({
      name: `the end of initial events of ${resource} is an empty object`,
      steps: [watchEnd(`/apis/apps/v1/${resource}`)],
    }),
  ),
  {
    name: "a bookmark comes before a watch ends",
    steps: [{ ...get(lastBookmark), view: typesOf, during: [post(MAPS, { metadata: { name: "a" } })] }],
  },
];

function watchEnd(collection: string): Step {
  const query = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1";
  return { ...get(`${collection}?watch=1&${query}`), view: bookmarksOf };
}

const subresources: readonly JudgeCase[] = [
  {
    name: "scales as tables and as metadata",
    steps: [
      post(SETS, set(3)),
      post(CONTROLLERS, controller(3)),
      post(GADGETS, gadget()),
      ...[SETS, CONTROLLERS, GADGETS].flatMap((collection) => [
        get(`${collection}/a/scale`, asTable),
        get(`${collection}/a/scale`, asMetadata),
        get(`${collection}/a/scale`, asMetadataList),
        get(`${collection}/a/scale?includeObject=Object`, asTable),
        patch(`${collection}/a/scale`, { ...merge, ...asTable }, { spec: { replicas: 4 } }),
      ]),
    ],
  },
  {
    name: "who owns replicas after a write through the scale that changes nothing",
    steps: [
      post(CONTROLLERS, controller(1), captureVersion),
      put(`${CONTROLLERS}/a?fieldManager=one`, controller(4, { extra: "1" })),
      put(`${CONTROLLERS}/a`, controller(4, { extra: "1" }, { minReadySeconds: 3 }), captureVersion),
      put(`${CONTROLLERS}/a/scale?fieldManager=one`, scale(4, { resourceVersion: "$rv", uid: "$uid" })),
      get(`${CONTROLLERS}/a`),
      put(`${CONTROLLERS}/a/scale?fieldManager=two`, scale(4)),
      patch(`${CONTROLLERS}/a/scale?fieldManager=two`, merge, { spec: { replicas: 5 } }),
      patch(`${CONTROLLERS}/a/scale?fieldManager=three&force=true`, applyYaml, scale(6)),
      get(`${CONTROLLERS}/a`),
    ],
  },
  {
    name: "the scale of a custom resource takes Scales only",
    steps: [
      post(GADGETS, gadget()),
      ...(
        [
          ["v1", "Status"],
          ["v1", "Pod"],
          ["v1", "Nonsense"],
          ["autoscaling/v2", "Scale"],
          ["apps/v1", "Scale"],
          ["autoscaling/v1", "Pod"],
          ["", ""],
          ["autoscaling/v1", "Scale"],
        ] as const
      ).map(([apiVersion, kind]) => put(`${GADGETS}/a/scale`, { ...scale(2), apiVersion, kind })),
    ],
  },
  {
    name: "evictions in an older version",
    steps: [
      account,
      post(PODS, { metadata: { name: "a" }, spec: { containers: [{ name: "c", image: "x" }] } }),
      ...[{}, { metadata: { name: "a" } }].flatMap((more) =>
        ["policy/v1beta1", "policy/v1", "policy/v2", "v1", ""].map((apiVersion) =>
          post(`${PODS}/a/eviction`, { apiVersion, kind: "Eviction", ...more, deleteOptions: { dryRun: ["All"] } }),
        ),
      ),
      post(`${PODS}/a/eviction`, {
        apiVersion: "policy/v1beta1",
        kind: "Eviction",
        metadata: { name: "a" },
        unknown: 1,
      }),
    ],
  },
  {
    name: "what answers to bindings and evictions may look like",
    steps: [
      account,
      ...[asTable, asMetadata].flatMap((headers, index) => [
        post(PODS, { metadata: { name: `p${index}` }, spec: { containers: [{ name: "c", image: "x" }] } }),
        post(`${PODS}/p${index}/binding`, { target: { kind: "Node", name: "n" } }, { headers }),
        post(`${PODS}/p${index}/eviction`, { metadata: { name: `p${index}` } }, { headers }),
      ]),
    ],
  },
];

const partsOf = (one: string, ...parts: readonly string[]): readonly Step[] =>
  parts.flatMap((part) => [
    get(`${one}/${part}`, asTable),
    get(`${one}/${part}`, asMetadata),
    patch(`${one}/${part}`, { ...merge, ...asTable }, { metadata: { labels: { part } } }),
  ]);

const tablesOfParts: readonly JudgeCase[] = [
  {
    name: "which parts of objects are printed",
    steps: [
      account,
      post(PODS, { metadata: { name: "a" }, spec: { containers: [{ name: "c", image: "x" }] } }),
      ...partsOf(`${PODS}/a`, "status", "resize", "ephemeralcontainers"),
      post(SETS, set(1)),
      ...partsOf(`${SETS}/a`, "status"),
      post(GADGETS, gadget()),
      ...partsOf(`${GADGETS}/a`, "status"),
      post("/api/v1/namespaces", { metadata: { name: "$ns-z" } }),
      get(`${namespaces("z")}/status`, asTable),
      put(
        `${namespaces("z")}/finalize`,
        { metadata: { name: "$ns-z" }, spec: { finalizers: ["kubernetes"] } },
        { headers: asTable },
      ),
    ],
  },
];

const amounts = { requests: { cpu: "100m", memory: "10Mi" }, limits: { cpu: "200m", memory: "20Mi" } };
const sizedPod = (nodeName: string, more: object = {}): object => ({
  metadata: { name: "a" },
  spec: {
    nodeName,
    automountServiceAccountToken: false,
    containers: [{ name: "a", image: "x:1", resources: amounts }],
    ...more,
  },
});
const running = (more: object): Step =>
  patch(`${PODS}/a/status`, strategic, {
    status: {
      phase: "Running",
      containerStatuses: [
        { name: "a", image: "x:1", imageID: "y", restartCount: 0, ready: true, state: { running: {} }, ...more },
      ],
    },
  });
const resized = (requests: object, limits: object = {}, query = ""): Step =>
  patch(`${PODS}/a/resize${query}`, strategic, {
    spec: { containers: [{ name: "a", resources: { requests, ...(Object.keys(limits).length > 0 && { limits }) } }] },
  });

const pods: readonly JudgeCase[] = [
  {
    name: "a running pod is resized where its node reports what it has",
    steps: [
      account,
      post("/api/v1/nodes", {
        metadata: { name: "$ns-n", labels: { "kubernetes.io/os": "linux" } },
        status: { allocatable: { cpu: "1", memory: "1Gi" } },
      }),
      post(
        PODS,
        sizedPod("$ns-n", {
          initContainers: [{ name: "i", image: "x:1", resources: { requests: { cpu: "10m", memory: "1Mi" } } }],
        }),
      ),
      running({}),
      resized({ cpu: "110m" }),
      running({ resources: amounts, allocatedResources: amounts.requests }),
      { ...resized({ cpu: "110m" }), awaits: 200 },
      resized({ cpu: "1500m" }, { cpu: "2" }),
      resized({ cpu: "1500m", memory: "2Gi" }, { cpu: "2", memory: "2Gi" }),
      patch(`${PODS}/a/resize`, strategic, {
        spec: { initContainers: [{ name: "i", resources: { requests: { cpu: "20m" } } }] },
      }),
      patch(`${PODS}/a/resize`, jsonPatch, [
        { op: "replace", path: "/spec/containers/0/resources/requests/cpu", value: "120m" },
      ]),
      patch(`${PODS}/a/resize`, merge, { spec: { containers: [{ name: "a", image: "x:1", resources: {} }] } }),
      patch(`${PODS}/a/resize?fieldManager=x&force=true`, applyYaml, {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "a" },
        spec: { containers: [{ name: "a", resources: { requests: { cpu: "130m" } } }] },
      }),
      del(`${PODS}/a/resize`),
      get(`${PODS}/a`),
      patch("/api/v1/nodes/$ns-n", merge, { metadata: { labels: { "kubernetes.io/os": "plan9" } } }),
      { ...resized({ cpu: "140m" }, {}, "?dryRun=All"), awaits: 403 },
      del("/api/v1/nodes/$ns-n"),
    ],
  },
  {
    name: "a pod on an unknown node is not resized",
    steps: [account, post(PODS, sizedPod("$ns-none")), resized({ cpu: "110m" }), get(`${PODS}/a`)],
  },
  {
    name: "the addresses of a pod, in both fields",
    steps: [
      account,
      post(PODS, sizedPod("n1")),
      ...[merge, strategic].flatMap((type) =>
        [
          { podIP: "10.0.0.1" },
          { podIPs: [{ ip: "10.0.0.2" }] },
          { podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }] },
          { podIPs: [{ ip: "nonsense" }] },
          { podIP: null },
          { podIP: "bad" },
          { hostIP: "10.0.0.9" },
          { podIP: null, podIPs: null },
        ].map((status) => patch(`${PODS}/a/status`, type, { status })),
      ),
    ],
  },
  {
    name: "a pod has no negative grace period, a template may",
    steps: [
      account,
      post(PODS, sizedPod("", { terminationGracePeriodSeconds: -5 })),
      post(CONTROLLERS, {
        metadata: { name: "a" },
        spec: {
          selector: { app: "a" },
          template: {
            metadata: { labels: { app: "a" } },
            spec: { containers: [{ name: "c", image: "x" }], terminationGracePeriodSeconds: -5 },
          },
        },
      }),
    ],
  },
];

const tooLong = { spec: { leaseDurationSeconds: 3_000_000_000 } };
const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "a" } };
const reset = { managedFields: [] };
const notText = { binaryData: { bin: "%" } };

const writes: readonly JudgeCase[] = [
  {
    name: "integers that do not fit",
    steps: [
      post(LEASES, { metadata: { name: "a" } }),
      patch(`${LEASES}/a?fieldManager=x`, applyYaml, { ...lease, ...tooLong }),
      patch(`${LEASES}/a`, merge, tooLong),
      patch(`${LEASES}/a`, strategic, tooLong),
      post(LEASES, { metadata: { name: "b" }, ...tooLong }),
      post(LEASES, { metadata: { name: "b" }, spec: { leaseDurationSeconds: 3.5 } }),
      patch(`${LEASES}/a?fieldManager=x`, applyYaml, { ...lease, spec: { leaseDurationSeconds: 3.5 } }),
    ],
  },
  {
    name: "which of several values of the wrong type is named",
    steps: [
      post(LEASES, { metadata: { name: "b" }, spec: { leaseTransitions: "x", renewTime: "nonsense" } }),
      post(LEASES, { metadata: { name: "b" }, spec: { leaseTransitions: "x", leaseDurationSeconds: "y" } }),
      post(LEASES, { metadata: { name: "b" }, spec: { renewTime: "2020-01-01T01:00:00.5+01:00", acquireTime: 5 } }),
      post(MAPS, { metadata: { name: "b" }, ...notText, data: { a: 1 } }),
    ],
  },
  {
    name: "owners that are to be forgotten",
    steps: [
      post(MAPS, { metadata: { name: "a" }, data: { a: "b" } }),
      patch(`${MAPS}/a`, merge, { data: { a: "c" }, metadata: reset }),
      patch(`${MAPS}/a`, merge, { data: { a: "d" } }),
      patch(`${MAPS}/a`, strategic, { data: { a: "e" }, metadata: reset }),
      patch(`${MAPS}/a`, merge, { data: { a: "f" } }),
      patch(`${MAPS}/a`, jsonPatch, [{ op: "replace", path: "/metadata/managedFields", value: [] }]),
      post(GADGETS, gadget(), captureVersion),
      put(`${GADGETS}/a`, gadget({}, { resourceVersion: "$rv", ...reset })),
      patch(`${GADGETS}/a`, merge, { metadata: reset }),
      patch(`${GADGETS}/a`, merge, { metadata: { managedFields: [{}] } }),
      post(NEW_EVENTS, newEvent),
      patch(`${NEW_EVENTS}/b`, merge, { metadata: reset }),
    ],
  },
  {
    name: "owners of an event in the other group are forgotten",
    steps: [
      post(NEW_EVENTS, newEvent),
      patch(`${EVENTS}/b`, merge, { metadata: { labels: { a: "b" } } }),
      patch(`${NEW_EVENTS}/b`, merge, { metadata: { labels: { a: "c" } } }),
      get(`${EVENTS}/b`),
    ],
  },
  {
    name: "patches that change what the object is",
    steps: [
      post(MAPS, { metadata: { name: "a" }, data: { a: "b" } }),
      ...["a/b/c", "", "v9", "x/v1"].flatMap((apiVersion) => [
        patch(`${MAPS}/a`, merge, { apiVersion }),
        patch(`${MAPS}/a`, jsonPatch, [{ op: "replace", path: "/apiVersion", value: apiVersion }]),
        patch(`${MAPS}/a`, strategic, { apiVersion }),
        patch(`${MAPS}/a`, merge, { kind: apiVersion }),
        patch(`${MAPS}/a?fieldManager=x`, applyYaml, { apiVersion, kind: "ConfigMap", metadata: { name: "a" } }),
      ]),
      patch(`${MAPS}/a?fieldValidation=Strict`, merge, { apiVersion: "" }),
      patch(`${MAPS}/a?fieldValidation=Ignore`, merge, { apiVersion: null }),
    ],
  },
  {
    name: "how a refusal quotes the object that a JSON patch made",
    steps: [
      post(MAPS, { metadata: { name: "a", labels: { z: "1", b: "2" } }, data: { z: "1", a: "2" } }),
      ...[
        [{ op: "add", path: "/metadata/annotations", value: { note: "1", more: "m" } }],
        [
          { op: "add", path: "/metadata/annotations", value: { note: "1", more: "m" } },
          { op: "add", path: "/metadata/annotations/c", value: "x" },
        ],
        [{ op: "move", from: "/metadata/labels", path: "/metadata/annotations" }],
        [{ op: "copy", from: "/metadata/labels", path: "/metadata/annotations" }],
        [
          { op: "add", path: "/metadata/labels/note", value: "n" },
          { op: "add", path: "/metadata/labels", value: { note: "1", more: "m" } },
        ],
        [
          { op: "add", path: "/metadata/labels", value: { note: "1", more: "m" } },
          { op: "copy", from: "/metadata/labels", path: "/metadata/annotations" },
        ],
        [
          { op: "add", path: "/metadata/labels", value: { note: "1", more: "m" } },
          { op: "test", path: "/metadata/labels", value: { more: "m", note: "1" } },
        ],
        [
          {
            op: "add",
            path: "/metadata/ownerReferences",
            value: [{ uid: "1", kind: "K", apiVersion: "v1", name: "n" }],
          },
          { op: "replace", path: "/metadata/ownerReferences/0/name", value: "m" },
        ],
      ].map((operations) =>
        patch(`${MAPS}/a`, jsonPatch, [...operations, { op: "add", path: "/immutable", value: "x" }]),
      ),
      patch(`${MAPS}/a`, jsonPatch, [1]),
      patch(`${MAPS}/a`, jsonPatch, [{ op: 1, path: "/x" }]),
    ],
  },
  {
    name: "how a refusal quotes a merge patch and what it made",
    steps: [
      post("/api/v1/nodes", { metadata: { name: "$ns-n", labels: { z: "1", b: "2" } } }),
      patch("/api/v1/nodes/$ns-n/status", merge, {
        metadata: { labels: { b: "2" } },
        status: { conditions: "x", nodeInfo: { kubeletVersion: "v", architecture: "a" } },
      }),
      patch("/api/v1/nodes/$ns-n", merge, { kind: "Nonsense", spec: { taints: [{ key: "b", effect: "NoSchedule" }] } }),
      patch("/api/v1/nodes/$ns-n?fieldValidation=Ignore", merge, "{"),
      del("/api/v1/nodes/$ns-n"),
    ],
  },
  {
    name: "how a refusal quotes a strategic patch",
    steps: [
      post(MAPS, { metadata: { name: "a", labels: { x: "y" } } }),
      ...[
        { data: { a: null, b: "c" } },
        { metadata: { labels: { x: null, z: null }, annotations: { q: null, r: null } } },
        { metadata: { annotations: null }, data: null },
        { metadata: { ownerReferences: [{ uid: "1", name: null, kind: "x" }], finalizers: null } },
        { metadata: { $retainKeys: ["name", "labels"], labels: { $patch: "replace", a: null, b: "c" } } },
      ].map((body) => patch(`${MAPS}/a`, strategic, { ...body, ...notText })),
      patch(`${MAPS}/a?fieldManager=x`, applyYaml, {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "a" },
        ...notText,
      }),
    ],
  },
  {
    name: "patches that give a custom resource another group or kind",
    steps: [
      post(GADGETS, gadget()),
      ...["v9", "other/v1"].flatMap((apiVersion) => [
        patch(`${GADGETS}/a`, merge, { apiVersion }),
        patch(`${GADGETS}/a`, merge, { apiVersion, spec: { size: 101 } }),
        patch(`${GADGETS}/a`, merge, { apiVersion, kind: "Other", metadata: { labels: { "bad label": "x" } } }),
        patch(`${GADGETS}/a/status`, merge, { apiVersion, status: { size: "x" } }),
        patch(`${GADGETS}/a/status`, merge, { apiVersion, status: { size: 2 } }),
      ]),
      patch(`${GADGETS}/a`, merge, { metadata: { labels: { a: "b" } } }),
      patch(`${GADGETS}/a/status`, merge, { kind: "Other", status: { size: 3 } }),
      patch(`${GADGETS}/a`, merge, { kind: "Other", metadata: { labels: { a: "c" } } }),
      get(`${GADGETS}/a`),
    ],
  },
  {
    name: "where an object is that is another one, for show and in earnest",
    steps: [
      account,
      post(MAPS, { metadata: { name: "a" } }),
      post(LEASES, { metadata: { name: "a" } }),
      post(GADGETS, gadget(), captureVersion),
      post(PODS, { metadata: { name: "a" }, spec: { containers: [{ name: "c", image: "x" }] } }),
      ...["", "?dryRun=All"].flatMap((query) => [
        put(`${MAPS}/a${query}`, { metadata: { name: "a", uid: "wrong" } }),
        put(`${LEASES}/a${query}`, { metadata: { name: "a", uid: "wrong" } }),
        put(`${LEASES}/b${query}`, { metadata: { name: "b", uid: "wrong" } }),
        put(`${GADGETS}/a${query}`, gadget({}, { uid: "wrong", resourceVersion: "$rv" })),
        del(`${MAPS}/a${query}`, { preconditions: { uid: "wrong" } }),
        del(`${MAPS}/a${query}`, { preconditions: { resourceVersion: "1" } }),
        post(`${PODS}/a/binding${query}`, {
          metadata: { name: "a", uid: "wrong" },
          target: { kind: "Node", name: "n" },
        }),
      ]),
    ],
  },
  {
    name: "bodies that are a Status",
    steps: ["v9", "v1", "a/v2", "meta.k8s.io/v1"].flatMap((apiVersion) =>
      [MAPS, LEASES, NEW_EVENTS].map((collection) => post(collection, { apiVersion, kind: "Status", code: 404 })),
    ),
  },
  {
    name: "metadata that cannot be read, of something else",
    steps: ["v1", "other/v1", "judge.example/v2", "", "a/b/c", "judge.example/v1"].flatMap((apiVersion) =>
      ["Status", "Gadget", ""].map((kind) =>
        post(GADGETS, { apiVersion, kind, metadata: { name: "a", labels: { n: 1 } } }),
      ),
    ),
  },
  {
    name: "bodies that say nothing",
    steps: [MAPS, `${NS}/limitranges`, LEASES, NEW_EVENTS, SETS, GADGETS].flatMap((collection) => [
      post(collection, "null"),
      post(collection, {}),
      post(`${collection}?fieldValidation=Ignore`, "null"),
      post(`${collection}?fieldValidation=Ignore`, {}),
      post(`${collection}?fieldValidation=Ignore`, { kind: 5 }),
      post(`${collection}?fieldValidation=Ignore`, "{"),
    ]),
  },
  {
    name: "custom resources that do not say what they are, or say they are lists",
    steps: [
      ...[
        { apiVersion: null },
        { apiVersion: null, kind: null },
        { kind: null },
        { apiVersion: "" },
        { apiVersion: 5 },
        { kind: 5 },
        { kind: "GadgetList" },
        { kind: "GadgetList", items: [] },
        { kind: "GadgetList", items: [{ apiVersion: "judge.example/v1", kind: "Gadget", metadata: { name: "q" } }] },
        { kind: "Other" },
      ].flatMap((more) => [post(GADGETS, gadget(more)), post(`${GADGETS}?fieldValidation=Strict`, gadget(more))]),
      post(MAPS, { apiVersion: "v1", kind: "ConfigMapList", items: [] }),
      post(MAPS, { apiVersion: "v1", kind: "List", items: [] }),
    ],
  },
];

const asked = { verb: "get", resource: "pods", namespace: "$ns" };
const selected = {
  labelSelector: { rawSelector: "a=b" },
  fieldSelector: { requirements: [{ key: "metadata.name", operator: "In", values: ["a"] }] },
};
const selectedWrongly = {
  labelSelector: { rawSelector: "a=b", requirements: [{ key: "a", operator: "Exists" }] },
  fieldSelector: { requirements: [{ key: "", operator: "Nope" }] },
};

const reviews: readonly JudgeCase[] = [
  {
    name: "who may do what, of the masters and of nobody",
    steps: [
      ...[{ user: "u", groups: ["system:masters"] }, { groups: ["system:masters"] }, { user: "u" }].flatMap((who) =>
        [
          { resourceAttributes: asked },
          { nonResourceAttributes: { path: "/x", verb: "get" } },
          { resourceAttributes: { ...asked, verb: "*", group: "*", resource: "*" } },
          { resourceAttributes: { ...asked, name: "n", subresource: "log", group: "apps", version: "v1" } },
          { resourceAttributes: { ...asked, ...selected } },
          { resourceAttributes: { ...asked, ...selectedWrongly } },
        ].map((what) => post(`${RIGHTS}/subjectaccessreviews`, { spec: { ...who, ...what } })),
      ),
      post(`${RIGHTS}/subjectaccessreviews?dryRun=All`, {
        spec: { groups: ["system:masters"], resourceAttributes: asked },
      }),
      post(`${RIGHTS}/subjectaccessreviews?fieldValidation=Strict`, { spec: { resourceAttributes: asked, odd: 1 } }),
      post(
        `${RIGHTS}/subjectaccessreviews`,
        { spec: { groups: ["system:masters"], resourceAttributes: asked } },
        { headers: asTable },
      ),
      post(`${RIGHTS}/subjectaccessreviews`, {
        metadata: { labels: { a: "b" } },
        spec: { groups: ["system:masters"], resourceAttributes: asked },
        status: { allowed: false },
      }),
      post(`${RIGHTS}/namespaces/$ns/localsubjectaccessreviews`, {
        spec: { groups: ["system:masters"], resourceAttributes: { ...asked, namespace: "" } },
      }),
      post(`${RIGHTS}/namespaces/$ns/localsubjectaccessreviews`, {
        metadata: { namespace: "$ns" },
        spec: { user: "u", nonResourceAttributes: { path: "/", verb: "get" } },
      }),
      post(`${RIGHTS}/selfsubjectaccessreviews`, { spec: { nonResourceAttributes: { path: "/", verb: "get" } } }),
      post(`${RIGHTS}/selfsubjectaccessreviews`, {
        spec: { resourceAttributes: asked, nonResourceAttributes: { path: "/", verb: "get" } },
      }),
      post("/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token: "x" } }, { headers: asTable }),
      post("/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token: "x" } }, { headers: asMetadata }),
      post("/apis/authentication.k8s.io/v1/tokenreviews?dryRun=All", { spec: { token: "x" } }),
      account,
      post(`${NS}/serviceaccounts/default/token`, { spec: {} }, { headers: asTable }),
      post(`${NS}/serviceaccounts/default/token`, { spec: {} }, { headers: asMetadata }),
    ],
  },
];

export const detailCases: readonly JudgeCase[] = [
  ...deletions,
  ...reads,
  ...tablesAndWatches,
  ...subresources,
  ...tablesOfParts,
  ...pods,
  ...writes,
  ...reviews,
];
