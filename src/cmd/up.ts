// steersman up: a cluster in this process, a kubeconfig for its clients, and the files that outlive it.

import { join, resolve } from "node:path";
import { errorMessage } from "#base/errors.ts";
import type { Logger } from "#base/log.ts";
import { readSettings } from "#cluster/settings.ts";
import type { ClusterPki } from "#platform/certificates/cluster-pki.ts";
import { systemClock } from "#platform/system/system-clock.ts";
import { ClusterNotStarted, type DataOptions, openState } from "./cluster-state.ts";
import { serveCluster } from "./served-cluster.ts";
import { type KubeconfigFile, writeKubeconfig } from "./up-kubeconfig.ts";

export const DEFAULT_PORT = 7443;
const DEFAULT_DIRECTORY = ".steersman";

export interface UpOptions {
  /** 0: any free port. */
  readonly port: number;
  readonly nodes: number;
  /** Where the kubeconfig goes. Absent: a folder of the current one, so that clusters on two ports have one each. */
  readonly directory?: string;
  /** Absent: nothing outlives the process. */
  readonly data?: DataOptions;
  readonly log: Logger;
}

export interface RunningCluster {
  readonly url: string;
  readonly kubeconfig: string;
  readonly controllers: readonly string[];
  /** The manager that holds the controllers' Lease instead of this process, if any. */
  readonly otherManager: string | undefined;
  /** Resolves, or rejects, when the controllers have ended: without a stop that is a fault. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/** Resolves when the cluster is ready, or another manager holds the Lease of its controllers. */
export async function startCluster(options: UpOptions): Promise<RunningCluster> {
  const clock = systemClock;
  const { log, port, nodes } = options;
  const state = await openState(clock, options.data);
  const waiting = Promise.withResolvers<string>();
  try {
    const cluster = await serveCluster({
      ...readSettings({}),
      clock,
      log,
      controllerLog: log,
      state,
      port,
      nodes,
      onWaiting: waiting.resolve,
    });
    const kubeconfig = keptKubeconfig(options.directory ?? defaultDirectory(cluster.port), cluster.url, state.pki);
    cluster.start();
    const otherManager = await Promise.race([cluster.ready, cluster.ended, waiting.promise]);
    return {
      url: cluster.url,
      kubeconfig: kubeconfig.path,
      controllers: cluster.controllers,
      otherManager: otherManager ?? undefined,
      ended: cluster.ended,
      async stop() {
        await cluster.stop();
        // Without a data directory the keys in it open nothing any more.
        if (options.data === undefined) kubeconfig.remove();
      },
    };
  } catch (error) {
    state.storage.close();
    throw error;
  }
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
