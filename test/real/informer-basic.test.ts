// Client and informers on the real API server: verbs, discovery, both content types, metadata only, all their feature
// gates, and a restart of the server.

import { afterAll, beforeAll, expect, it } from "vitest";
import { ControllerRevisions, Deployments } from "#api/generated/resources/apps-v1.ts";
import { HorizontalPodAutoscalers } from "#api/generated/resources/autoscaling-v2.ts";
import { ConfigMaps, Namespaces, Pods, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import { INT64_MAX, INT64_MIN, type Int64 } from "#api/int64.ts";
import type { KubeObject } from "#api/object.ts";
import type { Draft, ObjectOf, Stored } from "#api/resource.ts";
import { isAlreadyExists, isConflict, isNotFound } from "#api/status-error.ts";
import { noLog } from "#base/log.ts";
import { seededRng } from "#base/seeded-rng.ts";
import type { Client } from "#client/client.ts";
import { createClient } from "#client/create-client.ts";
import { createDiscovery, groupsAndResources, preferredResources } from "#client/discovery.ts";
import { cachedDiscovery } from "#client/discovery-cache.ts";
import { protobufCodec } from "#client/protobuf.ts";
import { createRestMapper } from "#client/rest-mapper.ts";
import { EventModel } from "#informers/event-model.ts";
import { createInformerFactory } from "#informers/factory.ts";
import { DEFAULT_GATES, type InformerGates } from "#informers/shared-informer.ts";
import { loadClientConfig } from "#platform/kubeconfig/kubeconfig.ts";
import { type ConfiguredTransport, createTransport } from "#platform/kubeconfig/kubeconfig-transport.ts";
import { systemClock } from "#platform/system/system-clock.ts";
import { type ControlPlane, sharedControlPlane } from "./control-plane.ts";
import { describeReal, eventually } from "./suite.ts";

const signal = new AbortController().signal;

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

describeReal("client and informers on a real API server", () => {
  let plane: ControlPlane;
  let transport: ConfiguredTransport;
  const requests: string[] = [];

  beforeAll(async () => {
    plane = await sharedControlPlane();
    const config = await loadClientConfig({ path: plane.adminKubeconfig });
    transport = await createTransport(config, { clock: systemClock });
  }, 120_000);
  afterAll(() => transport?.close());

  function clientOf(options: { protobuf?: boolean } = {}): Client {
    return createClient({
      transport,
      clock: systemClock,
      userAgent: "informer-test",
      trace: ({ verb, query }) => requests.push(`${verb} ${query}`),
      ...(options.protobuf && { protobuf: protobufCodec }),
    });
  }

  let count = 0;
  async function freshNamespace(client: Client): Promise<string> {
    const name = `informers-${++count}`;
    await client.resource(Namespaces).create({ object: { metadata: { name } } }, signal);
    return name;
  }

  it.each(["json", "protobuf"])("speaks all verbs in %s", async (type) => {
    const client = clientOf({ protobuf: type === "protobuf" });
    const namespace = await freshNamespace(client);
    const maps = client.resource(ConfigMaps);
    const at = { namespace, name: "a" };
    const created = await maps.create({ namespace, object: { metadata: { name: "a" }, data: { k: "v" } } }, signal);
    expect(created.data).toEqual({ k: "v" });
    const again = maps
      .create({ namespace, object: { metadata: { name: "a" } } }, signal)
      .catch((error: unknown) => error);
    expect(isAlreadyExists(await again)).toBe(true);
    const updated = await maps.update({ object: { ...created, data: { k: "w" } } }, signal);
    const stale = maps.update({ object: { ...created, data: { k: "x" } } }, signal).catch((error: unknown) => error);
    expect(isConflict(await stale)).toBe(true);
    const patched = await maps.patch({ ...at, type: "merge", patch: { data: { more: "1" } } }, signal);
    expect(patched.data).toEqual({ k: "w", more: "1" });
    const object = { metadata: { name: "b" }, data: { applied: "yes" } };
    const applied = await maps.apply({ namespace, name: "b", object, fieldManager: "test", force: true }, signal);
    expect(applied.data).toEqual({ applied: "yes" });
    const { items } = await maps.list({ namespace, labelSelector: "!none", limit: 10 }, signal);
    expect(items.map((item) => item.metadata?.name)).toEqual(expect.arrayContaining(["a", "b"]));
    expect(await maps.get(at, signal)).toEqual(patched);
    expect(updated.metadata?.uid).toBe(created.metadata?.uid);
    await maps.delete({ ...at, options: { preconditions: { uid: created.metadata?.uid ?? "" } } }, signal);
    expect(isNotFound(await maps.get(at, signal).catch((error: unknown) => error))).toBe(true);
    await maps.deleteCollection({ namespace }, signal);
    const accounts = client.resource(ServiceAccounts);
    await accounts.create({ namespace, object: { metadata: { name: "robot" } } }, signal);
    const token = await accounts.createSubresource<object, { status: { token: string } }>(
      { namespace, name: "robot", subresource: "token", object: { spec: { expirationSeconds: 3600 } } },
      signal,
    );
    expect(token.status.token.split(".")).toHaveLength(3);
    const metadata = await client.metadata(Namespaces).get({ name: namespace }, signal);
    expect(metadata.kind).toBe("PartialObjectMetadata");
  });

  it.each(["json", "protobuf"])(
    "workloads/S23 has a revision's payload kept as Go spells it, sent as %s",
    async (type) => {
      const client = clientOf({ protobuf: type === "protobuf" });
      const namespace = await freshNamespace(client);
      const object = { metadata: { name: "r" }, data: { command: "a && b" }, revision: 1 };
      await client.resource(ControllerRevisions).create({ namespace, object }, signal);
      const path = `/apis/apps/v1/namespaces/${namespace}/controllerrevisions/r`;
      const { bytes } = await client.raw(
        { method: "GET", path, accept: "application/vnd.kubernetes.protobuf" },
        signal,
      );
      expect(new TextDecoder().decode(bytes)).toContain('{"command":"a \\u0026\\u0026 b"}');
    },
  );

  it("reads and writes a scale", async () => {
    const client = clientOf();
    const namespace = await freshNamespace(client);
    const deployments = client.resource(Deployments);
    const labels = { app: "a" };
    const spec = {
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } },
    };
    await deployments.create({ namespace, object: { metadata: { name: "d" }, spec } }, signal);
    const at = { namespace, name: "d", subresource: "scale" };
    const scale = await deployments.getSubresource<{ spec: { replicas: number } }>(at, signal);
    const changed = await deployments.updateSubresource({ ...at, object: { ...scale, spec: { replicas: 2 } } }, signal);
    expect(changed.spec.replicas).toBe(2);
  });

  it("machinery/4.3.1 discovers every built-in group and maps kinds to resources", async () => {
    const discovery = createDiscovery(clientOf());
    const { lists, failure } = await groupsAndResources(discovery, signal);
    expect(failure).toBeUndefined();
    expect(lists.length).toBeGreaterThan(20);
    const legacy = await discovery.resourcesOf("apps/v1", signal);
    const aggregated = lists.find(({ groupVersion }) => groupVersion === "apps/v1");
    expect(legacy.resources.map(({ name }) => name).sort()).toEqual(
      aggregated?.resources.map(({ name }) => name).sort() as never,
    );
    const mapper = createRestMapper(cachedDiscovery(discovery));
    const mapped = await mapper.mapping({ group: "autoscaling", kind: "HorizontalPodAutoscaler" }, [], signal);
    expect(mapped).toEqual(HorizontalPodAutoscalers);
    const preferred = await preferredResources(discovery, signal);
    expect(preferred.lists.flatMap(({ resources }) => resources).length).toBeGreaterThan(50);
  });

  const gates: [string, boolean, InformerGates][] = [
    ["as it comes", false, DEFAULT_GATES],
    ["in protobuf", true, DEFAULT_GATES],
    ["without WatchListClient", false, { ...DEFAULT_GATES, WatchListClient: false }],
    ["without AtomicFIFO", false, { ...DEFAULT_GATES, AtomicFIFO: false }],
  ];
  it.each(gates)("keeps a cache equal to the server, %s", async (_name, isProtobuf, informerGates) => {
    const client = clientOf({ protobuf: isProtobuf });
    const namespace = await freshNamespace(client);
    const maps = client.resource(ConfigMaps);
    for (let i = 0; i < 5; i++) await maps.create({ namespace, object: { metadata: { name: `m${i}` } } }, signal);
    requests.length = 0;
    const factory = createInformerFactory({
      client,
      clock: systemClock,
      rng: seededRng(1),
      log: noLog,
      gates: informerGates,
      isFreezing: true,
    });
    const full = factory.informer(ConfigMaps, { namespace });
    const metadata = factory.metadataInformer(ConfigMaps, { namespace });
    const model = new EventModel<Stored<ConfigMap>>();
    full.addHandler(model);
    factory.start();
    await factory.waitForCacheSync(signal);
    const lists = requests.filter((request) => request.startsWith("list")).length;
    expect(lists).toBe(informerGates.WatchListClient ? 0 : 2);
    await maps.patch({ namespace, name: "m0", type: "merge", patch: { data: { k: "v" } } }, signal);
    await maps.delete({ namespace, name: "m1" }, signal);
    const recreated = await maps.create({ namespace, object: { metadata: { name: "m1" } } }, signal);
    const last = recreated.metadata?.resourceVersion;
    for (const informer of [full, metadata]) {
      await eventually(() => informer.store.get(`${namespace}/m1`)?.metadata?.resourceVersion === last || undefined);
    }
    expect(full.lastStoreSyncResourceVersion === "").toBe(!informerGates.AtomicFIFO);
    expect(model.faults).toEqual([]);
    const { items } = await maps.list({ namespace }, signal);
    const versions = (objects: Iterable<KubeObject>) =>
      [...objects]
        .map((object) => `${object.metadata?.name} ${object.metadata?.uid} ${object.metadata?.resourceVersion}`)
        .sort();
    expect(versions(full.store.values())).toEqual(versions(items));
    expect(versions(metadata.store.values())).toEqual(versions(items));
    expect(full.store.get(`${namespace}/m0`)?.data).toEqual({ k: "v" });
    expect(full.store.get(`${namespace}/m0`)?.metadata?.managedFields).toBeUndefined();
    await factory.shutdown();
  });

  it.each(["json", "protobuf"])("keeps every int64 of a pod, in %s", async (type) => {
    const client = clientOf({ protobuf: type === "protobuf" });
    const namespace = await freshNamespace(client);
    const pods = client.resource(Pods);
    const pod = (name: string, seconds: Int64): Draft<ObjectOf<typeof Pods>> => ({
      metadata: { name },
      spec: {
        serviceAccountName: "robot",
        automountServiceAccountToken: false,
        containers: [{ name: "a", image: "a" }],
        tolerations: [{ operator: "Exists", effect: "NoExecute", tolerationSeconds: seconds }],
      },
    });
    const integers: readonly Int64[] = [INT64_MAX, INT64_MIN, 2n ** 53n + 1n, Number.MAX_SAFE_INTEGER, -1];
    await client.resource(ServiceAccounts).create({ namespace, object: { metadata: { name: "robot" } } }, signal);
    await pods.create({ namespace, object: pod("listed", INT64_MAX) }, signal);
    const factory = createInformerFactory({ client, clock: systemClock, rng: seededRng(3) });
    const informer = factory.informer(Pods, { namespace });
    factory.start();
    await factory.waitForCacheSync(signal);
    for (const [i, seconds] of integers.entries()) {
      await pods.create({ namespace, object: pod(`watched-${i}`, seconds) }, signal);
    }
    const read = (name: string): Int64 | undefined =>
      informer.store.get(`${namespace}/${name}`)?.spec?.tolerations?.[0]?.tolerationSeconds;
    await eventually(() => informer.store.get(`${namespace}/watched-4`));
    expect(integers.map((_, i) => read(`watched-${i}`))).toEqual([...integers]);
    expect(read("listed")).toBe(INT64_MAX);
    const patch = { spec: { tolerations: [...(pod("x", INT64_MIN + 1n).spec?.tolerations ?? [])] } };
    const patched = await pods.patch({ namespace, name: "listed", type: "strategic", patch }, signal);
    expect(patched.spec?.tolerations?.map(({ tolerationSeconds }) => tolerationSeconds)).toContain(INT64_MIN + 1n);
    await factory.shutdown();
  });

  it("survives a restart of the API server", async () => {
    const client = clientOf();
    const namespace = await freshNamespace(client);
    const maps = client.resource(ConfigMaps);
    await maps.create({ namespace, object: { metadata: { name: "before" } } }, signal);
    const factory = createInformerFactory({ client, clock: systemClock, rng: seededRng(2) });
    const informer = factory.informer(ConfigMaps, { namespace });
    const model = new EventModel<Stored<ConfigMap>>();
    informer.addHandler(model);
    factory.start();
    await factory.waitForCacheSync(signal);
    await plane.restartApiServer();
    await maps.create({ namespace, object: { metadata: { name: "after" } } }, signal);
    await eventually(() => informer.store.get(`${namespace}/after`));
    expect(model.faults).toEqual([]);
    expect(model.objects.has(`${namespace}/before`)).toBe(true);
    await factory.shutdown();
  }, 120_000);
});
