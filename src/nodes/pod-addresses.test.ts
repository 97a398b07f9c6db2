import { describe, expect, it } from "vitest";
import { PodAddresses } from "./pod-addresses.ts";

describe("addresses of pods", () => {
  it("belong to one pod at a time, whoever had them before this process", () => {
    const addresses = new PodAddresses(1);
    addresses.keep("old", "10.245.0.3");
    expect(addresses.give("a")).toBe("10.245.0.2");
    expect(addresses.give("b")).toBe("10.245.0.4");
    expect(addresses.give("a")).toBe("10.245.0.2");
    expect(addresses.give("old")).toBe("10.245.0.3");
  });

  it("come back when a pod is gone, and end at some time", () => {
    const addresses = new PodAddresses(0);
    const given = new Set(Array.from({ length: 65_000 }, (_, i) => addresses.give(String(i))));
    expect([given.size, given.has(undefined)]).toEqual([65_000, false]);
    expect(addresses.give("one more")).toBeUndefined();
    addresses.free("7");
    expect(addresses.give("one more")).toBe("10.244.0.9");
    addresses.free("nobody");
  });
});
