import { describe, expect, it } from "vitest";
import { nodeResources, podResources } from "./resource-totals.ts";
import { testNode, testPod } from "./testing.ts";

const MIB = 1024 * 1024;
const container = (name: string, cpu: string, isSidecar = false) => ({
  name,
  resources: { requests: { cpu } },
  ...(isSidecar ? { restartPolicy: "Always" } : {}),
});

describe("the resources of a pod", () => {
  it("are the sum of its containers, or the peak of its init containers with the sidecars before them", () => {
    const initContainers = [container("side", "100m", true), container("first", "2")];
    const pod = testPod("p", { containers: [container("main", "1")], initContainers, overhead: { cpu: "50m" } });
    expect(podResources(pod).milliCpu).toBe(2150);
  });

  it("have defaults for missing requests, only for scores", () => {
    const { milliCpu, memory, nonZero } = podResources(testPod("p", { requests: { cpu: "1" } }));
    expect([milliCpu, memory, nonZero]).toEqual([1000, 0, { milliCpu: 1000, memory: 200 * MIB }]);
  });

  it("are the pod-level resources if set; LeastAllocated still uses those of the containers", () => {
    const pod = testPod("p", { requests: { cpu: "1" }, resources: { requests: { cpu: "3" } } });
    const { milliCpu, nonZero, nonZeroOfContainers } = podResources(pod);
    expect([milliCpu, nonZero.milliCpu, nonZeroOfContainers.milliCpu]).toEqual([3000, 3000, 1000]);
  });

  it("count extended resources, huge pages and attachable volumes by name, and no others", () => {
    const requests = {
      "example.com/gpu": "2",
      "hugepages-2Mi": "4Mi",
      "attachable-volumes-x": "1",
      "kubernetes.io/x": "1",
      "requests.example.com/y": "1",
      unknown: "1",
    };
    const counted = [...podResources(testPod("p", { requests })).scalars.keys()];
    expect(counted).toEqual(["example.com/gpu", "hugepages-2Mi", "attachable-volumes-x", "kubernetes.io/x"]);
  });
});

it("a node without allocatable resources accepts no pods", () => {
  expect(nodeResources(testNode("n")).pods).toBe(110);
  const { allocatable: _, ...status } = testNode("n").status ?? {};
  expect(nodeResources({ ...testNode("n"), status })).toMatchObject({ pods: 0, milliCpu: 0 });
});
