// steersman up: a cluster in this process. The embedded API server over HTTPS, the controllers that are
// written, a binder and simulated nodes; a kubeconfig for kubectl and everybody else.

import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { featureGateTable } from "#api/feature-gate-table.ts";
import { defaultPlugins } from "#apiserver/admission/default-plugins.ts";
import { createApiServer } from "#apiserver/create-api-server.ts";
import { directTransport } from "#apiserver/in-process-transport.ts";
import { MemoryStorage } from "#apiserver/storage/memory-storage.ts";
import { FeatureGates } from "#base/feature-gates.ts";
import type { Logger } from "#base/log.ts";
import { noMetrics } from "#base/metrics.ts";
import { rootClientBuilder } from "#manager/clients/client-builder.ts";
import { defaultConfig } from "#manager/options/config.ts";
import {
  type RegisteredController,
  registeredControllers,
  serviceAccountTokens,
  unwrittenControllers,
} from "#manager/registry.ts";
import { runControllers } from "#manager/run-controllers.ts";
import { buildBinder } from "#nodes/binder.ts";
import { buildSimulatedNode } from "#nodes/simulated-node.ts";
import { type HttpsServer, startHttpsServer } from "#platform/https-server.ts";
import { jwtSigner, readPrivateKey } from "#platform/jwt-signer.ts";
import { jwtVerifier } from "#platform/jwt-verifier.ts";
import { systemClock } from "#platform/system-clock.ts";
import { systemRng } from "#platform/system-rng.ts";
import { issueCertificate, type KeyCertificate, newPrivateKeyPem } from "#platform/x509.ts";
import { unwrittenWarning } from "./unwritten-warning.ts";

const DAY_MS = 24 * 3_600_000;
const YEAR_MS = 365 * DAY_MS;
const NODE_START_MS = 300;
const NODE_STOP_MS = 500;

export interface UpOptions {
  /** 0: any free port. */
  readonly port: number;
  readonly nodes: number;
  /** Where the kubeconfig goes. */
  readonly directory: string;
  readonly log: Logger;
}

export interface RunningCluster {
  readonly url: string;
  readonly kubeconfig: string;
  readonly controllers: readonly string[];
  stop(): Promise<void>;
}

export async function startCluster(options: UpOptions): Promise<RunningCluster> {
  const { log } = options;
  const clock = systemClock;
  const rng = systemRng();
  const gates = new FeatureGates(featureGateTable(), "1.36");
  const pki = createPki(clock.now());
  const accountKey = readPrivateKey(pki.accountKeyPem);
  const signToken = jwtSigner(accountKey);
  const server = createApiServer({
    clock,
    rng: rng.fork("apiserver"),
    log,
    metrics: noMetrics,
    storage: new MemoryStorage({ clock }),
    gates,
    tokenKeys: { sign: signToken, verify: jwtVerifier([accountKey]) },
    admission: (core) => [...defaultPlugins(core), unwrittenWarning(unwrittenControllers())],
  });
  const https = await startHttpsServer({
    host: "127.0.0.1",
    port: options.port,
    tls: {
      cert: pki.serving.certificatePem,
      key: pki.serving.keyPem,
      clientCas: [{ name: "client-ca", pem: pki.ca.certificatePem }],
    },
    handle: (request, signal) => server.handle(request, signal),
    onError: (error) => log.error(error, "request failed"),
  });

  const stop = new AbortController();
  const peer = { user: { name: "system:kube-controller-manager", groups: ["system:masters"] } };
  const clients = rootClientBuilder(directTransport(server, { peer }), {
    clock,
    limits: { qps: -1, burst: 0 },
    userAgentPrefix: "steersman",
    direct: true,
  });
  const controllers = [...registeredControllers, ...nodeControllers(options.nodes)];
  const ended = runControllers(
    {
      clock,
      rng: rng.fork("manager"),
      log,
      metrics: noMetrics,
      gates,
      settings: {
        config: defaultConfig,
        rootCa: pki.ca.certificatePem,
        signToken,
      },
      rootClients: clients,
      controllerClients: clients,
      controllers,
      serviceAccountTokens,
      shutdownTimeoutMs: 5_000,
    },
    stop.signal,
  );
  const url = `https://127.0.0.1:${https.port}`;
  return {
    url,
    kubeconfig: writeKubeconfig(options.directory, url, pki),
    controllers: [serviceAccountTokens, ...registeredControllers].map(({ name }) => name),
    stop: () => stopAll(stop, ended, https, () => server.close()),
  };
}

function nodeControllers(count: number): readonly RegisteredController[] {
  const nodes = Array.from({ length: count }, (_, index): RegisteredController => {
    const name = `node-${index + 1}`;
    return {
      name,
      featureGates: [],
      build: (context) =>
        buildSimulatedNode(context, { name, subnet: index, startMs: NODE_START_MS, stopMs: NODE_STOP_MS }),
    };
  });
  return [{ name: "binder", featureGates: [], build: (context) => buildBinder(context) }, ...nodes];
}

async function stopAll(
  stop: AbortController,
  ended: Promise<void>,
  https: HttpsServer,
  closeServer: () => void,
): Promise<void> {
  stop.abort();
  await ended;
  await https.close();
  closeServer();
}

interface Pki {
  readonly ca: KeyCertificate;
  readonly serving: KeyCertificate;
  readonly admin: KeyCertificate;
  /** Signs service account tokens. */
  readonly accountKeyPem: string;
}

function createPki(now: number): Pki {
  const valid = { notBefore: now - DAY_MS, notAfter: now + YEAR_MS };
  const ca = issueCertificate({ commonName: "steersman-ca", isCa: true, ...valid });
  const issued = { issuer: ca, ...valid };
  return {
    ca,
    serving: issueCertificate({
      commonName: "steersman",
      dnsNames: ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"],
      ipAddresses: ["127.0.0.1"],
      usages: ["server"],
      ...issued,
    }),
    admin: issueCertificate({ commonName: "admin", organizations: ["system:masters"], usages: ["client"], ...issued }),
    accountKeyPem: newPrivateKeyPem(),
  };
}

function writeKubeconfig(directory: string, server: string, pki: Pki): string {
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "steersman", cluster: { server, "certificate-authority-data": base64(pki.ca.certificatePem) } }],
    users: [
      {
        name: "admin",
        user: {
          "client-certificate-data": base64(pki.admin.certificatePem),
          "client-key-data": base64(pki.admin.keyPem),
        },
      },
    ],
    contexts: [{ name: "steersman", context: { cluster: "steersman", user: "admin" } }],
    "current-context": "steersman",
  };
  mkdirSync(directory, { recursive: true });
  const file = resolve(join(directory, "kubeconfig"));
  writeFileSync(file, `${JSON.stringify(config, undefined, 2)}\n`, { mode: 0o600 }); // JSON is YAML
  return file;
}
