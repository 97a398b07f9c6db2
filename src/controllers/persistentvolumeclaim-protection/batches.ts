// Processes the claims of one namespace together, so that they share one live list of its pods: deleting a namespace
// with a thousand claims must not list its pods a thousand times.
// Upstream: pkg/controller/volume/pvcprotection/pvc_protection_controller.go, pvcProcessingStore.

import { type ObjectKey, splitKey } from "#api/object.ts";
import { errorMessage } from "#base/errors.ts";
import type { Logger } from "#base/log.ts";
import { TaskGroup } from "#base/task-group.ts";
import type { KeyQueue } from "#kit/key-queue.ts";
import { createQueue } from "#workqueue/queue.ts";
import { type Deps, LivePods, syncClaim } from "./sync.ts";

export async function runBatches(queue: KeyQueue, deps: Deps, log: Logger, signal: AbortSignal): Promise<void> {
  const keys = new Map<string, ObjectKey[]>();
  const namespaces = createQueue<string>({ clock: deps.clock });
  const collect = async (signal: AbortSignal): Promise<void> => {
    for (let key = await queue.take(signal); key !== undefined; key = await queue.take(signal)) {
      const { namespace } = splitKey(key);
      const batch = keys.get(namespace);
      if (batch !== undefined) batch.push(key);
      else {
        keys.set(namespace, [key]);
        namespaces.add(namespace);
      }
    }
  };
  const work = async (signal: AbortSignal): Promise<void> => {
    for (let name = await namespaces.get(signal); name !== undefined; name = await namespaces.get(signal)) {
      const batch = keys.get(name) ?? [];
      keys.delete(name);
      namespaces.done(name);
      const live = new LivePods(name, deps);
      for (const key of batch) await syncOne(key, live, queue, deps, log, signal);
    }
  };
  await TaskGroup.all(signal, [collect, work]);
}

async function syncOne(
  key: ObjectKey,
  live: LivePods,
  queue: KeyQueue,
  deps: Deps,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  try {
    await syncClaim(key, live, deps, signal);
    queue.forget(key);
  } catch (error) {
    if (signal.aborted) throw error;
    log.error(error, "sync failed, will retry", { key });
    queue.retry(key, errorMessage(error));
  } finally {
    queue.done(key);
  }
}
