import { describe, expect, it } from "vitest";
import type { EndpointAddress, EndpointSubset } from "#api/generated/types/core-v1.ts";
import { truncated } from "./truncation.ts";

const addresses = (count: number): readonly EndpointAddress[] => new Array(count).fill({ ip: "10.1.0.1" });
/** "500/100": ready and unready addresses. */
const subset = (text: string): EndpointSubset => {
  const [ready = 0, unready = 0] = text.split("/").map(Number);
  return { addresses: addresses(ready), notReadyAddresses: addresses(unready) };
};
const textOf = (subsets: readonly EndpointSubset[] | undefined): string | undefined =>
  subsets
    ?.map(({ addresses = [], notReadyAddresses = [] }) => `${addresses.length}/${notReadyAddresses.length}`)
    .join(" ");

describe("endpoints/13 Endpoints are cut off at 1,000 addresses", () => {
  it.each([
    ["500/500", undefined],
    ["1000/0", undefined],
    ["1001/0", "1000/0"],
    ["1000/1", "1000/0"],
    ["900/200", "900/100"],
    ["2000/500", "1000/0"],
    ["400/300 400/100", "400/150 400/50"],
    ["800/10 400/10", "667/0 333/0"],
    ["700/0 700/0 700/0", "334/0 334/0 332/0"],
    ["0/1500", "0/1000"],
  ])("%s becomes %s", (given, expected) => {
    expect(textOf(truncated(given.split(" ").map(subset)))).toBe(expected);
  });
});
