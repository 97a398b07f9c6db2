// The ControllerContext, tested by a probe controller. The same play runs on the embedded server and on a real one.

import { expect } from "vitest";
import { featureGateTable } from "#api/feature-gate-table.ts";
import { CustomResourceDefinitions } from "#api/generated/resources/apiextensions-v1.ts";
import { ConfigMaps } from "#api/generated/resources/core-v1.ts";
import { resourceHandle } from "#api/resource.ts";
import { whenAborted } from "#base/abort.ts";
import type { Clock } from "#base/clock.ts";
import { FeatureGates } from "#base/feature-gates.ts";
import type { Transport } from "#base/http.ts";
import { noLog } from "#base/log.ts";
import { MetricRegistry } from "#base/metric-registry.ts";
import { seededRng } from "#base/seeded-rng.ts";
import { bareHost } from "#base/testing.ts";
import type { Client } from "#client/client.ts";
import { createDiscovery, preferredResources } from "#client/discovery.ts";
import type { ControllerContext } from "#kit/controller.ts";
import { rootClientBuilder } from "#manager/clients/client-builder.ts";
import { defaultConfig } from "#manager/options/config.ts";
import { runControllers } from "#manager/run-controllers.ts";
import { RequestLog } from "#sim/request-log.ts";

export interface ContextStage {
  readonly clock: Clock;
  /** The user is in system:masters. */
  readonly transport: Transport;
  readonly admin: Client;
  /** Awaits a call while the cluster continues to work. */
  do<T>(call: () => Promise<T>): Promise<T>;
  until<T>(probe: () => Promise<T | undefined>): Promise<T>;
}

const widgets = resourceHandle({
  group: "context.example",
  version: "v1",
  resource: "widgets",
  kind: "Widget",
  scope: "Namespaced",
});
const NAMESPACE = "default";
const HOUR_MS = 3_600_000;

export async function playControllerContext(stage: ContextStage): Promise<void> {
  const { clock } = stage;
  const log = new RequestLog(clock);
  const seen = (): string[] => log.requests.map(({ who, target }) => `${who} ${target.replace(/\?.*/, "")}`);
  const stop = new AbortController();
  const { signal } = stop;
  const clients = rootClientBuilder(log.over(stage.transport), {
    clock,
    limits: { qps: 1000, burst: 1000 },
    userAgentPrefix: "kube-controller-manager",
  });
  const metrics = new MetricRegistry({ version: "1.36.4" });
  const informerSeries = (): readonly string[] =>
    metrics.render().match(/^informer_queued_items\{.*name="kube-controller-manager",resource="configmaps".*$/gm) ?? [];
  const made = Promise.withResolvers<ControllerContext>();
  let isStarted = false;
  const ended = runControllers(
    {
      clock,
      rng: seededRng("context"),
      log: noLog,
      metrics,
      gates: new FeatureGates(featureGateTable(), "1.36"),
      settings: { config: defaultConfig, host: bareHost },
      rootClients: clients,
      controllerClients: clients,
      shutdownTimeoutMs: 0,
      controllers: [
        {
          name: "probe",
          featureGates: [],
          async build(context) {
            // The metadata informer is requested first but watches second.
            context.informers.metadataInformer(ConfigMaps);
            context.informers.informer(ConfigMaps);
            void context.informersStarted.then(() => (isStarted = true));
            await context.client("probe");
            expect(isStarted).toBe(false);
            expect(seen()).toEqual(["shared-informers /healthz"]);
            return {
              async run(running) {
                made.resolve(context);
                await whenAborted(running);
              },
            };
          },
        },
      ],
    },
    signal,
  );
  const context = await stage.do(() => Promise.race([made.promise, ended.then(() => Promise.reject(new Error()))]));
  const { informers, restMapper } = context;
  await stage.do(() => context.informersStarted);
  await stage.do(() => informers.waitForCacheSync(signal));
  // Two watches at once: either may be answered first.
  const watches = ["metadata-informers /api/v1/configmaps", "shared-informers /api/v1/configmaps"];
  expect(seen().slice(1).sort()).toEqual(watches);
  expect(informerSeries()).toHaveLength(1);

  // Full objects and metadata are cached separately, both without managedFields.
  const object = { metadata: { name: "probe" }, data: { a: "b" } };
  const written = await stage.do(() =>
    stage.admin.resource(ConfigMaps).create({ namespace: NAMESPACE, object }, signal),
  );
  expect(written.metadata.managedFields).toHaveLength(1);
  const key = `${NAMESPACE}/probe` as const;
  const [full, partial] = [informers.informer(ConfigMaps), informers.metadataInformer(ConfigMaps)];
  await stage.until(async () => full.lister.get(key) && partial.lister.get(key));
  expect(full.lister.require(key)).toMatchObject({ data: { a: "b" }, metadata: { uid: written.metadata.uid } });
  expect(partial.lister.require(key)).not.toHaveProperty("data");
  expect(full.lister.require(key).metadata.managedFields).toBeUndefined();
  expect(partial.lister.require(key).metadata.managedFields).toBeUndefined();

  // No mapping has been requested so far. One pair of documents answers all questions of a period.
  expect(seen()).toHaveLength(3);
  const mapped = await stage.do(() => restMapper.mapping({ group: "", kind: "ConfigMap" }, [], signal));
  expect(mapped).toEqual(ConfigMaps);
  expect(await stage.do(() => restMapper.resourceFor({ resource: "namespaces" }, signal))).toMatchObject({
    version: "v1",
    kind: "Namespace",
  });
  const documents = ["controller-discovery /api", "controller-discovery /apis"];
  expect(seen().slice(3)).toEqual(documents);

  // A new kind is known within 30 seconds, after one more pair of documents.
  await stage.do(() => defineWidgets(stage.admin, signal));
  const first = await stage.until(async () => {
    try {
      return await restMapper.mapping(widgets, [], signal);
    } catch (error) {
      expect(String(error)).toBe('NoKindMatch: no matches for kind "Widget" in group "context.example"');
      return undefined;
    }
  });
  expect(first).toEqual(widgets);
  expect(seen().slice(5)).toEqual(documents);

  // The caller starts informers that it requests now.
  const custom = informers.informerOfAnyForm(first);
  expect(custom).toBe(informers.metadataInformer(widgets) as never);
  informers.start();
  await stage.do(() => custom.synced(signal));
  expect(seen().at(-1)).toBe("metadata-informers /apis/context.example/v1/widgets");

  // A separate discovery client of a controller has neither the cache nor the limits of the flags.
  const own = createDiscovery(await context.client("probe", { isDiscovery: true }));
  for (let round = 0; round < 2; round++) {
    const { lists } = await stage.do(() => preferredResources(own, signal));
    expect(lists.find(({ groupVersion }) => groupVersion === "context.example/v1")?.resources).toMatchObject([
      { name: "widgets", kind: "Widget", namespaced: true },
    ]);
  }
  expect(seen().filter((request) => request === "probe /apis")).toHaveLength(2);

  const periods = Array.from({ length: 20 }, () => context.resyncPeriodMs() / HOUR_MS);
  expect(Math.min(...periods)).toBeGreaterThanOrEqual(12);
  expect(Math.max(...periods)).toBeLessThan(24);
  expect(new Set(periods).size).toBe(20);

  stop.abort();
  await stage.do(() => ended);
  for (const informer of [full, partial, custom]) expect(informer.isStopped).toBe(true);
  expect(informerSeries()).toEqual([]);
}

async function defineWidgets(admin: Client, signal: AbortSignal): Promise<void> {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  const object = {
    metadata: { name: "widgets.context.example" },
    spec: {
      group: widgets.group,
      scope: "Namespaced",
      names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
  await admin.resource(CustomResourceDefinitions).create({ object }, signal);
}
