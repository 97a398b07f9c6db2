import { expect, it } from "vitest";
import { HostPorts, hostPortsOf } from "./host-ports.ts";
import { testPod } from "./testing.ts";

const port = (hostPort: number, more: { readonly hostIP?: string; readonly protocol?: string } = {}) => ({
  containerPort: 1,
  hostPort,
  ...more,
});

it("a port on all addresses clashes with the same port on any, per protocol", () => {
  const taken = new HostPorts();
  taken.add({ ip: "10.0.0.1", port: "TCP 80" });
  const clashes = (ip: string, name: string): boolean => taken.clashesWith({ ip, port: name });
  expect([clashes("10.0.0.1", "TCP 80"), clashes("0.0.0.0", "TCP 80")]).toEqual([true, true]);
  expect([clashes("10.0.0.2", "TCP 80"), clashes("10.0.0.1", "UDP 80"), clashes("0.0.0.0", "TCP 81")]).toEqual([
    false,
    false,
    false,
  ]);
  taken.add({ ip: "0.0.0.0", port: "TCP 80" });
  expect(clashes("10.0.0.2", "TCP 80")).toBe(true);
  taken.remove({ ip: "0.0.0.0", port: "TCP 80" });
  taken.remove({ ip: "10.0.0.1", port: "TCP 80" });
  expect(clashes("10.0.0.1", "TCP 80")).toBe(false);
});

it("only containers that run as long as the pod use host ports", () => {
  const pod = testPod("p", {
    containers: [{ name: "main", ports: [port(80), { containerPort: 9 }] }],
    initContainers: [
      { name: "first", ports: [port(81)] },
      { name: "side", restartPolicy: "Always", ports: [port(82, { hostIP: "10.0.0.1", protocol: "UDP" })] },
    ],
  });
  expect(hostPortsOf(pod)).toEqual([
    { ip: "10.0.0.1", port: "UDP 82" },
    { ip: "0.0.0.0", port: "TCP 80" },
  ]);
});
