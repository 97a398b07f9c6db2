// Provisioning of volumes for claims.

import { expect } from "vitest";
import { Nodes, PersistentVolumeClaims, PersistentVolumes } from "#api/generated/resources/core-v1.ts";
import { oftenTold, type ScenarioText } from "#test/stage/scenario.ts";
import {
  type Claim,
  className,
  createClaim,
  createClass,
  createVolume,
  DRIVER,
  leave,
  PROVISIONED_BY,
  untilBound,
  untilPhase,
} from "#test/stage/volume-binding.ts";
import { claimVolume, createPodWith } from "#test/stage/volumes.ts";

const PROVISIONER = "volume.kubernetes.io/storage-provisioner";
const PROVISIONER_BETA = "volume.beta.kubernetes.io/storage-provisioner";
const MIGRATED_TO = "pv.kubernetes.io/migrated-to";
const SELECTED_NODE = "volume.kubernetes.io/selected-node";

const isAsked = ({ metadata }: Claim): boolean => metadata.annotations?.[PROVISIONER] !== undefined;

const TOLD_TWICE = oftenTold(
  "the write of the annotation brings the claim back while the operation still runs, or just after it",
);

export const provisioningScenarios: readonly ScenarioText[] = [
  {
    name: "persistentvolume-binder/18, persistentvolume-binder/19 asks an external provisioner, and binds the volume that it makes",
    chance: [TOLD_TWICE],
    async play(stage) {
      await createClass(stage, DRIVER);
      const { metadata } = await createClaim(stage, "data");
      const asked = await stage.of(PersistentVolumeClaims).until("data", isAsked);
      expect(asked.metadata.annotations).toMatchObject({ [PROVISIONER]: DRIVER, [PROVISIONER_BETA]: DRIVER });
      await stage.event("ExternalProvisioning", ({ message }) => message?.includes(`'${DRIVER}'`) === true);
      await stage.settle();
      const claimRef = { namespace: stage.namespace, name: "data", uid: metadata.uid };
      const annotations = { [PROVISIONED_BY]: DRIVER };
      const finalizers = ["external-provisioner.volume.kubernetes.io/finalizer"];
      const spec = { claimRef, persistentVolumeReclaimPolicy: "Delete" };
      const volume = await createVolume(stage, "made", { metadata: { annotations, finalizers }, spec });
      await untilBound(stage, "data", volume);
      await stage.settle();
      expect((await stage.of(PersistentVolumes).get(volume)).metadata.finalizers).toContain(finalizers[0]);
    },
  },
  {
    name: "persistentvolume-binder/3, persistentvolume-binder/19 asks the CSI driver of a migrated plugin",
    chance: [TOLD_TWICE],
    async play(stage) {
      await createClass(stage, "kubernetes.io/gce-pd");
      await createClaim(stage, "data");
      const { metadata } = await stage.of(PersistentVolumeClaims).until("data", isAsked);
      expect(metadata.annotations).toMatchObject({ [PROVISIONER]: "pd.csi.storage.gke.io" });
      await stage.settle();
      const annotations = { [PROVISIONER]: "kubernetes.io/aws-ebs" };
      await createClaim(stage, "old", { metadata: { annotations }, spec: { storageClassName: stage.name("missing") } });
      const marked = await stage
        .of(PersistentVolumeClaims)
        .until("old", ({ metadata }) => metadata.annotations?.[MIGRATED_TO] !== undefined);
      expect(marked.metadata.annotations?.[MIGRATED_TO]).toBe("ebs.csi.aws.com");
    },
  },
  {
    name: "persistentvolume-binder/18 tells of a class that is missing, and of a provisioner that is not there",
    async play(stage) {
      await createClaim(stage, "missing");
      const message = `storageclass.storage.k8s.io "${className(stage)}" not found`;
      await stage.event("ProvisioningFailed", (event) => event.message === message);
      await stage.settle();
      await createClass(stage, "kubernetes.io/no-provisioner");
      await createClaim(stage, "unknown");
      const problem = "no volume plugin matched name: kubernetes.io/no-provisioner";
      await stage.event("ProvisioningFailed", (event) => event.message === problem);
      await stage.settle();
      await stage.calm(async () => expect(await stage.writes()).toEqual([]));
    },
  },
  {
    name: "persistentvolume-binder/6 waits for a pod to be scheduled before a volume is made",
    chance: [TOLD_TWICE],
    async play(stage) {
      await createClass(stage, DRIVER, { volumeBindingMode: "WaitForFirstConsumer" });
      await createPodWith(stage, "user", claimVolume("data"));
      await stage.settle();
      await createClaim(stage, "data");
      await stage.event("WaitForPodScheduled", ({ message }) => message === "waiting for pod user to be scheduled");
      await stage.settle();
      await stage.calm(async () => expect(await stage.writes()).toEqual([]));
      await stage
        .of(PersistentVolumeClaims)
        .patch("data", { metadata: { annotations: { [SELECTED_NODE]: "node-1" } } });
      await stage.of(PersistentVolumeClaims).until("data", isAsked);
    },
  },
  {
    name: "persistentvolume-binder/config, persistentvolume-binder/18 makes no volumes where that is switched off",
    profile: "no-provisioning",
    async play(stage) {
      await createClass(stage, DRIVER);
      await createClaim(stage, "data");
      await stage.settle();
      expect(isAsked(await stage.of(PersistentVolumeClaims).get("data"))).toBe(false);
      await stage.calm(async () => expect(await stage.writes()).toEqual([]));
      await leave(stage, "data");
    },
  },
  {
    name: "persistentvolume-binder/20 refuses to make host paths where that is not switched on",
    async play(stage) {
      await createClass(stage, "kubernetes.io/host-path");
      await createClaim(stage, "data");
      const problem =
        'Failed to create provisioner: provisioning in volume plugin "kubernetes.io/host-path" is disabled';
      await stage.event("ProvisioningFailed", (event) => event.message === problem);
      await stage.settle();
      expect((await stage.of(PersistentVolumeClaims).get("data")).status?.phase).toBe("Pending");
    },
  },
  {
    name: "persistentvolume-binder/config, persistentvolume-binder/20 makes a host path",
    profile: "host-paths",
    async play(stage) {
      await createClass(stage, "kubernetes.io/host-path", { reclaimPolicy: "Retain" });
      const { metadata } = await createClaim(stage, "data");
      const volume = `pvc-${metadata.uid}`;
      await untilBound(stage, "data", volume);
      await stage.event("ProvisioningSucceeded");
      const { spec } = await stage.of(PersistentVolumes).get(volume);
      expect(spec?.hostPath?.path).toMatch(/^\/tmp\/hostpath_pv\/[0-9a-f-]{36}$/);
      await leave(stage, "data");
      await untilPhase(stage, volume, "Released");
    },
  },
  {
    name: "persistentvolume-binder/15, persistentvolume-binder/16 keeps a host path that was made until its directory is gone",
    virtualOnly: "whether the worker of volumes gives the finalizer back before the deletion is chance",
    profile: "host-paths",
    async play(stage) {
      await createClass(stage, "kubernetes.io/host-path");
      const { metadata } = await createClaim(stage, "data");
      const volume = `pvc-${metadata.uid}`;
      await untilBound(stage, "data", volume);
      const made = await stage.of(PersistentVolumes).get(volume);
      expect(made.metadata.finalizers).toContain("kubernetes.io/pv-controller");
      await leave(stage, "data");
      await stage.of(PersistentVolumes).untilGone(volume);
    },
  },
  {
    name: "persistentvolume-binder/20 asks the scheduler again for a host path that cannot be made",
    profile: "host-paths",
    async play(stage) {
      await createClass(stage, "kubernetes.io/host-path", { volumeBindingMode: "WaitForFirstConsumer" });
      const node = stage.name("node");
      await stage.of(Nodes).create({ metadata: { name: node } });
      await stage.settle();
      await createClaim(stage, "data", {
        metadata: { annotations: { [SELECTED_NODE]: node } },
        spec: { volumeMode: "Block" },
      });
      await stage.event(
        "ProvisioningFailed",
        ({ message }) => message?.includes("does not support block volume") === true,
      );
      await stage
        .of(PersistentVolumeClaims)
        .until("data", ({ metadata }) => metadata.annotations?.[SELECTED_NODE] === undefined);
    },
  },
  {
    name: "persistentvolume-binder/3, persistentvolume-binder/15 keeps the finalizers of volumes in step with their provisioner and policy",
    async play(stage) {
      const finalizersOf = async (volume: string): Promise<readonly string[]> =>
        (await untilPhase(stage, volume, "Available")).metadata.finalizers ?? [];
      const external = "external-provisioner.volume.kubernetes.io/finalizer";
      const inTree = "kubernetes.io/pv-controller";
      const finalizers = [inTree, external];
      const made = (plugin: string) => ({ annotations: { [PROVISIONED_BY]: plugin }, finalizers });
      const migrated = await createVolume(stage, "migrated", { metadata: made("kubernetes.io/gce-pd") });
      const ours = await createVolume(stage, "ours", {
        metadata: { annotations: { [PROVISIONED_BY]: "kubernetes.io/host-path" }, finalizers: [external] },
        spec: { persistentVolumeReclaimPolicy: "Delete" },
      });
      const retained = await createVolume(stage, "retained", { metadata: made("kubernetes.io/host-path") });
      const other = await createVolume(stage, "other", { metadata: made(DRIVER) });
      expect(await finalizersOf(migrated)).toEqual([external, "kubernetes.io/pv-protection"]);
      expect(await finalizersOf(ours)).toEqual(["kubernetes.io/pv-protection", inTree]);
      expect(await finalizersOf(retained)).toEqual(["kubernetes.io/pv-protection"]);
      expect(await finalizersOf(other)).toEqual([...finalizers, "kubernetes.io/pv-protection"]);
      const { metadata } = await stage.of(PersistentVolumes).get(migrated);
      expect(metadata.annotations?.[MIGRATED_TO]).toBe("pd.csi.storage.gke.io");
    },
  },
];
