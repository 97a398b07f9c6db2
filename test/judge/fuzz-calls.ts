// Random requests: mostly valid, some almost valid, some nonsense. The pool of names is small, so that requests find
// objects of earlier requests.

import type { Rng } from "#base/rng.ts";
import { contentAt, nameAt, names, type Place, places, type Subresource } from "./fuzz-kinds.ts";
import { applyConfiguration, jsonPatch, mergePatch, strategicPatch } from "./fuzz-patches.ts";
import { chance, type Edits, edited, pick, some } from "./fuzz-random.ts";
import { accept, reading } from "./fuzz-reads.ts";
import { yamlOf } from "./fuzz-yaml.ts";

export interface FuzzedCall {
  readonly verb: string;
  readonly place: Place;
  readonly method: string;
  /** "$ns", "$rv:<place>.<name>", "$uid:<place>.<name>", "$last:" and "$next:" are replaced per server. */
  readonly target: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The object that must exist; it is created if it does not. */
  readonly ensures?: string;
  /** The body is the present state of the target with these edits. */
  readonly fresh?: readonly Edits[];
}

type PlacedCall = Omit<FuzzedCall, "place">;

export function nextCall(rng: Rng, index: number): FuzzedCall {
  const place = pick(rng, places);
  return { place, ...callAt(rng, place, index) };
}

/** A request that changes something, or tries to. */
export function nextWrite(rng: Rng, place: Place, index: number): FuzzedCall {
  const make = pick(rng, [create, update, merge, apply, remove]);
  return { place, ...make(rng, place, index) };
}

type Maker = (rng: Rng, place: Place, index: number) => PlacedCall;

const makers: readonly (readonly [weight: number, make: Maker])[] = [
  [14, create],
  [9, get],
  [11, list],
  [15, update],
  [11, merge],
  [8, json],
  [7, strategic],
  [10, apply],
  [7, remove],
  [1, removeAll],
  [7, subresource],
];

function callAt(rng: Rng, place: Place, index: number): PlacedCall {
  let roll = rng.below(100);
  for (const [weight, make] of makers) {
    if (roll < weight) return make(rng, place, index);
    roll -= weight;
  }
  throw new Error("the weights of the verbs are not 100 together");
}

interface Target {
  readonly name: string;
  readonly path: string;
  readonly isStatus: boolean;
  readonly ensures?: string;
}

/** Mostly an existing object. */
function targetOf(rng: Rng, place: Place): Target {
  const name = pick(rng, names);
  const path = `${place.collection}/${nameAt(place, name)}`;
  const isStatus = place.status !== undefined && chance(rng, 20);
  return {
    name,
    path: isStatus ? `${path}/status` : path,
    isStatus,
    ...(chance(rng, 85) ? { ensures: name } : {}),
  };
}

/** Edits for the target: mostly valid ones, and few. */
function editsFor(rng: Rng, place: Place, { isStatus }: { isStatus: boolean }): readonly Edits[] {
  const right = isStatus ? (place.status ?? []) : place.changes;
  const wrong = isStatus ? (place.wrongStatus ?? []) : place.wrong;
  return [
    pick(rng, right),
    ...some(rng, right, 1),
    ...some(rng, metadataEdits, 1),
    ...(chance(rng, 18) ? [pick(rng, wrong)] : []),
    ...(chance(rng, 5) ? [pick(rng, wrongMetadata)] : []),
  ];
}

const metadataEdits: readonly Edits[] = [
  { "/metadata/labels/app": "x" },
  { "/metadata/labels/app": "y" },
  { "/metadata/labels/tier": "z" },
  { "/metadata/labels/example.com~1zone": "" },
  { "/metadata/labels/tier": undefined },
  { "/metadata/annotations/note": "two words" },
  { "/metadata/annotations/example.com~1a": "1" },
  { "/metadata/finalizers": ["example.com/hold"] },
  { "/metadata/finalizers": undefined },
  { "/metadata/ownerReferences": [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "1" }] },
];

const wrongMetadata: readonly Edits[] = [
  { "/metadata/labels/bad key": "x" },
  { "/metadata/labels/ok": "bad value!" },
  { "/metadata/labels": { n: 1 } },
  { "/metadata/annotations/": "x" },
  { "/metadata/finalizers": ["bad"] },
  { "/metadata/ownerReferences": [{ kind: "x" }] },
  { "/metadata/namespace": "elsewhere" },
  { "/metadata/name": "$ns-ns-other" },
  { "/metadata/uid": "wrong" },
  { "/metadata/resourceVersion": "1" },
  { "/metadata/resourceVersion": "x" },
  { "/metadata/generation": 99, "/metadata/creationTimestamp": "2000-01-01T00:00:00Z" },
  { "/metadata/managedFields": [] },
  { "/metadata/managedFields": [{ manager: "m", operation: "Nonsense" }] },
  { "/metadata/deletionTimestamp": "2000-01-01T00:00:00Z" },
  { "/unknown": 1 },
  { "/kind": "Nonsense" },
  { "/kind": "" },
  { "/apiVersion": "v9" },
  { "/apiVersion": "a/b/c" },
  { "/metadata": null },
];

const hasName = (edits: Edits): boolean => edits["/metadata"] !== null;

const wrongNames: readonly Edits[] = ["Upper", "-x", "x".repeat(300), "a/b"].map((name) => ({
  "/metadata/name": name,
}));

const brokenBodies: readonly string[] = ["{", "[]", "null", "12", "", '{"metadata":{"labels":{"a":"b"}', '{"kind":1}'];

/** The query of the target. */
export const writeQuery = (rng: Rng): string =>
  pick(rng, [
    "",
    "",
    "",
    "",
    "?dryRun=All",
    "?fieldValidation=Strict",
    "?fieldValidation=Ignore",
    "?fieldValidation=Warn&fieldManager=fuzz",
    "?fieldManager=fuzz",
    "?pretty=true",
    ...(chance(rng, 20) ? ["?dryRun=Nonsense", "?fieldValidation=Nonsense", `?fieldManager=${"m".repeat(129)}`] : []),
  ]);

/** A body in one of the encodings; protobuf only if it can hold the whole body. */
function encoded(rng: Rng, place: Place, body: object, isRight: boolean): Pick<FuzzedCall, "body" | "headers"> {
  if (isRight && place.isCustom !== true && chance(rng, 12))
    return { body, headers: { "content-type": "application/vnd.kubernetes.protobuf" } };
  if (chance(rng, 12)) return { body: yamlOf(body), headers: { "content-type": "application/yaml" } };
  return { body };
}

function create(rng: Rng, place: Place, index: number): PlacedCall {
  // A hexadecimal number is a valid name of every kind, including addresses.
  const short = chance(rng, 85) ? `f${(index % 4096).toString(16)}` : pick(rng, names);
  const name = nameAt(place, short);
  const named = {
    apiVersion: place.apiVersion,
    kind: place.kind,
    metadata: place.hasRuledNames !== true && chance(rng, 8) ? { generateName: `${name}-` } : { name },
    ...contentAt(place, short),
  };
  const isWrong = chance(rng, 15);
  const isOdd = chance(rng, 10);
  const oddMetadata = place.isNamedByServer === true ? wrongMetadata.filter(hasName) : wrongMetadata;
  const body = edited(
    named,
    ...some(rng, place.options, 3),
    ...some(rng, metadataEdits, 2),
    ...(isWrong ? [pick(rng, place.wrong)] : []),
    ...(isOdd ? [pick(rng, chance(rng, 30) ? wrongNames : oddMetadata)] : []),
  );
  const query = writeQuery(rng);
  return {
    verb: "create",
    method: "POST",
    target: place.collection + query,
    ...(chance(rng, 2) ? { body: pick(rng, brokenBodies) } : encoded(rng, place, body, !isWrong && !isOdd)),
  };
}

function get(rng: Rng, place: Place): PlacedCall {
  const { path, ensures } = targetOf(rng, place);
  const query = pick(rng, ["", "", "", "?pretty=false", "?resourceVersion=0", "?nonsense=1", "?pretty=true"]);
  return { verb: "get", method: "GET", target: path + query, ...(ensures && { ensures }), ...accept(rng, false) };
}

function list(rng: Rng, place: Place): PlacedCall {
  const { collection, selectors: chosen } = reading(rng, place);
  const query = [
    ...chosen,
    ...(chance(rng, 35)
      ? [`limit=${pick(rng, ["1", "2", "3", "500", "0", ...(chance(rng, 20) ? ["-1", "x"] : [])])}`]
      : []),
    ...(chance(rng, 15)
      ? [
          `resourceVersion=${pick(rng, ["0", "$last:", `$rv:${place.label}.${nameAt(place, "a")}`, ...(chance(rng, 30) ? ["abc", "-1"] : [])])}`,
        ]
      : []),
    ...(chance(rng, 8) ? ["continue=$next:"] : []),
    ...(chance(rng, 5)
      ? [`resourceVersionMatch=${pick(rng, ["Exact", "NotOlderThan", ...(chance(rng, 50) ? ["Nonsense"] : [])])}`]
      : []),
  ];
  return { verb: "list", method: "GET", target: `${collection}?${query.join("&")}`, ...accept(rng, true) };
}

function update(rng: Rng, place: Place): PlacedCall {
  const target = targetOf(rng, place);
  const withoutVersion = place.needsVersion !== true && chance(rng, 25);
  return {
    verb: "update",
    method: "PUT",
    target: target.path + writeQuery(rng),
    fresh: [
      ...editsFor(rng, place, target),
      ...(withoutVersion ? [{ "/metadata/resourceVersion": undefined, "/metadata/uid": undefined }] : []),
    ],
    ...(chance(rng, 15) ? { headers: { "content-type": pick(rng, ["application/yaml", "application/json"]) } } : {}),
    ...(target.ensures && { ensures: target.ensures }),
  };
}

function merge(rng: Rng, place: Place): PlacedCall {
  const target = targetOf(rng, place);
  const body = mergePatch(rng, editsFor(rng, place, target), `$rv:${place.label}.${nameAt(place, target.name)}`);
  return patching("patch (merge)", "application/merge-patch+json", rng, target, body);
}

function json(rng: Rng, place: Place): PlacedCall {
  const target = targetOf(rng, place);
  return patching(
    "patch (json)",
    "application/json-patch+json",
    rng,
    target,
    jsonPatch(rng, editsFor(rng, place, target)),
  );
}

function strategic(rng: Rng, place: Place): PlacedCall {
  const target = targetOf(rng, place);
  const body = strategicPatch(rng, place, editsFor(rng, place, target));
  return patching("patch (strategic)", "application/strategic-merge-patch+json", rng, target, body);
}

function patching(verb: string, contentType: string, rng: Rng, target: Target, body: unknown): PlacedCall {
  return {
    verb,
    method: "PATCH",
    target: target.path + writeQuery(rng),
    body,
    headers: { "content-type": contentType },
    ...(target.ensures && { ensures: target.ensures }),
  };
}

const managers = ["one", "two", "three"];

function apply(rng: Rng, place: Place): PlacedCall {
  const target = targetOf(rng, place);
  const right = target.isStatus ? (place.status ?? []) : [...place.changes, ...place.options.slice(0, 4)];
  const wrong = [
    ...(chance(rng, 10) ? [pick(rng, target.isStatus ? (place.wrongStatus ?? []) : place.wrong)] : []),
    ...(chance(rng, 4) ? [pick(rng, wrongMetadata)] : []),
  ];
  const edits = [...some(rng, right, 2), ...some(rng, metadataEdits.slice(0, 4), 2), ...wrong];
  const query = [
    ...(chance(rng, 97) ? [`fieldManager=${pick(rng, managers)}`] : []),
    ...(chance(rng, 80) ? ["force=true"] : []),
    ...(chance(rng, 8) ? ["dryRun=All"] : []),
    ...(chance(rng, 8) ? [`fieldValidation=${pick(rng, ["Strict", "Ignore", "Warn"])}`] : []),
  ];
  const body = applyConfiguration(rng, place, target.name, target.isStatus, edits);
  return {
    verb: "apply",
    method: "PATCH",
    target: `${target.path}?${query.join("&")}`,
    body: chance(rng, 30) ? yamlOf(body) : body,
    headers: { "content-type": "application/apply-patch+yaml" },
    ...(target.ensures && { ensures: target.ensures }),
  };
}

function remove(rng: Rng, place: Place): PlacedCall {
  const { name, ensures } = targetOf(rng, place);
  const own = `${place.label}.${nameAt(place, name)}`;
  const options = pick<unknown>(rng, [
    undefined,
    undefined,
    undefined,
    { propagationPolicy: "Background" },
    { propagationPolicy: "Foreground" },
    { propagationPolicy: "Orphan" },
    { preconditions: { uid: `$uid:${own}` } },
    { preconditions: { resourceVersion: `$rv:${own}` } },
    { dryRun: ["All"] },
    { gracePeriodSeconds: 0 },
    { gracePeriodSeconds: 3 },
    { orphanDependents: false },
    ...(chance(rng, 40)
      ? [
          { preconditions: { uid: "wrong" } },
          { propagationPolicy: "Nonsense" },
          { kind: "Nonsense" },
          { gracePeriodSeconds: "x" },
        ]
      : []),
  ]);
  return {
    verb: "delete",
    method: "DELETE",
    target: `${place.collection}/${nameAt(place, name)}${pick(rng, ["", "", "", "?dryRun=All", "?gracePeriodSeconds=0"])}`,
    ...(options === undefined ? {} : { body: options }),
    ...(ensures && { ensures }),
  };
}

function removeAll(rng: Rng, place: Place): PlacedCall {
  const selector = `labelSelector=app%3D${pick(rng, ["x", "y"])},tier%3D${pick(rng, ["x", "y", "z"])}`;
  return { verb: "deletecollection", method: "DELETE", target: `${place.collection}?${selector}` };
}

/** Scales, bindings, evictions, tokens. For a kind without them, reads the object itself. */
function subresource(rng: Rng, place: Place): PlacedCall {
  if (place.subresources === undefined) return update(rng, place);
  const chosen: Subresource = pick(rng, place.subresources);
  const name = pick(rng, names);
  const verb = "subresource";
  const target = `${place.collection}/${nameAt(place, name)}/${chosen.name}`;
  const ensures = chance(rng, 92) ? { ensures: name } : {};
  if ("posts" in chosen)
    return {
      verb,
      method: "POST",
      target: target + writeQuery(rng),
      // The first ones are valid.
      body: pick(rng, chance(rng, 75) ? chosen.posts.slice(0, 2) : chosen.posts),
      ...ensures,
    };
  const edits = [pick(rng, chance(rng, 80) ? chosen.edits.slice(0, 2) : chosen.edits)];
  const roll = rng.below(chosen.name === "finalize" ? 60 : 100);
  if (roll < 15) return { verb, method: "GET", target, ...accept(rng, false), ...ensures };
  if (roll < 60) return { verb, method: "PUT", target: target + writeQuery(rng), fresh: edits, ...ensures };
  const isStrategic = chosen.strategic !== undefined && chance(rng, 50);
  return {
    verb,
    method: "PATCH",
    target: target + writeQuery(rng),
    ...(isStrategic
      ? {
          body: pick(rng, chosen.strategic ?? []),
          headers: { "content-type": "application/strategic-merge-patch+json" },
        }
      : { body: mergePatch(rng, edits), headers: { "content-type": "application/merge-patch+json" } }),
    ...ensures,
  };
}
