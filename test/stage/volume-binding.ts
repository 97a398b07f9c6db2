// Steps with claims and volumes that the binder binds. Each play has its own classes, so that no claim gets the volume
// of another play.

import { PersistentVolumeClaims, PersistentVolumes } from "#api/generated/resources/core-v1.ts";
import { StorageClasses } from "#api/generated/resources/storage-v1.ts";
import type { PersistentVolumeClaimSpec, PersistentVolumeSpec } from "#api/generated/types/core-v1.ts";
import type { StorageClass } from "#api/generated/types/storage-v1.ts";
import type { ObjectMeta } from "#api/meta.ts";
import type { ObjectOf } from "#api/resource.ts";
import type { Stage } from "./stage.ts";

type ClassText = Partial<Omit<StorageClass, "metadata" | "apiVersion" | "kind">>;

/** Metadata besides the name. */
type Meta = Omit<ObjectMeta, "name" | "generateName">;

export type Claim = ObjectOf<typeof PersistentVolumeClaims>;
export type Volume = ObjectOf<typeof PersistentVolumes>;

export const DRIVER = "csi.example.com";
export const BIND_COMPLETED = "pv.kubernetes.io/bind-completed";
export const BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller";
export const PROVISIONED_BY = "pv.kubernetes.io/provisioned-by";

/** The class of the play. Claims may name it even if the StorageClass does not exist. */
export const className = (stage: Stage): string => stage.name("class");

const csi = (handle: string): PersistentVolumeSpec => ({ csi: { driver: DRIVER, volumeHandle: handle } });

export interface VolumeText {
  readonly size?: string;
  readonly metadata?: Meta;
  readonly spec?: PersistentVolumeSpec;
  /** A CSI volume unless given. */
  readonly source?: PersistentVolumeSpec;
}

/**
 * Creates a volume with the class of the play, 1Gi, for one node, retained on release, unless the text says otherwise.
 */
export async function createVolume(stage: Stage, base: string, text: VolumeText = {}): Promise<string> {
  const name = stage.name(base);
  const { metadata = {}, spec = {}, size = "1Gi", source = csi(name) } = text;
  await stage.of(PersistentVolumes).create({
    metadata: { ...metadata, name },
    spec: {
      capacity: { storage: size },
      accessModes: ["ReadWriteOnce"],
      persistentVolumeReclaimPolicy: "Retain",
      storageClassName: className(stage),
      ...source,
      ...spec,
    },
  });
  return name;
}

export async function createFreeVolume(stage: Stage, base: string, text?: VolumeText): Promise<string> {
  const name = await createVolume(stage, base, text);
  await untilPhase(stage, name, "Available");
  return name;
}

export function createClaim(
  stage: Stage,
  name: string,
  { size = "1Gi", metadata = {}, spec = {} }: { size?: string; metadata?: Meta; spec?: PersistentVolumeClaimSpec } = {},
): Promise<Claim> {
  return stage.of(PersistentVolumeClaims).create({
    metadata: { ...metadata, name },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: size } },
      storageClassName: className(stage),
      ...spec,
    },
  });
}

export async function createClass(stage: Stage, provisioner: string, more: ClassText = {}): Promise<string> {
  const name = className(stage);
  await stage.of(StorageClasses).create({ metadata: { name }, provisioner, ...more });
  await stage.settle();
  return name;
}

export function untilPhase(stage: Stage, volume: string, phase: string): Promise<Volume> {
  return stage.of(PersistentVolumes).until(volume, ({ status }) => status?.phase === phase);
}

/** Waits until the claim and its volume are bound to each other. */
export async function untilBound(stage: Stage, claim: string, volume?: string): Promise<Claim> {
  const bound = await stage.of(PersistentVolumeClaims).until(claim, ({ status }) => status?.phase === "Bound");
  const name = bound.spec?.volumeName ?? "";
  if (volume !== undefined && name !== volume) throw new Error(`${claim} is bound to ${name} instead of ${volume}`);
  await untilPhase(stage, name, "Bound");
  return bound;
}

export async function bindTogether(stage: Stage, claim: string, volume: string): Promise<Claim> {
  await createClaim(stage, claim);
  const bound = await untilBound(stage, claim, volume);
  await stage.settle();
  return bound;
}

/** At any point, no claim has two volumes, and no retained volume is deleted. */
export function keepsBonds(stage: Stage, ...kept: readonly string[]): void {
  stage.always("each claim has at most one volume, and volumes are kept", async (reader) => {
    const volumes = (await reader.of(PersistentVolumes).list()).filter(({ spec }) => {
      return spec?.claimRef?.namespace === stage.namespace && Boolean(spec.claimRef.uid);
    });
    const names = (await reader.of(PersistentVolumes).list()).map(({ metadata }) => metadata.name);
    const isOnce = new Set(volumes.map(({ spec }) => spec?.claimRef?.uid)).size === volumes.length;
    return isOnce && kept.every((name) => names.includes(name));
  });
}

/** Deletes the claim and waits until it is gone. */
export async function leave(stage: Stage, claim: string): Promise<void> {
  await stage.settle();
  await stage.of(PersistentVolumeClaims).delete(claim);
  await stage.of(PersistentVolumeClaims).untilGone(claim);
}

/** Causes an event of the claim, so that the binder syncs it again. */
export async function touch(stage: Stage, claim: string): Promise<void> {
  await stage.of(PersistentVolumeClaims).patch(claim, { metadata: { annotations: { "example.com/touched": "yes" } } });
}
