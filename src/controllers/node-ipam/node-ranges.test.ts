import { describe, expect, it } from "vitest";
import { Nodes } from "#api/generated/resources/core-v1.ts";
import type { Node } from "#api/generated/types/core-v1.ts";
import type { StoredCluster } from "#api/resource.ts";
import { stored } from "#api/testing.ts";
import { noLog } from "#base/log.ts";
import { MetricRegistry } from "#base/metric-registry.ts";
import { type Cidr, formatCidr, parseCidr } from "#rules/cidr.ts";
import { CidrSet, sizeOf } from "./cidr-set.ts";
import { registerCidrSetMetrics } from "./metrics.ts";
import { NodeRanges } from "./node-ranges.ts";
import type { NodeRange } from "./settings.ts";

const cidr = (text: string): Cidr => parseCidr(text) ?? expect.fail(text);
const range = (cluster: string, nodeLength: number): NodeRange => ({ cluster: cidr(cluster), nodeLength });

function rangesOf(...ranges: readonly NodeRange[]): { ranges: NodeRanges; registry: MetricRegistry } {
  const registry = new MetricRegistry({ version: "1.36.4" });
  const sets = ranges.map(
    (one) => new CidrSet(one, registerCidrSetMetrics(registry, formatCidr(one.cluster), sizeOf(one))),
  );
  return { ranges: new NodeRanges(sets), registry };
}

const node = (...podCIDRs: readonly string[]): StoredCluster<Node> =>
  stored(Nodes, { metadata: { name: "node" }, spec: { podCIDR: podCIDRs[0] ?? "", podCIDRs } });
const next = (ranges: NodeRanges): string => ranges.allocate().map(formatCidr).join();

describe("the ranges of nodes", () => {
  it("node-ipam/5 are given away in ascending order, and freed ones after the others", () => {
    const { ranges } = rangesOf(range("10.0.0.0/30", 32));
    expect([next(ranges), next(ranges)]).toEqual(["10.0.0.0/32", "10.0.0.1/32"]);
    ranges.releaseOf(node("10.0.0.0/32"));
    expect([next(ranges), next(ranges), next(ranges)]).toEqual(["10.0.0.2/32", "10.0.0.3/32", "10.0.0.0/32"]);
    expect(() => next(ranges)).toThrow(
      "failed to allocate cidr from cluster cidr at idx:0: CIDR allocation failed; there are no remaining CIDRs left to allocate in the accepted range",
    );
  });

  it("node-ipam/3 are not given away when nodes or services have them", () => {
    const kept = range("10.0.0.0/24", 26);
    const { ranges } = rangesOf(kept);
    ranges.keepOut(cidr("10.0.0.0/28"), [kept]);
    ranges.keepOut(cidr("192.168.0.0/16"), [kept]);
    ranges.occupy(node("10.0.0.128/26"));
    ranges.occupy(node("10.0.0.128/26"));
    expect([next(ranges), next(ranges)]).toEqual(["10.0.0.64/26", "10.0.0.192/26"]);
    expect(() => next(ranges)).toThrow("no remaining CIDRs");
  });

  it("node-ipam/3 are all the services' when these contain the cluster's", () => {
    const kept = range("10.0.0.0/24", 26);
    const { ranges } = rangesOf(kept);
    ranges.keepOut(cidr("10.0.0.0/8"), [kept]);
    expect(() => next(ranges)).toThrow("no remaining CIDRs");
  });

  it.each([
    [["x"], "failed to parse node node, CIDR x"],
    [
      ["10.1.0.0/24"],
      "failed to mark cidr[10.1.0.0/24] at idx [0] as occupied for node: node: cidr 10.1.0.0/24 is out the range of cluster cidr 10.0.0.0/16",
    ],
    [
      ["10.0.1.0/24", "fd00::/64"],
      "node:node has an allocated cidr: fd00::/64 at index:1 that does not exist in cluster cidrs configuration",
    ],
  ])("node-ipam/3 of a node %j cannot be used: %s", (podCIDRs, message) => {
    const { ranges } = rangesOf(range("10.0.0.0/16", 24));
    expect(() => ranges.occupy(node(...podCIDRs))).toThrow(message);
  });

  it("node-ipam/7, node-ipam/5 come from both families, and are lost when the second has none", () => {
    const { ranges } = rangesOf(range("10.0.0.0/24", 26), range("fd00::/63", 64));
    expect([next(ranges), next(ranges)]).toEqual(["10.0.0.0/26,fd00::/64", "10.0.0.64/26,fd00:0:0:1::/64"]);
    expect(() => next(ranges)).toThrow("failed to allocate cidr from cluster cidr at idx:1");
    ranges.release([cidr("10.0.0.0/26"), cidr("fd00::/64")], noLog);
    expect(next(ranges)).toBe("10.0.0.192/26,fd00::/64");
  });

  it("node-ipam/metrics are counted", () => {
    const { ranges, registry } = rangesOf(range("10.0.0.0/24", 26));
    next(ranges);
    next(ranges);
    ranges.releaseOf(node("10.0.0.0/26"));
    const text = registry.render();
    const label = '{clusterCIDR="10.0.0.0/24"}';
    for (const line of [
      `node_ipam_controller_cidrset_cidrs_allocations_total${label} 2`,
      `node_ipam_controller_cidrset_cidrs_releases_total${label} 1`,
      `node_ipam_controller_cirdset_max_cidrs${label} 4`,
      `node_ipam_controller_cidrset_usage_cidrs${label} 0.25`,
      `node_ipam_controller_cidrset_allocation_tries_per_request_count${label} 2`,
    ]) {
      expect(text).toContain(line);
    }
  });

  it("node-ipam/metrics are not shown before their first value, except the size of the range", () => {
    const { ranges, registry } = rangesOf(range("10.0.0.0/24", 26));
    const shown = (): readonly string[] =>
      [...registry.render().matchAll(/^# TYPE node_ipam_controller_(\w+)/gm)].map(([, name = ""]) => name);
    expect(shown()).toEqual(["cirdset_max_cidrs"]);
    ranges.occupy(node("10.0.0.0/26"));
    expect(shown()).toEqual(["cidrset_cidrs_allocations_total", "cidrset_usage_cidrs", "cirdset_max_cidrs"]);
  });
});
