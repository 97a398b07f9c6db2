import { describe, expect, it } from "vitest";
import type { Endpoint } from "#api/generated/types/discovery-v1.ts";
import { EndpointSet, isSameState } from "./endpoint-set.ts";

const target = { kind: "Pod", namespace: "ns", name: "pod", uid: "u1" };
const endpoint: Endpoint = {
  addresses: ["10.1.0.1"],
  conditions: { ready: true, serving: true, terminating: false },
  nodeName: "node-1",
  zone: "zone-1",
  targetRef: { ...target, resourceVersion: "1" },
};

describe("endpointslice/9, endpointslice/tests, endpointslice-mirroring/tests an endpoint", () => {
  it.each<readonly [string, Partial<Endpoint>, boolean]>([
    ["nothing", {}, true],
    ["its node", { nodeName: "node-2" }, false],
    ["its zone", { zone: "zone-2" }, false],
    ["its readiness", { conditions: { ready: false, serving: true, terminating: false } }, false],
    ["serving, to none", { conditions: { ready: true, terminating: false } }, false],
    ["serving", { conditions: { ready: true, serving: false, terminating: false } }, false],
    ["terminating", { conditions: { ready: true, serving: true, terminating: true } }, false],
    ["its pod", { targetRef: { ...target, name: "other" } }, false],
    ["its pod to one of the same name", { targetRef: { ...target, uid: "u2" } }, false],
    ["the version of its pod", { targetRef: { ...target, resourceVersion: "2" } }, true],
    ["the version of its pod to none", { targetRef: target }, true],
    ["its hints", { hints: { forZones: [{ name: "zone-2" }] } }, true],
  ])("that changes %s is in the same state: %s", (_, change, expected) => {
    expect(isSameState(endpoint, { ...endpoint, ...change })).toBe(expected);
    expect(isSameState({ ...endpoint, ...change }, endpoint)).toBe(expected);
  });

  it.each<readonly [string, Partial<Endpoint>, boolean]>([
    ["state", { conditions: { ready: false }, nodeName: "node-2", zone: "zone-2" }, true],
    ["object of the same name", { targetRef: { ...target, uid: "u2" } }, true],
    ["object", { targetRef: { ...target, name: "other" } }, false],
    ["address", { addresses: ["10.1.0.2"] }, false],
    ["host name", { hostname: "first" }, false],
  ])("with another %s is the same endpoint: %s", (_, change, expected) => {
    const set = new EndpointSet();
    set.add(endpoint);
    expect(set.get({ ...endpoint, ...change }) === endpoint).toBe(expected);
  });
});
