// The files of `steersman up` and their use by a later start, on each supported runtime.

import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { configMap } from "#apiserver/testing.ts";
import { runningPods, useUp } from "./up.testing.ts";

const replicaSet = readFileSync(join(import.meta.dirname, "../../docs/examples/replicaset.yaml"), "utf8");
const MAPS = "/api/v1/namespaces/default/configmaps";
const NODES = "/api/v1/nodes";
const SETS = "/apis/apps/v1/namespaces/default/replicasets";
const { root, newDirectory, up } = useUp();

describe("the kubeconfig of steersman up", () => {
  it("gives clusters on two ports a kubeconfig each", async () => {
    const [first, second] = [await up("--port=0", "--nodes=0"), await up("--port=0", "--nodes=0")];
    for (const { kubeconfig, port, client } of [first, second]) {
      expect(kubeconfig).toBe(join(root, ".steersman", port, "kubeconfig"));
      expect((await client.get("/api/v1/namespaces/default")).status).toBe(200);
      const name = `steersman-${port}`;
      expect(JSON.parse(readFileSync(kubeconfig, "utf8"))).toMatchObject({
        clusters: [{ name }],
        users: [{ name }],
        contexts: [{ name, context: { cluster: name, user: name } }],
        "current-context": name,
      });
    }
  }, 60_000);

  it("replaces a kubeconfig that others could read, and removes it when a cluster in memory ends", async () => {
    const directory = newDirectory();
    mkdirSync(directory);
    const path = join(directory, "kubeconfig");
    writeFileSync(path, "old");
    chmodSync(path, 0o666);
    const { child, exitCode } = await up("--port=0", "--nodes=0", `--state=${directory}`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    child.kill("SIGTERM");
    expect(await exitCode).toBe(0);
    expect(existsSync(path)).toBe(false);
    const other = await up("--port=0", "--nodes=0", `--state=${directory}`);
    writeFileSync(path, "of another cluster");
    other.child.kill("SIGTERM");
    expect(await other.exitCode).toBe(0);
    expect(readFileSync(path, "utf8")).toBe("of another cluster");
    const [outer, inner] = [newDirectory(), "made/for/it"];
    mkdirSync(outer);
    const third = await up("--port=0", "--nodes=0", `--state=${join(outer, inner)}`);
    third.child.kill("SIGTERM");
    expect(await third.exitCode).toBe(0);
    expect(readdirSync(outer)).toEqual([]);
  }, 60_000);
});

describe("steersman up --data-dir", () => {
  it("removes nodes that a later start does not have, with their pods, and keeps other nodes", async () => {
    const directory = newDirectory();
    const first = await up("--data-dir", directory, "--port=0", "--nodes=3");
    await first.client.post(SETS, replicaSet, { "content-type": "application/yaml" });
    await runningPods(first.client, 3);
    await first.client.post(NODES, { metadata: { name: "foreign" } });
    first.child.kill("SIGTERM");
    expect(await first.exitCode).toBe(0);
    const second = await up("--data-dir", directory, "--port=0", "--nodes=1");
    const names = async (path: string): Promise<string[]> => {
      const { items } = (await second.client.get(path)).body as { items: { metadata: { name: string } }[] };
      return items.map(({ metadata }) => metadata.name).sort();
    };
    expect(await names(NODES)).toEqual(["foreign", "node-1"]);
    expect(await names("/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases")).toEqual(["node-1"]);
    for (const { spec } of await runningPods(second.client, 3)) expect(spec.nodeName).toBe("node-1");
  }, 60_000);

  it("refuses writes beyond the given size, continues to read, and has kept acknowledged writes", async () => {
    const directory = newDirectory();
    const first = await up("--data-dir", directory, "--port=0", "--nodes=0", "--data-size-max=2");
    const filler = "x".repeat(50_000);
    let count = 0;
    let answer = await first.client.post(MAPS, configMap("m-0", { filler }));
    while (answer.status === 201) answer = await first.client.post(MAPS, configMap(`m-${++count}`, { filler }));
    expect([answer.status, answer.body.message]).toEqual([
      500,
      "Internal error occurred: the store refused a write: database or disk is full",
    ]);
    expect((await first.client.get(`${MAPS}/m-${count}`)).status).toBe(404);
    expect((await first.client.get(`${MAPS}/m-${count - 1}`)).status).toBe(200);
    // Deletions free room at once, also for the cluster's own Leases and events.
    for (const name of ["m-0", "m-1", "m-2"]) expect((await first.client.delete(`${MAPS}/${name}`)).status).toBe(200);
    for (const name of ["m-0", "m-1"]) {
      expect((await first.client.post(MAPS, configMap(name, { filler }))).status).toBe(201);
    }
    first.child.kill("SIGTERM");
    expect(await first.exitCode).toBe(0);
    const second = await up("--data-dir", directory, "--port=0", "--nodes=0", "--data-sync=normal");
    const { items } = (await second.client.get(MAPS)).body as { items: { data: { filler?: string } }[] };
    expect(items.filter(({ data }) => data.filler === filler)).toHaveLength(count - 1);
    expect((await second.client.post(MAPS, configMap(`m-${count}`, { filler }))).status).toBe(201);
  }, 60_000);
});
