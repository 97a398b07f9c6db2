// `steersman up` from the user's side: a process with flags, output, signals and a directory.

import { spawn, spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { configMap } from "#apiserver/testing.ts";
import { NOT_ENFORCED } from "#kinds/admissionregistration/registration-strategy.ts";
import { systemClock } from "#platform/system/system-clock.ts";
import { PODS, program, refusal, runningPods, uids, useUp } from "./up.testing.ts";

const replicaSet = readFileSync(join(import.meta.dirname, "../../docs/examples/replicaset.yaml"), "utf8");
const MAPS = "/api/v1/namespaces/default/configmaps";
const ACCOUNTS = "/api/v1/namespaces/default/serviceaccounts";
const NODES = "/api/v1/nodes";
const REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
/** The request of CN=web, with alternative names. */
const WEB_REQUEST =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIZU1JR1JBZ0VBTUE0eEREQUtCZ05WQkFNTUEzZGxZakFxTUFVR0F5dGxjQU1oQUtXcG53Z2ZtdEJUcjYvSQpTbVIxY3FaVU5vbWxhWmRmUlYwWGRlWWtUYUpwb0ZBd1RnWUpLb1pJaHZjTkFRa09NVUV3UHpBOUJnTlZIUkVFCk5qQTBnZzkzWldJdVpYaGhiWEJzWlM1amIyMkhCQW9BQUFHQkRXRkFaWGhoYlhCc1pTNWpiMjJHREhOd2FXWm0KWlRvdkwyRXZZakFGQmdNclpYQURRUUFTVjV1WXRrUytZQVZhQnBaRExNSC8vaVJOai9QdC96bW9wakQzS0pXRwpjL1haTFNlcG80Q1ljVHVldU9OS2Q5UXNLNUJnWktRUTdYRTh4WVJrTkdNTgotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K";
const SETS = "/apis/apps/v1/namespaces/default/replicasets";
const { root, newDirectory, up } = useUp();

describe("steersman up", () => {
  it("runs a cluster whose controllers and nodes work, and stops on request", async () => {
    const { client, child, exitCode, output, port } = await up("--port=0", "--nodes=2", `--state=${newDirectory()}`);
    const created = await client.post(SETS, replicaSet, { "content-type": "application/yaml" });
    expect(created.status).toBe(201);
    const first = await runningPods(client, 3);
    expect(new Set(first.map(({ status }) => status.podIP)).size).toBe(3);
    const [killed] = first;
    expect((await client.delete(`${PODS}/${killed?.metadata.name}`)).status).toBe(200);
    const second = await runningPods(client, 3);
    expect(uids(second)).not.toContain(killed?.metadata.uid);
    const foreground = { propagationPolicy: "Foreground" };
    expect((await client.delete(`${SETS}/web`, foreground)).status).toBe(200);
    await runningPods(client, 0);

    expect(output()).toMatch(/Ready after \d+ ms: 2 nodes, \d+ controllers\./);
    const { status, text } = refusal(`--port=${port}`, `--state=${newDirectory()}`);
    expect(status).toBe(1);
    expect(text).toContain(`cannot listen on 127.0.0.1:${port}: another program listens there; choose another port`);
    expect(text).toContain("port 0 is any free one");

    child.kill("SIGTERM");
    expect(await exitCode).toBe(0);
    expect(output()).toContain("Stopping.");
  }, 60_000);

  it("serves its metrics and token keys, checks TLS secrets, and warns once about webhooks", async () => {
    const { client } = await up("--port=0", "--nodes=0", `--state=${newDirectory()}`);
    expect((await client.post(ACCOUNTS, { metadata: { name: "robot" } })).status).toBe(201);
    const { token } = (await client.post(`${ACCOUNTS}/robot/token`, {})).body.status;
    const { kid } = JSON.parse(Buffer.from(String(token).split(".")[0] ?? "", "base64url").toString());
    const { keys } = JSON.parse((await client.get("/openid/v1/jwks")).body);
    expect(keys.map((key: { kid: string }) => key.kid)).toEqual([kid]);
    const secret = {
      metadata: { name: "a" },
      type: "kubernetes.io/tls",
      data: { "tls.crt": "YQ==", "tls.key": "YQ==" },
    };
    const { headers } = await client.post("/api/v1/namespaces/default/secrets", secret);
    expect(String(headers.warning)).toContain("tls: failed to find any PEM data in certificate input");
    const hooks = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
    const stored = await client.post(hooks, { metadata: { name: "a" } });
    expect(String(stored.headers.warning).match(/299 - "[^"]+"/g)).toEqual([`299 - "${NOT_ENFORCED}"`]);
    const { body } = await client.get("/metrics");
    expect(body).toMatch(/^apiserver_request_total\{code="201",.*resource="secrets",.*verb="POST",.*\} 1$/m);
    for (const name of [
      "apiserver_resource_objects",
      "process_cpu_seconds_total",
      "nodejs_eventloop_lag_p99_seconds",
    ]) {
      expect(body).toContain(`# TYPE ${name} `);
    }
  }, 60_000);

  it("signs requests for client certificates with the cluster's CA", async () => {
    const { client } = await up("--port=0", "--nodes=0", `--state=${newDirectory()}`);
    const spec = { request: WEB_REQUEST, signerName: "kubernetes.io/kube-apiserver-client", usages: ["client auth"] };
    expect((await client.post(REQUESTS, { metadata: { name: "web" }, spec })).status).toBe(201);
    const approval = { status: { conditions: [{ type: "Approved", status: "True" }] } };
    expect((await client.patch(`${REQUESTS}/web/approval`, "merge", approval)).status).toBe(200);
    let certificate = "";
    while (certificate === "") {
      certificate = (await client.get(`${REQUESTS}/web`)).body.status.certificate ?? "";
      await systemClock.sleep(50, new AbortController().signal);
    }
    expect(new X509Certificate(Buffer.from(certificate, "base64")).subject).toBe("CN=web");
  }, 60_000);

  it("prints its help", () => {
    const { status, stdout } = spawnSync(process.execPath, [program, "up", "--help"], { encoding: "utf8" });
    expect(status).toBe(0);
    const names = ["port", "nodes", "speed", "controllers", "feature-gates", "runtime-config", "apply", "state"];
    for (const name of [...names, "data-dir", "data-sync", "data-size-max", "quiet", "v"]) {
      expect(stdout).toContain(`--${name}`);
    }
    expect(stdout).toContain("steersman up [flags] -- COMMAND");
  });

  it("reports the invalid flag", () => {
    const { status, text } = refusal("--port=70000");
    expect([status, text]).toEqual([1, "steersman: --port is 70000; it can be 0 to 65535\n"]);
    expect(refusal("--controllers=*,-jobb").text).toBe(
      'steersman: --controllers: "jobb" is not in the list of known controllers\n',
    );
  });
});

describe("steersman up -- COMMAND", () => {
  /** Runs to its end. */
  const run = (flags: readonly string[], ...command: readonly string[]) => {
    const all = [program, "up", "--port=0", "--nodes=1", `--state=${newDirectory()}`, ...flags, "--", ...command];
    const { status, stdout, stderr } = spawnSync(process.execPath, all, { encoding: "utf8", cwd: root });
    return { status, stdout, stderr };
  };
  const script = (code: string): readonly string[] => [process.execPath, "-e", code];

  it("runs it with KUBECONFIG set, adds nothing to its output, and ends with its exit code", () => {
    const code = "console.log(JSON.parse(require('fs').readFileSync(process.env.KUBECONFIG)).kind); process.exit(7)";
    expect(run([], ...script(code))).toEqual({ status: 7, stdout: "Config\n", stderr: "" });
    expect(run([], "no-such-program")).toEqual({
      status: 127,
      stdout: "",
      stderr: 'steersman: cannot run "no-such-program": no such program\n',
    });
    expect(run([], ...script("process.kill(process.pid, 'SIGTERM'); setTimeout(() => {}, 60000)")).status).toBe(
      128 + 15,
    );
  }, 60_000);

  it("runs it even if its log is on a full disk", () => {
    // A runtime may write in the background: the command gives it time to fail.
    const full = openSync("/dev/full", "w");
    const flags = ["-v=2", "--port=0", "--nodes=0", `--state=${newDirectory()}`];
    const all = [program, "up", ...flags, "--", ...script("setTimeout(() => process.exit(7), 1000)")];
    const { status } = spawnSync(process.execPath, all, { stdio: ["ignore", full, full], cwd: root });
    closeSync(full);
    expect(status).toBe(7);
  }, 60_000);

  it("does not succeed when it is stopped before the command has run", async () => {
    const state = newDirectory();
    const flags = ["--port=0", "--nodes=1", `--state=${state}`];
    const child = spawn(process.execPath, [program, "up", ...flags, "--", ...script("setTimeout(() => {}, 60_000)")]);
    const ended = new Promise((resolve) => child.on("close", resolve));
    while (!existsSync(join(state, "kubeconfig"))) await systemClock.sleep(5, new AbortController().signal);
    child.kill("SIGTERM");
    expect(await ended).toBe(128 + 15);
  }, 60_000);

  it("applies manifests before it, and reports an invalid one", () => {
    const directory = newDirectory();
    mkdirSync(directory);
    const definition = { group: "example.com", scope: "Namespaced", names: { plural: "apps", kind: "App" } };
    const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
    const crd = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "apps.example.com" },
      spec: { ...definition, versions: [{ name: "v1", served: true, storage: true, schema }] },
    };
    writeFileSync(join(directory, "1.json"), JSON.stringify(crd));
    writeFileSync(join(directory, "2.yaml"), "apiVersion: example.com/v1\nkind: App\nmetadata: {name: shop}\n");
    expect(run([`--apply=${directory}`], ...script("")).stderr).toBe("");
    const file = join(directory, "3.yaml");
    const bad =
      "apiVersion: apps/v1\nkind: Deploymnt\nmetadata: {name: web}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: web}\n";
    writeFileSync(file, bad);
    const { status, stdout, stderr } = run([`--apply=${directory}`], ...script("console.log('not reached')"));
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr.split("\n")).toEqual([
      `steersman: ${file}, document 1 (Deploymnt web): no matches for kind "Deploymnt" in version "apps/v1"`,
      expect.stringMatching(
        /^steersman: .*, document 2 \(Pod web\): Pod "web" is invalid: spec\.containers: Required value/,
      ),
      "",
    ]);
  });
});

describe("steersman up, talking", () => {
  it("continues silently when its output is no longer read", async () => {
    const { child, client, exitCode, output } = await up("--port=0", "--nodes=0", `--state=${newDirectory()}`);
    child.stdout.destroy();
    expect((await client.get("/api/v1/namespaces/default")).status).toBe(200);
    child.kill("SIGTERM");
    expect(await exitCode).toBe(0);
    expect(output().trimEnd().split("\n").at(-1)).toBe("Ctrl-C stops it. Nothing is kept: the store is in memory.");
  }, 60_000);

  it("is empty with --quiet, and a signal still ends the cluster", async () => {
    const state = newDirectory();
    const child = spawn(process.execPath, [program, "up", "--quiet", "--port=0", `--state=${state}`], { cwd: root });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
    const ended = new Promise((resolve) => child.on("close", resolve));
    while (!existsSync(join(state, "kubeconfig"))) await systemClock.sleep(20, new AbortController().signal);
    child.kill("SIGTERM");
    expect([await ended, output]).toEqual([0, ""]);
  }, 60_000);

  it("stops on a signal while controllers wait for an API that is disabled", async () => {
    const state = newDirectory();
    const flags = ["--port=0", "--runtime-config=apps/v1=false", `--state=${state}`];
    const child = spawn(process.execPath, [program, "up", ...flags], { cwd: root });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
    const ended = new Promise((resolve) => child.on("close", resolve));
    const kubeconfig = join(state, "kubeconfig");
    while (!existsSync(kubeconfig)) await systemClock.sleep(20, new AbortController().signal);
    child.kill("SIGTERM");
    expect([await ended, output, existsSync(kubeconfig)]).toEqual([0, "", false]);
  }, 60_000);

  it("lets hours pass in seconds with --speed, runs the selected controllers, and logs no errors", async () => {
    const flags = ["--speed=5000", "--controllers=*,-deployment-controller", "--feature-gates=AllAlpha=false"];
    const { client, child, exitCode, output } = await up("--port=0", ...flags, `--state=${newDirectory()}`);
    const restartPolicy = "Never";
    const template = { spec: { restartPolicy, containers: [{ name: "a", image: "a" }] } };
    const spec = { schedule: "0 * * * *", jobTemplate: { spec: { template } } };
    const path = "/apis/batch/v1/namespaces/default";
    expect((await client.post(`${path}/cronjobs`, { metadata: { name: "hourly" }, spec })).status).toBe(201);
    for (let done = 0; done < 2; ) {
      const { items } = (await client.get(`${path}/jobs`)).body as { items: { status: { succeeded?: number } }[] };
      done = items.filter(({ status }) => status.succeeded === 1).length;
      await systemClock.sleep(50, new AbortController().signal);
    }
    const nodes = (await client.get(NODES)).body as { items: { spec: { taints?: unknown } }[] };
    expect(nodes.items.map(({ spec }) => spec.taints)).toEqual([undefined]);
    child.kill("SIGTERM");
    expect(await exitCode).toBe(0);
    expect(output()).toContain("Time in the cluster runs 5000 times as fast.");
    expect(output()).not.toMatch(/^E\d{4}/m);
  }, 60_000);
});

describe("steersman up --data-dir", () => {
  it("keeps everything through kill -9: objects, versions, keys, the kubeconfig", async () => {
    const directory = newDirectory();
    const flags = ["--data-dir", directory, "--port"];
    const first = await up(...flags, "0");
    await first.client.post(SETS, replicaSet, { "content-type": "application/yaml" });
    const pods = await runningPods(first.client, 3);
    const config = readFileSync(first.kubeconfig, "utf8");
    const acknowledged = new Map<string, string>();
    const lost = (async () => {
      for (let i = 0; ; i++) {
        const { status, body } = await first.client.post(MAPS, configMap(`m-${i}`));
        if (status === 201) acknowledged.set(body.metadata.name, body.metadata.resourceVersion);
        if (i === 100) first.child.kill("SIGKILL");
      }
    })();
    await expect(lost).rejects.toThrow();
    await first.exitCode;
    expect(acknowledged.size).toBeGreaterThan(100);

    const second = await up(...flags, first.port);
    expect(readFileSync(second.kubeconfig, "utf8")).toBe(config);
    const { items } = (await second.client.get(MAPS)).body as {
      items: { metadata: { name: string; resourceVersion: string } }[];
    };
    const found = new Map(items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
    for (const [name, version] of acknowledged) expect([name, found.get(name)]).toEqual([name, version]);
    const highest = Math.max(...[...found.values()].map(Number));
    const { body } = await second.client.post(MAPS, configMap("after"));
    expect(Number(body.metadata.resourceVersion)).toBeGreaterThan(highest);
    expect(uids(await runningPods(second.client, 3))).toEqual(uids(pods));
    await second.client.patch(`${SETS}/web`, "merge", { spec: { replicas: 5 } });
    const more = await runningPods(second.client, 5);
    expect(new Set(more.map(({ status }) => status.podIP)).size).toBe(5);

    const { status, text } = refusal("--data-dir", directory);
    expect(status).toBe(1);
    expect(text).toBe(`steersman: cannot use ${directory}/store.db as the store: another process is using it\n`);
    second.child.kill("SIGINT");
    expect(await second.exitCode).toBe(0);
  }, 60_000);

  it("reports why it cannot use a directory, and changes nothing in it", async () => {
    const file = newDirectory();
    writeFileSync(file, "");
    expect(refusal("--data-dir", join(file, "x")).text).toContain(`cannot use ${file}/x as the data directory: `);
    // Not even root can write there.
    expect(refusal("--data-dir", "/sys/steersman").text).toContain("cannot use /sys/steersman as the data directory: ");

    const directory = newDirectory();
    const { child, exitCode } = await up("--data-dir", directory, "--port=0", "--nodes=0");
    child.kill("SIGTERM");
    await exitCode;
    const store = join(directory, "store.db");
    const whole = readFileSync(store);
    truncateSync(store, 10_000);
    expect(refusal("--data-dir", directory).text).toContain(`cannot use ${store} as the store: `);
    const foreign = "this is no database, but it is longer than the header of one. ".repeat(50);
    writeFileSync(store, foreign);
    expect(refusal("--data-dir", directory).text).toBe(
      `steersman: cannot use ${store} as the store: file is not a database\n`,
    );
    expect(readFileSync(store, "utf8")).toBe(foreign);
    writeFileSync(store, whole);
    rmSync(join(directory, "pki", "ca.pem"));
    expect(refusal("--data-dir", directory).text).toContain(`cannot use ${directory}/pki/ca.pem: `);
  }, 60_000);
});
