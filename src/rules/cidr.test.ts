import { describe, expect, it } from "vitest";
import { type Cidr, containsCidr, formatCidr, overlaps, parseCidr, subnetAt, subnetCount, subnetsOf } from "./cidr.ts";

const cidr = (text: string): Cidr => {
  const parsed = parseCidr(text);
  if (parsed === undefined) throw new Error(`no range: ${text}`);
  return parsed;
};

describe("ranges of addresses", () => {
  it.each([
    ["10.1.2.3/8", "10.0.0.0/8"],
    ["0.0.0.0/0", "0.0.0.0/0"],
    ["255.255.255.255/32", "255.255.255.255/32"],
    ["2001:db8::1/48", "2001:db8::/48"],
    ["::/0", "::/0"],
    ["::ffff:10.1.0.0/112", "10.1.0.0/16"],
  ])("%s is %s", (text, shown) => {
    expect(formatCidr(cidr(text))).toBe(shown);
  });

  it.each(["", "10.0.0.0", "10.0.0.0/33", "10.0.0/8", "2001:db8::/129", "x/8"])("%j is none", (text) => {
    expect(parseCidr(text)).toBeUndefined();
  });

  it.each([
    ["10.0.0.0/8", "10.1.0.0/16", true, true],
    ["10.1.0.0/16", "10.0.0.0/8", false, true],
    ["10.1.0.0/16", "10.1.0.0/16", true, true],
    ["10.1.0.0/16", "10.2.0.0/16", false, false],
    ["0.0.0.0/0", "::/0", false, false],
    ["2001:db8::/32", "2001:db8:ffff::/48", true, true],
  ])("%s and %s: contains %s, overlaps %s", (a, b, contains, overlap) => {
    expect([containsCidr(cidr(a), cidr(b)), overlaps(cidr(a), cidr(b))]).toEqual([contains, overlap]);
  });

  it.each([
    ["127.123.234.0/16", 24, 0, "127.123.0.0/24"],
    ["127.123.0.0/16", 24, 255, "127.123.255.0/24"],
    ["10.0.0.0/8", 30, 4_194_303, "10.255.255.252/30"],
    ["beef:1234::/48", 64, 4660, "beef:1234:0:1234::/64"],
    ["2001:beef:1200::/44", 60, 65_535, "2001:beef:120f:fff0::/60"],
    ["2001:beef::/48", 64, 35, "2001:beef:0:23::/64"],
    ["1234::/56", 72, 0x1234, "1234:0:0:12:3400::/72"],
    ["::/96", 112, 1, "::1:0/112"],
  ])("node-ipam/5 the subnet of %s with prefix length %d and number %d is %s", (range, length, index, subnet) => {
    expect(formatCidr(subnetAt(cidr(range), length, index))).toBe(subnet);
  });

  it.each([
    ["10.0.0.0/16", 24, "10.0.5.0/24", { from: 5, to: 5 }],
    ["10.0.0.0/16", 24, "10.0.5.128/25", { from: 5, to: 5 }],
    ["10.0.0.0/16", 24, "10.0.8.0/22", { from: 8, to: 11 }],
    ["10.0.0.0/16", 24, "10.0.0.0/8", { from: 0, to: 255 }],
    ["10.0.0.0/16", 24, "10.1.0.0/24", undefined],
    ["10.0.0.0/16", 24, "2001:db8::/64", undefined],
    ["2001:db8::/48", 64, "2001:db8:0:12::/64", { from: 18, to: 18 }],
  ])("node-ipam/3 of the subnets of %s with prefix length %d, %s has %j", (range, length, other, numbers) => {
    expect(subnetsOf(cidr(range), length, cidr(other))).toEqual(numbers);
  });

  it("counts subnets", () => {
    expect([subnetCount(cidr("10.0.0.0/16"), 24), subnetCount(cidr("10.0.0.0/24"), 24)]).toEqual([256, 1]);
  });
});
