// When a node is down, and what it has lost when it comes back. Times count from the start of the cluster.

export interface Outage {
  readonly fromMs: number;
  /** Absent: the node does not come back. */
  readonly toMs?: number;
  /** The node failed: its containers have ended. After a partition they still run. */
  readonly losesContainers: boolean;
}

/** The outage at a time, if any. */
export function outageAt(outages: readonly Outage[], atMs: number): Outage | undefined {
  return outages.find(({ fromMs, toMs = Number.POSITIVE_INFINITY }) => fromMs <= atMs && atMs < toMs);
}

/** Containers that started before this time were lost in the last failure that has ended. */
export function lostBeforeMs(outages: readonly Outage[], atMs: number): number {
  const failures = outages.flatMap(({ fromMs, toMs, losesContainers }) =>
    losesContainers && toMs !== undefined && toMs <= atMs ? [fromMs] : [],
  );
  return Math.max(Number.NEGATIVE_INFINITY, ...failures);
}
