// Detaching volumes from nodes whose pods no longer need them.

import { expect } from "vitest";
import { Nodes, Pods } from "#api/generated/resources/core-v1.ts";
import { VolumeAttachments } from "#api/generated/resources/storage-v1.ts";
import {
  attachmentOf,
  type CsiVolume,
  createCsiVolume,
  createNode,
  createPodOn,
  driverAttaches,
  driverDetaches,
  reportAttachment,
  setInUse,
  setReady,
  untilReported,
} from "#test/stage/csi.ts";
import { finishDeletion, setPodStatus } from "#test/stage/pods.ts";
import type { ScenarioText } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";
import { isExclusive } from "./exclusive.ts";

/** Creates the pod "web" on a node, with its volume attached. */
async function attached(stage: Stage): Promise<{ node: string; volume: CsiVolume; attachment: string }> {
  const node = await createNode(stage, "node-a");
  const volume = await createCsiVolume(stage, "data");
  await createPodOn(stage, "web", node, "data");
  const attachment = await driverAttaches(stage, node, "attachment");
  await untilReported(stage, node, volume);
  await stage.settle();
  return { node, volume, attachment };
}

async function isKept(stage: Stage, attachment: string): Promise<void> {
  await stage.settle();
  const { metadata } = await stage.of(VolumeAttachments).get(attachment);
  expect(metadata.deletionTimestamp).toBeUndefined();
}

export const detaching: readonly ScenarioText[] = [
  {
    name: "persistentvolume-attach-detach/2, persistentvolume-attach-detach/10, persistentvolume-attach-detach/11, persistentvolume-attach-detach/19, persistentvolume-attach-detach/reads-live takes a volume off the node's status, then detaches it",
    async play(stage) {
      const { node, attachment } = await attached(stage);
      await finishDeletion(stage, "web");
      await driverDetaches(stage, attachment);
      await untilReported(stage, node);
      await stage.calm(async () => {
        const writes = (await stage.writes()).filter(({ who }) => who === "attachdetach-controller");
        expect(writes.slice(2).map(({ verb, resource }) => `${verb} ${resource}`)).toEqual([
          "patch nodes/status",
          "delete volumeattachments",
        ]);
      });
    },
  },
  {
    name: "persistentvolume-attach-detach/2 detaches the volume of a pod that has ended",
    async play(stage) {
      const { node, attachment } = await attached(stage);
      await setPodStatus(stage, "web", { phase: "Succeeded" });
      await driverDetaches(stage, attachment);
      await untilReported(stage, node);
      expect((await stage.of(Pods).get("web")).metadata.deletionTimestamp).toBeUndefined();
    },
  },
  {
    name: "persistentvolume-attach-detach/6, persistentvolume-attach-detach/9 waits until the node has unmounted the volume",
    async play(stage) {
      const { node, volume, attachment } = await attached(stage);
      await setInUse(stage, node, volume);
      await stage.settle();
      await finishDeletion(stage, "web");
      await isKept(stage, attachment);
      await untilReported(stage, node, volume);
      await setInUse(stage, node);
      await driverDetaches(stage, attachment);
      await untilReported(stage, node);
    },
  },
  {
    name: "persistentvolume-attach-detach/8 keeps a volume that another pod of the node uses",
    async play(stage) {
      const { node, volume, attachment } = await attached(stage);
      await createPodOn(stage, "other", node, "data");
      await stage.settle();
      await finishDeletion(stage, "web");
      await isKept(stage, attachment);
      await untilReported(stage, node, volume);
      await finishDeletion(stage, "other");
      await driverDetaches(stage, attachment);
    },
  },
  {
    name: "persistentvolume-attach-detach/9, persistentvolume-attach-detach/12 detaches from a node that is out of service although it uses the volume",
    async play(stage) {
      const { node, volume, attachment } = await attached(stage);
      await setInUse(stage, node, volume);
      await stage.settle();
      await finishDeletion(stage, "web");
      await isKept(stage, attachment);
      const taints = [{ key: "node.kubernetes.io/out-of-service", value: "nodeshutdown", effect: "NoExecute" }];
      await stage.of(Nodes).patch(node, { spec: { taints } });
      await driverDetaches(stage, attachment);
      await untilReported(stage, node);
    },
  },
  {
    name: "persistentvolume-attach-detach/9, persistentvolume-attach-detach/12 detaches by force after six minutes from a node that is not ready",
    virtualOnly: "force detach needs six minutes, which no flag shortens",
    async play(stage) {
      const { node, volume, attachment } = await attached(stage);
      // The driver finishes as soon as the VolumeAttachment is deleted.
      await stage.of(VolumeAttachments).patch(attachment, { metadata: { finalizers: null } });
      await setInUse(stage, node, volume);
      await setReady(stage, node, "True");
      await stage.settle();
      await finishDeletion(stage, "web");
      await stage.pass(7 * 60_000);
      await isKept(stage, attachment);
      await setReady(stage, node, "False");
      // A controller that dies starts the six minutes again, as upstream's does.
      await stage.pass(7 * 60_000);
      await stage.of(VolumeAttachments).untilGone(attachment);
      await untilReported(stage, node);
    },
  },
  {
    name: "persistentvolume-attach-detach/config, persistentvolume-attach-detach/16 neither forces nor verifies anything when flags say so",
    profile: "patient-detach",
    virtualOnly: "force detach needs six minutes, which no flag shortens",
    async play(stage) {
      const { node, volume, attachment } = await attached(stage);
      await setInUse(stage, node, volume);
      await setReady(stage, node, "False");
      await reportAttachment(stage, attachment, { attached: false });
      await stage.settle();
      await stage.pass(120_000);
      await untilReported(stage, node, volume);
      await finishDeletion(stage, "web");
      await stage.pass(7 * 60_000);
      await isKept(stage, attachment);
      await setInUse(stage, node);
      await driverDetaches(stage, attachment);
    },
  },
  {
    name: "persistentvolume-attach-detach/10, persistentvolume-attach-detach/11 detaches from a node that is gone",
    async play(stage) {
      const { node, attachment } = await attached(stage);
      await stage.of(Nodes).delete(node);
      await stage.settle();
      await finishDeletion(stage, "web");
      await driverDetaches(stage, attachment);
    },
  },
  {
    name: "persistentvolume-attach-detach/15 reports the volumes of a node that was made anew",
    async play(stage) {
      const { node, volume } = await attached(stage);
      await stage.of(Nodes).delete(node);
      await stage.settle();
      await createNode(stage, "node-a");
      await untilReported(stage, node, volume);
    },
  },
  {
    name: "persistentvolume-attach-detach/11, persistentvolume-attach-detach/19 tries again to detach what the driver could not, and does not report it meanwhile",
    async play(stage) {
      const { node, attachment } = await attached(stage);
      await finishDeletion(stage, "web");
      await stage.of(VolumeAttachments).until(attachment, ({ metadata }) => metadata.deletionTimestamp !== undefined);
      const detachError = { message: "busy", time: "2026-01-02T03:04:05Z" };
      await reportAttachment(stage, attachment, { attached: true, detachError });
      await stage.pass(2000);
      await untilReported(stage, node);
      await reportAttachment(stage, attachment, { attached: true, detachError: null });
      await driverDetaches(stage, attachment);
      await untilReported(stage, node);
    },
    exceptions: [
      {
        where: /creates and deletes › attachdetach-controller: delete volumeattachments/,
        reason:
          "each try deletes, and ends when the cache shows the driver's error: csi_attacher.go, verifyDetachmentStatus",
      },
    ],
    chance: [
      {
        where: /writes of phase 3 › .*: volumeattachments \{attachment\} › [1-9]$/,
        reason: "how often the detach is tried before the driver recovers is chance",
      },
    ],
  },
  {
    name: "persistentvolume-attach-detach/7, persistentvolume-attach-detach/13 gives an exclusive volume to another node only after the first has lost it",
    async play(stage) {
      const { node, volume, attachment } = await attached(stage);
      stage.always("one node at a time has the volume", (reader) => isExclusive(reader, volume));
      const second = await createNode(stage, "node-b");
      await setInUse(stage, node, volume);
      await stage.settle();
      await createPodOn(stage, "moved", second, "data");
      await stage.event(
        "FailedAttachVolume",
        ({ involvedObject, message }) =>
          involvedObject?.name === "moved" &&
          message === `Waiting for detach for volume "${volume.name}" Volume is already used by pod(s) web`,
      );
      await stage.settle();
      await finishDeletion(stage, "web");
      await isKept(stage, attachment);
      await setInUse(stage, node);
      await driverDetaches(stage, attachment);
      await driverAttaches(stage, second, "second");
      await untilReported(stage, second, volume);
      await untilReported(stage, node);
    },
  },
  {
    name: "persistentvolume-attach-detach/13 tells a pod that its volume is still on a node where no pod uses it",
    async play(stage) {
      const { node, volume, attachment } = await attached(stage);
      stage.always("one node at a time has the volume", (reader) => isExclusive(reader, volume));
      const second = await createNode(stage, "node-b");
      await setInUse(stage, node, volume);
      await stage.settle();
      await finishDeletion(stage, "web");
      await stage.settle();
      await createPodOn(stage, "moved", second, "data");
      const why =
        "Volume is already exclusively attached to one node, waiting on detach before it can be attached to another node";
      await stage.event(
        "FailedAttachVolume",
        ({ message }) => message === `Waiting for detach for volume "${volume.name}" ${why}`,
      );
      await isKept(stage, attachment);
      await setInUse(stage, node);
      await driverDetaches(stage, attachment);
      await driverAttaches(stage, second, "second");
      await untilReported(stage, second, volume);
    },
  },
  {
    name: "persistentvolume-attach-detach/13 attaches a volume that many may write to as many nodes as want it",
    async play(stage) {
      const nodes = [await createNode(stage, "node-a"), await createNode(stage, "node-b")] as const;
      const volume = await createCsiVolume(stage, "data", { accessModes: ["ReadWriteMany"] });
      for (const [i, node] of nodes.entries()) {
        await createPodOn(stage, `web-${i}`, node, "data");
        await driverAttaches(stage, node, `attachment-${i}`);
        await untilReported(stage, node, volume);
        await stage.settle();
      }
      await finishDeletion(stage, "web-0");
      const { name } =
        (await stage.of(VolumeAttachments).list()).find(({ spec }) => spec?.nodeName === nodes[0])?.metadata ?? {};
      await driverDetaches(stage, name ?? "");
      await untilReported(stage, nodes[1], volume);
      await untilReported(stage, nodes[0]);
      await attachmentOf(stage, nodes[1], "attachment-1");
    },
  },
];
