import { describe, expect, it } from "vitest";
import { IPAddresses, ServiceCIDRs } from "#api/generated/resources/networking-v1.ts";
import { stored } from "#api/testing.ts";
import {
  canBeDeleted,
  containsAddress,
  isOverlapping,
  type StoredIpAddress,
  type StoredServiceCidr,
} from "./containment.ts";

const cidr = (name: string, ...cidrs: readonly string[]): StoredServiceCidr =>
  stored(ServiceCIDRs, { metadata: { name }, spec: { cidrs } });
const address = (name: string, managedBy = "ipallocator.k8s.io"): StoredIpAddress =>
  stored(IPAddresses, {
    metadata: {
      name,
      labels: {
        "ipaddress.kubernetes.io/managed-by": managedBy,
        "ipaddress.kubernetes.io/ip-family": name.includes(":") ? "IPv6" : "IPv4",
      },
    },
    spec: { parentRef: { resource: "services", name: "web", namespace: "ns" } },
  });

const V4 = "192.168.0.0/24";
const V6 = "2001:db8::/96";

describe("ServiceCIDRs that overlap", () => {
  it.each([
    [[V4], [V4], true],
    [[V4], ["192.168.0.0/16"], true],
    [["192.168.0.0/16"], [V4], true],
    [[V4], ["192.168.1.0/24"], false],
    [[V4, V6], ["2001:db8::/64"], true],
    [[V4], [V6], false],
  ])("service-cidr/1 %j and %j: %s", (a, b, expected) => {
    expect(isOverlapping(cidr("a", ...a), cidr("b", ...b))).toBe(expected);
  });
});

describe("addresses of a ServiceCIDR", () => {
  it.each([
    ["192.168.0.1", true],
    ["192.168.0.254", true],
    ["192.168.0.0", false],
    ["192.168.0.255", false],
    ["192.168.1.1", false],
    ["2001:db8::1", true],
    ["2001:db8::", false],
    ["2001:db8::ffff:ffff", true],
    ["2001:db9::1", false],
  ])("service-cidr/1 %s: %s", (name, expected) => {
    expect(containsAddress(cidr("a", V4, V6), address(name))).toBe(expected);
  });
});

describe("a ServiceCIDR", () => {
  const dual = cidr("gone", V4, V6);
  it.each<[string, StoredServiceCidr[], StoredIpAddress[], boolean]>([
    ["without addresses", [], [], true],
    ["with an address", [], [address("192.168.0.1")], false],
    ["with an address of its second family", [], [address("2001:db8::1")], false],
    ["with an address of others", [], [address("10.0.0.1")], true],
    ["with an address that users made", [], [address("192.168.0.1", "me")], true],
    ["with the address of its network alone", [], [address("192.168.0.0")], true],
    ["with an address that another one contains", [cidr("b", "192.168.0.0/28")], [address("192.168.0.1")], true],
    [
      "with an address that another one does not contain",
      [cidr("b", "192.168.0.0/28")],
      [address("192.168.0.99")],
      false,
    ],
    ["equal to another one", [cidr("b", V4, V6)], [address("192.168.0.1"), address("2001:db8::1")], true],
    ["within two others", [cidr("b", "192.168.0.0/16"), cidr("c", "2001:db8::/64")], [address("2001:db8::1")], true],
    ["half within another one", [cidr("b", "192.168.0.0/16")], [address("2001:db8::1")], false],
  ])("service-cidr/3, service-cidr/tests %s can be deleted", (_name, others, addresses, expected) => {
    expect(canBeDeleted(dual, [dual, ...others], addresses)).toBe(expected);
  });
});
