import { describe, expect, it } from "vitest";
import type * as core from "#api/generated/types/core-v1.ts";
import type { KubeObject } from "#api/object.ts";
import { seededRng } from "#base/seeded-rng.ts";
import { builtinKind } from "./builtin-kinds.ts";
import { lease as leaseKind } from "./coordination/lease.ts";
import { configMap } from "./core/config-map.ts";
import { event } from "./core/event.ts";
import { limitRange } from "./core/limit-range.ts";
import { namespace } from "./core/namespace.ts";
import { checkGracefulDelete, pod as podKind } from "./core/pod.ts";
import { replicationController } from "./core/replication-controller.ts";
import type { Kind } from "./kind.ts";
import type { StrategyContext } from "./strategy.ts";

const { strategy: podStrategy } = podKind;

const OFF = new Set([
  "CoordinatedLeaderElection",
  "ContainerStopSignals",
  "GenericWorkload",
  "ClusterTrustBundleProjection",
]);
const ctx: StrategyContext = {
  now: 0,
  rng: seededRng(7),
  user: { name: "tester" },
  gates: { isEnabled: (name) => !OFF.has(name) },
  dryRun: false,
};

const pod = (spec: Partial<core.PodSpec>, status: core.PodStatus = {}): core.Pod => ({
  metadata: { name: "p", namespace: "n", generation: 3 },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
  status,
});

describe("machinery/7.4.r5 graceful deletion of pods", () => {
  const bound = { nodeName: "n1", terminationGracePeriodSeconds: 30 };
  it.each([
    ["takes the pod's own period", pod(bound), {}, 30],
    ["takes the caller's period", pod(bound), { gracePeriodSeconds: 5 }, 5],
    ["takes a negative period as one second", pod(bound), { gracePeriodSeconds: -3 }, 1],
    ["is at once for a pod without a node", pod({}), { gracePeriodSeconds: 60 }, 0],
    ["is at once for a pod that succeeded", pod(bound, { phase: "Succeeded" }), {}, 0],
    ["is at once for a pod that failed", pod(bound, { phase: "Failed" }), { gracePeriodSeconds: 9 }, 0],
  ])("%s", (_, object, options, seconds) => {
    expect(checkGracefulDelete(object, options)).toBe(seconds);
  });
});

describe("strategies", () => {
  it("machinery/7.4.r1 keep the status of an update and drop that of a create", () => {
    const created = podStrategy.prepareForCreate(pod({}, { phase: "Running", podIP: "1.2.3.4" }), ctx);
    expect(created.status).toEqual({ phase: "Pending", qosClass: "BestEffort" });
    const old = pod({}, { phase: "Running" });
    expect(podStrategy.prepareForUpdate(pod({}, { phase: "Failed" }), old, ctx).status).toEqual({ phase: "Running" });
  });
  it("machinery/7.4.r2 count changes of a pod's spec", () => {
    const old = pod({});
    expect(podStrategy.prepareForUpdate(pod({}), old, ctx).metadata?.generation).toBe(3);
    expect(podStrategy.prepareForUpdate(pod({ hostname: "h" }), old, ctx).metadata?.generation).toBe(4);
  });
  it("machinery/7.4.r4 keep a pod's status writers from spec, owners and generations", () => {
    const owners = [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "r", uid: "u" }];
    const old: core.Pod = {
      ...pod(
        {},
        {
          qosClass: "Burstable",
          observedGeneration: 3,
          conditions: [{ type: "Ready", status: "True", observedGeneration: 2 }],
        },
      ),
      metadata: { name: "p", ownerReferences: owners, deletionTimestamp: "2026-01-01T00:00:00Z" },
    };
    const sent = pod({ hostname: "other" }, { phase: "Running", conditions: [{ type: "Ready", status: "False" }] });
    const prepared = podStrategy.subresources.status?.prepareForUpdate(sent, old, ctx);
    expect(prepared?.spec).toBe(old.spec);
    expect(prepared?.metadata?.ownerReferences).toBe(owners);
    expect(prepared?.status).toEqual({
      phase: "Running",
      qosClass: "Burstable",
      observedGeneration: 3,
      conditions: [{ type: "Ready", status: "False", observedGeneration: 2 }],
    });
  });
  it("machinery/7.4.r3 mark a pod with scheduling gates", () => {
    const gated = podStrategy.prepareForCreate(pod({ schedulingGates: [{ name: "g" }] }), ctx);
    expect(gated.status?.conditions?.[0]).toMatchObject({
      type: "PodScheduled",
      status: "False",
      reason: "SchedulingGated",
      lastTransitionTime: "1970-01-01T00:00:00Z",
    });
  });
  it("drop fields whose gate is off, unless the stored pod uses them", () => {
    const using = pod({ schedulingGroup: { podGroupName: "g" } });
    expect(podStrategy.prepareForCreate(using, ctx).spec).not.toHaveProperty("schedulingGroup");
    expect(podStrategy.prepareForUpdate(using, using, ctx).spec).toHaveProperty("schedulingGroup");
    const signal = pod({ containers: [{ name: "c", lifecycle: { stopSignal: "SIGTERM" } }] });
    expect(podStrategy.prepareForCreate(signal, ctx).spec?.containers[0]).not.toHaveProperty("lifecycle");
  });
  it("machinery/7.2.r2 give a namespace its finalizer and its name as a label", () => {
    const created = namespace.strategy.prepareForCreate(
      { metadata: { name: "a" }, spec: { finalizers: ["x/y"] } },
      ctx,
    );
    expect(created).toMatchObject({ spec: { finalizers: ["x/y", "kubernetes"] }, status: { phase: "Active" } });
    expect(namespace.strategy.canonicalize?.(created).metadata?.labels).toEqual({ "kubernetes.io/metadata.name": "a" });
  });
  it("name a limit range without a name", () => {
    expect(limitRange.strategy.prepareForCreate({ metadata: {} }, ctx).metadata?.name).toMatch(/^[0-9a-f-]{36}$/);
  });
  it("leave out coordinated election while its gate is off", () => {
    const lease = { spec: { strategy: "OldestEmulationVersion", holderIdentity: "x" } };
    expect(leaseKind.strategy.prepareForCreate(lease, ctx).spec).toEqual({ holderIdentity: "x" });
    expect(leaseKind.strategy.prepareForUpdate(lease, lease, ctx).spec).toEqual(lease.spec);
  });
  it("machinery/7.4.r8 refuse changes of an immutable config map", () => {
    const meta = { name: "c", namespace: "n", resourceVersion: "1" };
    const old = { metadata: meta, immutable: true, data: { a: "1" } };
    expect(configMap.strategy.validateUpdate({ ...old, data: { a: "2" } }, old, ctx).map(({ field }) => field)).toEqual(
      ["data"],
    );
  });
  it("machinery/7.1.r9 offer the selectable fields of each kind", () => {
    const values = <T extends KubeObject>({ selectableFields = {} }: Kind<T>, object: T): Record<string, string> =>
      Object.fromEntries(Object.entries(selectableFields).map(([name, read]) => [name, read(object)]));
    expect(values(podKind, pod({ nodeName: "n1" }, { phase: "Running" }))).toMatchObject({
      "spec.nodeName": "n1",
      "spec.hostNetwork": "false",
      "status.phase": "Running",
    });
    const object = { metadata: {}, involvedObject: { kind: "Pod" }, reportingComponent: "x" };
    expect(values(event, object)).toMatchObject({ "involvedObject.kind": "Pod", source: "x" });
    expect(values(replicationController, { status: { replicas: 2 } })).toEqual({ "status.replicas": "2" });
  });
  it("survive hostile keys without touching a prototype", () => {
    const hostile = JSON.parse(
      '{"metadata":{"name":"p","namespace":"n","labels":{"__proto__":"x"}},"spec":{"containers":[{"name":"constructor","image":"i","resources":{"limits":{"__proto__":"1"}}}]}}',
    );
    for (const name of ["pods", "configmaps", "secrets", "nodes", "events"]) {
      const kind = builtinKind(name);
      const strategy = kind?.strategy;
      expect(strategy?.validate(strategy.prepareForCreate(hostile, ctx), ctx)).toBeInstanceOf(Array);
    }
    expect(({} as Record<string, unknown>).limits).toBeUndefined();
  });
});
