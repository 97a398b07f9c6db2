import { beforeEach, describe, expect, it } from "vitest";
import { Nodes, PersistentVolumeClaims, PersistentVolumes, Pods } from "#api/generated/resources/core-v1.ts";
import { CSIDrivers, VolumeAttachments } from "#api/generated/resources/storage-v1.ts";
import { objectKey } from "#api/object.ts";
import type { ObjectOf, StoredObject } from "#api/resource.ts";
import { stored } from "#api/testing.ts";
import { noLog } from "#base/log.ts";
import { MetricRegistry } from "#base/metric-registry.ts";
import type { Lister } from "#informers/informer.ts";
import { ActualState } from "./actual-state.ts";
import { DesiredState } from "./desired-state.ts";
import { registerVolumeCounts } from "./metrics.ts";
import { recover } from "./recovery.ts";
import { addMissing, dropUnwanted } from "./wanted-volumes.ts";

function listerOf<T extends StoredObject>(objects: readonly T[]): Lister<T> {
  const get = (key: string): T | undefined => objects.find((object) => objectKey(object) === key);
  return {
    list: () => objects,
    get,
    require: (key) => {
      const found = get(key);
      if (found === undefined) throw new Error(`no ${key}`);
      return found;
    },
  };
}

const MANAGED = { "volumes.kubernetes.io/controller-managed-attach-detach": "true" };
const uniqueName = (volume: string): string => `kubernetes.io/csi/csi.example.com^${volume}`;

const node = (name: string, attached: readonly string[], inUse: readonly string[] = attached) =>
  stored(Nodes, {
    metadata: { name, annotations: MANAGED },
    status: {
      volumesAttached: attached.map((volume) => ({ name: uniqueName(volume), devicePath: `/dev/${volume}` })),
      volumesInUse: inUse.map(uniqueName),
    },
  });
const volume = (name: string) =>
  stored(PersistentVolumes, {
    metadata: { name },
    spec: {
      accessModes: ["ReadWriteOnce"],
      claimRef: { namespace: "ns", name, uid: `uid-${name}` },
      csi: { driver: "csi.example.com", volumeHandle: name },
    },
  });
const claim = (name: string) =>
  stored(PersistentVolumeClaims, { metadata: { name }, spec: { volumeName: name }, status: { phase: "Bound" } });
const pod = (name: string, nodeName: string, claimName: string) =>
  stored(Pods, {
    metadata: { name },
    spec: { nodeName, containers: [], volumes: [{ name: "data", persistentVolumeClaim: { claimName } }] },
  });
const attachment = (name: string, nodeName: string, persistentVolumeName: string | undefined, attached: boolean) =>
  stored(VolumeAttachments, {
    metadata: { name },
    spec: {
      attacher: "csi.example.com",
      nodeName,
      source: persistentVolumeName === undefined ? { inlineVolumeSpec: {} } : { persistentVolumeName },
    },
    status: { attached },
  });

describe("persistentvolume-attach-detach/5, persistentvolume-attach-detach/tests a controller that starts", () => {
  let actual: ActualState;
  let desired: DesiredState;
  const depsWith = (more: { pods?: readonly ReturnType<typeof pod>[] } = {}) => ({
    actual,
    desired,
    log: noLog,
    nodes: listerOf([node("a", ["used", "left"], ["left"]), node("b", [])]),
    pods: listerOf(more.pods ?? [pod("web", "a", "used"), pod("waiting", "b", "wanted"), pod("new", "", "used")]),
    claims: listerOf(["used", "wanted"].map(claim)),
    volumes: listerOf(["used", "left", "wanted", "lost", "begun"].map(volume)),
    drivers: listerOf<ObjectOf<typeof CSIDrivers>>([]),
    attachments: listerOf([
      attachment("1", "a", "used", true),
      attachment("2", "b", "lost", true),
      attachment("3", "b", "begun", false),
      attachment("4", "b", undefined, true),
      attachment("5", "b", "gone", true),
    ]),
  });
  beforeEach(() => {
    actual = new ActualState();
    desired = new DesiredState();
  });

  it("counts volumes that nodes report as attached, and those of VolumeAttachments alone as uncertain", () => {
    recover(depsWith());
    const found = actual.attachments().map(({ volume, node, doubt, isInUse, spec }) => {
      return [volume.split("^")[1], node, doubt, isInUse, spec?.persistentVolume?.metadata?.name];
    });
    expect(found).toEqual([
      ["used", "a", undefined, false, "used"],
      ["left", "a", undefined, true, undefined],
      ["lost", "b", "found-attached", false, "lost"],
      ["begun", "b", "found", false, "begun"],
    ]);
    expect(actual.takeReport("a")?.map(({ devicePath }) => devicePath)).toEqual(["/dev/used", "/dev/left"]);
    expect(actual.takeReport("b")).toBeUndefined();
    expect(desired.volumes().map(({ name, node }) => [name, node])).toEqual([
      [uniqueName("used"), "a"],
      [uniqueName("wanted"), "b"],
    ]);
  });

  it("persistentvolume-attach-detach/metrics counts volumes by plugin and state", () => {
    const deps = depsWith();
    recover(deps);
    const metrics = new MetricRegistry({ version: "1.36.4" });
    registerVolumeCounts(metrics, actual, deps);
    const text = metrics.render();
    for (const line of [
      'attachdetach_controller_total_volumes{plugin_name="kubernetes.io/csi:csi.example.com",state="actual_state_of_world"} 3',
      'attachdetach_controller_total_volumes{plugin_name="kubernetes.io/csi:csi.example.com",state="desired_state_of_world"} 2',
      'storage_count_attachable_volumes_in_use{node="a",volume_plugin="kubernetes.io/csi:csi.example.com"} 1',
      'storage_count_attachable_volumes_in_use{node="b",volume_plugin="kubernetes.io/csi:csi.example.com"} 1',
    ]) {
      expect(text).toContain(line);
    }
  });

  it("persistentvolume-attach-detach/4 drops pods that are gone, replaced or ended, and finds those without an event", () => {
    recover(depsWith());
    const replaced = stored(Pods, { ...pod("web", "a", "used"), metadata: { name: "web", uid: "another" } });
    const over = stored(Pods, { ...pod("waiting", "b", "wanted"), status: { phase: "Failed" } });
    const deps = depsWith({ pods: [replaced, over] });
    dropUnwanted(deps);
    expect(desired.volumes()).toEqual([]);
    addMissing(deps);
    expect(desired.volumes().map(({ pods }) => [...pods.keys()])).toEqual([["another"]]);
  });

  it("persistentvolume-attach-detach/4 drops volumes whose driver no longer attaches", () => {
    recover(depsWith());
    const driver = stored(CSIDrivers, { metadata: { name: "csi.example.com" }, spec: { attachRequired: false } });
    dropUnwanted({ ...depsWith(), drivers: listerOf([driver]) });
    expect(desired.volumes()).toEqual([]);
  });

  it("persistentvolume-attach-detach/about says that a FlexVolume is not attached", () => {
    const lines: unknown[] = [];
    const log = {
      ...noLog,
      error: (_: unknown, message: string, values?: object) => void lines.push({ message, ...values }),
    };
    const user = stored(Pods, {
      metadata: { name: "flex" },
      spec: { nodeName: "b", containers: [], volumes: [{ name: "data", flexVolume: { driver: "example.com/disk" } }] },
    });
    const deps = { ...depsWith({ pods: [user] }), log };
    recover(deps);
    expect(desired.volumes()).toEqual([]);
    const message = "FlexVolume drivers are not supported, so this program does not attach the volume";
    expect(lines).toContainEqual({ message, pod: "ns/flex", volume: "data" });
  });
});
