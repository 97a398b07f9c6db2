// The rest of the protocol, beyond writes of one object: health, discovery, encodings, lists over time, watches during
// writes, limits.

import type { JudgeCase, Step } from "./case.ts";
import { GADGETS } from "./custom-kind.ts";
import { asMetadata, asMetadataList, asTable, del, get, merge, patch, post, put } from "./steps.ts";

const MAPS = "/api/v1/namespaces/$ns/configmaps";
const YAML = { "content-type": "application/yaml" };
const PROTOBUF = { "content-type": "application/vnd.kubernetes.protobuf" };
const AGGREGATED = { accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList" };

const map = (name: string, labels: object = {}, data: object = {}): Step =>
  post(MAPS, { metadata: { name, labels }, data }, { capture: { rv: "metadata.resourceVersion" } });
const seen = (step: Step, view: (body: unknown) => unknown): Step => ({ ...step, view });

type Fields = Record<string, unknown>;

/** The other groups may have fewer resources and versions, because the rules of some kinds are not written yet. */
const compared = new Set(["apps", "coordination.k8s.io", "judge.example", "apiextensions.k8s.io", "events.k8s.io"]);

function withoutAddresses(body: unknown): unknown {
  const { serverAddressByClientCIDRs: _, ...rest } = body as Fields;
  return rest;
}

type Listed = { readonly name?: string; readonly metadata?: { readonly name?: string } };
const nameOf = ({ name, metadata }: Listed): string => name ?? metadata?.name ?? "";

/** For the plain or the aggregated document. */
function comparedGroups(body: unknown): unknown {
  const { groups, items, ...rest } = body as { groups?: Listed[]; items?: Listed[] };
  const kept = (groups ?? items ?? []).filter((group) => compared.has(nameOf(group)));
  return {
    ...rest,
    [groups === undefined ? "items" : "groups"]: kept.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)),
  };
}

const served: readonly JudgeCase[] = [
  {
    name: "machinery/7.1.r1 health and version",
    steps: [
      get("/healthz"),
      get("/livez"),
      get("/readyz"),
      get("/livez/ping"),
      get("/readyz/nonsense"),
      seen(get("/version"), (body) => {
        const { major, minor, gitVersion } = body as Fields;
        return { major, minor, gitVersion };
      }),
      post("/version", {}),
    ],
  },
  {
    name: "machinery/7.1.r2 discovery by group and version",
    steps: [
      seen(get("/api"), withoutAddresses),
      seen(get("/apis"), comparedGroups),
      get("/api/v1"),
      get("/apis/apps"),
      get("/apis/apps/v1"),
      get("/apis/apiextensions.k8s.io/v1"),
      get("/apis/coordination.k8s.io/v1"),
      get("/apis/events.k8s.io/v1"),
      get("/apis/authentication.k8s.io/v1"),
      get("/apis/authorization.k8s.io/v1"),
      get("/apis/judge.example"),
      get("/apis/judge.example/v1"),
      get("/apis/apps/v9"),
      get("/apis/judge.example/v9"),
      get("/api/v9"),
      get("/apis/nonsense.example"),
      post("/apis/apps/v1", {}),
      get("/api/v1", { accept: "text/nonsense" }),
    ],
  },
  {
    name: "machinery/7.1.r3 aggregated discovery, once per change",
    steps: [
      { ...get("/api", AGGREGATED), capture: { tag: "headers.etag" } },
      get("/api", { ...AGGREGATED, "if-none-match": "$tag" }),
      get("/api", { ...AGGREGATED, "if-none-match": '"other"' }),
      seen(get("/apis", AGGREGATED), comparedGroups),
      seen(get("/apis", { accept: `${AGGREGATED.accept},application/json` }), comparedGroups),
      seen(get("/apis", { accept: `application/json,${AGGREGATED.accept}` }), comparedGroups),
      seen(
        get("/apis", { accept: "application/json;g=apidiscovery.k8s.io;v=v9;as=APIGroupDiscoveryList,*/*" }),
        comparedGroups,
      ),
      get("/apis/apps/v1", AGGREGATED),
    ],
  },
];

const encodings: readonly JudgeCase[] = [
  {
    name: "machinery/7.1.r11 YAML in and out",
    steps: [
      post(MAPS, "metadata:\n  name: a\n  labels: {x: 'y'}\ndata:\n  k: \"1\"\n", { headers: YAML }),
      get(`${MAPS}/a`, { accept: "application/json" }),
      post(MAPS, "metadata:\n  name: b\ndata: [1]\n", { headers: YAML }),
      post(MAPS, "metadata: {name: b}\nmetadata: {name: c}\nunknown: 1\n", { headers: YAML }),
      post(`${MAPS}?fieldValidation=Strict`, "metadata: {name: d}\ndata: {a: x, a: y}\n", { headers: YAML }),
      post(MAPS, "{ : [", { headers: YAML, comparesReasonOnly: true }),
      put(`${MAPS}/a`, 'metadata:\n  name: a\ndata:\n  k: "2"\n', { headers: YAML }),
      get(`${MAPS}/missing`, { accept: "application/yaml" }),
      post(GADGETS, "apiVersion: judge.example/v1\nkind: Gadget\nmetadata: {name: a}\nspec: {size: 3}\n", {
        headers: YAML,
      }),
    ],
  },
  {
    name: "machinery/7.1.r11 protobuf in",
    steps: [
      post(
        MAPS,
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", labels: { x: "y" } }, data: { k: "1" } },
        { headers: PROTOBUF },
      ),
      put(
        `${MAPS}/a`,
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { k: "2" } },
        { headers: PROTOBUF },
      ),
      post(
        "/apis/apps/v1/namespaces/$ns/replicasets",
        {
          apiVersion: "apps/v1",
          kind: "ReplicaSet",
          metadata: { name: "r" },
          spec: {
            replicas: 2,
            selector: { matchLabels: { a: "b" } },
            template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
          },
        },
        { headers: PROTOBUF },
      ),
      del(
        "/apis/apps/v1/namespaces/$ns/replicasets/r",
        { apiVersion: "v1", kind: "DeleteOptions", propagationPolicy: "Background" },
        { headers: PROTOBUF },
      ),
      post(MAPS, { apiVersion: "v1", kind: "Secret", metadata: { name: "s" } }, { headers: PROTOBUF }),
      post(MAPS, "k8s nonsense", { headers: PROTOBUF }),
    ],
  },
  {
    name: "machinery/7.1.r11, machinery/7.1.r13 what answers may look like",
    steps: [
      map("a", { x: "y" }),
      ...[
        "application/json;q=0.5,application/nonsense",
        "application/*",
        "*/*;q=0.1",
        "application/json;charset=utf-8",
        "application/json;as=Table;g=meta.k8s.io;v=v1beta1",
        "application/json;as=Table;g=nonsense;v=v1",
        "application/json;as=Table;g=nonsense;v=v1,application/json",
        "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1beta1",
        "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
        "nonsense",
        "",
      ].map((accept) => get(`${MAPS}/a`, { accept })),
      get(MAPS, asMetadata),
      get(MAPS, asMetadataList),
      { ...patch(`${MAPS}/a`, { ...merge, ...asMetadata }, { metadata: { labels: { z: "1" } } }) },
      post(MAPS, { metadata: { name: "t" } }, { headers: asTable }),
      post(`${MAPS}`, { metadata: { name: "p" } }, { headers: asMetadata }),
      { ...del(`${MAPS}/p`), headers: asMetadata },
      { ...del(MAPS), headers: asMetadataList },
      get("/api/v1", asTable),
      seen(get("/version", asTable), () => ""),
      get("/version", { accept: "application/yaml" }),
      get(`${MAPS}?labelSelector=none`, asMetadataList),
      get(`${MAPS}?labelSelector=none`, asTable),
    ],
  },
  {
    name: "machinery/7.1.r20 bodies that are too large",
    steps: [
      post(MAPS, { metadata: { name: "a" }, data: { k: "x".repeat(3 * 1024 * 1024) } }),
      post(MAPS, { metadata: { name: "a" }, data: { k: "x".repeat(1024 * 1024 + 1) } }),
      map("b"),
      patch(`${MAPS}/b`, merge, { data: { k: "x".repeat(3 * 1024 * 1024) } }),
      patch(
        `${MAPS}/b`,
        { "content-type": "application/json-patch+json" },
        Array.from({ length: 10_001 }, () => ({ op: "test", path: "/kind", value: "ConfigMap" })),
      ),
    ],
  },
];

const three = [map("a", { app: "a", tier: "x" }), map("b", { app: "b", tier: "x" }), map("c", { app: "c" })];

const lists: readonly JudgeCase[] = [
  {
    name: "machinery/7.1.r6 pages stay on one state",
    steps: [
      ...three,
      { ...get(`${MAPS}?limit=1`), capture: { next: "metadata.continue" } },
      map("aa"),
      del(`${MAPS}/b`),
      { ...get(`${MAPS}?limit=1&continue=$next`), capture: { next: "metadata.continue" } },
      get(`${MAPS}?limit=5&continue=$next`),
      get(`${MAPS}?continue=$next`),
      { ...get(`${MAPS}?limit=1&labelSelector=tier`), capture: { next: "metadata.continue" } },
      get(`${MAPS}?limit=1&labelSelector=tier&continue=$next`),
      get(`${MAPS}?limit=2&fieldSelector=metadata.name!%3Da`),
      { ...get(MAPS), capture: { latest: "metadata.resourceVersion" } },
      get(`${MAPS}?resourceVersion=$latest`),
      get(`${MAPS}?limit=1&resourceVersion=0`),
      get(`${MAPS}?limit=1&resourceVersion=$rv`),
      get(`${MAPS}?limit=1&resourceVersion=$rv&resourceVersionMatch=NotOlderThan`),
      get(`${MAPS}?limit=1&resourceVersion=$rv&resourceVersionMatch=Exact`),
      get(`${MAPS}?limit=1&continue=$next&resourceVersionMatch=Exact`),
      get(`${MAPS}?continue=$next&resourceVersion=0`),
      get(`${MAPS}?continue=$next&fieldSelector=metadata.name%3Daa`),
      get(`${MAPS}?continue=$next&fieldSelector=metadata.name%3Dc`),
      get(`${MAPS}?continue=nonsense&fieldSelector=metadata.name%3Dc`),
      get(`${MAPS}?continue=$next&limit=1&resourceVersion=5&fieldSelector=metadata.name%3Dc`),
    ],
  },
  {
    name: "machinery/7.1.r6 custom resources in pages and tables",
    steps: [
      ...["a", "b", "c"].map((name) =>
        post(GADGETS, {
          apiVersion: "judge.example/v1",
          kind: "Gadget",
          metadata: { name, labels: { app: name } },
          spec: { size: 1, color: name === "a" ? "blue" : "red" },
        }),
      ),
      get(GADGETS),
      { ...get(`${GADGETS}?limit=2`), capture: { next: "metadata.continue" } },
      get(`${GADGETS}?limit=2&continue=$next`),
      get(GADGETS, asTable),
      get(GADGETS, asMetadataList),
      get(`${GADGETS}?labelSelector=app%20in%20(a,b)`),
      get(`${GADGETS}?fieldSelector=spec.color%3Dblue`),
      get(`${GADGETS}?fieldSelector=spec.size%3D1`),
      get(`${GADGETS}?fieldSelector=metadata.name%3Db`),
      get("/apis/judge.example/v1/gadgets?labelSelector=app%3Dnobody"),
      del(`${GADGETS}?fieldSelector=spec.color%3Dred`),
      get(`${GADGETS}?watch=true&timeoutSeconds=1`),
      get(GADGETS),
    ],
  },
  ...[
    `${MAPS}?resourceVersion=900000000`,
    `${MAPS}/a?resourceVersion=900000000`,
    `${MAPS}?resourceVersion=900000000&resourceVersionMatch=NotOlderThan`,
    `${MAPS}?resourceVersion=900000000&resourceVersionMatch=Exact`,
    `${MAPS}?resourceVersion=900000000&limit=1`,
  ].map((target) => ({
    name: `machinery/7.1.r6 a state that is still to come: ${target}`,
    steps: [...three, get(target)],
  })),
  {
    name: "machinery/7.1.r6 over all namespaces",
    steps: [
      map("a", { only: "$ns" }),
      get("/api/v1/configmaps?labelSelector=only%3D$ns"),
      get("/api/v1/configmaps?fieldSelector=metadata.namespace%3D$ns,metadata.name%3Da"),
      get("/api/v1/configmaps?fieldSelector=metadata.namespace!%3D$ns&labelSelector=only%3D$ns"),
      del("/api/v1/configmaps"),
      post("/api/v1/configmaps", { metadata: { name: "x" } }),
      get("/api/v1/configmaps/a"),
    ],
  },
  {
    name: "machinery/7.1.r19 collections are deleted in part, in pages, for show",
    steps: [
      ...three,
      post(MAPS, { metadata: { name: "held", finalizers: ["example.com/hold"] } }),
      del(`${MAPS}?dryRun=All&labelSelector=tier`),
      del(`${MAPS}?fieldSelector=metadata.name%3Da`),
      del(`${MAPS}?limit=1`),
      del(`${MAPS}?labelSelector=a%20b`),
      del(`${MAPS}?fieldSelector=nonsense%3D1`),
      del(MAPS, { preconditions: { uid: "wrong" } }),
      del(MAPS, { propagationPolicy: "Nonsense" }),
      del(MAPS, { propagationPolicy: "Foreground" }),
      get(MAPS),
      ...["b", "c", "held"].map((name) => patch(`${MAPS}/${name}`, merge, { metadata: { finalizers: null } })),
      get(MAPS),
      del(`/api/v1/namespaces/$ns/nonsense`),
    ],
  },
];

/** Fields that only some kinds support in selectors. */
const selectable: readonly JudgeCase[] = [
  {
    name: "machinery/7.1.r9 fields that may be selected, by kind",
    steps: [
      [
        "pods",
        "spec.nodeName=n,spec.restartPolicy=Always,spec.schedulerName=x,spec.serviceAccountName=x,spec.hostNetwork=false,status.phase=Pending,status.podIP=1.2.3.4,status.podIPs=1.2.3.4,status.nominatedNodeName=x",
      ],
      ["pods", "spec.hostIP=x"],
      ["secrets", "type=Opaque"],
      ["secrets", "data=x"],
      [
        "events",
        "involvedObject.kind=a,involvedObject.namespace=a,involvedObject.name=a,involvedObject.uid=a,involvedObject.apiVersion=a,involvedObject.resourceVersion=a,involvedObject.fieldPath=a,reason=a,reportingComponent=a,source=a,type=a",
      ],
      ["events", "message=x"],
      ["replicationcontrollers", "status.replicas=1"],
      ["replicationcontrollers", "spec.replicas=1"],
      ["services", "spec.clusterIP=x,spec.type=y"],
      ["resourcequotas", "spec.hard=x"],
      ["serviceaccounts", "secrets=x"],
      ["limitranges", "spec=x"],
    ].map(([resource, selector]) =>
      get(`/api/v1/namespaces/$ns/${resource}?fieldSelector=${encodeURIComponent(selector as string)}`),
    ),
  },
  {
    name: "machinery/7.1.r9 fields of nodes, namespaces, sets and leases",
    steps: [
      "/api/v1/nodes?fieldSelector=spec.unschedulable%3Dtrue,metadata.name%3D$ns",
      "/api/v1/nodes?fieldSelector=spec.podCIDR%3Dx",
      "/api/v1/namespaces?fieldSelector=status.phase%3DActive,metadata.name%3D$ns",
      "/api/v1/namespaces?fieldSelector=metadata.namespace%3Dx",
      "/api/v1/nodes?fieldSelector=metadata.namespace%3Dx",
      "/apis/apps/v1/namespaces/$ns/replicasets?fieldSelector=status.replicas%3D1",
      "/apis/apps/v1/namespaces/$ns/replicasets?fieldSelector=spec.replicas%3D1",
      "/apis/coordination.k8s.io/v1/namespaces/$ns/leases?fieldSelector=metadata.name%3Da,metadata.namespace%3D$ns",
      "/apis/coordination.k8s.io/v1/namespaces/$ns/leases?fieldSelector=spec.holderIdentity%3Da",
      "/apis/events.k8s.io/v1/namespaces/$ns/events?fieldSelector=regarding.name%3Da,reason%3Db,reportingController%3Dx,type%3DNormal",
      "/apis/events.k8s.io/v1/namespaces/$ns/events?fieldSelector=involvedObject.name%3Da",
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?fieldSelector=metadata.name%3Dnone",
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?fieldSelector=spec.group%3Dnone",
    ].map((target) => get(target)),
  },
];

const watching = (query: string, during: readonly Step[], headers?: Record<string, string>): Step => ({
  ...get(`${MAPS}?watch=true&timeoutSeconds=2${query}`, headers),
  during,
});
const label = (name: string, labels: object): Step => patch(`${MAPS}/${name}`, merge, { metadata: { labels } });

/** The life of an object as seen by a watch with a selector: added, kept, removed, added again. */
const life: readonly Step[] = [
  map("x", { app: "other" }),
  label("x", { app: "a" }),
  patch(`${MAPS}/x`, merge, { data: { k: "2" } }),
  patch(`${MAPS}/x`, merge, { data: { k: "2" } }),
  label("x", { app: "other" }),
  label("x", { app: "a" }),
  post(MAPS, { metadata: { name: "held", labels: { app: "a" }, finalizers: ["example.com/hold"] } }),
  del(`${MAPS}/held`),
  patch(`${MAPS}/held`, merge, { metadata: { finalizers: null } }),
  del(`${MAPS}/x`),
  post(`${MAPS}?dryRun=All`, { metadata: { name: "never", labels: { app: "a" } } }),
];

const watches: readonly JudgeCase[] = [
  { name: "machinery/7.1.r7 everything that is written while watching", steps: [...three, watching("", life)] },
  {
    name: "machinery/7.1.r7 selectors: objects come, stay and go",
    steps: [...three, watching("&labelSelector=app%3Da", life)],
  },
  {
    name: "machinery/7.1.r7 selectors over what has been",
    steps: [
      { ...map("first"), capture: { start: "metadata.resourceVersion" } },
      ...life,
      get(`${MAPS}?watch=true&timeoutSeconds=1&resourceVersion=$start&labelSelector=app%3Da`),
      get(`${MAPS}?watch=true&timeoutSeconds=1&resourceVersion=$start&fieldSelector=metadata.name%3Dx`),
      get(`${MAPS}/x?watch=true&timeoutSeconds=1`),
    ],
  },
  {
    name: "machinery/7.1.r7, machinery/7.1.r13 metadata only while watching",
    steps: [...three, watching("&fieldSelector=metadata.name%3Dx", life.slice(0, 5), asMetadata)],
  },
  {
    name: "machinery/7.1.r7, machinery/7.1.r12 tables while watching",
    steps: [...three, watching("&labelSelector=app%3Da", life.slice(0, 5), asTable)],
  },
  {
    name: "machinery/7.1.r8 initial events, then what follows",
    steps: [
      ...three,
      watching(
        "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&labelSelector=tier",
        [map("d", { tier: "x" }), label("a", { tier: "y" }), label("b", { tier: null })],
      ),
    ],
  },
  {
    name: "machinery/7.1.r8 initial events that are refused",
    steps: [
      get(`${MAPS}?sendInitialEvents=true`),
      get(`${MAPS}?watch=true&sendInitialEvents=true&resourceVersionMatch=Exact&timeoutSeconds=1`),
      get(`${MAPS}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1&continue=x`),
      get(`${MAPS}?watch=true&sendInitialEvents=nonsense&timeoutSeconds=1`),
      get(`${MAPS}?watch=true&limit=1&timeoutSeconds=1`),
    ],
  },
  {
    name: "machinery/7.1.r7 the old path of watches, and one object",
    steps: [
      ...three,
      get("/api/v1/watch/namespaces/$ns/configmaps?timeoutSeconds=1&labelSelector=tier"),
      get("/api/v1/watch/namespaces/$ns/configmaps/a?timeoutSeconds=1"),
      get(`${MAPS}?watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3Da`, { accept: "application/yaml" }),
    ],
  },
];

export const protocolCases: readonly JudgeCase[] = [...served, ...encodings, ...lists, ...selectable, ...watches];

/** They make the servers forget history, so they come last. */
export const expiryCases: readonly JudgeCase[] = [
  {
    name: "machinery/7.1.r6, machinery/7.1.r7 what has been forgotten",
    steps: [
      ...three,
      { ...get(`${MAPS}?limit=1`), capture: { next: "metadata.continue", old: "metadata.resourceVersion" } },
      map("d"),
      del(`${MAPS}/b`),
      { ...get(`${MAPS}?limit=1&continue=$next`), forgetsHistory: true, capture: { next: "metadata.continue" } },
      get(`${MAPS}?limit=1&continue=$next`),
      get(`${MAPS}?resourceVersion=$old&resourceVersionMatch=Exact`),
      get(`${MAPS}?resourceVersion=$old`),
      get(`${MAPS}?watch=true&timeoutSeconds=1&resourceVersion=$old`),
    ],
  },
];
