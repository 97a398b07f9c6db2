// Scores by the free CPU and memory of a node, and by their balance.
// Upstream: pkg/scheduler/framework/plugins/noderesources: least_allocated.go, balanced_allocation.go

import type { NodeState } from "../node-state.ts";
import type { PodResources, WeighedResources } from "../resource-totals.ts";
import { MAX_SCORE, type Scores } from "./normalize.ts";

export function scoreLeastAllocated(
  { nonZeroOfContainers: wanted }: PodResources,
  nodes: readonly NodeState[],
): Scores {
  return nodes.map(({ allocatable, nonZero }) => {
    const parts = (allocatable.milliCpu === 0 ? 0 : 1) + (allocatable.memory === 0 ? 0 : 1);
    if (parts === 0) return 0;
    const cpu = unusedShare(nonZero.milliCpu + wanted.milliCpu, allocatable.milliCpu);
    const memory = unusedShare(nonZero.memory + wanted.memory, allocatable.memory);
    return Math.trunc((cpu + memory) / parts);
  });
}

function unusedShare(requested: number, capacity: number): number {
  return capacity === 0 || requested > capacity ? 0 : Math.trunc(((capacity - requested) * MAX_SCORE) / capacity);
}

/** Compares the balance with the pod to the balance without it. A pod without requests changes nothing. */
export function scoreBalance(wanted: PodResources, nodes: readonly NodeState[]): Scores {
  if (wanted.milliCpu === 0 && wanted.memory === 0) return undefined;
  return nodes.map(({ allocatable, requested }) => {
    const before = balance(requested.milliCpu, requested.memory, allocatable);
    const after = balance(requested.milliCpu + wanted.milliCpu, requested.memory + wanted.memory, allocatable);
    return MAX_SCORE / 2 + Math.trunc((MAX_SCORE / 2 + after - before) / 2);
  });
}

function balance(cpu: number, memory: number, capacity: WeighedResources): number {
  if (capacity.milliCpu === 0 || capacity.memory === 0) return MAX_SCORE;
  const cpuShare = Math.min(1, cpu / capacity.milliCpu);
  const memoryShare = Math.min(1, memory / capacity.memory);
  const deviation = Math.abs((cpuShare - memoryShare) / 2);
  return Math.trunc((1 - deviation) * MAX_SCORE);
}
