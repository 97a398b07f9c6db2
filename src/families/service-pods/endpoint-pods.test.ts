import { describe, expect, it } from "vitest";
import { Pods, Services } from "#api/generated/resources/core-v1.ts";
import type { Container, ContainerPort, PodSpec, PodStatus } from "#api/generated/types/core-v1.ts";
import { stored } from "#api/testing.ts";
import { endpointHostname, hasEndpoint, targetPort } from "./endpoint-pods.ts";
import type { Pod } from "./model.ts";

function podOf(spec: Partial<PodSpec>, status: PodStatus = {}, namespace = "ns"): Pod {
  return stored(Pods, { metadata: { name: "pod", namespace }, spec: { containers: [], ...spec }, status });
}

/** "a/UDP:11 b:22": the ports of a container. */
function container(text: string, more: Partial<Container> = {}): Container {
  const ports = text.split(" ").map((each): ContainerPort => {
    const [, name = "", protocol = "TCP", number] = /^(\w+)(?:\/(\w+))?:(-?\d+)$/.exec(each) ?? [];
    return { name, protocol, containerPort: Number(number) };
  });
  return { name: "main", ports, ...more };
}

const bare: Container = { name: "bare" };
const sidecar = { restartPolicy: "Always" };

describe("endpoints/7, endpoints/tests, endpointslice/tests the port of a pod", () => {
  it.each<readonly [string, Partial<PodSpec>, number | string, number | undefined]>([
    ["is the number, whatever ports it names", { containers: [bare] }, 93, 93],
    ["is the number beside others", { containers: [container("a:11 b:22")] }, 93, 93],
    ["is none without ports", { containers: [bare] }, "p", undefined],
    ["is the one of the name", { containers: [container("p/UDP:11 p:22 q:33")] }, "q", 33],
    ["is found in the second container", { containers: [bare, container("p/UDP:11 p:22 q:33")] }, "q", 33],
    ["is the first of the name", { containers: [container("q:22"), container("q:33")] }, "q", 22],
    ["has the protocol of the Service", { containers: [container("q/UDP:11 q:22")] }, "q", 22],
    ["is none of another protocol", { containers: [bare, container("a/UDP:11")] }, "a", undefined],
    ["is that of the container, not of the host", { containers: [withHostPort("a:11", 81)] }, "a", 11],
    ["may be a sidecar's", { initContainers: [container("a:80", sidecar)] }, "a", 80],
    ["is no init container's that ends", { initContainers: [container("a:80")] }, "a", undefined],
    [
      "is that of the first container, before a sidecar's",
      { initContainers: [container("a:80", sidecar)], containers: [container("a:81"), container("a:82")] },
      "a",
      81,
    ],
  ])("%s", (_, spec, target, expected) => {
    expect(targetPort(podOf(spec), { port: 80, protocol: "TCP", targetPort: target })).toBe(expected);
  });
});

function withHostPort(text: string, hostPort: number): Container {
  const { ports = [], ...rest } = container(text);
  return { ...rest, ports: ports.map((port) => ({ ...port, hostPort, hostIP: "192.0.2.1" })) };
}

const address = { podIP: "10.1.0.1", podIPs: [{ ip: "10.1.0.1" }] };
const twoAddresses = { podIPs: [{ ip: "10.1.0.1" }, { ip: "fd00::1" }] };

describe("endpoints/4, endpointslice/7, endpointslice/tests a pod", () => {
  it.each<readonly [string, string, PodStatus, boolean]>([
    ["Never", "Failed", address, false],
    ["Never", "Succeeded", address, false],
    ["OnFailure", "Succeeded", address, false],
    ["Always", "Failed", address, false],
    ["OnFailure", "Running", {}, false],
    ["Never", "Pending", address, true],
    ["OnFailure", "Unknown", address, true],
    ["Never", "Running", address, true],
    ["OnFailure", "Running", { podIP: "10.1.0.1" }, true],
    ["OnFailure", "Running", twoAddresses, true],
  ])(
    "with restart policy %s, phase %s and addresses %o is an endpoint: %s",
    (restartPolicy, phase, status, expected) => {
      expect(hasEndpoint(podOf({ restartPolicy }, { ...status, phase }))).toBe(expected);
    },
  );

  it.each([
    ["has its own host name in the subdomain of the Service", "host", "web", "ns", "host"],
    ["has none without a host name", "", "web", "ns", undefined],
    ["has none in another subdomain", "host", "other", "ns", undefined],
    ["has none without a subdomain", "host", "", "ns", undefined],
    ["has none of a Service in another namespace", "host", "web", "other", undefined],
  ])("%s", (_, hostname, subdomain, namespace, expected) => {
    const service = stored(Services, { metadata: { name: "web", namespace: "ns" } });
    expect(endpointHostname(podOf({ hostname, subdomain }, {}, namespace), service)).toBe(expected);
  });
});
