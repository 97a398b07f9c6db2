import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Nodes } from "#api/generated/resources/core-v1.ts";
import type { Node } from "#api/generated/types/core-v1.ts";
import { newNotFound } from "#api/status-error.ts";
import { stored } from "#api/testing.ts";
import { noLog } from "#base/log.ts";
import { MetricRegistry } from "#base/metric-registry.ts";
import { seededRng } from "#base/seeded-rng.ts";
import { testClock } from "#base/testing.ts";
import { operationMetrics } from "#families/volumes/operation-metrics.ts";
import type { VolumeSpec } from "#families/volumes/volume-spec.ts";
import { ActualState } from "./actual-state.ts";
import { DesiredState } from "./desired-state.ts";
import { forcedDetaches } from "./metrics.ts";
import { NodeStatusWriter } from "./node-status.ts";
import { Operations } from "./operations.ts";
import { type ReconcileDeps, reconcile } from "./reconcile.ts";

const VOLUME = "kubernetes.io/csi/csi.example.com^disk";
const spec: VolumeSpec = {
  persistentVolume: {
    metadata: { name: "pv" },
    spec: { accessModes: ["ReadWriteOnce"], csi: { driver: "csi.example.com", volumeHandle: "disk" } },
  },
  isMigrated: false,
  isInline: false,
};

const refused = (): Promise<never> => Promise.reject(new Error("refused"));

describe("persistentvolume-attach-detach/10, persistentvolume-attach-detach/11, persistentvolume-attach-detach/tests the reconciler, with a volume that no pod wants", () => {
  const clock = testClock();
  const life = new AbortController();
  let metrics: MetricRegistry;
  let actual: ActualState;
  let deletes: string[];
  let ended: Promise<void>;
  let stop: () => void;
  beforeEach(() => {
    metrics = new MetricRegistry({ version: "1.36.4" });
    actual = new ActualState();
    actual.markAttached(VOLUME, spec, "a");
    actual.setInUse("a", []);
    deletes = [];
  });
  afterEach(async () => {
    stop();
    await ended;
  });

  function depsWith(more: {
    patch?: () => Promise<never>;
    inUse?: readonly string[];
    node?: Pick<Node, "spec">;
  }): ReconcileDeps {
    const node = stored(Nodes, { metadata: { name: "a" }, ...more.node });
    const lister = { list: () => [node], get: () => node, require: () => node };
    const none = {
      list: () => [],
      get: () => undefined,
      require: () => {
        throw new Error("none");
      },
    };
    const operations = new Operations(clock, noLog);
    const alive = new AbortController();
    ended = operations.run(alive.signal);
    stop = () => alive.abort();
    return {
      actual,
      desired: new DesiredState(),
      operations,
      attacher: {
        clock,
        rng: seededRng(1),
        attachments: none,
        attachmentsApi: {
          get: refused,
          create: refused,
          delete: async ({ name }) => {
            deletes.push(name);
            throw newNotFound({ group: "storage.k8s.io", resource: "volumeattachments" }, name);
          },
        },
      },
      nodeStatus: new NodeStatusWriter(actual, lister, { patch: more.patch ?? (async () => node) }, noLog),
      nodes: lister,
      nodesApi: { get: async () => ({ ...node, status: { volumesInUse: [...(more.inUse ?? [])] } }) },
      drivers: none,
      recorder: { event: () => undefined },
      operationMetrics: operationMetrics(metrics),
      forcedDetaches: forcedDetaches(metrics),
      isForceDetachDisabled: false,
      clock,
      log: noLog,
    };
  }
  const pass = async (deps: ReconcileDeps): Promise<void> => {
    await reconcile(deps, life.signal);
    await clock.advance(0);
  };

  it("detaches it, and forgets it", async () => {
    await pass(depsWith({}));
    expect(deletes).toEqual(["csi-8d5f91a3639ae34514526587225c883438d0e3cdfeb2a5de51b1163acfcd6ed4"]);
    expect(actual.attachments()).toEqual([]);
    expect(metrics.render()).toContain(
      'storage_operation_duration_seconds_count{migrated="false",operation_name="volume_detach",status="success",volume_plugin="kubernetes.io/csi:csi.example.com"} 1',
    );
  });

  it("leaves it attached and reported while the node's status cannot be written", async () => {
    await pass(depsWith({ patch: refused }));
    expect([deletes, actual.state(VOLUME, "a")]).toEqual([[], "attached"]);
    expect(actual.takeReport("a")).toEqual([{ name: VOLUME, devicePath: "" }]);
  });

  it("trusts a live read of the node, not the cache, and is then uncertain", async () => {
    await pass(depsWith({ inUse: [VOLUME] }));
    expect([deletes, actual.state(VOLUME, "a")]).toEqual([[], "uncertain"]);
    expect(actual.takeReport("a")).toBeUndefined();
  });

  it("persistentvolume-attach-detach/12, persistentvolume-attach-detach/metrics does not ask a node that is out of service, and counts that", async () => {
    actual.setInUse("a", [VOLUME]);
    const taints = [{ key: "node.kubernetes.io/out-of-service", effect: "NoExecute" }];
    await pass(depsWith({ inUse: [VOLUME], node: { spec: { taints } } }));
    expect([deletes.length, actual.attachments()]).toEqual([1, []]);
    const name = "attach_detach_controller_attachdetach_controller_forced_detaches";
    expect(metrics.render()).toContain(`${name}{reason="out-of-service"} 1`);
  });

  it("leaves a volume alone that no plugin can detach", async () => {
    actual.markAttached("kubernetes.io/unknown/disk", undefined, "a");
    actual.setInUse("a", []);
    await pass(depsWith({}));
    expect(actual.state("kubernetes.io/unknown/disk", "a")).toBe("attached");
  });
});
