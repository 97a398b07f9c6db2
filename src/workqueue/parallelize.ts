// Pieces of work done by a fixed number of workers.
// Upstream: k8s.io/client-go/util/workqueue/parallelizer.go, ParallelizeUntil
import { TaskGroup } from "#base/task-group.ts";

/** Does every piece, at most `workers` at a time, in order of start; begins no more once the signal aborts. */
export function parallelizeUntil(
  workers: number,
  pieces: number,
  doPiece: (piece: number, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let next = 0;
  return TaskGroup.run(signal, (group) => {
    for (let worker = Math.min(workers, pieces); worker > 0; worker--) {
      group.spawn(async (inner) => {
        while (next < pieces && !inner.aborted) await doPiece(next++, inner);
      });
    }
  });
}
