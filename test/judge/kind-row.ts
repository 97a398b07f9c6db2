// The cases for every kind, from one row of its contents: defaults of a minimal object, refusals, immutable fields, the
// status, and patching, applying, printing and deleting.

import type { JudgeCase, Step } from "./case.ts";
import {
  applyYaml,
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

export interface KindRow {
  readonly label: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** For a namespaced kind, below the namespace. */
  readonly resource: string;
  readonly isClusterScoped?: boolean;
  /** The name of the object; "$ns-a" for cluster-scoped kinds unless the kind restricts names. */
  readonly name?: string;
  readonly before?: readonly Step[];
  /** Waits until the server's controllers have finished with the new object, and until it is gone. */
  readonly settled?: (one: string) => Step;
  readonly minimal: object;
  readonly full?: object;
  /** Contents that the server refuses. */
  readonly invalid: readonly object[];
  /** Merge patches: refused ones and allowed ones. */
  readonly updates: readonly object[];
  /** Contents of the status, for a kind with one. */
  readonly status?: readonly object[];
  readonly patches: { readonly merge: object; readonly json: readonly object[]; readonly strategic?: object };
  /** The different content of the second applier. */
  readonly otherContent: object;
}

/** A case of a kind's row. */
export interface RowCase extends JudgeCase {
  readonly row: KindRow;
}

/** The path and the name of a row's objects. */
function placeOf({ apiVersion, kind, resource, isClusterScoped = false, ...row }: KindRow) {
  const root = apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`;
  const collection = isClusterScoped ? `${root}/${resource}` : `${root}/namespaces/$ns/${resource}`;
  const name = row.name ?? (isClusterScoped ? "$ns-a" : "a");
  const object = (content: object): object => ({ apiVersion, kind, metadata: { name }, ...content });
  return { collection, name, one: `${collection}/${name}`, object };
}

/**
 * Dry runs of a create, of changes and of a delete, each followed by a read of the stored state: nothing, then
 * unchanged.
 */
export function dryRunOf(row: KindRow): JudgeCase {
  const { collection, one, object } = placeOf(row);
  const dry = "?dryRun=All";
  const labels = { metadata: { labels: { dry: "run" } } };
  return {
    name: `${row.label}: dry runs`,
    steps: [
      ...(row.before ?? []),
      post(`${collection}${dry}`, object(row.minimal)),
      get(one),
      post(collection, object(row.minimal)),
      row.settled === undefined ? get(one) : row.settled(one),
      patch(`${one}${dry}`, merge, labels),
      patch(`${one}${dry}&fieldManager=x&force=true`, applyYaml, object(row.minimal)),
      del(`${one}${dry}`),
      ...(row.status ?? []).map((status) => patch(`${one}/status${dry}`, merge, { status })),
      get(one),
      // Several versions of a kind use the same name.
      del(one, { gracePeriodSeconds: 0 }),
      patch(one, merge, { metadata: { finalizers: null } }),
    ],
  };
}

/** The object in JSON and in protobuf, and all of its kind in protobuf. */
export function protobufOf(row: KindRow): JudgeCase {
  const { collection, one, object } = placeOf(row);
  const inProtobuf = { accept: "application/vnd.kubernetes.protobuf" };
  return {
    name: `${row.label}: protobuf`,
    steps: [
      ...(row.before ?? []),
      post(collection, object(row.minimal)),
      row.settled === undefined ? get(one) : row.settled(one),
      get(one, inProtobuf),
      get(collection, inProtobuf),
      del(one, { gracePeriodSeconds: 0 }),
      patch(one, merge, { metadata: { finalizers: null } }),
    ],
  };
}

export function casesOf(row: KindRow): readonly RowCase[] {
  const { label, apiVersion, kind, isClusterScoped = false, before = [] } = row;
  const { collection, name, one, object } = placeOf(row);
  const create = post(collection, object(row.minimal), captureVersion);
  const listed = `${collection}?fieldSelector=${encodeURIComponent("metadata.name=")}${name}`;
  const apply = (manager: string, content: object): Step =>
    patch(`${one}?fieldManager=${manager}`, applyYaml, object(content));
  // Deleted at the end, so that cluster-scoped kinds leave nothing behind.
  const clean: readonly Step[] = [
    del(one, { gracePeriodSeconds: 0 }),
    ...(row.settled === undefined
      ? [patch(one, merge, { metadata: { finalizers: null } })]
      : [{ ...get(one), awaits: 404 }]),
  ];
  const settle = row.settled === undefined ? [] : [row.settled(one)];
  const created = [...before, create, ...settle];
  const cases: JudgeCase[] = [
    { name: "a minimal object after defaulting", steps: [...created, get(one)] },
    ...(row.full === undefined
      ? []
      : [
          {
            name: "a fuller object after defaulting",
            steps: [...before, post(collection, object(row.full)), get(one)],
          },
        ]),
    { name: "invalid objects", steps: [...before, ...row.invalid.map((content) => post(collection, object(content)))] },
    {
      name: "what may be updated and what not",
      steps: [
        ...created,
        ...row.updates.map((update) => patch(one, merge, update)),
        put(one, { ...object(row.minimal), metadata: { name, resourceVersion: "$rv" } }),
        put(one, { ...object(row.otherContent), metadata: { name } }),
      ],
    },
    ...(row.status === undefined
      ? []
      : [
          {
            name: "status and main part are written apart",
            steps: [
              ...before,
              post(collection, object({ ...row.minimal, status: row.status[0] })),
              ...settle,
              ...row.status.map((status) =>
                patch(`${one}/status`, merge, { ...row.otherContent, metadata: { labels: { via: "status" } }, status }),
              ),
              patch(one, merge, { status: row.status[0], metadata: { labels: { via: "main" } } }),
              get(`${one}/status`),
              patch(`${one}/status?fieldManager=s`, applyYaml, {
                apiVersion,
                kind,
                metadata: { name },
                status: row.status[0],
              }),
            ],
          },
        ]),
    {
      name: "the three patches",
      steps: [
        ...created,
        patch(one, merge, row.patches.merge),
        patch(one, jsonPatch, row.patches.json),
        ...(row.patches.strategic === undefined ? [] : [patch(one, strategic, row.patches.strategic)]),
        get(one),
      ],
    },
    {
      name: "an apply conflict",
      steps: [
        ...before,
        apply("one", row.minimal),
        ...settle,
        apply("one", row.otherContent),
        apply("two", { ...row.otherContent, metadata: { name, labels: { x: "2" } } }),
        apply("one", row.minimal),
        patch(
          `${one}?fieldManager=three`,
          applyYaml,
          object({ ...row.minimal, metadata: { name, labels: { x: "3" } } }),
        ),
        patch(
          `${one}?fieldManager=three&force=true`,
          applyYaml,
          object({ ...row.minimal, metadata: { name, labels: { x: "3" } } }),
        ),
        get(one),
      ],
    },
    {
      name: "tables",
      steps: [
        ...before,
        post(collection, object(row.full ?? row.minimal)),
        ...settle,
        get(one, asTable),
        get(listed, asTable),
        ...(row.status === undefined
          ? []
          : [patch(`${one}/status`, { ...merge, ...asTable }, { status: row.status[0] })]),
      ],
    },
    {
      name: "delete",
      steps: [
        ...created,
        del(`${one}?dryRun=All`),
        del(one, { preconditions: { uid: "wrong" } }),
        del(one, { preconditions: { uid: "$uid" } }),
        row.settled === undefined ? get(one) : { ...get(one), awaits: 404 },
        del(one),
      ],
    },
  ];
  return cases.map((judged) => ({
    name: `${label}: ${judged.name}`,
    steps: isClusterScoped ? [...judged.steps, ...clean] : judged.steps,
    row,
  }));
}
