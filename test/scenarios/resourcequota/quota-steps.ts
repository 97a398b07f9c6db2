// Steps with quotas and the objects that they count.

import { ConfigMaps, Pods, ResourceQuotas } from "#api/generated/resources/core-v1.ts";
import type { PodSpec, ResourceQuotaSpec, ResourceRequirements } from "#api/generated/types/core-v1.ts";
import type { Stage } from "#test/stage/stage.ts";

type Amounts = Readonly<Record<string, string>>;

/** Creates a quota and waits until it is counted. */
export async function quota(
  stage: Stage,
  name: string,
  hard: Amounts,
  more: Omit<ResourceQuotaSpec, "hard"> = {},
): Promise<void> {
  await stage.of(ResourceQuotas).create({ metadata: { name }, spec: { ...more, hard } });
  await stage.of(ResourceQuotas).until(name, ({ status }) => status?.used !== undefined);
  await stage.settle();
}

/** Much less than the full resync period: a resync would correct any mistake. */
const SOON_MS = 90_000;

/** Waits until the quota's used amounts are exactly these. */
export async function untilUsed(stage: Stage, name: string, used: Amounts): Promise<void> {
  const text = (amounts: Readonly<Record<string, unknown>> = {}): string =>
    Object.keys(amounts)
      .sort()
      .map((key) => `${key}=${amounts[key]}`)
      .join();
  const wanted = text(used);
  const beganMs = stage.now();
  await stage.until(`${name} uses ${wanted}`, async () => {
    const { status } = await stage.of(ResourceQuotas).get(name);
    if (stage.now() - beganMs > SOON_MS) throw new Error(`${name} still uses ${text(status?.used)}, not ${wanted}`);
    return text(status?.used) === wanted;
  });
}

export async function maps(stage: Stage, ...names: readonly string[]): Promise<void> {
  for (const name of names) await stage.of(ConfigMaps).create({ metadata: { name } });
}

export async function pod(
  stage: Stage,
  name: string,
  resources: ResourceRequirements = {},
  more: Partial<PodSpec> = {},
): Promise<void> {
  const containers = [{ name: "main", image: "example/web:1", resources }];
  await stage.of(Pods).create({ metadata: { name }, spec: { ...more, containers } });
}
