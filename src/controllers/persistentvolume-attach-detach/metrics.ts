// Upstream: pkg/controller/volume/attachdetach/metrics/metrics.go.

import type { Counter, Metrics } from "#base/metrics.ts";
import { volumeSpecOf } from "#families/volumes/pod-volumes.ts";
import { isAttachablePlugin, pluginOf, qualifiedPluginName, type VolumeSpec } from "#families/volumes/volume-spec.ts";
import type { ActualState } from "./actual-state.ts";
import type { WantedDeps } from "./wanted-volumes.ts";

export function forcedDetaches(metrics: Metrics): Counter {
  return metrics.counter({
    name: "attach_detach_controller_attachdetach_controller_forced_detaches",
    help: "Number of times the A/D Controller performed a forced detach",
    stability: "ALPHA",
    labels: ["reason"],
  });
}

/** The values are computed on reading. */
export function registerVolumeCounts(metrics: Metrics, actual: ActualState, deps: WantedDeps): void {
  metrics.gaugeFunc(
    {
      name: "storage_count_attachable_volumes_in_use",
      help: "Measure number of volumes in use",
      stability: "ALPHA",
      labels: ["node", "volume_plugin"],
    },
    () => series(volumesInUse(deps)),
  );
  metrics.gaugeFunc(
    {
      name: "attachdetach_controller_total_volumes",
      help: "Number of volumes in A/D Controller",
      stability: "ALPHA",
      labels: ["plugin_name", "state"],
    },
    () =>
      series([
        ...named(actual.attachments(), "actual_state_of_world"),
        ...named(deps.desired.volumes(), "desired_state_of_world"),
      ]),
  );
}

type Labels = readonly [string, string];

function* volumesInUse(deps: WantedDeps): Generator<Labels> {
  for (const pod of deps.pods.list()) {
    const node = pod.spec?.nodeName ?? "";
    if (node === "") continue;
    for (const volume of pod.spec?.volumes ?? []) {
      try {
        const plugin = pluginName(volumeSpecOf(pod, volume, deps));
        if (plugin !== undefined) yield [node, plugin];
      } catch {
        // An unbound volume is not in use.
      }
    }
  }
}

function* named(volumes: Iterable<{ readonly spec?: VolumeSpec | undefined }>, state: string): Generator<Labels> {
  for (const { spec } of volumes) {
    const plugin = spec === undefined ? undefined : pluginName(spec);
    if (plugin !== undefined) yield [plugin, state];
  }
}

function pluginName(spec: VolumeSpec): string | undefined {
  const plugin = pluginOf(spec);
  return plugin === undefined || !isAttachablePlugin(plugin) ? undefined : qualifiedPluginName(plugin, spec);
}

function series(labels: Iterable<Labels>): readonly { labelValues: readonly string[]; value: number }[] {
  const groups = Map.groupBy(labels, (values) => JSON.stringify(values));
  return [...groups.values()].map((equal) => ({ labelValues: equal[0] ?? [], value: equal.length }));
}
