// The plans of upstream's reconciler for 2,000 random states (tools/go/vectors-slices): how many slices are created,
// updated and deleted, which ones if the choice is not random, the number of endpoints in each, and all endpoints.

import { describe, expect, it } from "vitest";
import { Nodes, Pods, Services } from "#api/generated/resources/core-v1.ts";
import { EndpointSlices } from "#api/generated/resources/discovery-v1.ts";
import type { Endpoint } from "#api/generated/types/discovery-v1.ts";
import { stored } from "#api/testing.ts";
import type { Pod, Service } from "#families/service-pods/model.ts";
import { type EndpointSlice, endpointsOf, type SliceDraft } from "#families/slices/model.ts";
import { recycled } from "#families/slices/writes.ts";
import vectors from "#test/vectors/slices.json" with { type: "json" };
import { hintSlices } from "./hinting.ts";
import { CONTROLLER_NAME, type Node } from "./model.ts";
import { planSlices } from "./planning.ts";
import { isOwnedBy } from "./slice-form.ts";
import { Topology } from "./topology.ts";

interface State {
  readonly max: number;
  readonly traffic?: string;
  readonly pods: readonly string[] | null;
  readonly slices: readonly string[] | null;
  readonly outcome: {
    readonly creates: number;
    readonly updates: number;
    readonly deletes: number;
    readonly updated?: string;
    readonly deleted?: string;
    readonly groups: Readonly<Record<string, string>>;
  };
}

const states = vectors as readonly State[];

const PORTS: Readonly<Record<string, number>> = { 0: 8080, 1: 9090, x: 7070 };
const ZONES: Readonly<Record<string, string>> = { a: "zone-a", b: "zone-b" };
const namespace = "team-a";

const nodes = new Map(
  ["a", "b", "n"].map((letter): readonly [string, Node] => {
    const zone = ZONES[letter];
    const labels = zone === undefined ? {} : { "topology.kubernetes.io/zone": zone };
    return [`node-${letter}`, stored(Nodes, { metadata: { name: `node-${letter}`, labels } })];
  }),
);

function serviceOf({ traffic }: State): Service {
  return stored(Services, {
    metadata: { name: "web", namespace, uid: "service", labels: { team: "a" } },
    spec: {
      clusterIP: "10.0.0.10",
      selector: { app: "web" },
      ipFamilies: ["IPv4"],
      ports: [{ port: 80, protocol: "TCP", targetPort: "http" }],
      ...(traffic === undefined ? {} : { trafficDistribution: traffic }),
    },
  });
}

function podOf(text: string, index: number): Pod {
  const [state, group = "", node] = text;
  const port = PORTS[group];
  const ports = port === undefined ? [] : [{ name: "http", containerPort: port, protocol: "TCP" }];
  return stored(Pods, {
    metadata: {
      name: `p${index}`,
      namespace,
      uid: `u${index}`,
      ...(state === "t" ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}),
    },
    spec: { nodeName: `node-${node}`, containers: [{ name: "main", ports }] },
    status: {
      phase: state === "d" ? "Succeeded" : "Running",
      conditions: [{ type: "Ready", status: state === "u" ? "False" : "True" }],
      ...(state === "i" ? {} : { podIPs: [{ ip: `10.1.0.${index + 1}` }] }),
    },
  });
}

function sliceOf(state: State, text: string, index: number): EndpointSlice {
  const [group = "", owned, labels] = text;
  const port = PORTS[group];
  return stored(EndpointSlices, {
    metadata: {
      name: `s${index}`,
      namespace,
      uid: `us${index}`,
      labels: {
        team: labels === "d" ? "b" : "a",
        "kubernetes.io/service-name": "web",
        "endpointslice.kubernetes.io/managed-by": CONTROLLER_NAME,
      },
      ownerReferences: [{ apiVersion: "v1", kind: "Service", name: "web", uid: owned === "f" ? "other" : "service" }],
    },
    addressType: "IPv4",
    ports: port === undefined ? [] : [{ name: "", protocol: "TCP", port }],
    endpoints:
      text.length === 4
        ? []
        : text
            .slice(4)
            .split(",")
            .map((each) => endpointOf(state, each)),
  });
}

function endpointOf({ pods }: State, text: string): Endpoint {
  const [, id = "", change, hint] = /^(q?\d+)([=!])(h?)$/.exec(text) ?? [];
  const isChanged = change === "!";
  if (id.startsWith("q")) {
    return {
      addresses: [`10.2.0.${id.slice(1)}`],
      conditions: { ready: !isChanged, serving: !isChanged, terminating: false },
      targetRef: { kind: "Pod", namespace, name: id, uid: id },
    };
  }
  const [state, , node = ""] = pods?.[Number(id)] ?? "";
  const serving = (state !== "u") !== isChanged;
  const terminating = state === "t";
  const zone = ZONES[node];
  return {
    addresses: [`10.1.0.${Number(id) + 1}`],
    conditions: { ready: serving && !terminating, serving, terminating },
    targetRef: { kind: "Pod", namespace, name: `p${id}`, uid: `u${id}` },
    nodeName: `node-${node}`,
    ...(zone === undefined ? {} : { zone }),
    ...(zone !== undefined && hint === "h" ? { hints: { forZones: [{ name: zone }] } } : {}),
  };
}

function endpointText({ targetRef, conditions, hints }: Endpoint): string {
  const flags = [conditions?.ready && "r", conditions?.serving && "s", conditions?.terminating && "t"];
  const zones = (hints?.forZones ?? []).map(({ name }) => `+${name.replace("zone-", "")}`);
  const hosts = (hints?.forNodes ?? []).map(({ name }) => `@${name.replace("node-", "")}`);
  return `${targetRef?.name}:${[...flags.filter(Boolean), ...zones, ...hosts].join("")}`;
}

function groupsOf(left: readonly (SliceDraft | EndpointSlice)[]): Readonly<Record<string, string>> {
  const nameOf = ({ ports }: SliceDraft | EndpointSlice): string =>
    Object.keys(PORTS).find((name) => PORTS[name] === ports?.[0]?.port) ?? "-";
  const texts = Array.from(Map.groupBy(left, nameOf), ([name, slices]) => {
    const sizes = slices.map((slice) => endpointsOf(slice).length).toSorted((a, b) => a - b);
    const endpoints = slices.flatMap((slice) => endpointsOf(slice).map(endpointText)).toSorted();
    return [name, `${sizes.join(" ")} | ${endpoints.join(" ")}`];
  });
  return Object.fromEntries(texts);
}

function outcomeOf(state: State): Required<State["outcome"]> {
  const service = serviceOf(state);
  const slices = (state.slices ?? []).map((text, index) => sliceOf(state, text, index));
  const pods = (state.pods ?? []).map(podOf);
  const nodeOf = (name: string): Node | undefined => nodes.get(name);
  const plan = planSlices({ service, pods, slices, nodeOf, addressType: "IPv4", endpointsMax: state.max });
  const hinted = { ...hintSlices(service, "IPv4", plan, new Topology()), remove: plan.remove };
  const { create, update, remove } = recycled(hinted, (slice) => isOwnedBy(slice, service));
  const names = (list: readonly (SliceDraft | EndpointSlice)[]): string =>
    list
      .map(({ metadata }) => metadata.name)
      .toSorted()
      .join(" ");
  const written = new Set([...update, ...remove].map(({ metadata }) => metadata.name));
  const left = [...slices.filter(({ metadata }) => !written.has(metadata.name)), ...update, ...create];
  return {
    creates: create.length,
    updates: update.length,
    deletes: remove.length,
    updated: names(update),
    deleted: names(remove),
    groups: groupsOf(left),
  };
}

describe("endpointslice/9, endpointslice/10, endpointslice/11, endpointslice/tests the slices of a Service", () => {
  it("are packed as upstream packs them, from 2,000 states", () => {
    expect(states).toHaveLength(2000);
    for (const state of states) {
      const { outcome, ...given } = state;
      expect({ given, outcome: outcomeOf(state) }).toMatchObject({ given, outcome });
    }
  });

  it("are judged by states in which chance decides little", () => {
    const named = states.filter(({ outcome }) => outcome.updated !== undefined && outcome.deleted !== undefined);
    expect(named.length).toBeGreaterThan(1000);
  });
});
