// `steersman up` at size: 1,000 nodes, 20,000 pods from 100 Deployments, and what a client feels meanwhile.
//   bun bench/up-scale.ts [program and arguments of `steersman`]      nodes and pods: NODES=1000 PODS=20000

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Deployments } from "#api/generated/resources/apps-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { createClient } from "#client/create-client.ts";
import { loadClientConfig } from "#platform/kubeconfig/kubeconfig.ts";
import { createTransport } from "#platform/kubeconfig/kubeconfig-transport.ts";
import { systemClock } from "#platform/system/system-clock.ts";

const nodes = Number(process.env.NODES ?? 1_000);
const pods = Number(process.env.PODS ?? 20_000);
const DEPLOYMENTS = 100;
const LIMIT_MS = 1_800_000;
const given = process.argv.slice(2);
const [file = "", ...args] = given.length > 0 ? given : [process.execPath, "src/cmd/steersman.ts"];
const directory = mkdtempSync(join(tmpdir(), "up-scale-"));
const signal = new AbortController().signal;
const tell = (text: string): void => void process.stdout.write(`${text}\n`);

const startedMs = performance.now();
const child = spawn(file, [...args, "up", "--port=0", `--nodes=${nodes}`, `--state=${directory}`], {
  stdio: ["ignore", "pipe", "inherit"],
});
const seconds = (sinceMs: number): string => `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`;
const statusOf = (name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1024;
const cpuSeconds = (): number => {
  const fields = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(" ");
  return (Number(fields[13]) + Number(fields[14])) / 100;
};

try {
  await new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => {
      if (String(chunk).includes("Ctrl-C")) resolve();
    });
    child.on("close", () => reject(new Error("the cluster ended")));
  });
  tell(`${nodes} nodes are Ready after ${seconds(startedMs)}, ${statusOf("VmRSS").toFixed(0)} MB`);
  const config = await loadClientConfig({ path: join(directory, "kubeconfig") });
  const transport = await createTransport(config, { clock: systemClock });
  const client = createClient({ transport, clock: systemClock, userAgent: "bench" });
  const beganMs = performance.now();
  const cpuBefore = cpuSeconds();
  for (let i = 0; i < DEPLOYMENTS; i++) {
    const labels = { app: `app-${i}` };
    const template = { metadata: { labels }, spec: { containers: [{ name: "a", image: "a" }] } };
    const spec = { replicas: pods / DEPLOYMENTS, selector: { matchLabels: labels }, template };
    await client
      .resource(Deployments)
      .create({ object: { metadata: { name: `app-${i}`, namespace: "default" }, spec } }, signal);
  }
  let isDone = false;
  const waits: number[] = [];
  const honest = (async () => {
    while (!isDone) {
      const askedMs = performance.now();
      await client.resource(Deployments).get({ namespace: "default", name: "app-0" }, signal);
      waits.push(performance.now() - askedMs);
      await systemClock.sleep(50, signal);
    }
  })();
  for (;;) {
    const { items } = await client.resource(Deployments).list({ namespace: "default" }, signal);
    const ready = items.reduce((sum, { status }) => sum + (status?.readyReplicas ?? 0), 0);
    if (ready === pods) break;
    if (performance.now() - beganMs > LIMIT_MS) throw new Error(`only ${ready} of ${pods} pods are ready`);
    tell(`  ${seconds(beganMs)}: ${ready} ready`);
    await systemClock.sleep(2_000, signal);
  }
  isDone = true;
  await honest;
  waits.sort((a, b) => a - b);
  const at = (share: number): string => `${(waits[Math.floor(waits.length * share)] ?? 0).toFixed(0)} ms`;
  tell(`${pods} pods are Running after ${seconds(beganMs)}, ${(cpuSeconds() - cpuBefore).toFixed(1)} CPU-s`);
  tell(
    `a client waited ${at(0.5)} at the median, ${at(0.99)} at p99, ${at(0.9999)} at most (${waits.length} requests)`,
  );
  tell(`RSS ${statusOf("VmRSS").toFixed(0)} MB, at most ${statusOf("VmHWM").toFixed(0)} MB`);
  const { items } = await client.resource(Pods).list({ namespace: "default", limit: 500 }, signal);
  tell(`${new Set(items.map(({ spec }) => spec?.nodeName)).size} nodes have the first ${items.length} pods`);
} finally {
  child.kill("SIGTERM");
  await new Promise((resolve) => child.once("close", resolve));
  rmSync(directory, { recursive: true, force: true });
}
process.exit(0);
