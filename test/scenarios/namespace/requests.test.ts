// The namespace controller with conflicts, with an API server that fails in parts, and with its flags.

import { expect, it } from "vitest";
import { ConfigMaps, Namespaces, Pods } from "#api/generated/resources/core-v1.ts";
import type { HttpRequest, HttpResponse } from "#base/http.ts";
import { decodeText } from "#client/codec.ts";
import { jsonResponse } from "#client/testing.ts";
import { defaultConfig } from "#manager/options/config.ts";
import { type Interception, unavailable } from "#test/stage/faulty-network.ts";
import { NAMESPACE, type WireManagerOptions, WireStage } from "#test/stage/wire-stage.ts";
import { conditionsOf } from "./namespace-steps.ts";

const IDENTITY = "namespace-controller";
const GRACE_MS = 5000;
const MINUTE_MS = 60_000;

class NamespaceWorld extends WireStage {
  static async open(seed: string, options?: WireManagerOptions): Promise<NamespaceWorld> {
    const world = await new NamespaceWorld({ controllers: ["namespace-controller"], seed }).opened();
    return await world.started(options);
  }

  static notStarted(seed: string): Promise<NamespaceWorld> {
    return new NamespaceWorld({ controllers: ["namespace-controller"], seed }).opened();
  }

  async conditions(): Promise<Readonly<Record<string, string>>> {
    const namespace = await this.of(Namespaces).find(NAMESPACE);
    return namespace === undefined ? {} : conditionsOf(namespace);
  }

  /** Creates a pod whose kubelet never ends it. */
  async runPod(terminationGracePeriodSeconds: number): Promise<void> {
    const containers = [{ name: "main", image: "image" }];
    const spec = { nodeName: "node", terminationGracePeriodSeconds, containers };
    await this.of(Pods).create({ metadata: { name: "web" }, spec });
  }

  isGone(): Promise<boolean> {
    return this.exists(Namespaces, NAMESPACE).then((isThere) => !isThere);
  }
}

const conflict = (): HttpResponse =>
  jsonResponse({ kind: "Status", status: "Failure", reason: "Conflict", code: 409, message: "changed" }, 409);

const isOwn = (who: string): boolean => who === IDENTITY;
const isNamespace = ({ method, path }: HttpRequest): boolean =>
  method === "GET" && path === `/api/v1/namespaces/${NAMESPACE}`;
const isStatus = ({ path }: HttpRequest): boolean => path.endsWith(`/namespaces/${NAMESPACE}/status`);

async function changed(response: HttpResponse, change: (object: NamespaceJson) => unknown): Promise<HttpResponse> {
  if (response.body.kind !== "bytes") return response;
  return jsonResponse(change(JSON.parse(decodeText(response.body.bytes)) as NamespaceJson));
}

interface NamespaceJson {
  readonly metadata: { readonly uid: string };
  readonly status: object;
}

it("namespace/11, namespace/traps, namespace/reads-live, namespace/events lets a namespace go although its own conditions made it older: by one conflict and one more read", async () => {
  await using stage = await NamespaceWorld.open("conflict");
  await stage.of(Namespaces).delete(NAMESPACE);
  await stage.pass(GRACE_MS + 1000);
  expect(await stage.isGone()).toBe(true);
  expect(stage.requests("GET").filter((target) => target === `/api/v1/namespaces/${NAMESPACE}`)).toHaveLength(2);
  expect(stage.requests("PUT").map((target) => target.split("/").at(-1))).toEqual(["status", "finalize", "finalize"]);
  expect([...stage.requests("POST"), ...stage.requests("PATCH")]).toEqual([]);
});

it("namespace/3 marks a namespace that is not marked yet, as often as it takes", async () => {
  let refusals = 5;
  const bodies: unknown[] = [];
  const intercept: Interception = async (request, who, pass) => {
    if (!isOwn(who)) return undefined;
    if (isNamespace(request)) {
      const found = await pass();
      return await changed(found, (object) => ({ ...object, status: { phase: "Active" } }));
    }
    if (!isStatus(request) || refusals === 0) return undefined;
    refusals--;
    if (request.body?.kind === "bytes") bodies.push(JSON.parse(decodeText(request.body.bytes)).status);
    return conflict();
  };
  await using stage = await NamespaceWorld.open("marked", { intercept });
  await stage.of(Namespaces).delete(NAMESPACE);
  await stage.pass(GRACE_MS + 1000);
  expect(bodies).toEqual(Array.from({ length: 5 }, () => ({ phase: "Terminating" })));
  expect(await stage.isGone()).toBe(true);
});

it("namespace/3, namespace/11 does not finalize another namespace of the same name", async () => {
  let isOther = false;
  // More than the attempts that fit into the time of this test, but finite.
  let conflicts = 100;
  const intercept: Interception = async (request, who, pass) => {
    if (!isOwn(who)) return undefined;
    if (request.path.endsWith("/finalize") && conflicts > 0) {
      conflicts--;
      isOther = true;
      return conflict();
    }
    if (!isOther || !isNamespace(request)) return undefined;
    isOther = false;
    return await changed(await pass(), (object) => ({ ...object, metadata: { ...object.metadata, uid: "other" } }));
  };
  await using stage = await NamespaceWorld.open("other", { intercept });
  await stage.of(Namespaces).delete(NAMESPACE);
  await stage.pass(GRACE_MS + 50);
  expect(stage.log()).toContain("namespace uid has changed across retries");
  expect(await stage.isGone()).toBe(false);
});

it("namespace/14 goes on when its conditions cannot be written", async () => {
  const intercept: Interception = (request, who) => (isOwn(who) && isStatus(request) ? conflict() : undefined);
  await using stage = await NamespaceWorld.open("unwritable", { intercept });
  await stage.of(Namespaces).delete(NAMESPACE);
  await stage.pass(GRACE_MS + 1000);
  expect(await stage.isGone()).toBe(true);
  expect(stage.log()).toContain("Couldn't update status condition for namespace");
});

it("namespace/6 goes on with the rest when nobody can tell how long the pods need", async () => {
  let isDown = true;
  const isEstimate = ({ method, path, headers }: HttpRequest): boolean =>
    method === "GET" && path.endsWith("/pods") && !String(headers.accept).includes("PartialObjectMetadata");
  const refusal = { kind: "Status", status: "Failure", reason: "Forbidden", code: 403, message: "no pods" };
  const intercept: Interception = (request, who) =>
    isDown && isOwn(who) && isEstimate(request) ? jsonResponse(refusal, 403) : undefined;
  await using stage = await NamespaceWorld.open("estimate", { intercept });
  await stage.of(ConfigMaps).create({ metadata: { name: "web" } });
  await stage.of(Namespaces).delete(NAMESPACE);
  await stage.pass(GRACE_MS + 1000);
  expect(await stage.exists(ConfigMaps, "web")).toBe(false);
  expect((await stage.conditions()).NamespaceDeletionContentFailure).toBe(
    "! ContentDeletionFailed: Failed to delete all resource types, 1 remaining: no pods",
  );
  expect(stage.log()).toContain(`failed to delete pods for namespace: ${NAMESPACE}, err: no pods`);
  isDown = false;
  await stage.pass(2 * MINUTE_MS);
  expect(await stage.isGone()).toBe(true);
});

it("namespace/10, namespace/queues, namespace/metrics tries again at least every minute", async () => {
  const tries: number[] = [];
  const intercept: Interception = (request, who) => {
    if (!isOwn(who) || request.method !== "DELETE" || !request.path.endsWith("/secrets")) return undefined;
    tries.push(stage.world.clock.monotonicMs());
    return unavailableForGood();
  };
  await using stage = await NamespaceWorld.open("minutes", { intercept });
  await stage.of(Namespaces).delete(NAMESPACE);
  await stage.pass(20 * MINUTE_MS);
  const waits = tries.slice(1).map((at, index) => at - (tries[index] ?? 0));
  expect(waits.slice(-5)).toEqual(Array.from({ length: 5 }, () => MINUTE_MS));
  expect(Math.max(...waits)).toBe(MINUTE_MS);
  expect(stage.series('workqueue_adds_total{name="namespace"}')).toHaveLength(1);
});

const unavailableForGood = (): HttpResponse =>
  jsonResponse({ kind: "Status", status: "Failure", reason: "Forbidden", code: 403, message: "never" }, 403);

it("namespace/5, namespace/13 deletes nothing while nothing can be discovered, and says so", async () => {
  let isDown = false;
  const intercept: Interception = ({ path }, who) =>
    isDown && isOwn(who) && (path === "/api" || path === "/apis") ? unavailableForGood() : undefined;
  await using stage = await NamespaceWorld.open("undiscoverable", { intercept });
  await stage.of(ConfigMaps).create({ metadata: { name: "web" } });
  isDown = true;
  await stage.of(Namespaces).delete(NAMESPACE);
  await stage.pass(GRACE_MS + 1000);
  expect((await stage.conditions()).NamespaceDeletionDiscoveryFailure).toBe("! DiscoveryFailed: never");
  expect(await stage.exists(ConfigMaps, "web")).toBe(true);
  isDown = false;
  await stage.pass(2 * MINUTE_MS);
  expect(await stage.isGone()).toBe(true);
});

it("namespace/1 ends the program when it finds no resource at all", async () => {
  const stage = await NamespaceWorld.notStarted("nothing");
  const manager = stage.startManager({ intercept: (_, who) => (isOwn(who) ? unavailable : undefined) });
  await stage.pass(10 * MINUTE_MS);
  await expect(manager.stop()).rejects.toThrow("Unable to get any supported resources from server");
  stage.world.server.close();
});

it("namespace/1, namespace/8 does not ask for what discovery said cannot be done", async () => {
  const intercept: Interception = async ({ path }, who, pass) => {
    if (!isOwn(who) || path !== "/api") return undefined;
    const found = await pass();
    if (found.body.kind !== "bytes") return found;
    const text = decodeText(found.body.bytes).replaceAll('"deletecollection",', "");
    return { ...found, body: { kind: "bytes", bytes: new TextEncoder().encode(text) } };
  };
  await using stage = await NamespaceWorld.open("unsupported", { intercept });
  for (const name of ["one", "two"]) await stage.of(ConfigMaps).create({ metadata: { name } });
  await stage.of(Namespaces).delete(NAMESPACE);
  await stage.pass(GRACE_MS + 1000);
  expect(await stage.isGone()).toBe(true);
  const core = stage.requests("DELETE").filter((target) => target.startsWith("/api/"));
  const maps = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
  expect(core).toEqual([`${maps}/one`, `${maps}/two`, `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/default`]);
});

it.each([1, 3])(
  "namespace/config works on %i namespaces at once, as --concurrent-namespace-syncs says",
  async (workers) => {
    let current = 0;
    let most = 0;
    const intercept: Interception = async ({ method, path }, who, pass) => {
      if (!isOwn(who) || method !== "DELETE" || !path.endsWith("/pods")) return undefined;
      most = Math.max(most, ++current);
      await stage.world.clock.sleep(1000, new AbortController().signal);
      current--;
      return await pass();
    };
    const NamespaceController = { ...defaultConfig.NamespaceController, ConcurrentNamespaceSyncs: workers };
    await using stage = await NamespaceWorld.open("workers", { config: { NamespaceController }, intercept });
    const names = ["a", "b", "c", "d", "e"];
    for (const name of names) await stage.of(Namespaces).create({ metadata: { name } });
    for (const name of names) await stage.of(Namespaces).delete(name);
    await stage.pass(30_000);
    expect([most, current]).toEqual([workers, 0]);
    expect(await stage.exists(Namespaces, "e")).toBe(false);
  },
);

it("namespace/config, namespace/watches looks again after --namespace-sync-period", async () => {
  const NamespaceController = { ...defaultConfig.NamespaceController, NamespaceSyncPeriod: 20_000_000_000n };
  await using stage = await NamespaceWorld.open("resync", { config: { NamespaceController } });
  await stage.runPod(3600);
  await stage.of(Namespaces).delete(NAMESPACE);
  await stage.pass(GRACE_MS + 6000);
  const before = lists(stage);
  await stage.pass(MINUTE_MS);
  expect(lists(stage) - before).toBe(3);
});

it("namespace/10 looks again after half of the time that pods are given, and a second", async () => {
  await using stage = await NamespaceWorld.open("half");
  await stage.runPod(60);
  await stage.of(Namespaces).delete(NAMESPACE);
  await stage.pass(GRACE_MS + 6000);
  const before = lists(stage);
  // The event of its own status came after the wait started and caused the second sync. The third is due 31 s after it.
  await stage.pass(29_500);
  expect(lists(stage)).toBe(before);
  await stage.pass(1000);
  expect(lists(stage)).toBe(before + 1);
});

/** The number of times that the controller has listed pods. */
const lists = (stage: NamespaceWorld): number =>
  stage.requests("DELETE").filter((target) => target.endsWith("/pods")).length;

it("namespace/writes may ask twenty times as often as --kube-api-qps says, and a hundred times at once", async () => {
  await using stage = await NamespaceWorld.open("qps", { qps: 1 });
  const names = Array.from({ length: 10 }, (_, i) => `doomed-${i}`);
  for (const name of names) await stage.of(Namespaces).create({ metadata: { name } });
  for (const name of names) await stage.of(Namespaces).delete(name);
  await stage.pass(GRACE_MS + 1000);
  const made = (): number => ["GET", "DELETE", "PUT"].flatMap((method) => stage.requests(method)).length;
  const before = made();
  expect(before).toBeGreaterThan(100);
  await stage.pass(10_000);
  const after = made() - before;
  expect(after).toBeGreaterThanOrEqual(190);
  expect(after).toBeLessThanOrEqual(210);
});
