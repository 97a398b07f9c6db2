// Scores by the size of the pod's images that a node already has; images on many nodes count more.
// Upstream: pkg/scheduler/framework/plugins/imagelocality

import type { Pod } from "#api/generated/types/core-v1.ts";
import type { ClusterState } from "../cluster-state.ts";
import type { NodeState } from "../node-state.ts";
import { MAX_SCORE, type Scores } from "./normalize.ts";

const MIB = 1024 * 1024;
const MIN_BYTES = 23 * MIB;
const MAX_BYTES_PER_CONTAINER = 1000 * MIB;

export function scoreImages({ spec }: Pod, nodes: readonly NodeState[], state: ClusterState): Scores {
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map(({ image = "" }) => image);
  const volumes = (spec?.volumes ?? []).flatMap(({ image }) => (image === undefined ? [] : (image.reference ?? "")));
  const wanted = [...containers, ...volumes].map(withTag);
  if (!wanted.some((image) => state.nodesWithImage(image) > 0)) return undefined;
  const total = state.nodes.length;
  const maxBytes = MAX_BYTES_PER_CONTAINER * containers.length;
  return nodes.map((node) => {
    const sizes = sizesOf(node);
    let bytes = 0;
    for (const image of wanted) {
      const size = sizes.get(image);
      if (size !== undefined) bytes += Math.trunc(size * (state.nodesWithImage(image) / total));
    }
    const counted = bytes < MIN_BYTES ? MIN_BYTES : Math.min(bytes, maxBytes);
    return Math.trunc((MAX_SCORE * (counted - MIN_BYTES)) / (maxBytes - MIN_BYTES));
  });
}

function sizesOf({ node }: NodeState): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const { names = [], sizeBytes = 0 } of node?.status?.images ?? []) {
    for (const name of names) sizes.set(name, Number(sizeBytes));
  }
  return sizes;
}

function withTag(image: string): string {
  return image.lastIndexOf(":") <= image.lastIndexOf("/") ? `${image}:latest` : image;
}
