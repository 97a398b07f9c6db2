// The rules of the protocol on a namespaced kind (ConfigMap), a cluster-scoped kind (Node) and a custom kind
// (custom-kind.ts).

import type { JudgeCase, Step } from "./case.ts";
import { applyYaml, captureVersion, del, get, jsonPatch, merge, patch, post, put, strategic } from "./steps.ts";

interface Kind {
  readonly label: string;
  readonly collection: string;
  readonly isNamespaced: boolean;
  object(name: string, more?: object): object;
  /** A merge patch that changes something. */
  readonly change: object;
  /** Other content; also without any. */
  readonly other: object;
  readonly nothing: object;
}

const kinds: readonly Kind[] = [
  {
    label: "configmaps",
    isNamespaced: true,
    collection: "/api/v1/namespaces/$ns/configmaps",
    object: (name, more = {}) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name },
      data: { a: "1" },
      ...more,
    }),
    change: { data: { b: "2" } },
    other: { data: { a: "9" } },
    nothing: { data: {} },
  },
  {
    label: "nodes",
    isNamespaced: false,
    collection: "/api/v1/nodes",
    object: (name, more = {}) => ({
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: `$ns-${name}` },
      spec: { providerID: "example://1" },
      ...more,
    }),
    change: { spec: { unschedulable: true } },
    other: { spec: { providerID: "example://9" } },
    nothing: { spec: {} },
  },
  {
    label: "custom resources",
    isNamespaced: true,
    collection: "/apis/judge.example/v1/namespaces/$ns/gadgets",
    object: (name, more = {}) => ({
      apiVersion: "judge.example/v1",
      kind: "Gadget",
      metadata: { name },
      spec: { size: 1 },
      ...more,
    }),
    change: { spec: { color: "blue" } },
    other: { spec: { size: 9 } },
    nothing: { spec: {} },
  },
];

function casesOf({ label, collection, isNamespaced, object, change, other, nothing }: Kind): readonly JudgeCase[] {
  const nameOf = (name: string): string => (isNamespaced ? name : `$ns-${name}`);
  const one = (name: string, query = ""): string => `${collection}/${nameOf(name)}${query}`;
  return [
    {
      name: "create, read, read a missing one",
      steps: [post(collection, object("a")), get(one("a")), get(one("missing"))],
    },
    { name: "create twice", steps: [post(collection, object("a")), post(collection, object("a"))] },
    {
      name: "create with generateName",
      steps: [post(collection, object("x", { metadata: { generateName: nameOf("gen-") } }))],
    },
    { name: "create without a name", steps: [post(collection, object("x", { metadata: {} }))] },
    {
      name: "create with bad names",
      steps: ["Upper", "-dash", "a".repeat(260), "a_b", "a b"].map((name) =>
        post(collection, object("x", { metadata: { name } })),
      ),
    },
    {
      // One at a time: Go visits maps in random order.
      name: "create with bad labels and annotations",
      steps: [
        { labels: { "bad key!": "x" } },
        { labels: { ok: "bad value!" } },
        { annotations: { "a b": "c" } },
        { labels: { "example.com/a/b": "x" }, annotations: { ok: "bad value!" } },
        { annotations: { big: "x".repeat(300_000) } },
      ].map((metadata) => post(collection, object("a", { metadata: { name: nameOf("a"), ...metadata } }))),
    },
    {
      name: "create with bad owner references and finalizers",
      steps: [
        post(
          collection,
          object("a", {
            metadata: { name: nameOf("a"), ownerReferences: [{ apiVersion: "", kind: "", name: "", uid: "" }] },
          }),
        ),
        post(collection, object("a", { metadata: { name: nameOf("a"), finalizers: ["bad"] } })),
        post(
          collection,
          object("a", {
            metadata: {
              name: nameOf("a"),
              ownerReferences: [
                { apiVersion: "v1", kind: "Pod", name: "a", uid: "1", controller: true },
                { apiVersion: "v1", kind: "Pod", name: "b", uid: "2", controller: true },
              ],
            },
          }),
        ),
      ],
    },
    {
      name: "create with a resourceVersion, uid, or timestamps of its own",
      steps: [
        post(collection, object("a", { metadata: { name: nameOf("a"), resourceVersion: "5" } })),
        post(
          collection,
          object("b", {
            metadata: { name: nameOf("b"), uid: "abc", creationTimestamp: "2020-01-01T00:00:00Z", generation: 7 },
          }),
        ),
      ],
    },
    {
      name: "create with the wrong kind or version",
      steps: [
        post(collection, object("a", { kind: "Secret" })),
        post(collection, object("a", { apiVersion: "v2" })),
        post(collection, object("a", { kind: undefined, apiVersion: undefined })),
      ],
    },
    {
      name: "create with a broken body",
      steps: [
        post(collection, "{not json"),
        post(collection, ""),
        post(collection, "[]"),
        post(collection, '"text"'),
        post(collection, object("a"), { headers: { "content-type": "text/plain" } }),
      ],
    },
    {
      name: "field validation",
      steps: ["Ignore", "Warn", "Strict", "Nonsense", ""].flatMap((mode) => [
        post(
          `${collection}?fieldValidation=${mode}`,
          object(`v${mode.toLowerCase()}`, {
            unknownField: 1,
            metadata: { name: nameOf(`v${mode.toLowerCase()}`), alsoUnknown: true },
          }),
        ),
      ]),
    },
    {
      name: "dry run",
      steps: [
        post(`${collection}?dryRun=All`, object("a")),
        get(one("a")),
        post(`${collection}?dryRun=Some`, object("a")),
        post(collection, object("a")),
        patch(one("a", "?dryRun=All"), merge, change),
        get(one("a")),
        del(one("a", "?dryRun=All")),
        get(one("a")),
      ],
    },
    {
      name: "update: conditional, unconditional, stale, wrong uid",
      steps: [
        post(collection, object("a"), captureVersion),
        put(one("a"), { ...object("a"), ...change }),
        put(one("a"), object("a", { metadata: { name: nameOf("a"), resourceVersion: "$rv" } })),
        put(one("a"), object("a", { metadata: { name: nameOf("a"), uid: "wrong" } })),
        put(one("a"), object("a", { metadata: { name: nameOf("b") } })),
        put(one("missing"), object("missing")),
        put(one("a"), object("a", { metadata: { name: nameOf("a"), resourceVersion: "nonsense" } })),
      ],
    },
    {
      name: "a write that changes nothing keeps the version",
      steps: [
        post(collection, object("a"), captureVersion),
        put(one("a"), object("a")),
        patch(one("a"), merge, {}),
        get(one("a")),
      ],
    },
    {
      name: "immutable metadata",
      steps: [
        post(collection, object("a"), captureVersion),
        ...[
          { uid: "x" },
          { creationTimestamp: "2020-01-01T00:00:00Z" },
          { name: "other" },
          { deletionTimestamp: "2020-01-01T00:00:00Z" },
          { generation: 9 },
        ].map((metadata) => patch(one("a"), merge, { metadata })),
      ],
    },
    {
      name: "merge patch",
      steps: [
        post(collection, object("a")),
        patch(one("a"), merge, change),
        patch(one("a"), merge, { metadata: { labels: { x: "1" } } }),
        patch(one("a"), merge, { metadata: { labels: { x: null } } }),
        patch(one("missing"), merge, change),
        patch(one("a"), merge, "nope"),
        patch(one("a"), merge, "[]"),
      ],
    },
    {
      name: "json patch",
      steps: [
        post(collection, object("a")),
        patch(one("a"), jsonPatch, [{ op: "add", path: "/metadata/labels", value: { x: "1" } }]),
        patch(one("a"), jsonPatch, [{ op: "test", path: "/metadata/labels/x", value: "2" }]),
        patch(one("a"), jsonPatch, [{ op: "remove", path: "/metadata/labels/missing" }]),
        patch(one("a"), jsonPatch, [{ op: "nonsense", path: "/x" }]),
        patch(one("a"), jsonPatch, { not: "a list" }),
        patch(one("a"), jsonPatch, [{ op: "replace", path: "/metadata/name", value: "b" }]),
      ],
    },
    {
      name: "strategic merge patch",
      steps: [
        post(collection, object("a")),
        patch(one("a"), strategic, { metadata: { annotations: { a: "b" } } }),
        patch(one("a"), strategic, { metadata: { $patch: "replace", name: nameOf("a") } }),
        patch(one("a"), strategic, { $patch: "nonsense" }),
      ],
    },
    {
      name: "patch with a content type that does not exist",
      steps: [post(collection, object("a")), patch(one("a"), { "content-type": "application/nonsense" }, change)],
    },
    {
      name: "apply: create, own, conflict, force, give up",
      steps: [
        patch(one("a", "?fieldManager=one"), applyYaml, object("a")),
        patch(one("a", "?fieldManager=one"), applyYaml, object("a")),
        patch(one("a", "?fieldManager=two"), applyYaml, { ...object("a"), ...change }),
        patch(one("a", "?fieldManager=two"), applyYaml, object("a", other)),
        patch(one("a", "?fieldManager=two&force=true"), applyYaml, object("a", other)),
        patch(one("a", "?fieldManager=one"), applyYaml, object("a", nothing)),
        get(one("a")),
        // Not JSON because of its last comma, but YAML.
        patch(one("a", "?fieldManager=one"), applyYaml, `${JSON.stringify(object("a")).slice(0, -1)}, }`),
      ],
    },
    {
      name: "apply: what is refused",
      steps: [
        patch(one("a"), applyYaml, object("a")),
        patch(one("a", `?fieldManager=${"m".repeat(129)}`), applyYaml, object("a")),
        patch(
          one("a", "?fieldManager=one"),
          applyYaml,
          object("a", { metadata: { name: nameOf("a"), managedFields: [{ manager: "x" }] } }),
        ),
        patch(one("a", "?fieldManager=one"), applyYaml, object("b")),
        patch(one("a", "?fieldManager=one"), applyYaml, { metadata: { name: nameOf("a") } }),
        patch(one("a", "?fieldManager=one"), applyYaml, ": not yaml [", { comparesReasonOnly: true }),
        patch(one("a", "?force=true"), merge, {}),
        patch(one("a", "?fieldManager=one"), applyYaml, object("a", { metadata: { name: nameOf("a"), uid: "x" } })),
      ],
    },
    {
      name: "delete: options, preconditions, missing",
      steps: [
        post(collection, object("a"), captureVersion),
        del(one("a"), { kind: "DeleteOptions", apiVersion: "v1", preconditions: { uid: "wrong" } }),
        del(one("a"), { kind: "DeleteOptions", apiVersion: "v1", preconditions: { resourceVersion: "1" } }),
        del(one("a"), { propagationPolicy: "Nonsense" }),
        del(one("a"), { orphanDependents: true, propagationPolicy: "Orphan" }),
        del(one("a"), { gracePeriodSeconds: -1 }),
        del(one("a", "?gracePeriodSeconds=x"), undefined),
        del(one("a"), { kind: "DeleteOptions", apiVersion: "v1", preconditions: { uid: "$uid" } }),
        del(one("a")),
      ],
    },
    {
      name: "delete with finalizers",
      steps: [
        post(collection, object("a", { metadata: { name: nameOf("a"), finalizers: ["example.com/x"] } })),
        del(one("a")),
        get(one("a")),
        del(one("a")),
        patch(one("a"), merge, { metadata: { finalizers: ["example.com/x", "example.com/y"] } }),
        patch(one("a"), merge, { metadata: { finalizers: [] } }),
        get(one("a")),
      ],
    },
    {
      name: "delete in the foreground and as an orphan",
      steps: [
        post(collection, object("a")),
        del(one("a"), { propagationPolicy: "Foreground" }),
        get(one("a")),
        patch(one("a"), jsonPatch, [{ op: "remove", path: "/metadata/finalizers" }]),
        post(collection, object("b")),
        del(one("b"), { propagationPolicy: "Orphan" }),
        get(one("b")),
        patch(one("b"), merge, { metadata: { finalizers: null } }),
        get(one("b")),
      ],
    },
    {
      name: "methods that do not exist",
      steps: [
        put(collection, object("a")),
        post(one("a"), object("a")),
        get(`${one("a")}/nonsense`),
        patch(collection, merge, {}),
      ],
    },
    {
      name: "tables and metadata only",
      steps: [
        post(collection, object("a")),
        get(one("a"), { accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1" }),
        get(one("a"), { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" }),
        get(one("a", "?includeObject=None"), { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" }),
        get(one("a", "?includeObject=Nonsense"), { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" }),
        get(one("a"), { accept: "application/json;as=Nonsense;g=meta.k8s.io;v=v1" }),
        get(one("a"), { accept: "text/nonsense" }),
        get(one("a"), { accept: "text/nonsense, application/json" }),
        get(one("a"), { accept: "*/*" }),
      ],
    },
  ].map((judged) => ({ ...judged, name: `${label}: ${judged.name}` }));
}

const maps = "/api/v1/namespaces/$ns/configmaps";
const three: readonly Step[] = ["a", "b", "c"].map((name, index) =>
  post(
    maps,
    { metadata: { name, labels: { app: name, ...(index < 2 ? { tier: "x" } : {}) } } },
    { capture: { rv: "metadata.resourceVersion" } },
  ),
);

const lists: readonly JudgeCase[] = [
  {
    name: "lists: pages",
    steps: [
      ...three,
      get(maps),
      { ...get(`${maps}?limit=2`), capture: { next: "metadata.continue" } },
      get(`${maps}?limit=2&continue=$next`),
      get(`${maps}?limit=2&continue=nonsense`),
      get(`${maps}?limit=-1`),
      get(`${maps}?limit=x`),
      get(`${maps}?continue=$next&resourceVersion=$rv`),
    ],
  },
  {
    name: "lists: label selectors",
    steps: [
      ...three,
      ...[
        "app=a",
        "app!=a",
        "app in (a,b)",
        "app notin (a)",
        "tier",
        "!tier",
        "app=a,tier=x",
        "app in (",
        "a b",
        "=x",
        "app=a=b",
        "app>1",
      ].map((selector) => get(`${maps}?labelSelector=${encodeURIComponent(selector)}`)),
    ],
  },
  {
    name: "lists: field selectors",
    steps: [
      ...three,
      ...[
        "metadata.name=a",
        "metadata.name!=a",
        "metadata.namespace=$ns",
        "metadata.name==b",
        "nonsense=1",
        "metadata.name",
        "a=b=c",
      ].map((selector) => get(`${maps}?fieldSelector=${encodeURIComponent(selector).replaceAll("%24", "$")}`)),
    ],
  },
  {
    name: "lists: resource versions",
    steps: [
      ...three,
      // The real server's cache lags; after it has shown this version, it shows no older state.
      get(`${maps}?resourceVersion=$rv`),
      get(`${maps}?resourceVersion=0`),
      get(`${maps}?resourceVersion=$rv&resourceVersionMatch=Exact`),
      get(`${maps}?resourceVersion=$rv&resourceVersionMatch=NotOlderThan`),
      get(`${maps}?resourceVersionMatch=Exact`),
      get(`${maps}?resourceVersion=0&resourceVersionMatch=Exact`),
      get(`${maps}?resourceVersion=$rv&resourceVersionMatch=Nonsense`),
      get(`${maps}?resourceVersion=abc`),
      get(`${maps}?resourceVersion=-1`),
    ],
  },
  {
    name: "lists: as metadata and as a table",
    steps: [
      ...three,
      get(maps, { accept: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1" }),
      get(maps, { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" }),
      get(`${maps}?includeObject=Object`, { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" }),
    ],
  },
  {
    name: "delete a collection",
    steps: [
      ...three,
      del(`${maps}?labelSelector=app%3Da`),
      get(maps),
      del(`${maps}?dryRun=All`),
      get(maps),
      del(maps, { propagationPolicy: "Background" }),
      get(maps),
    ],
  },
  {
    name: "namespaces that do not exist or do not fit",
    steps: [
      post("/api/v1/namespaces/missing-$ns/configmaps", { metadata: { name: "a" } }),
      post(maps, { metadata: { name: "a", namespace: "other" } }),
      get("/api/v1/namespaces/missing-$ns/configmaps"),
      get("/api/v1/namespaces/missing-$ns/configmaps/a"),
    ],
  },
  {
    name: "groups, versions and resources that do not exist",
    steps: [
      get("/apis/nonsense.example/v1/things"),
      get("/api/v1/nonsense"),
      get("/apis/apps/v9/deployments"),
      get("/api/v2/pods"),
      get("/nonsense"),
      post("/api/v1/namespaces/$ns/nonsense", {}),
    ],
  },
];

const watchTail = "timeoutSeconds=1";
const watches: readonly JudgeCase[] = [
  {
    name: "watch: from the beginning, from a version, with selectors",
    steps: [
      ...three,
      get(`${maps}?watch=true&${watchTail}`),
      get(`${maps}?watch=true&resourceVersion=0&${watchTail}`),
      get(`${maps}?watch=true&resourceVersion=$rv&${watchTail}`),
      get(`${maps}?watch=true&labelSelector=app%3Da&${watchTail}`),
      get(`${maps}?watch=true&fieldSelector=metadata.name%3Db&${watchTail}`),
      get(`${maps}?watch=1&${watchTail}`),
    ],
  },
  {
    name: "watch: initial events",
    steps: [
      ...three,
      get(
        `${maps}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&${watchTail}`,
      ),
      get(`${maps}?watch=true&sendInitialEvents=true&${watchTail}`),
      get(
        `${maps}?watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion=$rv&${watchTail}`,
      ),
      get(`${maps}?watch=true&resourceVersionMatch=NotOlderThan&resourceVersion=$rv&${watchTail}`),
    ],
  },
  {
    name: "watch: what is refused",
    steps: [
      get(`${maps}?watch=true&resourceVersion=abc&${watchTail}`),
      get(`${maps}?watch=true&fieldSelector=nonsense%3D1&${watchTail}`),
      get(`${maps}?watch=true&labelSelector=a%20b&${watchTail}`),
      get(`${maps}?watch=nonsense&${watchTail}`),
      get(`${maps}?watch=true&timeoutSeconds=x`),
    ],
  },
];

export const genericCases: readonly JudgeCase[] = [...kinds.flatMap(casesOf), ...lists, ...watches];
