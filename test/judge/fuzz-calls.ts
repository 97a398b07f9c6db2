// Random requests: mostly sensible, some nearly so, some nonsense. The pool of names is small, so that
// requests meet objects that earlier requests left behind.

import type { Rng } from "#base/rng.ts";
import { GADGETS } from "./custom-kind.ts";

export interface FuzzedCall {
  readonly verb: string;
  /** The collection it is about. */
  readonly collection: string;
  readonly method: string;
  /** "$ns", "$rv:<name>", "$uid:<name>" and "$next:" are filled in per server. */
  readonly target: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Place {
  readonly collection: string;
  readonly apiVersion: string;
  readonly kind: string;
  nameOf(name: string): string;
  content(rng: Rng): object;
  readonly hasStatus?: boolean;
  /** It can only be updated from a version that the client knows. */
  readonly needsVersion?: boolean;
}

/** A sensible object: what requests find there. */
export function furniture(place: Place, name: string): object {
  return {
    apiVersion: place.apiVersion,
    kind: place.kind,
    metadata: { name: place.nameOf(name), labels: { app: "x" } },
  };
}

export const names: readonly string[] = ["a", "b", "c", "d", "e"];
const managers = ["one", "two", "three"];
const labelKeys = ["app", "tier", "example.com/zone"];
const labelValues = ["x", "y", "z", ""];

export const places: readonly Place[] = [
  {
    collection: "/api/v1/namespaces/$ns/configmaps",
    apiVersion: "v1",
    kind: "ConfigMap",
    nameOf: (name) => name,
    content: (rng) => ({ data: record(rng, ["k1", "k2", "k3"], ["v1", "v2", ""]) }),
  },
  {
    collection: "/api/v1/nodes",
    apiVersion: "v1",
    kind: "Node",
    hasStatus: true,
    nameOf: (name) => `$ns-${name}`,
    content: (rng) => ({
      spec: {
        ...(chance(rng, 50) ? { unschedulable: chance(rng, 50) } : {}),
        ...(chance(rng, 30)
          ? { taints: [{ key: pick(rng, labelKeys), effect: pick(rng, ["NoSchedule", "NoExecute"]) }] }
          : {}),
      },
    }),
  },
  {
    collection: "/api/v1/namespaces/$ns/serviceaccounts",
    apiVersion: "v1",
    kind: "ServiceAccount",
    nameOf: (name) => name,
    content: (rng) => ({
      ...(rng.below(2) ? { automountServiceAccountToken: rng.below(2) === 1 } : {}),
      imagePullSecrets: Array.from({ length: rng.below(3) }, () => ({ name: pick(rng, ["s1", "s2"]) })),
    }),
  },
  {
    collection: GADGETS,
    apiVersion: "judge.example/v1",
    kind: "Gadget",
    hasStatus: true,
    needsVersion: true,
    nameOf: (name) => name,
    content: (rng) => ({
      spec: {
        ...(chance(rng, 70) ? { size: pick<unknown>(rng, [0, 1, 2, 3, 3, 3, 101, -1, "x", 1.5]) } : {}),
        ...(chance(rng, 40) ? { color: pick<unknown>(rng, ["red", "blue", "blue", "green", null]) } : {}),
        ...(chance(rng, 30) ? { tags: Array.from({ length: rng.below(3) }, () => pick(rng, ["t1", "t2", "t3"])) } : {}),
        ...(chance(rng, 30)
          ? { parts: [{ name: pick(rng, ["p", "q", "q", "P"]), ...(chance(rng, 50) ? { weight: rng.below(3) } : {}) }] }
          : {}),
        ...(chance(rng, 20) ? { free: { any: rng.below(3), other: null } } : {}),
        ...(chance(rng, 10) ? { unknown: { deep: true } } : {}),
      },
      ...(chance(rng, 15) ? { status: { size: rng.below(4) } } : {}),
    }),
  },
];

const pick = <T>(rng: Rng, items: readonly T[]): T => items[rng.below(items.length)] as T;
const chance = (rng: Rng, percent: number): boolean => rng.below(100) < percent;

function record(rng: Rng, keys: readonly string[], values: readonly string[]): Record<string, string> {
  return Object.fromEntries(keys.filter(() => chance(rng, 60)).map((key) => [key, pick(rng, values)]));
}

export function nextCall(rng: Rng, index: number): FuzzedCall {
  const place = pick(rng, places);
  return { collection: place.collection, ...callAt(rng, place, index) };
}

type PlacedCall = Omit<FuzzedCall, "collection">;

function callAt(rng: Rng, place: Place, index: number): PlacedCall {
  const roll = rng.below(100);
  if (roll < 20) return create(rng, place, index);
  if (roll < 30)
    return {
      verb: "get",
      method: "GET",
      target: one(rng, place) + pick(rng, ["", "", "?pretty=false", "?resourceVersion=0", "?nonsense=1"]),
      ...accept(rng),
    };
  if (roll < 42) return list(rng, place);
  if (roll < 56) return update(rng, place);
  if (roll < 68) return mergePatch(rng, place);
  if (roll < 76) return jsonPatch(rng, place);
  if (roll < 82) return strategicPatch(rng, place);
  if (roll < 91) return apply(rng, place);
  if (roll < 99) return remove(rng, place);
  return {
    verb: "deletecollection",
    method: "DELETE",
    target: `${place.collection}?labelSelector=app%3D${pick(rng, ["x", "y"])},tier%3D${pick(rng, ["x", "y", "z"])}`,
  };
}

function one(rng: Rng, place: Place, name = pick(rng, names)): string {
  const target = `${place.collection}/${place.nameOf(name)}`;
  return place.hasStatus && chance(rng, 15) ? `${target}/status` : target;
}

function accept(rng: Rng): { headers?: Record<string, string> } {
  if (chance(rng, 70)) return {};
  return {
    headers: {
      accept: pick(rng, [
        "application/json",
        "*/*",
        "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json",
        "application/yaml;q=0.1,application/json",
        "text/nonsense",
        "application/json;as=Table;g=meta.k8s.io;v=v9, application/json",
      ]),
    },
  };
}

function metadata(rng: Rng, name: string): Record<string, unknown> {
  return {
    name,
    ...(chance(rng, 50) ? { labels: record(rng, labelKeys, labelValues) } : {}),
    ...(chance(rng, 30) ? { annotations: record(rng, ["note", "example.com/a"], ["1", "two words", ""]) } : {}),
    ...(chance(rng, 5) ? { finalizers: ["example.com/hold"] } : {}),
    ...(chance(rng, 5)
      ? {
          ownerReferences: [
            { apiVersion: "v1", kind: "Pod", name: "p", uid: pick(rng, ["1", "2"]), controller: chance(rng, 50) },
          ],
        }
      : {}),
  };
}

function object(rng: Rng, place: Place, name: string): Record<string, unknown> {
  return {
    apiVersion: place.apiVersion,
    kind: place.kind,
    metadata: metadata(rng, place.nameOf(name)),
    ...place.content(rng),
  };
}

/** Something is wrong with it. */
function spoiled(rng: Rng, body: Record<string, unknown>): unknown {
  const meta = body.metadata as Record<string, unknown>;
  switch (rng.below(12)) {
    case 0:
      return { ...body, metadata: { ...meta, name: pick(rng, ["Upper", "-x", "x".repeat(300), "", "a/b"]) } };
    case 1:
      return { ...body, metadata: { ...meta, labels: { "bad key": "x" } } };
    case 2:
      return { ...body, metadata: { ...meta, labels: { ok: "bad value!" } } };
    case 3:
      return { ...body, kind: pick(rng, ["Nonsense", "", "Pod"]) };
    case 4:
      return { ...body, apiVersion: pick(rng, ["v9", "a/b/c", ""]) };
    case 5:
      return { ...body, metadata: { ...meta, finalizers: ["bad"] } };
    case 6:
      return { ...body, metadata: { ...meta, ownerReferences: [{ kind: "x" }] } };
    case 7:
      return { ...body, unknown: 1 };
    case 8:
      return { ...body, metadata: { ...meta, namespace: "elsewhere" } };
    case 9:
      return { ...body, metadata: { ...meta, resourceVersion: pick(rng, ["x", "999999999", "-1"]) } };
    case 10:
      return { ...body, metadata: { ...meta, deletionGracePeriodSeconds: 5, uid: "own" } };
    default:
      return pick<unknown>(rng, ["{", "[]", "null", "12", ""]);
  }
}

const writeQuery = (rng: Rng): string =>
  pick(rng, [
    "",
    "",
    "",
    "?dryRun=All",
    "?fieldValidation=Strict",
    "?fieldValidation=Ignore",
    "?fieldManager=fuzz",
    "?dryRun=Nonsense",
    "?pretty=true",
  ]);

function create(rng: Rng, place: Place, index: number): PlacedCall {
  const name = chance(rng, 80) ? `n${index}` : pick(rng, names);
  const body = object(rng, place, name);
  return {
    verb: "create",
    method: "POST",
    target: place.collection + writeQuery(rng),
    body: chance(rng, 18) ? spoiled(rng, body) : body,
  };
}

function list(rng: Rng, place: Place): PlacedCall {
  const query = [
    ...(chance(rng, 50)
      ? [
          `labelSelector=${encodeURIComponent(pick(rng, ["app=x", "app!=x", "app in (x,y)", "tier", "!tier", "app=x,tier!=y", "app notin (z),tier", "app in (", "a b", "x=y=z"]))}`,
        ]
      : []),
    ...(chance(rng, 20)
      ? [
          `fieldSelector=${encodeURIComponent(pick(rng, ["metadata.name=a", "metadata.name!=b", "nonsense=1", "metadata.name"]))}`,
        ]
      : []),
    ...(chance(rng, 40) ? [`limit=${pick(rng, ["1", "2", "3", "500", "0", "-1", "x"])}`] : []),
    ...(chance(rng, 10) ? [`resourceVersion=${pick(rng, ["0", "$rv:a", "abc"])}`] : []),
    ...(chance(rng, 10) ? ["continue=$next:"] : []),
    ...(chance(rng, 5) ? [`resourceVersionMatch=${pick(rng, ["Exact", "NotOlderThan", "Nonsense"])}`] : []),
  ];
  // Other objects of the cluster must not be in the answer.
  const scoped = place.collection.includes("$ns")
    ? query
    : [...query.filter((part) => !part.startsWith("fieldSelector")), "fieldSelector=metadata.name%3D$ns-a"];
  return { verb: "list", method: "GET", target: `${place.collection}?${scoped.join("&")}`, ...accept(rng) };
}

function update(rng: Rng, place: Place): PlacedCall {
  const name = pick(rng, names);
  const body = object(rng, place, name);
  const meta = body.metadata as Record<string, unknown>;
  const version = pick<object>(rng, [
    ...(place.needsVersion ? [] : [{}, {}, {}]),
    { resourceVersion: `$rv:${name}` },
    { resourceVersion: `$rv:${name}` },
    { resourceVersion: `$rv:${name}` },
    { resourceVersion: `$rv:${name}`, uid: `$uid:${name}` },
    { resourceVersion: "1" },
    { uid: "wrong" },
  ]);
  const full = { ...body, metadata: { ...meta, ...version } };
  return {
    verb: "update",
    method: "PUT",
    target: one(rng, place, name) + writeQuery(rng),
    body: chance(rng, 12) ? spoiled(rng, full) : full,
  };
}

function mergePatch(rng: Rng, place: Place): PlacedCall {
  const patch = pick<() => unknown>(rng, [
    () => ({ metadata: { labels: record(rng, labelKeys, labelValues) } }),
    () => ({ metadata: { labels: { [pick(rng, labelKeys)]: null } } }),
    () => ({ metadata: { annotations: { note: String(rng.below(5)) } } }),
    () => ({ metadata: { annotations: { [pick(rng, ["note", "other"])]: pick(rng, [null, "x", "y"]) } } }),
    () => place.content(rng),
    () => place.content(rng),
    () => ({ ...place.content(rng), metadata: { resourceVersion: `$rv:${pick(rng, names)}` } }),
    () => ({ metadata: { finalizers: pick(rng, [null, [], ["example.com/hold"]]) } }),
    () => ({ metadata: { name: "other" } }),
    () => ({ metadata: { labels: { "bad key": "x" } } }),
    () => ({ metadata: null }),
    () => ({}),
    () => pick(rng, ["{", "[]", "null"]),
  ])();
  return {
    verb: "patch (merge)",
    method: "PATCH",
    target: one(rng, place) + writeQuery(rng),
    body: patch,
    headers: { "content-type": "application/merge-patch+json" },
  };
}

function jsonPatch(rng: Rng, place: Place): PlacedCall {
  const op = (): unknown =>
    pick(rng, [
      { op: "add", path: "/metadata/annotations", value: { note: String(rng.below(5)) } },
      { op: "add", path: "/metadata/annotations", value: { note: "n", more: "m" } },
      { op: "add", path: "/metadata/labels", value: { app: pick(rng, labelValues) } },
      { op: "replace", path: "/metadata/labels/app", value: pick(rng, labelValues) },
      { op: "test", path: "/metadata/name", value: "nobody" },
      { op: "add", path: "/metadata/labels", value: record(rng, labelKeys, labelValues) },
      { op: "remove", path: "/metadata/labels" },
      { op: "replace", path: "/metadata/annotations/note", value: "r" },
      { op: "test", path: "/metadata/labels/app", value: pick(rng, labelValues) },
      { op: "copy", from: "/metadata/name", path: "/metadata/annotations/copied" },
      { op: "move", from: "/metadata/labels", path: "/metadata/annotations" },
      { op: "nonsense", path: "/x" },
    ]);
  const body = Array.from({ length: 1 + rng.below(2) }, op);
  return {
    verb: "patch (json)",
    method: "PATCH",
    target: one(rng, place) + writeQuery(rng),
    body,
    headers: { "content-type": "application/json-patch+json" },
  };
}

function strategicPatch(rng: Rng, place: Place): PlacedCall {
  const patch = pick<() => unknown>(rng, [
    () => ({ metadata: { labels: record(rng, labelKeys, labelValues) } }),
    () => ({ metadata: { labels: { $patch: "replace", app: "x" } } }),
    () => ({ metadata: { $retainKeys: ["name"], name: "x" } }),
    () => ({ metadata: { ownerReferences: [{ $patch: "delete", uid: pick(rng, ["1", "2"]) }] } }),
    () => ({ metadata: { "$deleteFromPrimitiveList/finalizers": ["example.com/hold"] } }),
    () => ({ imagePullSecrets: [{ name: "s3" }] }),
    () => place.content(rng),
    () => ({ $patch: "nonsense" }),
  ])();
  return {
    verb: "patch (strategic)",
    method: "PATCH",
    target: one(rng, place) + writeQuery(rng),
    body: patch,
    headers: { "content-type": "application/strategic-merge-patch+json" },
  };
}

function apply(rng: Rng, place: Place): PlacedCall {
  const name = pick(rng, names);
  const body = {
    apiVersion: place.apiVersion,
    kind: place.kind,
    metadata: { name: place.nameOf(name), labels: record(rng, labelKeys, labelValues) },
    ...(chance(rng, 70) ? place.content(rng) : {}),
  };
  const query = chance(rng, 95) ? `?fieldManager=${pick(rng, managers)}${chance(rng, 60) ? "&force=true" : ""}` : "";
  return {
    verb: "apply",
    method: "PATCH",
    target: one(rng, place, name) + query,
    body: chance(rng, 8) ? spoiled(rng, body) : body,
    headers: { "content-type": "application/apply-patch+yaml" },
  };
}

function remove(rng: Rng, place: Place): PlacedCall {
  const name = pick(rng, names);
  const options = pick<unknown>(rng, [
    undefined,
    undefined,
    undefined,
    { propagationPolicy: "Background" },
    { preconditions: { uid: `$uid:${name}` } },
    { preconditions: { uid: "wrong" } },
    { preconditions: { resourceVersion: `$rv:${name}` } },
    { dryRun: ["All"] },
    { propagationPolicy: "Nonsense" },
    { gracePeriodSeconds: 0 },
    { orphanDependents: false },
  ]);
  return {
    verb: "delete",
    method: "DELETE",
    target: one(rng, place, name),
    ...(options === undefined ? {} : { body: options }),
  };
}
