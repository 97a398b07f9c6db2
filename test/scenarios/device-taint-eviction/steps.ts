// Steps with tainted devices.

import { Pods } from "#api/generated/resources/core-v1.ts";
import { ResourceSlices } from "#api/generated/resources/resource-v1.ts";
import type { DeviceTaint } from "#api/generated/types/resource-v1.ts";
import { type Allocation, allocate, consumer, createClaim, createUser } from "#test/stage/devices.ts";
import { isTerminating, type StoredPod } from "#test/stage/pods.ts";
import type { Stage } from "#test/stage/stage.ts";

export const DRIVER = "gpu.example.com";

export const broken: DeviceTaint = { key: "broken", value: "yes", effect: "NoExecute" };

/** Publishes a slice of the play's pool with one device. */
export async function publish(
  stage: Stage,
  taints: readonly DeviceTaint[] = [],
  { base = "slice", generation = 1 }: { base?: string; generation?: number } = {},
): Promise<string> {
  const name = stage.name(base);
  const pool = { name: stage.name("pool"), generation, resourceSliceCount: 1 };
  const devices = [{ name: "gpu-0", ...(taints.length === 0 ? {} : { taints }) }];
  await stage
    .of(ResourceSlices)
    .create({ metadata: { name }, spec: { driver: DRIVER, pool, allNodes: true, devices } });
  return name;
}

export async function taint(stage: Stage, slice: string, taints: readonly DeviceTaint[]): Promise<void> {
  await stage.of(ResourceSlices).patch(slice, { spec: { devices: [{ name: "gpu-0", taints }] } });
}

/** Creates a pod on a node with an allocated claim, and waits until all caches show it. */
export async function runUser(
  stage: Stage,
  name = "user",
  { nodeName = "node-1", ...allocation }: Allocation & { readonly nodeName?: string } = {},
): Promise<StoredPod> {
  await createClaim(stage, `${name}-gpu`);
  const pod = await createUser(stage, name, { gpu: `${name}-gpu` }, nodeName === "" ? {} : { nodeName });
  await allocate(stage, `${name}-gpu`, { reservedFor: [consumer(pod)], isProtected: false, ...allocation });
  await stage.settle();
  return pod;
}

export async function untilEvicted(stage: Stage, name = "user"): Promise<StoredPod> {
  return await stage.of(Pods).until(name, isTerminating);
}
