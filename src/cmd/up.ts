// steersman up: a cluster in this process. The embedded API server over HTTPS, the controllers, a binder and simulated nodes; a kubeconfig for kubectl and everybody else.

import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { featureGateTable } from "#api/feature-gate-table.ts";
import { defaultPlugins } from "#apiserver/admission/default-plugins.ts";
import { type ApiServer, createApiServer } from "#apiserver/create-api-server.ts";
import { directTransport } from "#apiserver/in-process-transport.ts";
import { MemoryStorage } from "#apiserver/storage/memory-storage.ts";
import { errorMessage } from "#base/errors.ts";
import { FeatureGates } from "#base/feature-gates.ts";
import { withFiles } from "#base/host.ts";
import type { Logger } from "#base/log.ts";
import { noMetrics } from "#base/metrics.ts";
import { offByDefaultNames } from "#kit/known-controllers.ts";
import { rootClientBuilder } from "#manager/clients/client-builder.ts";
import { defaultConfig } from "#manager/options/config.ts";
import { type RegisteredController, registeredControllers, serviceAccountTokens } from "#manager/registry.ts";
import { runControllers } from "#manager/run-controllers.ts";
import { buildBinder } from "#nodes/binder.ts";
import { buildSimulatedNode } from "#nodes/simulated-node.ts";
import { removeSurplusNodes } from "#nodes/surplus-nodes.ts";
import { type ClusterPki, issuePki, keptPki } from "#platform/certificates/cluster-pki.ts";
import { keyReader } from "#platform/certificates/key-reader.ts";
import { type HttpsServer, startHttpsServer } from "#platform/https-server/https-server.ts";
import { systemClock } from "#platform/system/system-clock.ts";
import { systemHost } from "#platform/system/system-host.ts";
import { systemRng } from "#platform/system/system-rng.ts";
import { systemTimeZones } from "#platform/system/time-zones.ts";
import { publicJwk } from "#platform/tokens/jwk.ts";
import { jwtSigner, readPrivateKey } from "#platform/tokens/jwt-signer.ts";
import { jwtVerifier } from "#platform/tokens/jwt-verifier.ts";
import { serverMetrics } from "./server-metrics.ts";
import { serverPartsWarning } from "./server-parts-warning.ts";
import { type KubeconfigFile, writeKubeconfig } from "./up-kubeconfig.ts";

const HOST = "127.0.0.1";
export const DEFAULT_PORT = 7443;
const DEFAULT_DIRECTORY = ".steersman";
/** The cluster's token key is kept with its PKI; the controllers find it under this name. */
const ACCOUNT_KEY_FILE = "service-account.key";
const CA_FILE = "ca.crt";
const CA_KEY_FILE = "ca.key";
const NODE_START_MS = 300;
const NODE_STOP_MS = 500;
/** Whoever stops a cluster waits for it. */
const SHUTDOWN_MS = 1_500;
/** SQLite's pages have 4 KiB. */
const PAGES_PER_MEBIBYTE = 256;

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

export interface DataOptions {
  readonly directory: string;
  readonly synchronous: "full" | "normal";
  /** The largest size of the store; 0: none. */
  readonly mebibytesMax: number;
}

/** The cluster cannot start, for a reason that its user can do something about. */
export class ClusterNotStarted extends Error {
  override readonly name = "ClusterNotStarted";
}

export interface RunningCluster {
  readonly url: string;
  readonly kubeconfig: string;
  readonly controllers: readonly string[];
  /** Resolves, or rejects, when the controllers have ended: without a stop that is a fault. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

export async function startCluster(options: UpOptions): Promise<RunningCluster> {
  const { storage, pki } = await openState(options.data);
  try {
    return await runCluster(options, storage, pki);
  } catch (error) {
    storage.close();
    throw error;
  }
}

interface State {
  readonly storage: MemoryStorage;
  readonly pki: ClusterPki;
}

/** The store comes first: opening it keeps other processes away from all that is in the directory. */
async function openState(data: DataOptions | undefined): Promise<State> {
  const clock = systemClock;
  if (data === undefined) return { storage: new MemoryStorage({ clock }), pki: await issuePki(clock.now()) };
  const { directory, synchronous, mebibytesMax } = data;
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new ClusterNotStarted(`cannot use ${directory} as the data directory: ${errorMessage(cause)}`, { cause });
  }
  // Loaded on demand: a cluster in memory does without.
  const { openSqliteJournal } = await import("#platform/storage/sqlite-store.ts");
  const journal = openSqliteJournal({
    path: join(directory, "store.db"),
    synchronous,
    ...(mebibytesMax > 0 ? { pagesMax: mebibytesMax * PAGES_PER_MEBIBYTE } : {}),
  });
  try {
    const pki = await keptPki(join(directory, "pki"), clock.now());
    return { storage: new MemoryStorage({ clock, journal }), pki };
  } catch (error) {
    journal.close();
    throw error;
  }
}

async function runCluster(options: UpOptions, storage: MemoryStorage, pki: ClusterPki): Promise<RunningCluster> {
  const { log } = options;
  const clock = systemClock;
  const rng = systemRng();
  const gates = new FeatureGates(featureGateTable(), "1.36");
  const accountKey = readPrivateKey(pki.accountKeyPem);
  const server = createApiServer({
    clock,
    rng: rng.fork("apiserver"),
    log,
    ...serverMetrics(),
    storage,
    gates,
    keyReader,
    timeZones: systemTimeZones(),
    tokenKeys: { publicKeys: [publicJwk(accountKey)], sign: jwtSigner(accountKey), verify: jwtVerifier([accountKey]) },
    admission: (core) => [...defaultPlugins(core), serverPartsWarning],
    // A port that is still to be found clients learn from the kubeconfig alone.
    ...(options.port === 0 ? {} : { serverAddress: `${HOST}:${options.port}` }),
  });
  const peer = { user: { name: "system:kube-controller-manager", groups: ["system:masters"] } };
  const clients = rootClientBuilder(directTransport(server, { peer }), {
    clock,
    limits: { qps: -1, burst: 0 },
    userAgentPrefix: "steersman",
    direct: true,
  });
  const stop = new AbortController();
  const client = await clients.client("steersman", {}, stop.signal);
  for (const node of await removeSurplusNodes(client, new Set(nodeNames(options.nodes)), stop.signal)) {
    log.info("Removed a node of an earlier run, and its pods", { node });
  }
  const https = await listen(options, pki, server);
  const url = `https://${HOST}:${https.port}`;
  const kubeconfig = keptKubeconfig(options.directory ?? defaultDirectory(https.port), url, pki);

  const { SAController, CSRSigningController } = defaultConfig;
  const started = registeredControllers.filter(
    ({ name, featureGates }) =>
      !offByDefaultNames.includes(name) && featureGates.every((gate) => gates.isEnabled(gate)),
  );
  const controllers = [...started, ...nodeControllers(options.nodes)];
  const ended = runControllers(
    {
      clock,
      rng: rng.fork("manager"),
      log,
      metrics: noMetrics,
      gates,
      settings: {
        config: {
          ...defaultConfig,
          SAController: { ...SAController, ServiceAccountKeyFile: ACCOUNT_KEY_FILE },
          CSRSigningController: {
            ...CSRSigningController,
            ClusterSigningCertFile: CA_FILE,
            ClusterSigningKeyFile: CA_KEY_FILE,
          },
        },
        host: withFiles(systemHost({ certificateAuthorityData: pki.ca.certificatePem }), {
          [ACCOUNT_KEY_FILE]: pki.accountKeyPem,
          [CA_FILE]: pki.ca.certificatePem,
          [CA_KEY_FILE]: pki.ca.keyPem,
        }),
      },
      rootClients: clients,
      controllerClients: clients,
      controllers,
      serviceAccountTokens,
      shutdownTimeoutMs: SHUTDOWN_MS,
    },
    stop.signal,
  );
  return {
    url,
    kubeconfig: kubeconfig.path,
    controllers: [serviceAccountTokens, ...started].map(({ name }) => name),
    ended,
    async stop() {
      stop.abort();
      // A controller that does not end in time is left behind: what matters is the store.
      await ended.catch((error: unknown) => {
        log.error(error, "Controllers did not stop");
      });
      await https.close();
      server.close();
      storage.close();
      // Without a data directory the keys in it open nothing any more.
      if (options.data === undefined) kubeconfig.remove();
    },
  };
}

async function listen({ port, log }: UpOptions, pki: ClusterPki, server: ApiServer): Promise<HttpsServer> {
  try {
    return await startHttpsServer({
      host: HOST,
      port,
      tls: {
        cert: pki.serving.certificatePem,
        key: pki.serving.keyPem,
        clientCas: [{ name: "client-ca", pem: pki.ca.certificatePem }],
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
    const advice = "choose another port with --port, or any free one with --port 0";
    throw new ClusterNotStarted(`cannot listen on ${HOST}:${port}: ${why}; ${advice}`, { cause });
  }
}

function nodeNames(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `node-${index + 1}`);
}

function nodeControllers(count: number): readonly RegisteredController[] {
  const nodes = nodeNames(count).map((name, subnet): RegisteredController => {
    const times = { startMs: NODE_START_MS, stopMs: NODE_STOP_MS };
    const build: RegisteredController["build"] = (context) => buildSimulatedNode(context, { name, subnet, ...times });
    return { name, featureGates: [], build };
  });
  return [{ name: "binder", featureGates: [], build: (context) => buildBinder(context) }, ...nodes];
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
