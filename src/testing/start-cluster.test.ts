import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  CertificateSigningRequests,
  ConfigMaps,
  CronJobs,
  Deployments,
  isConflict,
  isForbidden,
  isNotFound,
  Jobs,
  Namespaces,
  Nodes,
  Pods,
  ServiceAccounts,
  startCluster,
  type WatchEvent,
} from "./testing.ts";

const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "nginx" }] } };
const deployment = (name: string, replicas: number) => ({
  metadata: { name },
  spec: { replicas, selector: { matchLabels: { app: "web" } }, template },
});

/** Of CN=web, with alternative names. */
const WEB_REQUEST =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIZU1JR1JBZ0VBTUE0eEREQUtCZ05WQkFNTUEzZGxZakFxTUFVR0F5dGxjQU1oQUtXcG53Z2ZtdEJUcjYvSQpTbVIxY3FaVU5vbWxhWmRmUlYwWGRlWWtUYUpwb0ZBd1RnWUpLb1pJaHZjTkFRa09NVUV3UHpBOUJnTlZIUkVFCk5qQTBnZzkzWldJdVpYaGhiWEJzWlM1amIyMkhCQW9BQUFHQkRXRkFaWGhoYlhCc1pTNWpiMjJHREhOd2FXWm0KWlRvdkwyRXZZakFGQmdNclpYQURRUUFTVjV1WXRrUytZQVZhQnBaRExNSC8vaVJOai9QdC96bW9wakQzS0pXRwpjL1haTFNlcG80Q1ljVHVldU9OS2Q5UXNLNUJnWktRUTdYRTh4WVJrTkdNTgotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K";

describe("a cluster in virtual time", () => {
  it("rolls a Deployment out in the cluster's time, and the same seed gives the same run", async () => {
    const play = async (seed: string): Promise<readonly string[]> => {
      await using cluster = await startCluster({ nodes: 3, seed });
      const deployments = cluster.client.of(Deployments);
      await deployments.create(deployment("web", 4));
      await cluster.until(async () => (await deployments.get("web")).status?.readyReplicas === 4);
      const pods = await cluster.client.of(Pods).list({ labelSelector: "app=web" });
      return [cluster.now().toISOString(), ...pods.map(({ metadata, spec }) => `${metadata.name} ${spec?.nodeName}`)];
    };
    const [first, second, other] = [await play("a"), await play("a"), await play("b")];
    expect(first).toHaveLength(5);
    expect(second).toEqual(first);
    expect(other).not.toEqual(first);
  });

  it("lets hours pass in an instant", async () => {
    await using cluster = await startCluster({ startTime: new Date("2026-05-04T08:59:30Z") });
    const { client } = cluster;
    const spec = { template: { spec: { ...template.spec, restartPolicy: "Never" } } };
    await client
      .of(CronJobs)
      .create({ metadata: { name: "hourly" }, spec: { schedule: "0 * * * *", jobTemplate: { spec } } });
    await cluster.advance(2 * 3_600_000);
    expect(cluster.now().toISOString()).toBe("2026-05-04T10:59:30.000Z");
    const jobs = await client.of(Jobs).list();
    expect(jobs.map(({ status }) => [status?.startTime, status?.succeeded])).toEqual([
      ["2026-05-04T09:00:00Z", 1],
      ["2026-05-04T10:00:00Z", 1],
    ]);
  });

  it("lets a Job replace a pod that was deleted before its work was done", async () => {
    await using cluster = await startCluster();
    const jobs = cluster.client.of(Jobs);
    const metadata = { annotations: { "sim.steersman.dev/run-for": "1m" } };
    const work = { metadata, spec: { ...template.spec, restartPolicy: "Never" } };
    await jobs.create({ metadata: { name: "work" }, spec: { podReplacementPolicy: "Failed", template: work } });
    const pods = cluster.client.of(Pods);
    const name = await cluster.until(async () => {
      const [pod] = await pods.list();
      return pod?.status?.phase === "Running" && pod.metadata.name;
    });
    await pods.delete(name);
    const status = await cluster.until(async () => {
      const { status } = await jobs.get("work");
      return status?.succeeded === 1 && status;
    }, 120_000);
    expect(status).toMatchObject({ failed: 1, succeeded: 1 });
  });

  it("signs certificates before time passes", async () => {
    await using cluster = await startCluster({ nodes: 0 });
    const requests = cluster.client.of(CertificateSigningRequests);
    const spec = { request: WEB_REQUEST, signerName: "kubernetes.io/kube-apiserver-client", usages: ["client auth"] };
    const created = await requests.create({ metadata: { name: "web" }, spec });
    const condition = { type: "Approved", status: "True", reason: "Tested", message: "" };
    await cluster.client.raw({
      method: "PUT",
      path: "/apis/certificates.k8s.io/v1/certificatesigningrequests/web/approval",
      contentType: "application/json",
      body: new TextEncoder().encode(JSON.stringify({ ...created, status: { conditions: [condition] } })),
    });
    await cluster.advance(10);
    expect((await requests.get("web")).status?.certificate).toMatch(/^LS0tLS1CRUdJTi/);
  });

  it("answers calls of several tasks at once, by get, find, list, update, patch, apply, delete and watch", async () => {
    await using cluster = await startCluster({ nodes: 0 });
    const { client } = cluster;
    const maps = client.of(ConfigMaps);
    const seen: WatchEvent["type"][] = [];
    const watching = new AbortController();
    const watched = (async () => {
      for await (const { type } of client.of(ConfigMaps).watch({ labelSelector: "on" }, watching.signal))
        seen.push(type);
    })();
    const names = ["a", "b", "c"];
    const created = await Promise.all(
      names.map((name) => maps.create({ metadata: { name, labels: { on: "" } }, data: { name } })),
    );
    expect((await maps.list({ labelSelector: "on" })).map(({ data }) => data?.name)).toEqual(names);
    const [a] = created;
    if (a === undefined) throw new Error("nothing was created");
    await maps.update({ ...a, data: { name: "a2" } });
    expect(await maps.update(a).catch(isConflict)).toBe(true);
    expect((await maps.patch("b", { data: { name: "b2" } })).data).toEqual({ name: "b2" });
    expect((await maps.apply("c", { data: { more: "c" } })).data).toEqual({ name: "c", more: "c" });
    await maps.delete("c");
    expect(await maps.find("c")).toBeUndefined();
    expect(await maps.get("c").catch(isNotFound)).toBe(true);
    expect(seen).toEqual(["ADDED", "ADDED", "ADDED", "MODIFIED", "MODIFIED", "MODIFIED", "DELETED"]);
    watching.abort();
    await watched.catch(() => undefined);
    await client.of(Namespaces).create({ metadata: { name: "other" } });
    await client.of(ConfigMaps, "other").create({ metadata: { name: "d" } });
    expect(
      (await client.of(ConfigMaps, "").list({ fieldSelector: "metadata.name=d" })).map(
        ({ metadata }) => metadata.namespace,
      ),
    ).toEqual(["other"]);
    const { bytes } = await client.raw({ method: "GET", path: "/readyz" });
    expect(new TextDecoder().decode(bytes)).toBe("ok");
  });

  it("knows other users, and runs only the controllers that are asked for", async () => {
    await using cluster = await startCluster({
      controllers: ["serviceaccount-controller"],
      featureGates: { AllAlpha: false },
    });
    const guest = cluster.clientOf({ name: "guest" });
    expect(await guest.of(Pods).list().catch(isForbidden)).toBe(true);
    await cluster.client.of(Deployments).create(deployment("web", 1));
    await cluster.advance(60_000);
    expect((await cluster.client.of(Deployments).get("web")).status).toEqual({});
    expect(await cluster.client.of(Nodes).list()).toHaveLength(1);
  });

  it("lets pods and nodes behave as its stages say", async () => {
    const stages = {
      pods: [{ selector: "app=web", "start-after": "20s" }],
      nodes: [{ name: "node-1", "partitioned-at": "1m" }],
    };
    await using cluster = await startCluster({ stages });
    await cluster.client.of(Deployments).create(deployment("web", 1));
    const ready = async () => (await cluster.client.of(Deployments).get("web")).status?.readyReplicas ?? 0;
    await cluster.advance(15_000);
    expect(await ready()).toBe(0);
    await cluster.advance(10_000);
    expect(await ready()).toBe(1);
    await cluster.advance(120_000);
    expect(await ready()).toBe(0);
  });

  it("says what is wrong: settings, a probe that finds nothing, a call after the end", async () => {
    await expect(startCluster({ controllers: ["deploymnet"] })).rejects.toThrow(
      'controllers: "deploymnet" is not in the list of known controllers',
    );
    await expect(startCluster({ featureGates: { Nonsense: true } })).rejects.toThrow(
      "featureGates: unrecognized feature gate: Nonsense",
    );
    await expect(startCluster({ stages: { pods: [{ "run-for": "soon" }] } })).rejects.toThrow(
      'stages: pods[0].run-for: time: invalid duration "soon"',
    );
    await expect(startCluster({ stages: "pod: []" })).rejects.toThrow("stages, document 1: pod: unknown field");
    const cluster = await startCluster({ nodes: 0 });
    await expect(cluster.until(async () => undefined, 500)).rejects.toThrow("not within 500 ms of the cluster's time");
    for (const ms of [Number.NaN, Number.POSITIVE_INFINITY, -1]) {
      await expect(cluster.advance(ms)).rejects.toThrow(`${ms} is not a number of milliseconds`);
      await expect(cluster.until(async () => undefined, ms)).rejects.toThrow("is not a number of milliseconds");
    }
    await cluster.stop();
    await cluster.stop();
    await expect(cluster.client.of(Pods).list()).rejects.toThrow("the cluster has been stopped");
  });
});

describe("options of a cluster", () => {
  // As a test in JavaScript may call it.
  const untyped: (options: unknown) => Promise<unknown> = startCluster as (options: unknown) => Promise<unknown>;
  it.each([
    [{ node: 3 }, "node: unknown option; in virtual time there are time, nodes,"],
    [{ time: "real", seed: 3 }, "seed: unknown option; in real time there are time, nodes,"],
    [{ time: "fast" }, 'time is "fast"; it can be "virtual" or "real"'],
    [{ nodes: 1.5 }, "nodes is 1.5; it must be a whole number from 0 to 5000"],
    [{ nodes: "3" }, 'nodes is "3"; it must be a whole number from 0 to 5000'],
    [{ time: "real", port: 70_000 }, "port is 70000; it must be a whole number from 0 to 65535"],
    [{ log: true }, "log is true; it must be a function"],
    [{ controllers: "-job-controller" }, 'controllers is "-job-controller"; it must be a list of texts'],
    [{ featureGates: { A: "yes" } }, 'featureGates is {"A":"yes"}; it must be a map from names to true or false'],
    [{ runtimeConfig: { "api/beta": true } }, 'it must be a map from versions to "true" or "false"'],
    [{ admissionPlugins: ["A"] }, 'admissionPlugins is ["A"]; it must be a map with enabled, disabled, podSecurity'],
    [{ admissionPlugins: { disable: ["A"] } }, "it must be a map with enabled, disabled, podSecurity"],
    [{ admissionPlugins: { disabled: "A" } }, "it must be a map in which disabled is a list of texts"],
    [{ startTime: "2026-01-01" }, 'startTime is "2026-01-01"; it must be a valid Date'],
    [{ startTime: new Date("soon") }, "startTime is Invalid Date; it must be a valid Date"],
    [null, "the options are null; they must be an object"],
  ])("refuses %j", async (options, message) => {
    await expect(untyped(options)).rejects.toThrow(message);
  });
});

describe("a cluster in real time", () => {
  it("listens for clients with its kubeconfig, which goes with it", async () => {
    const cluster = await startCluster({ time: "real", nodes: 1 });
    const { url, kubeconfig, kubeconfigText, client } = cluster;
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(readFileSync(kubeconfig, "utf8")).toBe(kubeconfigText);
    expect(JSON.parse(kubeconfigText)).toMatchObject({ clusters: [{ cluster: { server: url } }] });
    await client.of(Deployments).create(deployment("web", 1));
    await cluster.until(async () => (await client.of(Deployments).get("web")).status?.readyReplicas === 1);
    await cluster[Symbol.asyncDispose]();
    expect(existsSync(kubeconfig)).toBe(false);
  });

  it("lets pods behave as the text of a stages file says", async () => {
    await using cluster = await startCluster({ time: "real", stages: "pods:\n- exit-code: 3\n" });
    const pods = cluster.client.of(Pods);
    await cluster.until(async () => cluster.client.of(ServiceAccounts).find("default"));
    await pods.create({ metadata: { name: "work" }, spec: { ...template.spec, restartPolicy: "Never" } });
    const failed = await cluster.until(async () => {
      const { status } = await pods.get("work");
      return status?.phase === "Failed" && status;
    });
    expect(failed.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(3);
  });
});
