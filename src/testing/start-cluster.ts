// A cluster for a test: in virtual time, which advances only on request, or in real time, where it listens and clients
// of any kind connect with a kubeconfig.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { UserInfo } from "#api/user-info.ts";
import { bytesTransport } from "#apiserver/in-process-transport.ts";
import { MemoryStorage } from "#apiserver/storage/memory-storage.ts";
import type { Clock } from "#base/clock.ts";
import { type Logger, noLog } from "#base/log.ts";
import { LogVerbosity } from "#base/log-verbosity.ts";
import { createLogger } from "#base/logger.ts";
import { noMetrics } from "#base/metrics.ts";
import { seededRng } from "#base/seeded-rng.ts";
import { VirtualClock, virtualStartMs } from "#base/virtual-clock.ts";
import { createClient } from "#client/create-client.ts";
import { type Cluster, createCluster } from "#cluster/cluster.ts";
import { type ClusterSettings, readSettings } from "#cluster/settings.ts";
import { readStagesOption } from "#cluster/stages-file.ts";
import { clusterHost, innerServerKeys } from "#cmd/cluster-keys.ts";
import { openState } from "#cmd/cluster-state.ts";
import { serveCluster } from "#cmd/served-cluster.ts";
import { kubeconfigText } from "#cmd/up-kubeconfig.ts";
import type { Stages, StagesSpec } from "#nodes/stages.ts";
import { FairTurns } from "#platform/system/fair-turns.ts";
import { systemClock, systemTurn } from "#platform/system/system-clock.ts";
import { checkOptions, checkTime } from "./check-options.ts";
import { type Drive, type TestingClient, testingClient } from "./client.ts";
import { VirtualDrive } from "./virtual-drive.ts";
import { virtualPki } from "./virtual-pki.ts";

const ADMINISTRATOR: UserInfo = { name: "admin", groups: ["system:masters"] };
const UNTIL_MS = 60_000;
const VIRTUAL_LOOK_MS = 100;
const REAL_LOOK_MS = 20;
const STOP_MS = 60_000;
const PRIVATE = 0o600;

export interface TestClusterOptions extends ClusterSettings {
  /** Simulated nodes: 1 unless given. */
  readonly nodes?: number;
  /** The behaviour of pods and nodes, as an object or as the text of a file for `steersman up --stages`. */
  readonly stages?: StagesSpec | string;
  /** Receives the log lines of the API server and the controllers; absent: no logs. */
  readonly log?: (line: string) => void;
}

export interface VirtualClusterOptions extends TestClusterOptions {
  readonly time?: "virtual";
  /** The same seed gives the same names, addresses and order of events. */
  readonly seed?: string | number;
  /** The cluster's time at its start: 2026-01-01T00:00:00Z unless given. */
  readonly startTime?: Date;
}

export interface RealClusterOptions extends TestClusterOptions {
  readonly time: "real";
  /** The port of the API server on 127.0.0.1; any free port unless given. */
  readonly port?: number;
}

export interface TestCluster extends AsyncDisposable {
  /** As a member of system:masters. */
  readonly client: TestingClient;
  /** As another user. */
  clientOf(user: UserInfo): TestingClient;
  /** The cluster's time. */
  now(): Date;
  /**
   * Advances the time until the probe returns a value, and returns it. limitMs: a minute of the cluster's time unless
   * given.
   */
  until<T>(probe: () => Promise<T>, limitMs?: number): Promise<Found<T>>;
  stop(): Promise<void>;
}

/** Neither undefined, null nor false. */
export type Found<T> = Exclude<T, undefined | null | false>;

export interface VirtualCluster extends TestCluster {
  /** Advances the cluster's time, and runs everything that becomes due. */
  advance(ms: number): Promise<void>;
}

export interface RealCluster extends TestCluster {
  readonly url: string;
  /** The path of a kubeconfig; the file is removed when the cluster stops. */
  readonly kubeconfig: string;
  /** Its text, which is JSON. */
  readonly kubeconfigText: string;
}

/** Resolves when all nodes are Ready and the caches of all controllers have synced. */
export function startCluster(options?: VirtualClusterOptions): Promise<VirtualCluster>;
export function startCluster(options: RealClusterOptions): Promise<RealCluster>;
export async function startCluster(
  options: VirtualClusterOptions | RealClusterOptions = {},
): Promise<VirtualCluster | RealCluster> {
  checkOptions(options);
  return options.time === "real" ? startInRealTime(options) : startInVirtualTime(options);
}

async function startInVirtualTime(options: VirtualClusterOptions): Promise<VirtualCluster> {
  const loading = new LoadingTurns();
  const clock = new VirtualClock({
    turn: () => loading.turn(),
    startMs: options.startTime?.getTime() ?? virtualStartMs,
  });
  const log = loggerOf(options, clock);
  const storage = new MemoryStorage({ clock });
  const host = clusterHost(virtualPki);
  const { runtimeConfig, ...settings } = readSettings(options);
  const cluster = createCluster({
    ...settings,
    clock,
    rng: seededRng(options.seed ?? "steersman"),
    log,
    controllerLog: log,
    host: { ...host, keys: { ...host.keys, loadSigning: () => loading.during(host.keys.loadSigning()) } },
    server: { ...innerServerKeys(virtualPki), metrics: noMetrics, storage, runtimeConfig },
    nodes: options.nodes ?? 1,
    ...stagesOf(options),
    shutdownTimeoutMs: 0,
  });
  const stopping = new AbortController();
  const end = outcomeOf(cluster.run(stopping.signal));
  const ready = outcomeOf(cluster.ready);
  const drive = new VirtualDrive(clock);
  await drive.runUntil(() => ready.isSettled || end.isSettled, UNTIL_MS);
  end.throwFailure();
  const stop = async (): Promise<void> => {
    if (stopping.signal.aborted) return;
    stopping.abort();
    await drive.runUntil(() => end.isSettled, STOP_MS);
    cluster.server.close();
    storage.close();
    end.throwFailure();
  };
  const advance = async (ms: number): Promise<void> => {
    checkTime(ms);
    await drive.advance(ms);
    end.throwFailure();
  };
  const pass = { lookMs: VIRTUAL_LOOK_MS, advance };
  return { ...commonParts(cluster, clock, (call) => drive.during(call), pass, stop), advance };
}

async function startInRealTime(options: RealClusterOptions): Promise<RealCluster> {
  const clock = systemClock;
  const settings = readSettings(options);
  const log = loggerOf(options, clock);
  const state = await openState(clock, undefined);
  const { nodes = 1, port = 0 } = options;
  const served = await serveCluster({
    ...settings,
    clock,
    log,
    controllerLog: log,
    state,
    port,
    nodes,
    ...stagesOf(options),
    turns: new FairTurns(),
  });
  const directory = mkdtempSync(join(tmpdir(), "steersman-"));
  const kubeconfig = { path: join(directory, "kubeconfig"), text: kubeconfigText(served.url, state.pki) };
  // The directory is new and private. It need not survive a power failure, so that nothing waits for the disk.
  writeFileSync(kubeconfig.path, kubeconfig.text, { mode: PRIVATE });
  let hasStopped = false;
  const stop = async (): Promise<void> => {
    if (hasStopped) return;
    hasStopped = true;
    rmSync(directory, { recursive: true, force: true });
    await served.stop();
  };
  served.start();
  const end = outcomeOf(served.ended);
  try {
    await Promise.race([served.ready, served.ended]);
  } catch (error) {
    await stop();
    throw error;
  }
  const advance = async (ms: number): Promise<void> => {
    await clock.sleep(ms, new AbortController().signal);
    end.throwFailure();
  };
  const common = commonParts(served, clock, (call) => call, { lookMs: REAL_LOOK_MS, advance }, stop);
  return { ...common, url: served.url, kubeconfig: kubeconfig.path, kubeconfigText: kubeconfig.text };
}

interface Pass {
  /** The interval between two probes of `until`. */
  readonly lookMs: number;
  advance(ms: number): Promise<void>;
}

function commonParts(
  { server }: Pick<Cluster, "server">,
  clock: Clock,
  drive: Drive,
  pass: Pass,
  stop: () => Promise<void>,
): TestCluster {
  const ending = new AbortController();
  const clientOf = (user: UserInfo): TestingClient => {
    const transport = bytesTransport(server, { peer: { user } });
    return testingClient(createClient({ transport, clock, userAgent: "steersman-testing" }), drive, ending.signal);
  };
  const end = async (): Promise<void> => {
    ending.abort(new Error("the cluster has been stopped"));
    await stop();
  };
  return {
    client: clientOf(ADMINISTRATOR),
    clientOf,
    now: () => new Date(clock.now()),
    stop: end,
    [Symbol.asyncDispose]: end,
    async until<T>(probe: () => Promise<T>, limitMs = UNTIL_MS): Promise<Found<T>> {
      checkTime(limitMs);
      const endMs = clock.monotonicMs() + limitMs;
      for (;;) {
        const found = await probe();
        if (found !== undefined && found !== null && found !== false) return found as Found<T>;
        if (clock.monotonicMs() >= endMs) throw new Error(`not within ${limitMs} ms of the cluster's time: ${probe}`);
        await pass.advance(pass.lookMs);
      }
    },
  };
}

/** Turns of a virtual clock that also wait for modules that are being loaded. */
class LoadingTurns {
  #loading = 0;

  async turn(): Promise<void> {
    do await systemTurn();
    while (this.#loading > 0);
  }

  async during<T>(load: Promise<T>): Promise<T> {
    this.#loading++;
    try {
      return await load;
    } finally {
      this.#loading--;
    }
  }
}

interface Outcome {
  readonly isSettled: boolean;
  throwFailure(): void;
}

function outcomeOf(promise: Promise<void>): Outcome {
  let result: { readonly error?: unknown } | undefined;
  promise.then(
    () => (result = {}),
    (error: unknown) => (result = { error }),
  );
  return {
    get isSettled() {
      return result !== undefined;
    },
    throwFailure() {
      if (result !== undefined && "error" in result) throw result.error;
    },
  };
}

function stagesOf({ stages }: TestClusterOptions): { readonly stages?: Stages } {
  return stages === undefined ? {} : { stages: readStagesOption(stages) };
}

function loggerOf({ log }: TestClusterOptions, clock: Clock): Logger {
  if (log === undefined) return noLog;
  return createLogger({ clock, format: "text", verbosity: new LogVerbosity(), write: (line) => log(line) });
}
