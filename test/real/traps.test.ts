// Effects that show only against a real API server: caches that lag, a server without streaming lists, encodings,
// orders, expired tokens, and rights in one namespace only.

import { expect, it } from "vitest";
import { ConfigMaps, Pods, Secrets, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import type { ConfigMap } from "#api/generated/types/core-v1.ts";
import type { Draft, Resource, StoredObject } from "#api/resource.ts";
import { isUnauthorized } from "#api/status-error.ts";
import { seededRng } from "#base/seeded-rng.ts";
import { withBearerToken } from "#client/bearer-token.ts";
import type { Client } from "#client/client.ts";
import { createClient } from "#client/create-client.ts";
import { protobufCodec } from "#client/protobuf.ts";
import { createInformerFactory } from "#informers/factory.ts";
import { createHttpClient } from "#platform/http-client/http-client.ts";
import { systemClock } from "#platform/system/system-clock.ts";
import { controls, replicaSets } from "#test/scenarios/replicas/subject.ts";
import { callHttps, type HttpsAnswer } from "./https.ts";
import { startOurManager } from "./our-manager.ts";
import { realScene } from "./real-scene.ts";
import { describeReal, eventually, useControlPlane } from "./suite.ts";

const { create, objects, untilReplicas } = controls(replicaSets);
const { make } = replicaSets;
const signal = new AbortController().signal;
const LIMIT_MS = 120_000;

describeReal("machinery/8.n1 traps of a real API server", () => {
  const plane = useControlPlane({ apiServerFlags: ["--feature-gates=WatchList=false"] });

  async function clientAs(headers: "admin" | "anonymous", protobuf = false): Promise<Client> {
    const ca = plane().pki.ca.certificatePem;
    const { certificatePem: cert, keyPem: key } = plane().admin;
    const transport = await createHttpClient({
      baseUrl: plane().server,
      ca,
      ...(headers === "admin" && { cert, key }),
    });
    return createClient({
      transport,
      clock: systemClock,
      userAgent: "traps",
      ...(protobuf && { protobuf: protobufCodec }),
    });
  }

  it(
    "machinery/8.n1 a cache that lags behind its own writes does not make them again",
    async () => {
      const proxy = await plane().startFaultProxy();
      const stage = await realScene(plane());
      const ours = await startOurManager(plane(), { controllers: ["replicaset-controller"], server: proxy.server });
      await create(await realScene(plane()), 1); // its caches are filled
      // The next watch is silent.
      const silence = proxy.inject({ path: "/api/v1/pods", isWatch: true }, { kind: "stall" });
      proxy.strike({ path: "/api/v1/pods", isWatch: true }, "cut");
      await objects(stage).create(make("web", 3));
      await eventually(async () => ((await stage.of(Pods).list()).length === 3 ? true : undefined));
      for (let i = 0; i < 5; i++)
        await objects(stage).patch("web", { metadata: { annotations: { touched: String(i) } } });
      await stage.pass(2_000);
      expect(await stage.of(Pods).list()).toHaveLength(3);
      silence.remove();
      proxy.strike({ path: "/api/v1/pods", isWatch: true }, "cut");
      await untilReplicas(stage, 3);
      const created = stage.writes().filter(({ verb, resource }) => verb === "create" && resource === "pods");
      expect(created).toHaveLength(3);
      await ours.stop();
    },
    LIMIT_MS,
  );

  it(
    "machinery/8.n1 a server that streams no lists costs a refused watch and a list, and no more",
    async () => {
      const stage = await realScene(plane());
      const asked: string[] = [];
      const client = await clientAs("admin");
      const traced: Client = {
        ...client,
        resource: (gvr) => {
          const resource = client.resource(gvr);
          return {
            ...resource,
            list: (request, given) => {
              asked.push("list");
              return resource.list(request, given);
            },
            watch: (request, given) => {
              asked.push(request.sendInitialEvents ? "streaming list" : "watch");
              return resource.watch(request, given);
            },
          } as ReturnType<Client["resource"]>;
        },
      } as Client;
      const factory = createInformerFactory({ client: traced, clock: systemClock, rng: seededRng("traps") });
      const informer = factory.informer(ConfigMaps, { namespace: stage.namespace });
      factory.start();
      await informer.synced(signal);
      await eventually(() => (asked.length === 3 ? true : undefined));
      expect(asked).toEqual(["streaming list", "list", "watch"]);
      await stage.of(ConfigMaps).create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } });
      await eventually(() => informer.lister.get(`${stage.namespace}/a`));
      await factory.shutdown();
    },
    LIMIT_MS,
  );

  it(
    "machinery/8.n1 empty and missing come alike in both encodings",
    async () => {
      const stage = await realScene(plane());
      const json = await clientAs("admin");
      const protobuf = await clientAs("admin", true);
      const expectAlike = async <T extends StoredObject>(resource: Resource<T>, object: Draft<T>): Promise<void> => {
        await json.resource(resource).create({ namespace: stage.namespace, object }, signal);
        const at = { namespace: stage.namespace, name: "a" };
        expect(await protobuf.resource(resource).get(at, signal)).toEqual(
          await json.resource(resource).get(at, signal),
        );
      };
      await expectAlike(ConfigMaps, { metadata: { name: "a", labels: {} }, data: {} });
      await expectAlike(Secrets, { metadata: { name: "a" }, data: { x: "", y: "AAE=" } });
      await expectAlike(ServiceAccounts, { metadata: { name: "a" }, secrets: [] });
      await expectAlike(Pods, {
        metadata: { name: "a", finalizers: [] },
        spec: { containers: [{ name: "a", image: "a", args: [], env: [{ name: "E", value: "" }] }], tolerations: [] },
      });
    },
    LIMIT_MS,
  );

  it(
    "machinery/8.n1 lists come in the order of keys, caches keep that in which objects came",
    async () => {
      const stage = await realScene(plane());
      const factory = createInformerFactory({ client: stage.client, clock: systemClock, rng: seededRng("order") });
      const informer = factory.informer(ConfigMaps, { namespace: stage.namespace });
      factory.start();
      await informer.synced(signal);
      for (const name of ["b", "c", "a"]) {
        await stage.of(ConfigMaps).create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
      }
      await eventually(() => (informer.store.size === 3 ? true : undefined));
      const names = (items: readonly ConfigMap[]): string[] => items.map(({ metadata }) => metadata?.name ?? "");
      const { items } = await stage.client.resource(ConfigMaps).list({ namespace: stage.namespace }, signal);
      expect([names(items), names(informer.lister.list())]).toEqual([
        ["a", "b", "c"],
        ["b", "c", "a"],
      ]);
      await factory.shutdown();
    },
    LIMIT_MS,
  );

  it(
    "machinery/8.n1 a token that has ended is noticed by one answer, and replaced for the next request",
    async () => {
      const good = await plane().tokenFor("kube-system", "traps");
      let current = `${good.slice(0, -8)}aaaaaaaa`;
      const transport = await createHttpClient({ baseUrl: plane().server, ca: plane().pki.ca.certificatePem });
      const source = {
        token: async () => current,
        forget: () => {
          current = good;
        },
      };
      const client = createClient({
        transport: withBearerToken(transport, source, systemClock),
        clock: systemClock,
        userAgent: "traps",
      });
      const ask = () =>
        client.raw({ method: "GET", path: "/api" }, signal).then(({ status }) => status, isUnauthorized);
      expect([await ask(), await ask()]).toEqual([true, 200]);
      transport.close();
    },
    LIMIT_MS,
  );

  it(
    "machinery/8.n1 the manager may make a lease of any name anywhere, but hold it in its own namespace only",
    async () => {
      const client = plane().pki.clientCertificate("system:kube-controller-manager");
      const ask = (method: string, path: string, body?: unknown): Promise<HttpsAnswer> => {
        const url = `${plane().server}/apis/coordination.k8s.io/v1/namespaces/${path}`;
        return callHttps({ url, method, caPem: plane().pki.ca.certificatePem, client, ...(body ? { body } : {}) });
      };
      const lease = {
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: { name: "another-name" },
        spec: {},
      };
      for (const [namespace, renewed] of [
        ["kube-system", 200],
        ["default", 403],
      ] as const) {
        const made = await ask("POST", `${namespace}/leases`, lease);
        expect(made.status).toBe(201);
        const there = `${namespace}/leases/another-name`;
        const read = await ask("GET", there);
        const written = await ask("PUT", there, JSON.parse(made.text));
        expect([read.status, written.status]).toEqual([renewed, renewed]);
      }
    },
    LIMIT_MS,
  );
});
