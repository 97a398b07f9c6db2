// A quota on pods, with a stand-in for its controller.

import { ResourceQuotas } from "#api/generated/resources/core-v1.ts";
import type { Stage } from "#test/stage/stage.ts";

/** Creates the quota "pods" and waits until it is counted. */
export async function quotaOfPods(stage: Stage, pods: number): Promise<void> {
  const quotas = stage.of(ResourceQuotas);
  const hard = { pods: String(pods) };
  await quotas.create({ metadata: { name: "pods" }, spec: { hard } });
  await stage.standIn("resourcequota-controller", async () => {
    await quotas.patch("pods", { status: { hard, used: { pods: "0" } } }, { subresource: "status" });
  });
  await quotas.until("pods", ({ status }) => status?.hard !== undefined);
}
