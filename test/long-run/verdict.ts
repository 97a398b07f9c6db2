// Judges a long run by its counts.

/** Counted after the warm-up, and again at the end. */
export interface Counts {
  readonly rssMegabytes: number;
  /** The number of objects in the informers' caches, because some counts grow with it. */
  readonly cached: number;
  readonly sockets: number;
  readonly timers: number;
  readonly maps: number;
  /** Without the sets of event aggregates, which fill a cache of limited size. */
  readonly sets: number;
  readonly eventAggregates: number;
  readonly promises: number;
  /** Keys that wait in queues. */
  readonly queued: number;
}

export const STALL_MS_MAX = 200;
/** The normal variation between two counts of a working program. */
const SLACK = { share: 0.1, count: 20 };
const RSS_GROWTH_MAX = 0.1;

/**
 * Growth of resident memory: the mean of the last third of the cycles compared with the middle third. In the first
 * third the heap fills again after the collection of the first count.
 */
export function rssGrowth(megabytes: readonly number[]): number {
  const third = Math.floor(megabytes.length / 3);
  if (third === 0) return 0;
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  return mean(megabytes.slice(-third)) / mean(megabytes.slice(-2 * third, -third)) - 1;
}

export interface LongRun {
  readonly start: Counts;
  readonly end: Counts;
  readonly rssMegabytes: readonly number[];
  readonly stallsMs: readonly number[];
  /** Where a cache differs from a fresh LIST. */
  readonly cacheDifferences: readonly string[];
  readonly leaseTransitions: number;
}

export function problemsOf({ start, end, ...run }: LongRun): readonly string[] {
  const grown = (["sockets", "timers", "maps", "sets", "promises"] as const)
    .filter((name) => end[name] > start[name] * (1 + SLACK.share) + SLACK.count)
    .map((name) => `${name} grew from ${start[name]} to ${end[name]}`);
  const growth = rssGrowth(run.rssMegabytes);
  const stalls = run.stallsMs.filter((ms) => ms > STALL_MS_MAX).map((ms) => `a stall of ${ms.toFixed(0)} ms`);
  return [
    ...grown,
    ...(end.queued > 0 ? [`${end.queued} keys wait in queues`] : []),
    ...(growth > RSS_GROWTH_MAX ? [`resident memory grew by ${(growth * 100).toFixed(0)} %`] : []),
    ...stalls,
    ...run.cacheDifferences,
    ...(run.leaseTransitions > 0 ? [`the lease changed hands ${run.leaseTransitions} times`] : []),
  ];
}
