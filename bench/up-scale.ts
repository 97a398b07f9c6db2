// `steersman up` with 1,000 nodes and 20,000 pods of 100 Deployments, and the latency of a client meanwhile.
//   bun bench/up-scale.ts [program and arguments of `steersman`]      nodes and pods: NODES=1000 PODS=20000
// On a busy machine, use the figures without the wait for a processor: of the server's first thread, and of this
// process.

import { Deployments } from "#api/generated/resources/apps-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { systemClock } from "#platform/system/system-clock.ts";
import { processCost, startUp, tell } from "./up-process.ts";

const nodes = Number(process.env.NODES ?? 1_000);
const pods = Number(process.env.PODS ?? 20_000);
const DEPLOYMENTS = 100;
const LIMIT_MS = 1_800_000;
const signal = new AbortController().signal;
const seconds = (sinceMs: number): string => `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`;
const up = await startUp([`--nodes=${nodes}`]);
const own = processCost(process.pid);

try {
  tell(`${nodes} nodes are Ready after ${(up.readyMs / 1000).toFixed(1)} s, ${up.megabytes("VmRSS").toFixed(0)} MB`);
  const client = await up.client();
  const beganMs = performance.now();
  const cpuMsBefore = up.cpuMs();
  const waitedMsBefore = up.waitedMs();
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
  const unhindered: number[] = [];
  const honest = (async () => {
    while (!isDone) {
      const [askedMs, waitedMs] = [performance.now(), up.waitedMs() + own.waitedMs()];
      await client.resource(Deployments).get({ namespace: "default", name: "app-0" }, signal);
      const tookMs = performance.now() - askedMs;
      waits.push(tookMs);
      unhindered.push(tookMs - (up.waitedMs() + own.waitedMs() - waitedMs));
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
  const cpu = `${((up.cpuMs() - cpuMsBefore) / 1000).toFixed(1)} CPU-s`;
  const unhinderedSeconds = seconds(beganMs + up.waitedMs() - waitedMsBefore);
  tell(`${pods} pods are Running after ${seconds(beganMs)}, ${unhinderedSeconds} without the wait, ${cpu}`);
  for (const [how, list] of Object.entries({ "": waits, ", without the wait for a processor": unhindered })) {
    list.sort((a, b) => a - b);
    const at = (share: number): string => `${(list[Math.floor(list.length * share)] ?? 0).toFixed(0)} ms`;
    tell(
      `a client waited${how} ${at(0.5)} at the median, ${at(0.99)} at p99, ${at(0.9999)} at most (${list.length} requests)`,
    );
  }
  tell(`RSS ${up.megabytes("VmRSS").toFixed(0)} MB, at most ${up.megabytes("VmHWM").toFixed(0)} MB`);
  const { items } = await client.resource(Pods).list({ namespace: "default", limit: 500 }, signal);
  tell(`${new Set(items.map(({ spec }) => spec?.nodeName)).size} nodes have the first ${items.length} pods`);
} finally {
  await up.stop();
}
process.exit(0);
