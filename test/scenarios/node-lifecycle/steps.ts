// Steps that scenarios of node-lifecycle share.

import type { NodeSpec } from "#api/generated/types/core-v1.ts";
import { createNode } from "#test/stage/nodes.ts";
import type { StoredPod } from "#test/stage/pods.ts";
import type { Stage } from "#test/stage/stage.ts";

/** The labels that put a node into a zone of this play. */
export function zoneLabels(stage: Stage, zone = "z"): Readonly<Record<string, string>> {
  return { "topology.kubernetes.io/zone": `${zone}-${stage.namespace}` };
}

/** Creates ready nodes with this name prefix, in a zone of this play. */
export async function createNodes(
  stage: Stage,
  bases: readonly string[],
  { zone = "z", spec = {} }: { readonly zone?: string; readonly spec?: NodeSpec } = {},
): Promise<readonly string[]> {
  const names: string[] = [];
  for (const base of bases) {
    names.push(await createNode(stage, base, { isReady: true, labels: zoneLabels(stage, zone), spec }));
  }
  return names;
}

/** Creates two nodes in a zone: one for the play, and one that stays ready, so that the zone is not fully disrupted. */
export async function withHealthyNode(stage: Stage): Promise<{ readonly node: string; readonly healthy: string }> {
  const [node = "", healthy = ""] = await createNodes(stage, ["node", "healthy"]);
  return { node, healthy };
}

export function readyOf({ status }: StoredPod): string | undefined {
  return status?.conditions?.find(({ type }) => type === "Ready")?.status;
}

/** The controller's writes: "patch nodes node-a". */
export async function nodeWrites(stage: Stage, verb?: string): Promise<readonly string[]> {
  return (await stage.writes())
    .filter((write) => write.who === "node-controller" && (verb === undefined || write.verb === verb))
    .map(({ verb, resource, name }) => `${verb} ${resource} ${name}`);
}
