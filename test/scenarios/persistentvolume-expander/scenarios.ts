// Claims that request more space, and the programs that expand their volumes.

import { expect } from "vitest";
import { PersistentVolumeClaims, PersistentVolumes } from "#api/generated/resources/core-v1.ts";
import type { PersistentVolumeClaimStatus, PersistentVolumeSpec } from "#api/generated/types/core-v1.ts";
import { type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";
import {
  bindTogether,
  type Claim,
  createClaim,
  createClass,
  createFreeVolume,
  DRIVER,
  untilBound,
  type VolumeText,
} from "#test/stage/volume-binding.ts";

const RESIZER = "volume.kubernetes.io/storage-resizer";
const BEFORE = "volume.alpha.kubernetes.io/pre-resize-capacity";
const FLEX = "example.com/flex";

const flexVolume: PersistentVolumeSpec = { flexVolume: { driver: FLEX } };
const awsVolume: PersistentVolumeSpec = { awsElasticBlockStore: { volumeID: "vol-1" } };

/** Creates the claim "data" of 1Gi and its volume, whose class allows expansion. */
async function boundVolume(stage: Stage, text: VolumeText = {}): Promise<string> {
  await createClass(stage, DRIVER, { allowVolumeExpansion: true });
  const volume = await createFreeVolume(stage, "volume", text);
  await stage.settle();
  const volumeMode = text.spec?.volumeMode;
  if (volumeMode === undefined) await bindTogether(stage, "data", volume);
  else {
    await createClaim(stage, "data", { spec: { volumeMode } });
    await untilBound(stage, "data", volume);
    await stage.settle();
  }
  return volume;
}

const grow = (stage: Stage, storage = "2Gi"): Promise<Claim> =>
  stage.of(PersistentVolumeClaims).patch("data", { spec: { resources: { requests: { storage } } } });

/** Acts as an external resizer or a kubelet. */
const report = (stage: Stage, status: object): Promise<Claim> =>
  stage.of(PersistentVolumeClaims).patch("data", { status }, { subresource: "status" });

const stateOf = ({ status }: Claim): string | undefined => status?.allocatedResourceStatuses?.storage;
const typesOf = (status: PersistentVolumeClaimStatus | undefined): unknown =>
  status?.conditions?.map(({ type }) => type);

/**
 * A manager that dies just before never marks the volume, as upstream: the claim shows that a node expansion is in
 * progress.
 */
const untilMarked = (stage: Stage, volume: string): Promise<void> =>
  stage.calm(async () => {
    await stage.of(PersistentVolumes).until(volume, ({ metadata }) => metadata.annotations?.[BEFORE] === "1Gi");
  });

export const scenarios: readonly Scenario[] = scenariosOf(
  "persistentvolume-expander-controller",
  { cast: "storage", profile: "no-reminders" },
  [
    {
      name: "persistentvolume-expander/1, persistentvolume-expander/2, persistentvolume-expander/4 leaves a CSI volume to its driver",
      async play(stage) {
        const volume = await boundVolume(stage);
        await grow(stage);
        const message = "waiting for an external controller to expand this PVC";
        await stage.event("ExternalExpanding", (event) => event.message === message && event.type === "Normal");
        await stage.settle();
        await stage.of(PersistentVolumes).patch(volume, { spec: { capacity: { storage: "2Gi" } } });
        await report(stage, { capacity: { storage: "2Gi" } });
        await stage.settle();
        expect((await stage.of(PersistentVolumeClaims).get("data")).metadata.annotations?.[RESIZER]).toBeUndefined();
      },
    },
    {
      name: "persistentvolume-expander/3 names the resizer of a migrated volume",
      async play(stage) {
        await boundVolume(stage, { source: awsVolume });
        await grow(stage);
        const claim = await stage
          .of(PersistentVolumeClaims)
          .until("data", ({ metadata }) => metadata.annotations?.[RESIZER] !== undefined);
        expect(claim.metadata.annotations?.[RESIZER]).toBe("ebs.csi.aws.com");
        const start = "CSI migration enabled for kubernetes.io/aws-ebs;";
        await stage.event("ExternalExpanding", ({ message }) => message?.startsWith(start) === true);
        await stage.settle();
        await grow(stage, "3Gi");
      },
    },
    {
      name: "persistentvolume-expander/1, persistentvolume-expander/2 does nothing for a claim that has what it wants",
      async play(stage) {
        await boundVolume(stage, { size: "5Gi" });
        await stage.of(PersistentVolumeClaims).patch("data", { metadata: { labels: { a: "b" } } });
        await stage.settle();
        await grow(stage, "5Gi");
        await stage.settle();
        await stage.calm(async () => {
          const writes = (await stage.writes()).filter(({ who }) => who === "expand-controller");
          expect(writes).toEqual([]);
        });
      },
    },
    {
      name: "persistentvolume-expander/2 speaks of a volume whose growth is not finished",
      async play(stage) {
        await boundVolume(stage, { size: "3Gi", metadata: { annotations: { [BEFORE]: "1Gi" } } });
        await report(stage, { capacity: { storage: "3Gi" } });
        await stage.event("ExternalExpanding");
      },
    },
    {
      name: "persistentvolume-expander/5 prepares a FlexVolume for the node that has to grow its file system",
      async play(stage) {
        const volume = await boundVolume(stage, { source: flexVolume });
        await grow(stage);
        const claim = await stage
          .of(PersistentVolumeClaims)
          .until("data", (claim) => stateOf(claim) === "NodeResizePending");
        expect(claim.status).toMatchObject({ allocatedResources: { storage: "2Gi" }, capacity: { storage: "1Gi" } });
        expect(typesOf(claim.status)).toEqual(["Resizing", "FileSystemResizePending"]);
        expect(claim.metadata.annotations?.[RESIZER]).toBe(FLEX);
        await untilMarked(stage, volume);
        expect((await stage.of(PersistentVolumes).get(volume)).spec?.capacity?.storage).toBe("2Gi");
        await stage.settle();
        await report(stage, { capacity: { storage: "2Gi" }, allocatedResourceStatuses: null, conditions: null });
        await stage.of(PersistentVolumes).until(volume, ({ metadata }) => metadata.annotations?.[BEFORE] === undefined);
      },
    },
    {
      name: "persistentvolume-expander/5 finishes the expansion of a FlexVolume without a file system",
      async play(stage) {
        const volume = await boundVolume(stage, { source: flexVolume, spec: { volumeMode: "Block" } });
        await grow(stage);
        const claim = await stage
          .of(PersistentVolumeClaims)
          .until("data", ({ status }) => status?.capacity?.storage === "2Gi");
        expect(stateOf(claim)).toBeUndefined();
        expect(claim.status?.conditions).toBeUndefined();
        await stage.event("VolumeResizeSuccessful");
        expect((await stage.of(PersistentVolumes).get(volume)).spec?.capacity?.storage).toBe("2Gi");
      },
    },
    {
      name: "persistentvolume-expander/5 lets nodes try again that could not grow a FlexVolume, once the wish is smaller",
      exceptions: [
        {
          where: /end state › PersistentVolume .*metadata.annotations/,
          reason:
            "expandAndRecoverFunction leaves a claim in NodeResizePending alone, whether its volume is marked or not",
        },
      ],
      async play(stage) {
        const volume = await boundVolume(stage, { size: "4Gi", source: flexVolume });
        await report(stage, {
          capacity: { storage: "1Gi" },
          allocatedResources: { storage: "4Gi" },
          allocatedResourceStatuses: { storage: "NodeResizeInfeasible" },
        });
        await stage.settle();
        await grow(stage, "3Gi");
        await stage.of(PersistentVolumeClaims).until("data", (claim) => stateOf(claim) === "NodeResizePending");
        await untilMarked(stage, volume);
      },
    },
    {
      name: "persistentvolume-expander/5 leaves a FlexVolume alone that a node is growing",
      async play(stage) {
        await boundVolume(stage, { size: "4Gi", source: flexVolume });
        await report(stage, {
          capacity: { storage: "1Gi" },
          allocatedResources: { storage: "4Gi" },
          allocatedResourceStatuses: { storage: "NodeResizeInProgress" },
        });
        await stage.settle();
        await grow(stage, "3Gi");
        await stage.settle();
        expect(stateOf(await stage.of(PersistentVolumeClaims).get("data"))).toBe("NodeResizeInProgress");
      },
    },
  ],
);
