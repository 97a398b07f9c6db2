// The pod that empties a volume: its spec, and how it is started, watched and deleted.
// Upstream: pkg/volume/util/recyclerclient/recycler_client.go; pkg/volume/plugins.go,
// NewPersistentVolumeRecyclerPodTemplate.

import type { Event, Pod } from "#api/generated/types/core-v1.ts";
import { goQuote } from "#api/go-text.ts";
import type { WatchEvent } from "#api/object.ts";
import type { Draft, Stored } from "#api/resource.ts";
import { isAlreadyExists } from "#api/status-error.ts";
import { childScope } from "#base/abort.ts";
import { errorMessage } from "#base/errors.ts";
import { TaskGroup } from "#base/task-group.ts";
import type { Watch } from "#client/client.ts";
import { capacityOf, type Volume } from "#families/volumes/claim-matching.ts";
import type { Deps } from "./deps.ts";
import type { PluginSettings, VolumePlugin } from "./plugins.ts";
import { volumeEvent } from "./writes.ts";

const GIB = 1024 ** 3;

export const defaultRecyclerPod: Pod = {
  metadata: { namespace: "default" },
  spec: {
    restartPolicy: "Never",
    volumes: [{ name: "vol" }],
    containers: [
      {
        name: "pv-recycler",
        image: "registry.k8s.io/build-image/debian-base:bookworm-v1.0.6",
        command: ["/bin/sh"],
        args: ["-c", 'test -e /scrub && find /scrub -mindepth 1 -delete && test -z "$(ls -A /scrub)" || exit 1'],
        volumeMounts: [{ name: "vol", mountPath: "/scrub" }],
      },
    ],
  },
};

/** The template with the volume as its first volume, and a deadline that grows with the size of the volume. */
export function recyclerPod(volume: Volume, plugin: VolumePlugin, settings: PluginSettings): Draft<Stored<Pod>> {
  const { template, minimumTimeoutSeconds, timeoutIncrementSeconds } = plugin.recycler(settings);
  const { generateName: _, ...metadata } = template.metadata ?? {};
  const [first, ...others] = template.spec?.volumes ?? [];
  const gibibytes = Math.trunc(capacityOf(volume).value() / GIB);
  return {
    ...template,
    metadata: { ...metadata, name: `recycler-for-${volume.metadata.name}` },
    spec: {
      ...template.spec,
      containers: template.spec?.containers ?? [],
      activeDeadlineSeconds: Math.max(minimumTimeoutSeconds, gibibytes * timeoutIncrementSeconds),
      volumes: [{ name: first?.name ?? "", ...plugin.sourceOf(volume.spec ?? {}) }, ...others],
    },
  };
}

/** Runs the pod until it has ended, and deletes it. Events about the pod are also recorded on the volume. */
export async function runRecyclerPod(
  pod: Draft<Stored<Pod>>,
  volume: Volume,
  deps: Deps,
  signal: AbortSignal,
): Promise<void> {
  const { name = "", namespace = "" } = pod.metadata ?? {};
  using scope = childScope(signal);
  const selection = { namespace, fieldSelector: `metadata.name=${name}` };
  const pods = await deps.podsApi.watch(selection, scope.signal);
  const about = { namespace, fieldSelector: `involvedObject.name=${name}` };
  const events = await deps.eventsApi.watch(about, scope.signal);
  try {
    await deps.podsApi.create({ namespace, object: pod }, signal);
  } catch (error) {
    if (!isAlreadyExists(error)) throw new Error(`unexpected error creating recycler pod:  ${errorMessage(error)}`);
    await removePod(`failed to delete old recycler pod ${namespace}/${name}`, { namespace, name }, deps, signal);
    throw new Error("old recycler pod found, will retry later");
  }
  let failure: string | undefined;
  try {
    failure = await watchPod(name, pods, events, (event) => copyEvent(event, volume, deps), signal);
  } catch (error) {
    if (signal.aborted) throw error;
    failure = errorMessage(error);
  }
  signal.throwIfAborted(); // the pod outlives the program: the next run finds it
  const removal = removePod("failed to delete recycler pod", { namespace, name }, deps, signal);
  try {
    await removal;
  } catch (error) {
    if (failure === undefined) throw error;
    deps.log.error(error, "failed to delete recycler pod", { namespace, name });
  }
  if (failure !== undefined) throw new Error(`failed to recycle volume: ${failure}`);
}

async function removePod(
  what: string,
  address: { readonly namespace: string; readonly name: string },
  deps: Deps,
  signal: AbortSignal,
): Promise<void> {
  try {
    await deps.podsApi.delete(address, signal);
  } catch (error) {
    throw new Error(`${what}: ${errorMessage(error)}`, { cause: error });
  }
}

function copyEvent({ type, message = "" }: Event, volume: Volume, deps: Deps): void {
  volumeEvent(volume, type === "Warning" ? "Warning" : "Normal", "RecyclerPod", `Recycler pod: ${message}`, deps);
}

/** Why the pod failed; undefined when it succeeded. If both watches end, no more events can come. */
async function watchPod(
  name: string,
  pods: Watch<Stored<Pod>>,
  events: Watch<Stored<Event>>,
  onEvent: (event: Event) => void,
  signal: AbortSignal,
): Promise<string | undefined> {
  let result: { readonly failure: string | undefined } | undefined;
  await TaskGroup.run(signal, (group) => {
    group.spawn(async () => {
      result = await endOf(pods);
      if (result !== undefined) group.cancel();
    });
    group.spawn(async (signal) => {
      const ended = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      await Promise.race([ended, forwardAdded(events, onEvent)]);
    });
  });
  return result === undefined ? `recycler pod ${goQuote(name)} watch channel had been closed` : result.failure;
}

async function endOf(pods: Watch<Stored<Pod>>): Promise<{ readonly failure: string | undefined } | undefined> {
  for await (const batch of uncut(pods)) {
    for (const { type, object } of batch) {
      if (type === "DELETED") return { failure: "recycler pod was deleted" };
      if (type !== "ADDED" && type !== "MODIFIED") continue;
      if (object.status?.phase === "Succeeded") return { failure: undefined };
      if (object.status?.phase === "Failed") {
        return { failure: object.status.message || "pod failed, pod.Status.Message unknown" };
      }
    }
  }
  return undefined;
}

async function forwardAdded(events: Watch<Stored<Event>>, onEvent: (event: Event) => void): Promise<void> {
  for await (const batch of uncut(events)) {
    for (const { type, object } of batch) if (type === "ADDED") onEvent(object);
  }
}

/** A cut watch counts as ended. */
async function* uncut<T>(watch: Watch<T>): AsyncGenerator<readonly WatchEvent<T>[]> {
  try {
    yield* watch;
  } catch {
    return;
  }
}
