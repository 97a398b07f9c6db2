// Which volume a claim gets, and how the two are bound.

import { expect } from "vitest";
import { PersistentVolumeClaims, PersistentVolumes } from "#api/generated/resources/core-v1.ts";
import { StorageClasses } from "#api/generated/resources/storage-v1.ts";
import { oftenTold, type ScenarioText } from "#test/stage/scenario.ts";
import {
  BIND_COMPLETED,
  BOUND_BY_CONTROLLER,
  className,
  createClaim,
  createClass,
  createFreeVolume,
  createVolume,
  keepsBonds,
  touch,
  untilBound,
  untilPhase,
} from "#test/stage/volume-binding.ts";

export const bindingScenarios: readonly ScenarioText[] = [
  {
    name: "persistentvolume-binder/4, persistentvolume-binder/8, persistentvolume-binder/9 binds the smallest volume that is large enough, the volume before the claim",
    async play(stage) {
      await createFreeVolume(stage, "small", { size: "1Gi" });
      await createFreeVolume(stage, "large", { size: "10Gi" });
      const fitting = await createFreeVolume(stage, "fitting", { size: "5Gi" });
      await stage.settle();
      keepsBonds(stage, fitting);
      const { metadata } = await createClaim(stage, "data", { size: "2Gi" });
      const claim = await untilBound(stage, "data", fitting);
      expect(claim.metadata.annotations).toMatchObject({ [BIND_COMPLETED]: "yes", [BOUND_BY_CONTROLLER]: "yes" });
      expect(claim.status).toMatchObject({ accessModes: ["ReadWriteOnce"], capacity: { storage: "5Gi" } });
      const volume = await stage.of(PersistentVolumes).get(fitting);
      expect(volume.metadata.annotations).toEqual({ [BOUND_BY_CONTROLLER]: "yes" });
      expect(volume.spec?.claimRef).toMatchObject({
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        namespace: stage.namespace,
        name: "data",
        uid: metadata.uid,
        resourceVersion: metadata.resourceVersion,
      });
      await stage.settle();
      await stage.calm(async () => {
        const writes = (await stage.writes()).filter(({ name }) => name === fitting || name === "data");
        expect(writes.map(({ resource }) => resource)).toEqual([
          "persistentvolumes/status",
          "persistentvolumes",
          "persistentvolumes/status",
          "persistentvolumeclaims",
          "persistentvolumeclaims/status",
        ]);
      });
    },
  },
  {
    name: "persistentvolume-binder/4 prefers the volume with the fewest access modes",
    async play(stage) {
      const modes = ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"];
      await createFreeVolume(stage, "versatile", { size: "1Gi", spec: { accessModes: modes } });
      const plain = await createFreeVolume(stage, "plain", { size: "5Gi", spec: { accessModes: modes.slice(0, 2) } });
      await createFreeVolume(stage, "other", { spec: { accessModes: ["ReadWriteOncePod"] } });
      await stage.settle();
      await createClaim(stage, "data", { spec: { accessModes: ["ReadOnlyMany"] } });
      const claim = await untilBound(stage, "data", plain);
      expect(claim.status?.accessModes).toEqual(modes.slice(0, 2));
    },
  },
  {
    name: "persistentvolume-binder/4 heeds selector, volume mode and attributes class",
    async play(stage) {
      const labels = { tier: "fast" };
      const name = stage.name("gold");
      await createFreeVolume(stage, "unlabelled", { spec: { volumeAttributesClassName: name } });
      await createFreeVolume(stage, "block", {
        metadata: { labels },
        spec: { volumeMode: "Block", volumeAttributesClassName: name },
      });
      await createFreeVolume(stage, "plain", { metadata: { labels } });
      const fitting = await createFreeVolume(stage, "fitting", {
        size: "9Gi",
        metadata: { labels },
        spec: { volumeAttributesClassName: name },
      });
      await stage.settle();
      await createClaim(stage, "data", {
        spec: { selector: { matchLabels: labels }, volumeAttributesClassName: name },
      });
      const claim = await untilBound(stage, "data", fitting);
      expect(claim.status?.currentVolumeAttributesClassName).toBe(name);
    },
  },
  {
    name: "persistentvolume-binder/4 lets the annotation name the class, before the field",
    async play(stage) {
      const annotations = { "volume.beta.kubernetes.io/storage-class": stage.name("old") };
      await createFreeVolume(stage, "field");
      const annotated = await createFreeVolume(stage, "annotated", { size: "5Gi", metadata: { annotations } });
      await stage.settle();
      await createClaim(stage, "data", { metadata: { annotations }, spec: { storageClassName: stage.name("old") } });
      await untilBound(stage, "data", annotated);
    },
  },
  {
    name: "persistentvolume-binder/4, persistentvolume-binder/8 gives a claim the volume that is reserved for it, whatever its class",
    async play(stage) {
      await createFreeVolume(stage, "free");
      const claimRef = { namespace: stage.namespace, name: "data" };
      const reserved = await createFreeVolume(stage, "reserved", {
        size: "5Gi",
        spec: { claimRef, storageClassName: stage.name("other") },
      });
      await stage.settle();
      await createClaim(stage, "data", { spec: { selector: { matchLabels: { no: "volume" } } } });
      await untilBound(stage, "data", reserved);
      const { metadata } = await stage.of(PersistentVolumes).get(reserved);
      expect(metadata.annotations).toBeUndefined();
    },
  },
  {
    name: "persistentvolume-binder/4, persistentvolume-binder/13 does not bind a reserved volume of the other volume mode",
    async play(stage) {
      const { metadata } = await createClaim(stage, "data");
      await stage.settle();
      const claimRef = { namespace: stage.namespace, name: "data", uid: metadata.uid };
      await createVolume(stage, "block", { spec: { claimRef, volumeMode: "Block" } });
      await stage.event("VolumeMismatch", ({ involvedObject }) => involvedObject?.kind === "PersistentVolume");
      await stage.event("VolumeMismatch", ({ involvedObject }) => involvedObject?.kind === "PersistentVolumeClaim");
      await stage.settle();
      expect((await stage.of(PersistentVolumeClaims).get("data")).status?.phase).toBe("Pending");
    },
  },
  {
    name: "persistentvolume-binder/7 waits for the volume that the claim names",
    async play(stage) {
      const name = stage.name("later");
      await createClaim(stage, "data", { spec: { volumeName: name } });
      await stage.settle();
      expect((await stage.of(PersistentVolumeClaims).get("data")).status?.phase).toBe("Pending");
      await createVolume(stage, "later");
      await stage.settle();
      await touch(stage, "data");
      const claim = await untilBound(stage, "data", name);
      expect(claim.metadata.annotations?.[BOUND_BY_CONTROLLER]).toBeUndefined();
    },
  },
  {
    name: "persistentvolume-binder/7 does not bind a volume that the claim names and that does not suit it",
    async play(stage) {
      const small = await createFreeVolume(stage, "small");
      await stage.settle();
      await createClaim(stage, "data", { size: "2Gi", spec: { volumeName: small } });
      const message = `Cannot bind to requested volume "${small}": requested PV is too small`;
      await stage.event("VolumeMismatch", (event) => event.message === message);
      await stage.settle();
      expect((await stage.of(PersistentVolumes).get(small)).spec?.claimRef).toBeUndefined();
    },
  },
  {
    name: "persistentvolume-binder/7 leaves a volume with the claim that has it",
    async play(stage) {
      const volume = await createFreeVolume(stage, "volume");
      await stage.settle();
      const { metadata } = await createClaim(stage, "first");
      await untilBound(stage, "first", volume);
      await stage.settle();
      await createClaim(stage, "second", { spec: { volumeName: volume } });
      const message = `volume "${volume}" already bound to a different claim.`;
      await stage.event("FailedBinding", (event) => event.message === message);
      await stage.settle();
      expect((await stage.of(PersistentVolumeClaims).get("second")).status?.phase).toBe("Pending");
      expect((await stage.of(PersistentVolumes).get(volume)).spec?.claimRef?.uid).toBe(metadata.uid);
    },
  },
  {
    name: "persistentvolume-binder/6, persistentvolume-binder/11 tells of a claim without a class that no volume fits",
    async play(stage) {
      const small = await createFreeVolume(stage, "small", { spec: { storageClassName: "" } });
      await stage.settle();
      const selector = { matchLabels: { play: stage.namespace } };
      await createClaim(stage, "data", { size: "2Gi", spec: { storageClassName: "", selector } });
      const message = "no persistent volumes available for this claim and no storage class is set";
      await stage.event("FailedBinding", (event) => event.message === message && event.type === "Normal");
      await stage.settle();
      expect((await stage.of(PersistentVolumes).get(small)).status?.phase).toBe("Available");
    },
  },
  {
    name: "persistentvolume-binder/4, persistentvolume-binder/6 leaves the choice to the scheduler, but for a reserved volume",
    async play(stage) {
      await createClass(stage, "kubernetes.io/no-provisioner", { volumeBindingMode: "WaitForFirstConsumer" });
      const claimRef = { namespace: stage.namespace, name: "data" };
      const free = await createFreeVolume(stage, "free");
      const reserved = await createFreeVolume(stage, "reserved", { spec: { claimRef } });
      await stage.settle();
      await createClaim(stage, "waiting");
      await stage.event("WaitForFirstConsumer");
      await createClaim(stage, "data");
      await untilBound(stage, "data", reserved);
      await stage.settle();
      await untilPhase(stage, free, "Available");
    },
  },
  {
    name: "persistentvolume-binder/1, persistentvolume-binder/traps does not undo a bond because the cache lags",
    alone: true,
    async play(stage) {
      const volume = await createFreeVolume(stage, "volume");
      const second = await createFreeVolume(stage, "second", { size: "2Gi" });
      await stage.settle();
      keepsBonds(stage, volume, second);
      stage.hold(PersistentVolumes);
      await createClaim(stage, "data");
      await stage.calm(async () => void (await untilBound(stage, "data", volume)));
      await stage.settle();
      await createClaim(stage, "other", { size: "2Gi" });
      await stage.calm(async () => void (await untilBound(stage, "other", second)));
      await stage.settle();
      stage.release(PersistentVolumes);
      await untilBound(stage, "data", volume);
      await untilBound(stage, "other", second);
      await stage.settle();
      expect((await stage.of(PersistentVolumes).get(volume)).spec?.claimRef?.name).toBe("data");
    },
  },
  {
    name: "persistentvolume-binder/2, persistentvolume-binder/5 gives claims without a class the default class, even late",
    alone: true,
    profile: "quick",
    chance: [oftenTold("how often the binder reminds itself meanwhile")],
    async play(stage) {
      const name = className(stage);
      const volume = await createFreeVolume(stage, "volume");
      await stage.settle();
      await stage.of(PersistentVolumeClaims).create({
        metadata: { name: "data" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      });
      await stage.of(PersistentVolumeClaims).create({
        metadata: { name: "none" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "" },
      });
      await stage.settle();
      const annotations = { "storageclass.kubernetes.io/is-default-class": "true" };
      await stage.of(StorageClasses).create({
        metadata: { name, annotations },
        provisioner: "kubernetes.io/no-provisioner",
      });
      const claim = await untilBound(stage, "data", volume);
      expect(claim.spec?.storageClassName).toBe(name);
      expect((await stage.of(PersistentVolumeClaims).get("none")).status?.phase).toBe("Pending");
    },
  },
];
