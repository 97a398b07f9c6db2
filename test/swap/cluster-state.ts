// The whole state of a cluster, normalised. Placeholders replace values that chance and time decide (UIDs, versions,
// times, generated names, addresses, nodes), so that two clusters with the same history are equal.

import type { KubeObject } from "#api/object.ts";
import { stringifyJson } from "#base/json.ts";
import type { ControlPlane } from "#test/real/control-plane.ts";
import { Vocabulary } from "#test/stage/normalise.ts";

export interface ClusterState {
  readonly objects: number;
  readonly kinds: number;
  /** UIDs by resource, namespace and name. */
  readonly uids: ReadonlyMap<string, string>;
  /** Labels by UID. */
  readonly labels: ReadonlyMap<string, string>;
  /** The normalised objects by label, in order. */
  readonly byLabel: ReadonlyMap<string, readonly string[]>;
}

/** Events and Leases depend on time; the names of IPAddresses are addresses. */
const leftOut = new Set(["events", "leases", "ipaddresses", "componentstatuses"]);
const DISCOVERY = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

interface Discovered {
  readonly items: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions: readonly {
      readonly version: string;
      readonly resources?: readonly { readonly resource: string; readonly verbs: readonly string[] }[];
    }[];
  }[];
}

/** Each listable resource once, in the group's preferred version. */
async function listPaths(plane: ControlPlane): Promise<ReadonlyMap<string, string>> {
  const paths = new Map<string, string>();
  for (const root of ["/api", "/apis"]) {
    const { text } = await plane.request("GET", root, undefined, { accept: DISCOVERY });
    for (const { metadata, versions } of (JSON.parse(text) as Discovered).items) {
      for (const { version, resources = [] } of versions) {
        const group = metadata?.name ?? "";
        for (const { resource, verbs } of resources) {
          if (!verbs.includes("list") || leftOut.has(resource)) continue;
          const key = group === "" ? resource : `${resource}.${group}`;
          if (!paths.has(key)) paths.set(key, `${root}${group === "" ? "" : `/${group}`}/${version}/${resource}`);
        }
      }
    }
  }
  return paths;
}

export async function readState(plane: ControlPlane): Promise<ClusterState> {
  const found: { readonly resource: string; readonly object: KubeObject }[] = [];
  const kinds = new Set<string>();
  for (const [resource, path] of await listPaths(plane)) {
    const list = JSON.parse((await plane.request("GET", path)).text) as { kind: string; items: KubeObject[] };
    const kind = list.kind.replace(/List$/, "");
    if (list.items.length > 0) kinds.add(kind);
    for (const item of list.items) {
      if (!isOfTheServer(item)) found.push({ resource, object: { kind, ...item } });
    }
  }
  const objects = found.map(({ object }) => object);
  const words = new Vocabulary({
    tag: "{no play}",
    phases: [],
    repeated: new Set(),
    symbols: new Map(),
    written: new Map(),
    objects,
    events: [],
  });
  const uids = new Map<string, string>();
  const labels = new Map<string, string>();
  const byLabel = new Map<string, string[]>();
  for (const { resource, object } of found) {
    uids.set(`${resource} ${object.metadata?.namespace ?? ""}/${object.metadata?.name}`, object.metadata?.uid ?? "");
    const label = labelOf(resource, object);
    labels.set(object.metadata?.uid ?? "", label);
    const known = byLabel.get(label);
    const text = stringifyJson(withoutChance(words.value(object), object.kind ?? ""));
    if (known === undefined) byLabel.set(label, [text]);
    else known.push(text);
  }
  for (const texts of byLabel.values()) texts.sort();
  return { objects: objects.length, kinds: kinds.size, uids, labels, byLabel };
}

/** The Service of the API server and its endpoints contain its port. */
function isOfTheServer({ metadata }: KubeObject): boolean {
  return metadata?.namespace === "default" && metadata.name === "kubernetes";
}

/** Objects with generated names share the label of their prefix. */
export function labelOf(resource: string, { metadata }: KubeObject): string {
  const { namespace = "", name = "", generateName } = metadata ?? {};
  const prefix = generateName === undefined || generateName === "" ? undefined : generateName;
  return `${resource} ${namespace}/${prefix === undefined ? name : `${prefix}{?}`}`;
}

/**
 * Chance decides the values of these fields: the node and address of a pod, the last of two managers of a field, the
 * administrator's credential, and the number of steps to the present endpoints or replicas, which generations and the
 * time of the last trigger depend on.
 */
const byChance = new Set([
  "managedFields",
  "nodeName",
  "podIP",
  "podIPs",
  "hostIP",
  "hostIPs",
  "ip",
  "addresses",
  "authentication.kubernetes.io/credential-id",
  "endpoints.kubernetes.io/last-change-trigger-time",
]);
const generations = new Set(["generation", "observedGeneration"]);
const countsSteps = new Set(["ReplicaSet", "EndpointSlice"]);

function withoutChance(value: unknown, kind: string): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutChance(item, kind));
  if (typeof value !== "object" || value === null) return value;
  const isKept = (key: string): boolean => !byChance.has(key) && !(countsSteps.has(kind) && generations.has(key));
  const kept = Object.entries(value).filter(([key]) => isKept(key));
  // A left-out annotation may be the only one.
  return Object.fromEntries(
    kept
      .map(([key, child]) => [key, withoutChance(child, kind)] as const)
      .filter(([key, child]) => key !== "annotations" || Object.keys(child as object).length > 0),
  );
}

/** The differences of two states, as lines. */
export function stateDifferences(control: ClusterState, swapped: ClusterState): readonly string[] {
  const labels = new Set([...control.byLabel.keys(), ...swapped.byLabel.keys()]);
  return [...labels].sort().flatMap((label) => {
    const [expected = [], actual = []] = [control.byLabel.get(label), swapped.byLabel.get(label)];
    if (expected.length !== actual.length)
      return [`${label}: ${expected.length} in the control, ${actual.length} here`];
    return expected.flatMap((text, index) =>
      text === actual[index] ? [] : [`${label}: ${firstDifference(text, actual[index] ?? "")}`],
    );
  });
}

const CONTEXT = 160;

function firstDifference(expected: string, actual: string): string {
  let at = 0;
  while (at < expected.length && expected[at] === actual[at]) at++;
  const from = Math.max(0, at - 60);
  return `control …${expected.slice(from, at + CONTEXT)}… here …${actual.slice(from, at + CONTEXT)}…`;
}
