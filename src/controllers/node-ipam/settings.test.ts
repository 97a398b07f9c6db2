import { describe, expect, it } from "vitest";
import { formatCidr } from "#rules/cidr.ts";
import { type NodeIpamOptions, readSettings } from "./settings.ts";

const options = (more: Partial<NodeIpamOptions>): NodeIpamOptions => ({
  isEnabled: true,
  allocatorType: "RangeAllocator",
  clusterCidr: "10.0.0.0/16",
  serviceCidrs: ["", ""],
  maskSize: 0,
  maskSizeV4: 0,
  maskSizeV6: 0,
  ...more,
});
const DUAL = "10.0.0.0/16,fd00::/48";

describe("the settings of node IPAM", () => {
  it.each<[Partial<NodeIpamOptions>, string[]]>([
    [{}, ["10.0.0.0/16 24"]],
    [{ clusterCidr: "fd00::/48" }, ["fd00::/48 64"]],
    [{ maskSize: 28 }, ["10.0.0.0/16 28"]],
    [{ maskSizeV4: 26 }, ["10.0.0.0/16 26"]],
    [{ clusterCidr: "fd00::/48", maskSizeV6: 60 }, ["fd00::/48 60"]],
    [{ clusterCidr: DUAL }, ["10.0.0.0/16 24", "fd00::/48 64"]],
    [{ clusterCidr: "fd00::/48,10.0.0.0/16", maskSizeV4: 25, maskSizeV6: 56 }, ["fd00::/48 56", "10.0.0.0/16 25"]],
    [{ clusterCidr: "10.0.0.0/8", maskSize: 30 }, ["10.0.0.0/8 30"]],
  ])("node-ipam/flags, node-ipam/tests of %j have ranges %j", (given, shown) => {
    const { ranges } = readSettings(options(given));
    expect(ranges.map(({ cluster, nodeLength }) => `${formatCidr(cluster)} ${nodeLength}`)).toEqual(shown);
  });

  it.each<[Partial<NodeIpamOptions>, string]>([
    [
      { allocatorType: "CloudAllocator" },
      "--cidr-allocator-type is set to 'CloudAllocator' but cloud provider is not configured",
    ],
    [
      { allocatorType: "IPAMFromCluster" },
      "Error trying to Init(): legacy cloud provider support disabled at build time",
    ],
    [
      { allocatorType: "IPAMFromCloud" },
      "Error trying to Init(): legacy cloud provider support disabled at build time",
    ],
    [{ allocatorType: "Mine" }, "invalid CIDR allocator type: Mine"],
  ])("node-ipam/1 of %j are refused: %s", (given, message) => {
    expect(() => readSettings(options(given))).toThrow(message);
  });

  it.each<[Partial<NodeIpamOptions>, string]>([
    [{ clusterCidr: "" }, "invalid CIDR[0]: <nil> (invalid CIDR address: )"],
    [{ clusterCidr: "10.0.0.0/16,x" }, "invalid CIDR[1]: <nil> (invalid CIDR address: x)"],
    [
      { clusterCidr: "10.0.0.0/16,10.1.0.0/16" },
      "len of ClusterCIDRs==2 and they are not configured as dual stack (at least one from each IPFamily",
    ],
    [{ clusterCidr: `${DUAL},10.1.0.0/16` }, "length of clusterCIDRs is:3 more than max allowed of 2"],
    [
      { serviceCidrs: ["10.96.0.0/16", "10.97.0.0/16"] },
      "serviceCIDR and secondaryServiceCIDR are not dualstack (from different IPfamiles)",
    ],
    [{ clusterCidr: DUAL, maskSize: 24 }, "usage of --node-cidr-mask-size is not allowed with dual-stack clusters"],
    [{ maskSize: 24, maskSizeV4: 24 }, "is not allowed if --node-cidr-mask-size is set"],
    [
      { clusterCidr: "fd00::/48", maskSizeV4: 24 },
      "usage of --node-cidr-mask-size-ipv4 is not allowed for a single-stack IPv6 cluster",
    ],
    [{ maskSizeV6: 64 }, "usage of --node-cidr-mask-size-ipv6 is not allowed for a single-stack IPv4 cluster"],
    [{ maskSize: 15 }, "mask size of cluster CIDR must be less than or equal to --node-cidr-mask-size"],
    [{ clusterCidr: "fd00::/47" }, "New CIDR set failed; the node CIDR size is too big"],
    [{ maskSize: 33 }, "New CIDR set failed; the node CIDR size is too big"],
  ])("node-ipam/2 of %j are refused: %s", (given, message) => {
    expect(() => readSettings(options(given))).toThrow(message);
  });

  it("node-ipam/flags keeps out the service ranges that can be read", () => {
    const { services, unreadable } = readSettings(options({ serviceCidrs: ["10.96.0.0/16", "x"] }));
    expect([services.map(formatCidr), unreadable]).toEqual([["10.96.0.0/16"], ["x"]]);
  });
});
