// Bodies of fuzzed patches, made of edits: merge, JSON and strategic patches, and apply configurations.

import type { Rng } from "#base/rng.ts";
import { contentAt, nameAt, type Place } from "./fuzz-kinds.ts";
import { asJsonPatch, asMergePatch, chance, type Edits, edited, pick } from "./fuzz-random.ts";

export function mergePatch(rng: Rng, edits: readonly Edits[], version?: string): unknown {
  const body = asMergePatch(Object.assign({}, ...edits) as Edits);
  if (version !== undefined && chance(rng, 10)) return edited(body, { "/metadata/resourceVersion": version });
  if (chance(rng, 93)) return body;
  return pick<unknown>(rng, [
    { metadata: { labels: { "bad key": "x" } } },
    { metadata: null },
    { metadata: { finalizers: null, labels: null, annotations: null } },
    {},
    "{",
    "[]",
    "null",
  ]);
}

export function jsonPatch(rng: Rng, edits: readonly Edits[]): unknown {
  // A JSON patch cannot reach into fields that a minimal object does not have.
  const reachable = asJsonPatch(Object.assign({}, ...edits) as Edits);
  const operations = [
    ...(chance(rng, 70) ? [] : reachable),
    ...(chance(rng, 70) ? [pick(rng, rightOperations)] : []),
    ...(chance(rng, 12) ? [pick(rng, wrongOperations)] : []),
  ];
  return chance(rng, 97) ? operations : pick<unknown>(rng, ["{", {}, "null", [1], [{ op: "add" }]]);
}

const rightOperations: readonly object[] = [
  { op: "add", path: "/metadata/annotations", value: { note: "1", more: "m" } },
  { op: "add", path: "/metadata/labels", value: { app: "y", tier: "x" } },
  { op: "replace", path: "/metadata/labels/app", value: "z" },
  { op: "replace", path: "/metadata/annotations/note", value: "r" },
  { op: "remove", path: "/metadata/annotations/note" },
  { op: "copy", from: "/metadata/name", path: "/metadata/annotations/copied" },
  { op: "move", from: "/metadata/annotations/note", path: "/metadata/annotations/moved" },
  { op: "add", path: "/metadata/labels/example.com~1zone", value: "" },
];

const wrongOperations: readonly object[] = [
  { op: "test", path: "/metadata/name", value: "nobody" },
  { op: "test", path: "/metadata/labels/app", value: "x" },
  { op: "remove", path: "/metadata/labels/missing" },
  { op: "remove", path: "/missing/deep" },
  { op: "replace", path: "/spec/missing/deep", value: 1 },
  { op: "move", from: "/metadata/labels", path: "/metadata/annotations" },
  { op: "move", from: "/nowhere", path: "/metadata/annotations/x" },
  { op: "add", path: "/metadata/finalizers/5", value: "a/b" },
  { op: "add", path: "no-slash", value: 1 },
  { op: "nonsense", path: "/x" },
];

const generalStrategic: readonly object[] = [
  { metadata: { labels: { $patch: "replace", app: "x" } } },
  { metadata: { ownerReferences: [{ $patch: "delete", uid: "1" }] } },
  { metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "q", uid: "2" }] } },
  { metadata: { "$deleteFromPrimitiveList/finalizers": ["example.com/hold"] } },
  { metadata: { "$setElementOrder/finalizers": ["example.com/hold"], finalizers: ["example.com/hold"] } },
  { metadata: { labels: { tier: null, app: "y" } } },
];

const wrongStrategic: readonly unknown[] = [
  { metadata: { $retainKeys: ["name"], name: "x" } },
  { $patch: "nonsense" },
  { metadata: { ownerReferences: [{ name: "without uid" }] } },
  { metadata: { ownerReferences: "text" } },
  { metadata: "text" },
  "{",
  "[]",
];

export function strategicPatch(rng: Rng, place: Place, edits: readonly Edits[]): unknown {
  if (chance(rng, 8)) return pick(rng, wrongStrategic);
  if (chance(rng, 35)) return asMergePatch(Object.assign({}, ...edits) as Edits);
  return pick(rng, [...(place.strategic ?? []), ...(place.strategic ?? []), ...generalStrategic]);
}

/** An apply configuration: the object with more fields, or only its status. */
export function applyConfiguration(
  rng: Rng,
  place: Place,
  name: string,
  isStatus: boolean,
  edits: readonly Edits[],
): object {
  const head = { apiVersion: place.apiVersion, kind: place.kind, metadata: { name: nameAt(place, name) } };
  const isWhole = !isStatus && chance(rng, 80);
  return edited(isWhole ? { ...head, ...contentAt(place, name) } : head, ...edits);
}
