// steersman up: a cluster in this process, a kubeconfig for its clients, and its files.

import { join, resolve } from "node:path";
import type { GoDuration } from "#api/go-duration.ts";
import { directTransport } from "#apiserver/in-process-transport.ts";
import type { Clock } from "#base/clock.ts";
import { errorMessage } from "#base/errors.ts";
import type { Logger } from "#base/log.ts";
import { PacedClock } from "#base/paced-clock.ts";
import { createClient } from "#client/create-client.ts";
import type { Manifest } from "#cluster/manifests.ts";
import { type ClusterCounts, followCounts } from "#cluster/pod-counts.ts";
import { type ReadSettings, readSettings } from "#cluster/settings.ts";
import { isSelected } from "#manager/controller-selection.ts";
import type { LeaderElectionConfig } from "#manager/options/config.ts";
import type { Stages } from "#nodes/stages.ts";
import type { ClusterPki } from "#platform/certificates/cluster-pki.ts";
import { FairTurns } from "#platform/system/fair-turns.ts";
import { systemClock } from "#platform/system/system-clock.ts";
import { ClusterNotStarted, openState } from "./cluster-state.ts";
import { serveCluster } from "./served-cluster.ts";
import { asFlagError, DEFAULT_PORT, type UpFlags } from "./up-flags.ts";
import { type KubeconfigFile, writeKubeconfig } from "./up-kubeconfig.ts";

const DEFAULT_DIRECTORY = ".steersman";
const REQUEST_MS = 60_000;
const WATCH_MS = 30 * 60_000;

export interface UpOptions extends Omit<UpFlags, "apply" | "stages" | "isQuiet" | "verbosity" | "command"> {
  readonly stages?: Stages;
  /** The API server's log. */
  readonly log: Logger;
  /** The log of the controllers, the scheduler and the nodes. */
  readonly controllerLog: Logger;
  /** Ends the wait for a ready cluster: a controller whose API is disabled is never ready. */
  readonly stopped: Promise<unknown>;
}

export interface RunningCluster {
  readonly clock: Clock;
  readonly url: string;
  readonly kubeconfig: string;
  readonly controllers: readonly string[];
  /** The other manager that holds the controllers' Lease, if any. */
  readonly otherManager: string | undefined;
  counts(): ClusterCounts;
  apply(manifests: readonly Manifest[]): Promise<void>;
  /** Resolves, or rejects, when the controllers have ended; without a stop this is a failure. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/** Resolves when the cluster is ready or stopped, or when another manager holds the Lease of its controllers. */
export async function startCluster(options: UpOptions): Promise<RunningCluster> {
  const { log, controllerLog, port, nodes, speed } = options;
  const settings = settingsOf(options);
  const turns = new FairTurns();
  const clock = speed === 1 ? systemClock : new PacedClock({ pace: systemClock, speed, turn: () => turns.settle() });
  const state = await openState(clock, options.data);
  const waiting = Promise.withResolvers<string>();
  try {
    const cluster = await serveCluster({
      ...settings,
      clock,
      log,
      controllerLog,
      state,
      port,
      nodes,
      ...(options.stages && { stages: options.stages }),
      // Clients measure time on the machine's clock.
      limits: { requestTimeoutMs: REQUEST_MS * speed, watchTimeoutMsMin: WATCH_MS * speed },
      turns,
      onWaiting: waiting.resolve,
    });
    const kubeconfig = keptKubeconfig(options.directory || defaultDirectory(cluster.port), cluster.url, state.pki);
    cluster.start();
    const stopped = options.stopped.then(() => undefined);
    const otherManager = await Promise.race([cluster.ready, cluster.ended, waiting.promise, stopped]);
    return {
      clock,
      url: cluster.url,
      kubeconfig: kubeconfig.path,
      controllers: cluster.controllers,
      otherManager: otherManager ?? undefined,
      counts: followCounts(cluster.server, state.storage),
      ended: cluster.ended,
      async apply(manifests) {
        if (manifests.length === 0) return;
        const untaints = isSelected("node-lifecycle-controller", settings.config.Generic.Controllers);
        if (untaints && !otherManager) await Promise.race([cluster.takesPods, cluster.ended]);
        const { applyManifests } = await import("#cluster/manifests.ts");
        const transport = directTransport(cluster.server, {
          peer: { user: { name: "admin", groups: ["system:masters"] } },
        });
        const client = createClient({ transport, clock, userAgent: "steersman", direct: true });
        await applyManifests(manifests, { client, clock, fieldManager: "steersman-up" }, new AbortController().signal);
      },
      async stop() {
        await cluster.stop();
        // Without a data directory the keys in the kubeconfig are useless now.
        if (options.data === undefined) kubeconfig.remove();
      },
    };
  } catch (error) {
    state.storage.close();
    throw error;
  }
}

function settingsOf(options: UpOptions): ReadSettings {
  try {
    const { config, ...settings } = readSettings(options);
    const Generic = { ...config.Generic, LeaderElection: slowedDown(config.Generic.LeaderElection, options.speed) };
    return { ...settings, config: { ...config, Generic } };
  } catch (error) {
    throw asFlagError(error);
  }
}

/** Other managers use the machine's time, so the Lease is renewed as often as without speed. */
function slowedDown(election: LeaderElectionConfig, speed: number): LeaderElectionConfig {
  const times = (duration: GoDuration): GoDuration => BigInt(Math.round(Number(duration) * speed));
  return {
    ...election,
    leaseDuration: times(election.leaseDuration),
    renewDeadline: times(election.renewDeadline),
    retryPeriod: times(election.retryPeriod),
  };
}

function defaultDirectory(port: number): string {
  return port === DEFAULT_PORT ? DEFAULT_DIRECTORY : join(DEFAULT_DIRECTORY, String(port));
}

function keptKubeconfig(directory: string, server: string, pki: ClusterPki): KubeconfigFile {
  try {
    return writeKubeconfig(directory, server, pki);
  } catch (cause) {
    const advice = "choose another directory with --state";
    const path = join(directory, "kubeconfig");
    throw new ClusterNotStarted(`cannot write ${resolve(path)}: ${errorMessage(cause)}; ${advice}`, { cause });
  }
}
