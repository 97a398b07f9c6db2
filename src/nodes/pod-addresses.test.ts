import { describe, expect, it } from "vitest";
import { nodeAddress, PodAddresses } from "./pod-addresses.ts";

describe("addresses of pods", () => {
  it("belong to one pod at a time, including pods that ran before this process", () => {
    const addresses = new PodAddresses(1);
    addresses.keep("old", "10.244.1.3");
    expect(addresses.give("a")).toBe("10.244.1.2");
    expect(addresses.give("b")).toBe("10.244.1.4");
    expect(addresses.give("a")).toBe("10.244.1.2");
    expect(addresses.give("old")).toBe("10.244.1.3");
  });

  it("are reused when a pod is deleted, and run out at some point", () => {
    const addresses = new PodAddresses(0);
    const given = new Set(Array.from({ length: 253 }, (_, i) => addresses.give(String(i))));
    expect([given.size, given.has(undefined)]).toEqual([253, false]);
    expect(addresses.give("one more")).toBeUndefined();
    addresses.free("7");
    expect(addresses.give("one more")).toBe("10.244.0.9");
    addresses.free("nobody");
  });

  it("differ for thousands of nodes, outside of the services' range", () => {
    const first = Array.from({ length: 5000 }, (_, node) => new PodAddresses(node).give("a") ?? "");
    expect(new Set(first).size).toBe(5000);
    expect([first[3071], first[3072]]).toEqual(["10.255.255.2", "10.1.0.2"]);
    expect(first.filter((address) => address.startsWith("10.0."))).toEqual([]);
    expect([nodeAddress(0), nodeAddress(246), nodeAddress(4999)]).toEqual([
      "192.168.0.10",
      "192.168.1.0",
      "192.168.19.145",
    ]);
  });
});
