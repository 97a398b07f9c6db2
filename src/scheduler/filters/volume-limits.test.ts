import { expect, it } from "vitest";
import type { PersistentVolume, PersistentVolumeClaim } from "#api/generated/types/core-v1.ts";
import type { CSINode, VolumeAttachment } from "#api/generated/types/storage-v1.ts";
import type { Stored, StoredCluster } from "#api/resource.ts";
import { ClusterState } from "../cluster-state.ts";
import { podFacts } from "../pod-facts.ts";
import { clusterObjects, objectsIn, testNode, testPod } from "../testing.ts";
import { filterVolumeLimits } from "./volume-limits.ts";

const DRIVER = "csi.example.com";
const stored = (name: string) => ({ name, uid: name, resourceVersion: "1", creationTimestamp: "2027-01-01T00:00:00Z" });
const volume = (name: string): StoredCluster<PersistentVolume> => ({
  metadata: stored(name),
  spec: { csi: { driver: DRIVER, volumeHandle: name } },
});
const claim = (name: string): Stored<PersistentVolumeClaim> => ({
  metadata: { ...stored(name), namespace: "default" },
  spec: { volumeName: name },
});
const using = (claimName: string) => ({ volumes: [{ name: "v", persistentVolumeClaim: { claimName } }] });

function fits(limit: number, wanted: string, bound: readonly string[], attached: readonly string[]): boolean {
  const names = ["a", "b", "c"];
  const csiNode: StoredCluster<CSINode> = {
    metadata: stored("n"),
    spec: { drivers: [{ name: DRIVER, nodeID: "n", allocatable: { count: limit } }] },
  };
  const attachments = attached.map((name): StoredCluster<VolumeAttachment> => {
    const spec = { attacher: DRIVER, nodeName: "n", source: { persistentVolumeName: name } };
    return { metadata: stored(name), spec };
  });
  const objects = clusterObjects({
    volumes: objectsIn(names.map(volume)),
    claims: objectsIn(names.map(claim)),
    csiNodes: objectsIn([csiNode]),
    attachmentsOf: () => attachments,
  });
  const state = new ClusterState();
  state.setNode(testNode("n"));
  for (const name of bound) state.setPod(podFacts(testPod(`pod-${name}`, using(name))), "n");
  const filter = filterVolumeLimits(testPod("p", using(wanted)), objects);
  const [node] = state.nodes;
  return typeof filter === "function" && node !== undefined && filter(node) === undefined;
}

it("volumes of pods and attached volumes count once each; a volume already on the node adds nothing", () => {
  expect(fits(2, "a", ["b"], ["b"])).toBe(true);
  expect(fits(1, "a", ["b"], [])).toBe(false);
  expect(fits(2, "a", ["b"], ["c"])).toBe(false);
  expect(fits(1, "a", ["a"], [])).toBe(true);
  expect(fits(0, "a", [], [])).toBe(false);
});
