// Runs `steersman up` as a separate process, on the runtime of the tests, for suites from the user's side.

import { type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { afterAll, afterEach } from "vitest";
import { type TestClient, testClient } from "#apiserver/testing.ts";
import type { HttpRequest, Transport } from "#base/http.ts";
import { loadClientConfig } from "#platform/kubeconfig/kubeconfig.ts";
import { createTransport } from "#platform/kubeconfig/kubeconfig-transport.ts";
import { systemClock } from "#platform/system/system-clock.ts";

export const program: string = join(import.meta.dirname, "steersman.ts");
export const PODS = "/api/v1/namespaces/default/pods";

interface Cluster {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  readonly client: TestClient;
  readonly kubeconfig: string;
  readonly port: string;
  readonly exitCode: Promise<number | null>;
  output(): string;
}

interface UpStage {
  /** The working directory of the processes. */
  readonly root: string;
  /** A path in it that does not exist yet. */
  newDirectory(): string;
  /** Waits until the cluster is ready. */
  up(...args: string[]): Promise<Cluster>;
}

/** For one test file: its processes end with each test, its directory with the last. */
export function useUp(): UpStage {
  const root = mkdtempSync(join(tmpdir(), "up-"));
  const running = new Set<Cluster>();
  let directoryCount = 0;
  afterEach(() => {
    for (const { child } of running) child.kill("SIGKILL");
    running.clear();
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  return {
    root,
    newDirectory: () => join(root, String(directoryCount++)),
    up: async (...args) => {
      const cluster = await start(root, args);
      running.add(cluster);
      return cluster;
    },
  };
}

async function start(cwd: string, args: readonly string[]): Promise<Cluster> {
  const child = spawn(process.execPath, [program, "up", ...args], { stdio: ["ignore", "pipe", "pipe"], cwd });
  const exitCode = new Promise<number | null>((resolve) => child.on("close", resolve));
  let output = "";
  child.stdout.setEncoding("utf8");
  child.stderr.on("data", (chunk) => (output += chunk));
  await new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (chunk: string) => {
      output += chunk;
      if (output.includes("Ctrl-C stops it.")) resolve();
    });
    child.on("close", () => reject(new Error(`ended early: ${output}`)));
  });
  const kubeconfig = /export KUBECONFIG=(.*)/.exec(output)?.[1] ?? "";
  const port = /https:\/\/127\.0\.0\.1:(\d+)/.exec(output)?.[1] ?? "";
  const client = await clientOf(kubeconfig);
  return { child, client, kubeconfig, port, exitCode, output: () => output };
}

async function clientOf(kubeconfig: string): Promise<TestClient> {
  const transport = await createTransport(await loadClientConfig({ path: kubeconfig }), { clock: systemClock });
  return testClient(jsonOver(transport));
}

function jsonOver(transport: Transport): Transport {
  return {
    send({ body, ...request }: HttpRequest, signal) {
      if (body?.kind !== "object") return transport.send(body === undefined ? request : { ...request, body }, signal);
      const bytes = new TextEncoder().encode(JSON.stringify(body.value));
      return transport.send({ ...request, body: { kind: "bytes", bytes } }, signal);
    },
  };
}

/** A start that fails: its exit code and output. */
export function refusal(...args: string[]): { status: number | null; text: string } {
  const { status, stderr } = spawnSync(process.execPath, [program, "up", "--port=0", ...args], { encoding: "utf8" });
  return { status, text: stderr };
}

interface PodSummary {
  readonly spec: { readonly nodeName?: string };
  readonly metadata: { readonly name: string; readonly uid: string; readonly deletionTimestamp?: string };
  readonly status: { readonly phase: string; readonly podIP?: string };
}

/** Waits until this many pods exist and all are running. */
export async function runningPods(client: TestClient, count: number): Promise<PodSummary[]> {
  for (;;) {
    const { items } = (await client.get(PODS)).body as { items: PodSummary[] };
    const live = items.filter(({ metadata, status }) => !metadata.deletionTimestamp && status.phase === "Running");
    if (live.length === count && items.length === count) return live;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export const uids = (pods: readonly PodSummary[]): string[] => pods.map(({ metadata }) => metadata.uid).sort();
