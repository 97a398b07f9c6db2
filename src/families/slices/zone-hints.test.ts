import { describe, expect, it } from "vitest";
import type { Node } from "#api/generated/types/core-v1.ts";
import type { Endpoint } from "#api/generated/types/discovery-v1.ts";
import type { SliceDraft } from "./model.ts";
import { isOverloaded, zoneShares } from "./zone-allocation.ts";
import { withZoneHints } from "./zone-hints.ts";

function node(
  zone: string | undefined,
  cpu = "1",
  more: { labels?: Record<string, string>; ready?: string } = {},
): Node {
  const labels = { ...(zone === undefined ? {} : { "topology.kubernetes.io/zone": zone }), ...more.labels };
  return {
    metadata: { labels },
    status: { allocatable: { cpu }, conditions: [{ type: "Ready", status: more.ready ?? "True" }] },
  };
}

/** "a a b": the zones of ready endpoints. */
function slice(zones: string): SliceDraft {
  const endpoints = zones.split(" ").map((zone, i): Endpoint => {
    return { addresses: [`10.1.0.${i}`], conditions: { ready: true }, ...(zone === "-" ? {} : { zone }) };
  });
  return { metadata: { generateName: "web-" }, addressType: "IPv4", endpoints };
}

function hintsOf(zones: string, nodes: readonly Node[]): string {
  const hinted = withZoneHints({ create: [slice(zones)], update: [], unchanged: [] }, zoneShares(nodes));
  if (typeof hinted === "string") return hinted;
  return (hinted.create[0]?.endpoints ?? []).map(({ hints }) => hints?.forZones?.[0]?.name).join(" ");
}

const twoEqual = [node("a"), node("b")];

describe("hints by zones", () => {
  it.each([
    ["endpointslice/17 each serves its own zone", "a a b b", twoEqual, "a a b b"],
    ["endpointslice/17 one is lent", "a a a b", twoEqual, "b a a b"],
    ["endpointslice/17 a zone without endpoints borrows", "a a a a", twoEqual, "b b a a"],
    ["endpointslice/17 shares follow the CPU", "a a a b b b", [node("a", "2"), node("b")], "a a a a b b"],
    ["endpointslice/17 half an endpoint is not moved", "a a a a b b b", twoEqual, "a a a a b b b"],
  ])("%s", (_, zones, nodes, hints) => {
    expect(hintsOf(zones, nodes).split(" ").toSorted()).toEqual(hints.split(" ").toSorted());
  });

  it.each([
    ["fewer endpoints than zones", "a", twoEqual, "Insufficient number of endpoints (1 endpoints, 2 zones)"],
    [
      "a share too small for a whole endpoint",
      "a a a",
      [node("a", "10"), node("b", "1"), node("c", "1")],
      "Unable to allocate minimum required endpoints to each zone without exceeding overload threshold (3 endpoints, 3 zones)",
    ],
    ["an endpoint without a zone", "a - b b", twoEqual, "One or more endpoints do not have a zone specified"],
    [
      "nodes in one zone",
      "a a",
      [node("a"), node("a")],
      "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes",
    ],
    [
      "a node without a zone",
      "a b",
      [...twoEqual, node(undefined)],
      "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes",
    ],
    [
      "a node without CPU",
      "a b",
      [...twoEqual, node("a", "0")],
      "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes",
    ],
  ])("endpointslice/16, endpointslice/17 there are none with %s", (_, zones, nodes, why) => {
    expect(hintsOf(zones, nodes)).toBe(why);
  });

  it("endpointslice/16 before any node was seen there are none", () => {
    expect(withZoneHints({ create: [slice("a b")], update: [], unchanged: [] }, new Map())).toBe(
      "Nodes only ready in one zone",
    );
  });

  it("endpointslice/16 nodes of the control plane and unready ones do not count", () => {
    const control = node(undefined, "1", { labels: { "node-role.kubernetes.io/control-plane": "" } });
    const master = node(undefined, "1", { labels: { "node-role.kubernetes.io/master": "x" } });
    const unready = node(undefined, "1", { ready: "False" });
    expect(zoneShares([...twoEqual, control, master, unready])).toEqual(
      new Map([
        ["a", 0.5],
        ["b", 0.5],
      ]),
    );
  });

  it.each([
    [{ a: 5, b: 5 }, false],
    [{ a: 6, b: 4 }, true],
    [{ a: 11, b: 9 }, false],
    [{ a: 10 }, true],
    [{}, false],
  ])("endpointslice/16 endpoints %o are too few for a zone: %s", (counts, isTooFew) => {
    expect(isOverloaded(new Map(Object.entries(counts)), zoneShares(twoEqual))).toBe(isTooFew);
    expect(isOverloaded(new Map(Object.entries(counts)), undefined)).toBe(Object.keys(counts).length > 0);
  });
});
