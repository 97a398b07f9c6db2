// A cluster in one process that clients reach over HTTPS on 127.0.0.1: the common part of `steersman up` and the
// testing library in real time.

import { hostname } from "node:os";
import type { ApiServer, ApiServerOptions } from "#apiserver/create-api-server.ts";
import type { Clock } from "#base/clock.ts";
import { errorMessage, isAborted } from "#base/errors.ts";
import type { Logger } from "#base/log.ts";
import { type Cluster, createCluster } from "#cluster/cluster.ts";
import type { ReadSettings } from "#cluster/settings.ts";
import type { Stages } from "#nodes/stages.ts";
import type { ClusterPki } from "#platform/certificates/cluster-pki.ts";
import { type HttpsServer, startHttpsServer } from "#platform/https-server/https-server.ts";
import type { FairTurns } from "#platform/system/fair-turns.ts";
import { systemRng } from "#platform/system/system-rng.ts";
import { clientCas, clusterHost, serverKeys } from "./cluster-keys.ts";
import { ClusterNotStarted, type ClusterState } from "./cluster-state.ts";
import { serverMetrics } from "./server-metrics.ts";

const HOST = "127.0.0.1";
/** Users wait while a cluster stops. */
const SHUTDOWN_MS = 1_500;
/** Only one process can open the store, so the holder of an earlier run is gone. */
const LEASE_HOLDER = "steersman-up";

export interface ServedClusterOptions extends ReadSettings {
  readonly clock: Clock;
  readonly log: Logger;
  readonly controllerLog: Logger;
  readonly state: ClusterState;
  /** 0: any free port. */
  readonly port: number;
  readonly nodes: number;
  readonly stages?: Stages;
  /** For the API server, in the clock's time. */
  readonly limits?: NonNullable<ApiServerOptions["limits"]>;
  /** Lets sockets be served while the controllers are busy. */
  readonly turns: FairTurns;
  /** Called at each try while another manager holds the controllers' Lease. */
  readonly onWaiting?: (holder: string) => void;
}

export interface ServedCluster extends Pick<Cluster, "server" | "controllers" | "ready" | "takesPods"> {
  readonly url: string;
  readonly port: number;
  /** Starts all parts except the API server, which already answers. */
  start(): void;
  /** Resolves, or rejects, when the controllers have ended; without a stop this is a failure. */
  readonly ended: Promise<void>;
  /** Ends everything, including the store. */
  stop(): Promise<void>;
}

export async function serveCluster(options: ServedClusterOptions): Promise<ServedCluster> {
  const { clock, log, controllerLog, state, port, nodes, config, gates, onWaiting, turns } = options;
  const { storage, pki } = state;
  const cluster = createCluster({
    clock,
    rng: systemRng(),
    log,
    controllerLog,
    gates,
    host: clusterHost(pki),
    server: {
      ...serverMetrics(),
      ...serverKeys(pki),
      storage,
      runtimeConfig: options.runtimeConfig,
      ...(options.limits === undefined ? {} : { limits: options.limits }),
      hostname: hostname(),
      // With a free port, clients learn the address only from the kubeconfig.
      ...(port === 0 ? {} : { serverAddress: `${HOST}:${port}` }),
    },
    config,
    nodes,
    ...(options.stages && { stages: options.stages }),
    admissionPlugins: options.admissionPlugins,
    leaseHolder: LEASE_HOLDER,
    ...(onWaiting === undefined ? {} : { onWaiting }),
    nextTurn: () => turns.next(),
    shutdownTimeoutMs: SHUTDOWN_MS,
  });
  const { server, ready, takesPods } = cluster;
  const https = await listen(port, pki, server, log);
  const stop = new AbortController();
  const ended = Promise.withResolvers<void>();
  ended.promise.catch(() => undefined); // reported to the caller that awaits it
  let hasStarted = false;
  return {
    server,
    get controllers() {
      return cluster.controllers;
    },
    ready,
    takesPods,
    url: `https://${HOST}:${https.port}`,
    port: https.port,
    ended: ended.promise,
    start() {
      hasStarted = true;
      cluster.run(stop.signal).then(ended.resolve, ended.reject);
    },
    async stop() {
      stop.abort();
      if (hasStarted) {
        // A controller that does not end in time is abandoned, because the store must be closed.
        await ended.promise.catch((error: unknown) => {
          if (!isAborted(error, stop.signal)) log.error(error, "Controllers did not stop");
        });
      }
      await https.close();
      server.close();
      storage.close();
    },
  };
}

async function listen(port: number, pki: ClusterPki, server: ApiServer, log: Logger): Promise<HttpsServer> {
  try {
    return await startHttpsServer({
      host: HOST,
      port,
      tls: {
        cert: pki.serving.certificatePem,
        key: pki.serving.keyPem,
        clientCas: clientCas(pki),
      },
      handle: (request, signal) => server.handle(request, signal),
      onError: (error) => {
        log.error(error, "request failed");
      },
    });
  } catch (cause) {
    server.close();
    const { code } = cause as NodeJS.ErrnoException;
    const why = code === "EADDRINUSE" ? "another program listens there" : errorMessage(cause);
    const advice = "choose another port; port 0 is any free one";
    throw new ClusterNotStarted(`cannot listen on ${HOST}:${port}: ${why}; ${advice}`, { cause });
  }
}
