// Attaching volumes to the nodes of their pods.

import { expect } from "vitest";
import { Nodes, PersistentVolumeClaims, PersistentVolumes, Pods } from "#api/generated/resources/core-v1.ts";
import { CSIDrivers, VolumeAttachments } from "#api/generated/resources/storage-v1.ts";
import {
  attachmentOf,
  createCsiVolume,
  createNode,
  createPodOn,
  createUnboundCsiVolume,
  driverAttaches,
  manage,
  reportAttachment,
  untilReported,
} from "#test/stage/csi.ts";
import { setPodStatus } from "#test/stage/pods.ts";
import { oftenTold, type ScenarioText } from "#test/stage/scenario.ts";
import { bindClaim, claimSpec } from "#test/stage/volumes.ts";

export const attaching: readonly ScenarioText[] = [
  {
    name: "persistentvolume-attach-detach/2, persistentvolume-attach-detach/14, persistentvolume-attach-detach/15, persistentvolume-attach-detach/17, persistentvolume-attach-detach/20, persistentvolume-attach-detach/about, persistentvolume-attach-detach/watches, persistentvolume-attach-detach/writes, persistentvolume-attach-detach/events attaches the volume of a pod and reports it",
    async play(stage) {
      const node = await createNode(stage, "node-a");
      const volume = await createCsiVolume(stage, "data");
      await createPodOn(stage, "web", node, "data");
      const { spec } = await attachmentOf(stage, node, "attachment");
      expect(spec).toEqual({
        attacher: "csi.example.com",
        nodeName: node,
        source: { persistentVolumeName: volume.name },
      });
      await driverAttaches(stage, node, "attachment");
      await untilReported(stage, node, volume);
      await stage.event(
        "SuccessfulAttachVolume",
        ({ type, message, involvedObject }) =>
          type === "Normal" &&
          involvedObject?.name === "web" &&
          message === `AttachVolume.Attach succeeded for volume "${volume.name}" `,
      );
      await stage.calm(async () => {
        const writes = (await stage.writes()).filter(({ who }) => who === "attachdetach-controller");
        expect(writes.map(({ verb, resource }) => `${verb} ${resource}`)).toEqual([
          "create volumeattachments",
          "patch nodes/status",
        ]);
      });
    },
  },
  {
    name: "persistentvolume-attach-detach/1 leaves nodes alone that attach volumes themselves",
    async play(stage) {
      const node = await createNode(stage, "node-a", false);
      const volume = await createCsiVolume(stage, "data");
      await createPodOn(stage, "web", node, "data");
      await stage.settle();
      await stage.calm(async () => {
        const attachments = await stage.of(VolumeAttachments).list();
        expect(attachments.filter(({ spec }) => spec?.nodeName === node)).toEqual([]);
      });
      await manage(stage, node);
      await stage.settle();
      await setPodStatus(stage, "web", { phase: "Running" });
      await driverAttaches(stage, node, "attachment");
      await untilReported(stage, node, volume);
    },
  },
  {
    name: "persistentvolume-attach-detach/2 attaches an ephemeral volume only if the pod controls its claim",
    async play(stage) {
      const node = await createNode(stage, "node-a");
      const volume = await createCsiVolume(stage, "web-scratch");
      const ephemeral = { name: "scratch", ephemeral: { volumeClaimTemplate: { spec: claimSpec() } } };
      const pod = await createPodOn(stage, "web", node, ephemeral);
      await stage.settle();
      await stage.calm(async () => {
        const attachments = await stage.of(VolumeAttachments).list();
        expect(attachments.filter(({ spec }) => spec?.nodeName === node)).toEqual([]);
      });
      const { name, uid } = pod.metadata;
      const owner = { apiVersion: "v1", kind: "Pod", name, uid, controller: true };
      await stage.of(PersistentVolumeClaims).patch("web-scratch", { metadata: { ownerReferences: [owner] } });
      await driverAttaches(stage, node, "attachment");
      await untilReported(stage, node, volume);
    },
  },
  {
    name: "persistentvolume-attach-detach/4 does not attach for a driver that needs no attach, nor a CSI volume of a pod",
    async play(stage) {
      const driver = stage.name("csi");
      await stage.of(CSIDrivers).create({
        metadata: { name: driver },
        spec: { attachRequired: false, volumeLifecycleModes: ["Persistent", "Ephemeral"] },
      });
      const node = await createNode(stage, "node-a");
      await createCsiVolume(stage, "data", {}, driver);
      await createPodOn(stage, "web", node, "data");
      await createPodOn(stage, "inline", node, { name: "scratch", csi: { driver } });
      await stage.settle();
      await stage.calm(async () => {
        const attachments = await stage.of(VolumeAttachments).list();
        expect(attachments.filter(({ spec }) => spec?.nodeName === node)).toEqual([]);
        expect((await stage.of(Nodes).get(node)).status?.volumesAttached).toBeUndefined();
      });
    },
  },
  {
    name: "persistentvolume-attach-detach/3, persistentvolume-attach-detach/17 attaches an in-tree volume of a pod through its CSI driver",
    async play(stage) {
      const node = await createNode(stage, "node-a");
      const volumeID = stage.name("vol");
      await createPodOn(stage, "web", node, {
        name: "data",
        awsElasticBlockStore: { volumeID: `aws://us-east-1a/${volumeID}`, fsType: "ext4", partition: 2 },
      });
      const { spec } = await attachmentOf(stage, node, "attachment");
      expect(spec?.attacher).toBe("ebs.csi.aws.com");
      expect(spec?.source?.inlineVolumeSpec?.csi?.volumeHandle).toBe(volumeID);
      await driverAttaches(stage, node, "attachment");
      await untilReported(stage, node, { name: "", uniqueName: `kubernetes.io/csi/ebs.csi.aws.com^${volumeID}` });
      await stage.event(
        "SuccessfulAttachVolume",
        ({ message }) => message?.includes(`"ebs.csi.aws.com-${volumeID}"`) ?? false,
      );
    },
  },
  {
    name: "persistentvolume-attach-detach/3 attaches an in-tree persistent volume through its CSI driver",
    async play(stage) {
      const node = await createNode(stage, "node-a");
      const name = stage.name("pv-data");
      await stage.of(PersistentVolumes).create({
        metadata: { name, labels: { "topology.kubernetes.io/zone": "us-central1-a" } },
        spec: {
          capacity: { storage: "1Gi" },
          accessModes: ["ReadWriteOnce"],
          persistentVolumeReclaimPolicy: "Retain",
          storageClassName: "none",
          claimRef: { namespace: stage.namespace, name: "data" },
          gcePersistentDisk: { pdName: "disk", fsType: "ext4" },
        },
      });
      await stage
        .of(PersistentVolumeClaims)
        .create({ metadata: { name: "data" }, spec: claimSpec({ volumeName: name }) });
      await bindClaim(stage, "data", name);
      await stage.settle();
      await createPodOn(stage, "web", node, "data");
      const { spec } = await attachmentOf(stage, node, "attachment");
      expect(spec).toEqual({
        attacher: "pd.csi.storage.gke.io",
        nodeName: node,
        source: { persistentVolumeName: name },
      });
      await driverAttaches(stage, node, "attachment");
      const handle = "projects/UNSPECIFIED/zones/us-central1-a/disks/disk";
      await untilReported(stage, node, { name, uniqueName: `kubernetes.io/csi/pd.csi.storage.gke.io^${handle}` });
    },
  },
  {
    name: "persistentvolume-attach-detach/3 reports an iSCSI volume, which nothing has to attach, and takes it back",
    async play(stage) {
      const node = await createNode(stage, "node-a");
      const iscsi = { targetPortal: "10.0.0.1:3260", iqn: "iqn.2026-01.com.example:disk", lun: 3 };
      await createPodOn(stage, "web", node, { name: "data", iscsi });
      const uniqueName = "kubernetes.io/iscsi/10.0.0.1:3260:iqn.2026-01.com.example:disk:3";
      await untilReported(stage, node, { name: "data", uniqueName });
      await stage.settle();
      await stage.of(Pods).delete("web", { gracePeriodSeconds: 0 });
      await untilReported(stage, node);
    },
  },
  {
    name: "persistentvolume-attach-detach/14, persistentvolume-attach-detach/18 tells the pod what the driver says, and tries again",
    async play(stage) {
      const node = await createNode(stage, "node-a");
      const volume = await createCsiVolume(stage, "data");
      await createPodOn(stage, "web", node, "data");
      const { metadata } = await attachmentOf(stage, node, "attachment");
      const attachError = { message: "no such disk", time: "2026-01-02T03:04:05Z" };
      await reportAttachment(stage, metadata.name, { attached: false, attachError });
      await stage.event(
        "FailedAttachVolume",
        ({ type, message }) =>
          type === "Warning" && message === `AttachVolume.Attach failed for volume "${volume.name}" : no such disk`,
      );
      await reportAttachment(stage, metadata.name, { attached: true, attachError: null });
      await untilReported(stage, node, volume);
    },
    chance: [oftenTold("how often the attach fails before the driver answers is chance")],
  },
  {
    name: "persistentvolume-attach-detach/18 gives up on a driver that says nothing for two minutes",
    virtualOnly: "the controller waits two minutes for the driver, which no flag shortens",
    async play(stage) {
      const node = await createNode(stage, "node-a");
      const { name } = await createCsiVolume(stage, "data");
      await createPodOn(stage, "web", node, "data");
      await attachmentOf(stage, node, "attachment");
      await stage.pass(125_000);
      const timeout = `timed out waiting for external-attacher of csi.example.com CSI driver to attach volume ${name}`;
      await stage.event("FailedAttachVolume", ({ message }) => message?.endsWith(timeout) ?? false);
    },
  },
  {
    name: "persistentvolume-attach-detach/16 attaches again what it finds detached",
    profile: "quick",
    async play(stage) {
      const node = await createNode(stage, "node-a");
      const volume = await createCsiVolume(stage, "data");
      await createPodOn(stage, "web", node, "data");
      const attachment = await driverAttaches(stage, node, "attachment");
      await untilReported(stage, node, volume);
      await stage.settle();
      await reportAttachment(stage, attachment, { attached: false });
      await untilReported(stage, node);
      await reportAttachment(stage, attachment, { attached: true });
      await untilReported(stage, node, volume);
    },
  },
  {
    name: "persistentvolume-attach-detach/2 attaches a volume once its claim is bound, without an event of its pods",
    async play(stage) {
      const node = await createNode(stage, "node-a");
      const volume = await createUnboundCsiVolume(stage, "data");
      await createPodOn(stage, "one", node, "data");
      await createPodOn(stage, "two", node, "data");
      await bindClaim(stage, "data", volume.name);
      await driverAttaches(stage, node, "attachment");
      await untilReported(stage, node, volume);
      for (const pod of ["one", "two"]) {
        await stage.event("SuccessfulAttachVolume", ({ involvedObject }) => involvedObject?.name === pod);
      }
    },
  },
];
