import { describe, expect, it } from "vitest";
import type { Volume } from "#api/generated/types/core-v1.ts";
import { ClusterState } from "../cluster-state.ts";
import { podFacts } from "../pod-facts.ts";
import { clusterObjects, testNode, testPod } from "../testing.ts";
import { filterVolumeRestrictions } from "./volume-restrictions.ts";

/** Whether a pod with the volume may go where a pod with the other one is. */
function mayShare(volume: Omit<Volume, "name">, other: Omit<Volume, "name">): boolean {
  const state = new ClusterState();
  state.setNode(testNode("n"));
  state.setPod(podFacts(testPod("other", { volumes: [{ name: "v", ...other }] })), "n");
  const pod = testPod("p", { volumes: [{ name: "v", ...volume }] });
  const filter = filterVolumeRestrictions(pod, state, clusterObjects());
  const [node] = state.nodes;
  if (typeof filter !== "function" || node === undefined) return true;
  const rejection = filter(node);
  if (rejection !== undefined) expect(rejection.reasons).toEqual(["node(s) had no available disk"]);
  return rejection === undefined;
}

describe("disks with a single writer", () => {
  const rbd = (monitors: string[], readOnly = false) => ({ rbd: { monitors, image: "i", pool: "p", readOnly } });
  const iscsi = (iqn: string, readOnly: boolean) => ({ iscsi: { iqn, readOnly, targetPortal: "t", lun: 0 } });
  const gce = (readOnly: boolean) => ({ gcePersistentDisk: { pdName: "d", readOnly } });
  const ebs = (volumeID: string) => ({ awsElasticBlockStore: { volumeID, readOnly: true } });

  it.each([
    ["two GCE disks to read", gce(true), gce(true), true],
    ["a GCE disk to write", gce(true), gce(false), false],
    ["the same EBS volume, even to read", ebs("a"), ebs("a"), false],
    ["other EBS volumes", ebs("a"), ebs("b"), true],
    ["an iSCSI target to write", iscsi("a", true), iscsi("a", false), false],
    ["other iSCSI targets", iscsi("a", false), iscsi("b", false), true],
    ["an RBD image of a shared monitor", rbd(["a", "b"]), rbd(["b"]), false],
    ["an RBD image of other monitors", rbd(["a"]), rbd(["b"]), true],
    ["an RBD image to read", rbd(["a"], true), rbd(["a"], true), true],
    ["no disk", { emptyDir: {} }, gce(false), true],
  ] as const)("%s", (_, volume, other, expected) => {
    expect(mayShare(volume as Omit<Volume, "name">, other as Omit<Volume, "name">)).toBe(expected);
  });
});
