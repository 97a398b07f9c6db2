// Parts for fuzzed requests of kinds without a table, derived from the kind's row in kinds/.

import type { Place } from "./fuzz-kinds.ts";
import type { Edits } from "./fuzz-random.ts";
import type { KindRow, RowCase } from "./kind-row.ts";
import { kindSuites, moreKindSuites } from "./kind-suites.ts";

type Content = Readonly<Record<string, unknown>>;
type Entry = readonly [pointer: string, value: unknown];

const isContent = (value: unknown): value is Content =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const escaped = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");
/** Requests choose the names themselves. */
const IDENTITY = /^\/metadata\/(name|generation)$/;

/** The edits that turn one content into the other. Lists are replaced as a whole. */
function editsBetween(from: unknown, to: Content, path = ""): Edits {
  const before = isContent(from) ? from : {};
  const removed = Object.keys(before).filter((key) => to[key] === undefined);
  const entries = Object.entries(to).flatMap(([key, value]): readonly Entry[] => {
    const at = `${path}/${escaped(key)}`;
    if (value === undefined || IDENTITY.test(at) || JSON.stringify(value) === JSON.stringify(before[key])) return [];
    const isDeep = isContent(value) && Object.keys(value).length > 0 && isContent(before[key] ?? {});
    return isDeep ? Object.entries(editsBetween(before[key], value, at)) : [[at, value]];
  });
  return Object.fromEntries([...entries, ...removed.map((key): Entry => [`${path}/${escaped(key)}`, undefined])]);
}

/** The edits of a merge patch. */
function editsOf(patch: Content, path = ""): Edits {
  const entries = Object.entries(patch).flatMap(([key, value]): readonly Entry[] => {
    const at = `${path}/${escaped(key)}`;
    if (value === undefined || IDENTITY.test(at)) return [];
    const isDeep = isContent(value) && Object.keys(value).length > 0;
    return isDeep ? Object.entries(editsOf(value, at)) : [[at, value ?? undefined]];
  });
  return Object.fromEntries(entries);
}

const hasEdits = (edits: Edits): boolean => Object.keys(edits).length > 0;
const hasOwnName = (content: object): boolean =>
  (content as { metadata?: { name?: string } }).metadata?.name !== undefined;

/** Kinds with structured names: their places define the prefix and suffix. */
const NAMED: Readonly<Record<string, Partial<Place>>> = {
  apiservices: {
    prefix: "v1.",
    suffix: ".$ns.local",
    hasRuledNames: true,
    minimal: { spec: { group: "$name.$ns.local", version: "v1", groupPriorityMinimum: 1000, versionPriority: 100 } },
  },
  storageversions: { prefix: "$ns.example.", hasRuledNames: true },
};

export function placeOf(row: KindRow): Place {
  const { apiVersion, kind, resource, isClusterScoped = false } = row;
  const root = apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`;
  const named = NAMED[resource] ?? {};
  const minimal = (named.minimal ?? row.minimal) as Content;
  // If names follow from the content, the other contents of the row would contradict the request.
  const differing = (contents: readonly object[]): readonly Edits[] =>
    contents.map((content) => editsBetween(row.minimal, { ...row.minimal, ...content } as Content)).filter(hasEdits);
  const full = row.full === undefined || hasOwnName(row.full) ? [] : differing([row.full]);
  const [status, ...otherStatuses] = (row.status ?? []).map((each) => editsOf({ status: each } as Content));
  return {
    label: resource,
    collection: isClusterScoped ? `${root}/${resource}` : `${root}/namespaces/$ns/${resource}`,
    apiVersion,
    kind,
    ...(isClusterScoped && { prefix: "$ns-" }),
    minimal,
    options: [...full, { "/metadata/annotations/row": "1" }],
    changes: [
      ...differing([row.otherContent]),
      editsOf(row.patches.merge as Content),
      { "/metadata/annotations/row": "2" },
    ],
    wrong: [
      ...differing(row.invalid.filter((content) => !hasOwnName(content))),
      ...row.updates.map((update) => editsOf(update as Content)),
      { "/unknown": { deep: 1 } },
    ].filter(hasEdits),
    ...(status !== undefined && { status: [status], wrongStatus: otherStatuses }),
    ...(row.patches.strategic && { strategic: [row.patches.strategic] }),
    ...named,
  };
}

const isOfRow = (each: object): each is RowCase => "row" in each;

/** The kinds that have a row, each in its first version. */
export function placesOfRows(tabled: readonly Place[]): readonly Place[] {
  const rows = Object.values({ ...kindSuites, ...moreKindSuites })
    .flat()
    .flatMap((each) => (isOfRow(each) ? [each.row] : []));
  const known = new Set(tabled.map(({ label }) => label));
  return rows.flatMap((row) => {
    if (known.has(row.resource)) return [];
    known.add(row.resource);
    return [placeOf(row)];
  });
}
