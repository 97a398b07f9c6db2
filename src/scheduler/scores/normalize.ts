// Scores from 0 to 100. Upstream: pkg/scheduler/framework/plugins/helper/normalize_score.go

export const MAX_SCORE = 100;

/** One number per node, in the order of the nodes; undefined if the plugin rates all equally. */
export type Scores = readonly number[] | undefined;

/** Scales to the largest. isReversed: the largest is the worst. */
export function scaledToLargest(scores: readonly number[], isReversed: boolean): readonly number[] {
  const largest = Math.max(0, ...scores);
  if (largest === 0) return isReversed ? scores.map(() => MAX_SCORE) : scores;
  return scores.map((score) => {
    const scaled = Math.trunc((MAX_SCORE * score) / largest);
    return isReversed ? MAX_SCORE - scaled : scaled;
  });
}
