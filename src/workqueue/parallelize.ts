// Runs pieces of work with a fixed number of workers.
// Upstream: k8s.io/client-go/util/workqueue/parallelizer.go, ParallelizeUntil
import { TaskGroup } from "#base/task-group.ts";

/** Runs every piece, at most `workers` at a time, started in order. Starts no more once the signal aborts. */
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
