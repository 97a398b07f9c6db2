import { describe, expect, it } from "vitest";
import { Pods, Services } from "#api/generated/resources/core-v1.ts";
import type { PodStatus, ServicePort, ServiceSpec } from "#api/generated/types/core-v1.ts";
import { stored } from "#api/testing.ts";
import { wantedSubsets } from "./wanted-subsets.ts";

const http: ServicePort = { port: 80, protocol: "TCP", targetPort: 8080 };

/** The addresses of the pod that a Service has. */
function addressesOf(service: ServiceSpec, status: PodStatus): readonly string[] {
  const pod = stored(Pods, {
    metadata: { name: "pod" },
    spec: { nodeName: "node", containers: [] },
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }], ...status },
  });
  const spec = { ports: [http], ...service };
  const subsets = wantedSubsets(stored(Services, { metadata: { name: "web" }, spec }), [pod]);
  return subsets.flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip));
}

const ips = (...all: readonly string[]): PodStatus => ({
  ...(all[0] === undefined ? {} : { podIP: all[0] }),
  podIPs: all.map((ip) => ({ ip })),
});
const v4 = ips("10.244.0.1");
const v6 = ips("fd00::10");
const both = ips("10.244.0.1", "fd00::10");
const reversed = ips("fd00::10", "10.244.0.1");

describe("endpoints/5, endpoints/6, endpoints/tests the address of a pod", () => {
  it.each<readonly [string, ServiceSpec, PodStatus, readonly string[]]>([
    ["IPv4", { clusterIP: "10.0.0.1", ipFamilies: ["IPv4"] }, v4, ["10.244.0.1"]],
    ["IPv4, of two", { clusterIP: "10.0.0.1", ipFamilies: ["IPv4"] }, both, ["10.244.0.1"]],
    ["IPv4, the second of two", { clusterIP: "10.0.0.1", ipFamilies: ["IPv4"] }, reversed, ["10.244.0.1"]],
    ["IPv4 for a headless Service", { clusterIP: "None", ipFamilies: ["IPv4"] }, v4, ["10.244.0.1"]],
    ["IPv6, the second of two", { clusterIP: "fd00::1", ipFamilies: ["IPv6"] }, both, ["fd00::10"]],
    ["IPv6 for a headless Service", { clusterIP: "None", ipFamilies: ["IPv6"] }, v6, ["fd00::10"]],
    ["of the first family", { clusterIP: "fd00::1", ipFamilies: ["IPv6", "IPv4"] }, both, ["fd00::10"]],
    ["none of a family that the pod lacks", { clusterIP: "fd00::1", ipFamilies: ["IPv6"] }, v4, []],
    ["that of the Service's address, IPv4", { clusterIP: "10.0.0.1" }, v4, ["10.244.0.1"]],
    ["that of the Service's address, IPv6", { clusterIP: "fd00::1" }, v6, ["fd00::10"]],
    ["none where the pod lacks that", { clusterIP: "10.0.0.1" }, v6, []],
    ["the pod's own for a headless Service, IPv4", { clusterIP: "None" }, v4, ["10.244.0.1"]],
    ["the pod's own for a headless Service, IPv6", { clusterIP: "None" }, v6, ["fd00::10"]],
    ["in its usual form", { clusterIP: "10.0.0.1" }, ips("010.244.0.001"), ["10.244.0.1"]],
  ])("is %s", (_, service, status, expected) => {
    expect(addressesOf(service, status)).toEqual(expected);
  });

  it("has no subset without ports, unless the Service is headless", () => {
    expect(addressesOf({ clusterIP: "10.0.0.1", ports: [] }, v4)).toEqual([]);
    expect(addressesOf({ clusterIP: "None", ports: [] }, v4)).toEqual(["10.244.0.1"]);
  });

  it("is at each protocol of the same port", () => {
    const ports = ["TCP", "UDP", "SCTP"].map(
      (protocol): ServicePort => ({ ...http, name: protocol.toLowerCase(), protocol }),
    );
    const spec = { clusterIP: "10.0.0.1", ports };
    const pod = stored(Pods, {
      metadata: { name: "pod" },
      spec: { containers: [] },
      status: { phase: "Running", ...v4 },
    });
    const subsets = wantedSubsets(stored(Services, { metadata: { name: "web" }, spec }), [pod]);
    expect(subsets).toHaveLength(1);
    expect(subsets[0]?.ports?.map(({ protocol }) => protocol).toSorted()).toEqual(["SCTP", "TCP", "UDP"]);
  });
});
