// The load for the Go programs. Each round creates a namespace with Deployments, Jobs and StatefulSets, rolls them out,
// scales them, and deletes the namespace while its pods still run.

import { setTimeout as sleep } from "node:timers/promises";
import type { ControlPlane } from "#test/real/control-plane.ts";
import { callHttps } from "#test/real/https.ts";

const MERGE = { "content-type": "application/merge-patch+json" };
/** The pause between two steps of a round. */
const STEP_MS = 3_000;
/** A namespace is deleted when this many younger ones exist. */
const LIVE_ROUNDS = 4;

const template = (app: string, spec: object = {}) => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: "c", image: "example/app:1" }], ...spec },
});
const selector = (app: string) => ({ matchLabels: { app } });

/** Puts the server under load until the signal aborts. Returns the number of rounds. */
export async function load(plane: ControlPlane, server: string, signal: AbortSignal): Promise<number> {
  const ask = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const { admin: client, pki } = plane;
    const answer = await callHttps({ url: server + path, method, caPem: pki.ca.certificatePem, client, body, headers });
    // In a late round, objects may already be deleted with their namespace.
    const isLate = answer.status === 404 || answer.status === 403 || answer.status === 409;
    if (answer.status >= 300 && !isLate) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  };
  let rounds = 0;
  while (!signal.aborted) {
    rounds++;
    const namespace = `load-${rounds}`;
    const apps = `/apis/apps/v1/namespaces/${namespace}`;
    const steps: (() => Promise<void>)[] = [
      () => ask("POST", "/api/v1/namespaces", { metadata: { name: namespace } }),
      async () => {
        for (const app of ["web", "api"])
          await ask("POST", `${apps}/deployments`, {
            metadata: { name: app },
            spec: { replicas: 3, selector: selector(app), template: template(app) },
          });
        await ask("POST", `${apps}/statefulsets`, {
          metadata: { name: "db" },
          spec: { replicas: 2, serviceName: "db", selector: selector("db"), template: template("db") },
        });
        await ask("POST", `/api/v1/namespaces/${namespace}/services`, {
          metadata: { name: "web" },
          spec: { selector: { app: "web" }, ports: [{ port: 80 }] },
        });
        await ask("POST", `/apis/batch/v1/namespaces/${namespace}/jobs`, {
          metadata: { name: "work" },
          spec: { completions: 3, parallelism: 2, template: template("work", { restartPolicy: "Never" }) },
        });
      },
      () => {
        const annotations = { round: String(rounds) };
        const body = { spec: { template: { metadata: { annotations } } } };
        return ask("PATCH", `${apps}/deployments/web`, body, MERGE);
      },
      async () => {
        await ask("PATCH", `${apps}/deployments/api`, { spec: { replicas: 1 } }, MERGE);
        await ask("PATCH", `${apps}/statefulsets/db`, { spec: { replicas: 3 } }, MERGE);
      },
      () => ask("DELETE", `${apps}/deployments/web`, { propagationPolicy: "Foreground" }),
      () =>
        rounds <= LIVE_ROUNDS ? Promise.resolve() : ask("DELETE", `/api/v1/namespaces/load-${rounds - LIVE_ROUNDS}`),
    ];
    for (const step of steps) {
      if (signal.aborted) break;
      await step();
      await sleep(STEP_MS, undefined, { signal }).catch(() => undefined);
    }
  }
  return rounds;
}
