// The service account controllers and the root CA publisher with a server that refuses requests, lagging caches and
// broken watches; and all their requests. On the embedded server only: the test controls the network.

import { afterEach, describe, expect, it } from "vitest";
import { ConfigMaps, Namespaces, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import { ApiError, newConflict, newExpired, newForbidden, newInternalError } from "#api/status-error.ts";
import { neverAborted } from "#base/testing.ts";
import type { Cause } from "#kit/trace.ts";
import { canonicalSelection, isSelected } from "#manager/controller-selection.ts";
import { registeredControllers } from "#manager/registry.ts";
import { openWire, type WireOptions, type WireStage } from "#test/stage/wire-stage.ts";
import { account, BUNDLE } from "./account-objects.ts";

const ACCOUNTS = "serviceaccount-controller";
const PUBLISHER = "root-ca-certificate-publisher-controller";

let stage: WireStage;
afterEach(() => stage.stop());

async function open(controller: string, options: Partial<WireOptions> = {}): Promise<void> {
  stage = await openWire({ controllers: [controller], rootCa: "CA", ...options });
}

/** The manager's requests without those of informers: "POST serviceaccounts 201". */
const asked = (): string[] =>
  stage.world.log.requests
    .filter(({ who, target }) => who !== "shared-informers" && target !== "/healthz")
    .map(({ method, target, code }) => `${method} ${target.split("/").slice(5).join("/")} ${code}`);
const watched = (): string[] => [
  ...new Set(
    stage.world.log.requests
      .filter(({ target }) => target.includes("watch="))
      .map(({ target }) => target.split("?")[0] ?? ""),
  ),
];
const value = (name: string, ...labels: string[]): number | undefined => stage.metrics.value(name, labels);
/** Names of metrics that do not belong to the machinery of all controllers. */
const ownMetrics = (): string[] =>
  [...stage.metrics.render().matchAll(/^# TYPE (\S+)/gm)]
    .map(([, name = ""]) => name)
    .filter((name) => !/^(workqueue|informer|reflector|store|registered|disabled|hidden|cardinality)_/.test(name));

const labelNamespace = (label = "b", name = stage.namespace): Promise<unknown> =>
  stage.of(Namespaces).patch(name, { metadata: { labels: { a: label } } });
/** Acts as the namespace controller: removes the last finalizer. */
async function finalizeNamespace(name: string): Promise<void> {
  const namespaces = stage.client.resource(Namespaces);
  const live = await namespaces.get({ name }, neverAborted());
  const object = { ...live, spec: { finalizers: [] } };
  await namespaces.updateSubresource({ name, subresource: "finalize", object }, neverAborted());
}

describe.each([
  { name: ACCOUNTS, id: "serviceaccount/about", alias: "serviceaccount" },
  { name: PUBLISHER, id: "root-ca-certificate-publisher/about", alias: "root-ca-cert-publisher" },
])("$name", ({ name, alias }) => {
  it("is registered, on by default and known by its old name", async () => {
    await open(name);
    expect(registeredControllers.filter((controller) => controller.name === name)).toHaveLength(1);
    expect([isSelected(name, ["*"]), canonicalSelection([alias])]).toEqual([true, [name]]);
  });
});

describe.each([
  { id: "serviceaccount/writes", name: ACCOUNTS, queue: "serviceaccount", resource: "serviceaccounts" },
  {
    id: "root-ca-certificate-publisher/writes",
    name: PUBLISHER,
    queue: "root_ca_cert_publisher",
    resource: "configmaps",
  },
])("$name", ({ name, queue, resource }) => {
  it("works on one namespace at a time, whatever happens in it", async () => {
    await open(name);
    let isHeld = true;
    let posts = 0;
    stage.network.before(
      `POST ${resource}`,
      async () => {
        posts++;
        while (isHeld) await stage.world.clock.sleep(10, neverAborted());
      },
      100,
    );
    for (const namespace of ["one", "two", "three"])
      await stage.of(Namespaces).create({ metadata: { name: namespace } });
    const before = value("workqueue_adds_total", queue) ?? 0;
    for (let i = 0; i < 5; i++) await labelNamespace(String(i), "three");
    await stage.pass(1_000);
    expect([posts, value("workqueue_depth", queue)]).toEqual([1, 2]);
    expect((value("workqueue_adds_total", queue) ?? 0) - before).toBe(0); // the key is the namespace's name
    isHeld = false;
    await stage.pass(1_000);
    expect(posts).toBe(3);
  });
});

describe("serviceaccount", () => {
  it("serviceaccount/watches, serviceaccount/reads-live, serviceaccount/writes, serviceaccount/events, serviceaccount/metrics asks for namespaces and accounts, and creates", async () => {
    await open(ACCOUNTS, { useServiceAccountCredentials: true });
    await stage.of(Namespaces).create({ metadata: { name: "new" } });
    await stage.of(ServiceAccounts, "new").until("default");
    expect(watched().sort()).toEqual(["/api/v1/namespaces", "/api/v1/serviceaccounts"]);
    const own = stage.world.log.requests.filter(({ who }) => who.endsWith(":service-account-controller"));
    expect(
      new Set(own.map(({ method, target }) => `${method} ${target.replace(/namespaces\/[^/]+/, "namespaces/*")}`)),
    ).toEqual(new Set(["POST /api/v1/namespaces/*/serviceaccounts"]));
    expect(value("workqueue_adds_total", "serviceaccount")).toBeGreaterThan(0);
    expect(ownMetrics()).toEqual([]);
  });

  it("serviceaccount/watches, serviceaccount/traps makes the account again whose deletion shows only in a new list", async () => {
    await open(ACCOUNTS);
    const { metadata } = await stage.of(ServiceAccounts).until("default");
    stage.network.before("WATCH serviceaccounts", async () => {
      await stage.client
        .resource(ServiceAccounts)
        .delete({ namespace: stage.namespace, name: "default" }, neverAborted());
      throw newExpired("too old");
    });
    stage.network.endWatches();
    await stage.of(ServiceAccounts).until("default", (found) => found.metadata?.uid !== metadata?.uid);
  });

  it("serviceaccount/watches, serviceaccount/tests looks again when a namespace changes", async () => {
    await open(ACCOUNTS);
    const { status } = newForbidden({ group: "", resource: "serviceaccounts" }, "default", "it is being terminated");
    const causes = [{ reason: "NamespaceTerminating" }];
    stage.network.refuse("POST serviceaccounts", new ApiError({ ...status, details: { ...status.details, causes } }));
    await stage.of(ServiceAccounts).delete("default");
    await stage.pass(5_000);
    expect(asked().slice(-1)).toEqual(["POST serviceaccounts 403"]);
    await labelNamespace();
    await stage.of(ServiceAccounts).until("default");
  });

  it("serviceaccount/watches is not reminded of what does not change", async () => {
    await open(ACCOUNTS);
    await stage.pass(60_000);
    const before = value("workqueue_adds_total", "serviceaccount");
    await stage.pass(48 * 3_600_000);
    expect(value("workqueue_adds_total", "serviceaccount")).toBe(before);
  });

  it("serviceaccount/events waits for its accounts before it misses any", async () => {
    await open(ACCOUNTS, { held: [ServiceAccounts] });
    await stage.pass(5_000);
    expect(asked()).toEqual([]);
    stage.release(ServiceAccounts);
    await stage.pass(5_000);
    expect(asked().filter((line) => line.includes(stage.namespace))).toEqual([]);
  });

  it("serviceaccount/3 takes an account that is there already for its own", async () => {
    await open(ACCOUNTS);
    stage.hold(ServiceAccounts);
    stage.network.before("POST serviceaccounts", async () => {
      const object = account("default");
      await stage.client.resource(ServiceAccounts).create({ namespace: "new", object }, neverAborted());
    });
    await stage.of(Namespaces).create({ metadata: { name: "new" } });
    await stage.pass(5_000);
    expect(asked().slice(-1)).toEqual(["POST serviceaccounts 409"]);
    expect(value("workqueue_retries_total", "serviceaccount") ?? 0).toBe(0);
    stage.release(ServiceAccounts);
  });

  it("serviceaccount/3 gives up in a namespace that it does not know to be on its way out", async () => {
    await open(ACCOUNTS);
    stage.hold(Namespaces);
    await stage.of(Namespaces).delete(stage.namespace);
    await stage.of(ServiceAccounts).delete("default");
    await stage.pass(5_000);
    expect(asked().slice(-1)).toEqual(["POST serviceaccounts 403"]);
    expect(value("workqueue_retries_total", "serviceaccount") ?? 0).toBe(0);
    stage.release(Namespaces);
  });

  it("serviceaccount/3 tries again after any other error, more and more slowly", async () => {
    await open(ACCOUNTS);
    stage.network.refuse("POST serviceaccounts", newInternalError("boom"), 4);
    const atMs = stage.world.clock.monotonicMs();
    await stage.of(ServiceAccounts).delete("default");
    await stage.of(ServiceAccounts).until("default");
    const tries = stage.world.log.requests.filter(({ method, atMs: at }) => method === "POST" && at >= atMs);
    expect(tries.map(({ code }) => code)).toEqual([500, 500, 500, 500, 201]);
    const first = tries[0]?.atMs ?? 0;
    expect(tries.map(({ atMs: at }) => at - first)).toEqual([0, 5, 15, 35, 75]);
  });

  it("serviceaccount/3 tries again after a refusal that is not about the namespace's end", async () => {
    await open(ACCOUNTS);
    const refusal = newForbidden({ group: "", resource: "serviceaccounts" }, "default", "exceeded quota");
    stage.network.refuse("POST serviceaccounts", refusal, 2);
    await stage.of(ServiceAccounts).delete("default");
    await stage.of(ServiceAccounts).until("default");
    expect(
      asked()
        .slice(-3)
        .map((line) => line.split(" ").at(-1)),
    ).toEqual(["403", "403", "201"]);
  });

  it("serviceaccount/1 asks for nothing where it knows that the namespace is being deleted", async () => {
    await open(ACCOUNTS);
    await stage.of(Namespaces).delete(stage.namespace);
    await stage.pass(100);
    const before = asked().length;
    await stage.of(ServiceAccounts).delete("default");
    await labelNamespace();
    await stage.pass(5_000);
    expect(asked().slice(before)).toEqual([]);
  });

  it("serviceaccount/1, serviceaccount/tests leaves accounts alone whose namespace is gone", async () => {
    await open(ACCOUNTS);
    await stage.of(Namespaces).delete(stage.namespace);
    await stage.do(() => finalizeNamespace(stage.namespace));
    await stage.pass(100);
    const before = asked().length;
    await stage.of(ServiceAccounts).delete("default");
    await stage.pass(5_000);
    expect(asked().slice(before)).toEqual([]);
  });

  it("serviceaccount/tests adds nothing where the account is there, whatever else changes", async () => {
    await open(ACCOUNTS);
    await stage.of(ServiceAccounts).create(account("managed"));
    await stage.pass(100);
    const before = asked().length;
    await labelNamespace();
    await stage.of(ServiceAccounts).delete("managed");
    await stage.pass(5_000);
    expect(asked().slice(before)).toEqual([]);
  });
});

describe("root-ca-certificate-publisher", () => {
  const SYNCS = "root_ca_cert_publisher_sync_total";

  it("root-ca-certificate-publisher/watches, root-ca-certificate-publisher/reads-live, root-ca-certificate-publisher/writes, root-ca-certificate-publisher/events asks for namespaces and ConfigMaps, creates and updates", async () => {
    await open(PUBLISHER, { useServiceAccountCredentials: true });
    await stage.of(Namespaces).create({ metadata: { name: "new" } });
    await stage.of(ConfigMaps, "new").until(BUNDLE);
    await stage.of(ConfigMaps).patch(BUNDLE, { data: { more: "x" } });
    await stage.of(ConfigMaps).until(BUNDLE, ({ data }) => data?.more === undefined);
    expect(watched().sort()).toEqual(["/api/v1/configmaps", "/api/v1/namespaces"]);
    const own = stage.world.log.requests.filter(({ who }) => who.endsWith(":root-ca-cert-publisher"));
    expect(
      new Set(own.map(({ method, target }) => `${method} ${target.replace(/namespaces\/[^/]+/, "namespaces/*")}`)),
    ).toEqual(new Set(["POST /api/v1/namespaces/*/configmaps", `PUT /api/v1/namespaces/*/configmaps/${BUNDLE}`]));
    expect(value("workqueue_adds_total", "root_ca_cert_publisher")).toBeGreaterThan(0);
  });

  it("root-ca-certificate-publisher/watches needs no namespaces to see what happened to a ConfigMap, even in a new list", async () => {
    await open(PUBLISHER, { held: [Namespaces] });
    await stage.of(ConfigMaps).create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: BUNDLE } });
    await stage.pass(5_000);
    expect(asked()).toEqual([]); // the ConfigMap exists; its content is not checked until it changes
    await stage.of(ConfigMaps).patch(BUNDLE, { data: { more: "x" } });
    await stage.of(ConfigMaps).until(BUNDLE, ({ data }) => data?.["ca.crt"] === "CA");
    stage.network.before("WATCH configmaps", async () => {
      await stage.client.resource(ConfigMaps).delete({ namespace: stage.namespace, name: BUNDLE }, neverAborted());
      throw newExpired("too old");
    });
    stage.network.endWatches();
    await stage.pass(5_000);
    expect(asked()).toEqual([`PUT configmaps/${BUNDLE} 200`, "POST configmaps 201"]);
    stage.release(Namespaces);
  });

  it("root-ca-certificate-publisher/watches is reminded of all namespaces and bundles within a day", async () => {
    const reminders = new Set<string>();
    const queued = (_: string, __: string, cause: Cause): void => {
      if (cause.kind === "event") reminders.add(cause.resource);
    };
    await open(PUBLISHER, { trace: { queued, started: () => undefined, finished: () => undefined } });
    await stage.pass(60_000);
    reminders.clear();
    await stage.pass(48 * 3_600_000);
    expect([...reminders].sort()).toEqual(["configmaps", "namespaces"]);
  });

  it("root-ca-certificate-publisher/watches is not woken by ConfigMaps of other names", async () => {
    await open(PUBLISHER);
    const before = value("workqueue_adds_total", "root_ca_cert_publisher");
    await stage.of(ConfigMaps).create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "other" } });
    await stage.of(ConfigMaps).patch("other", { data: { a: "b" } });
    await stage.of(ConfigMaps).delete("other");
    await stage.pass(5_000);
    expect(value("workqueue_adds_total", "root_ca_cert_publisher")).toBe(before);
  });

  it("root-ca-certificate-publisher/2 asks once in a namespace that is gone", async () => {
    await open(PUBLISHER);
    const before = asked().length;
    stage.network.before("POST configmaps", async () => {
      await stage.client.resource(Namespaces).delete({ name: "new" }, neverAborted());
      await finalizeNamespace("new");
    });
    await stage.of(Namespaces).create({ metadata: { name: "new" } });
    await stage.pass(5_000);
    expect(asked().slice(before)).toEqual(["POST configmaps 404"]);
    expect(value("workqueue_retries_total", "root_ca_cert_publisher") ?? 0).toBe(0);
  });

  it("root-ca-certificate-publisher/2, root-ca-certificate-publisher/metrics tries again when the ConfigMap is there and not in its cache", async () => {
    await open(PUBLISHER);
    stage.hold(ConfigMaps);
    stage.network.before("POST configmaps", async () => {
      const object = { metadata: { name: BUNDLE } };
      await stage.client.resource(ConfigMaps).create({ namespace: "new", object }, neverAborted());
    });
    const before = asked().length;
    await stage.of(Namespaces).create({ metadata: { name: "new" } });
    await stage.pass(100);
    const refused = asked().slice(before);
    expect(refused.length).toBeGreaterThan(2);
    expect(new Set(refused)).toEqual(new Set(["POST configmaps 409"]));
    expect(value(SYNCS, "409")).toBe(refused.length);
    stage.release(ConfigMaps);
    await stage.of(ConfigMaps, "new").until(BUNDLE, ({ data }) => data?.["ca.crt"] === "CA");
    expect(ownMetrics().sort()).toEqual(["root_ca_cert_publisher_sync_duration_seconds", SYNCS]);
  });

  it("root-ca-certificate-publisher/4, root-ca-certificate-publisher/metrics starts again from its cache after a conflict", async () => {
    await open(PUBLISHER);
    await stage.of(ConfigMaps).until(BUNDLE);
    const before = asked().length;
    stage.network.before("PUT configmaps", async () => {
      const change = {
        namespace: stage.namespace,
        name: BUNDLE,
        type: "merge",
        patch: { metadata: { labels: { a: "b" } } },
      } as const;
      await stage.client.resource(ConfigMaps).patch(change, neverAborted());
    });
    await stage.of(ConfigMaps).patch(BUNDLE, { data: { more: "x" } });
    const found = await stage.of(ConfigMaps).until(BUNDLE, ({ data }) => data?.more === undefined);
    expect(found.metadata?.labels).toEqual({ a: "b" });
    expect(asked().slice(before)).toEqual([`PUT configmaps/${BUNDLE} 409`, `PUT configmaps/${BUNDLE} 200`]);
    expect(value(SYNCS, "409")).toBe(1);
    const conflict = newConflict({ group: "", resource: "configmaps" }, BUNDLE, "it was changed");
    stage.network.refuse("PUT configmaps", conflict, 2); // without an event about it
    await stage.of(ConfigMaps).patch(BUNDLE, { data: { more: "y" } });
    await stage.of(ConfigMaps).until(BUNDLE, ({ data }) => data?.more === undefined);
    expect(value(SYNCS, "409")).toBe(3);
  });

  it("root-ca-certificate-publisher/metrics counts syncs by the code they ended with, and times them", async () => {
    await open(PUBLISHER);
    stage.network.refuse("POST configmaps", newInternalError("boom"), 2);
    stage.network.before("POST configmaps", () => stage.world.clock.sleep(3_000, neverAborted()));
    await stage.of(Namespaces).create({ metadata: { name: "new" } });
    await stage.of(ConfigMaps, "new").until(BUNDLE);
    expect(value(SYNCS, "500")).toBe(2);
    const text = stage.metrics.render();
    expect(text).toContain(
      `# HELP ${SYNCS} [ALPHA] Number of namespace syncs happened in root ca cert publisher.\n# TYPE ${SYNCS} counter\n`,
    );
    expect(text).toContain('root_ca_cert_publisher_sync_duration_seconds_bucket{code="500",le="0.001"} 2\n');
    expect(text).toContain('root_ca_cert_publisher_sync_duration_seconds_bucket{code="200",le="16.384"} ');
    expect(text).toContain('root_ca_cert_publisher_sync_duration_seconds_sum{code="200"} 3\n');
  });
});
