// Runs our controllers inside the test process against a real control plane, each under its own service account with a
// token from the TokenRequest API, so that RBAC applies.

import type { FeatureTable } from "#base/feature-gates.ts";
import { FeatureGates } from "#base/feature-gates.ts";
import type { Logger } from "#base/log.ts";
import { noLog } from "#base/log.ts";
import { noMetrics } from "#base/metrics.ts";
import { seededRng } from "#base/seeded-rng.ts";
import { rootClientBuilder, serviceAccountClientBuilder } from "#manager/clients/client-builder.ts";
import { defaultConfig } from "#manager/options/config.ts";
import { registeredControllers, serviceAccountTokens } from "#manager/registry.ts";
import { runControllers } from "#manager/run-controllers.ts";
import { createHttpClient } from "#platform/http-client/http-client.ts";
import { systemClock } from "#platform/system/system-clock.ts";
import { systemHost } from "#platform/system/system-host.ts";
import type { ControlPlane } from "./control-plane.ts";

export interface OurManagerOptions {
  readonly controllers: readonly string[];
  readonly gates?: Readonly<Record<string, boolean>>;
  readonly log?: Logger;
  readonly server?: string;
}

export interface OurManager {
  stop(): Promise<void>;
}

export async function startOurManager(plane: ControlPlane, options: OurManagerOptions): Promise<OurManager> {
  const clock = systemClock;
  const baseUrl = options.server ?? plane.server;
  const { certificatePem: cert, keyPem: key } = plane.pki.clientCertificate("system:kube-controller-manager");
  const ca = plane.pki.ca.certificatePem;
  const rootTransport = await createHttpClient({ baseUrl, ca, cert, key });
  const anonymous = await createHttpClient({ baseUrl, ca });
  const builderOptions = {
    clock,
    limits: { qps: 1000, burst: 2000 },
    userAgentPrefix: "kube-controller-manager/v1.36.4 (linux/amd64) kubernetes/test",
    log: options.log ?? noLog,
  };
  const rootClients = rootClientBuilder(rootTransport, builderOptions);
  const root = await rootClients.client("test", {}, new AbortController().signal);
  const stop = new AbortController();
  const gates = new FeatureGates(table, "1.36");
  gates.setFromMap(options.gates ?? {});
  let isRunning: (() => void) | undefined;
  const running = new Promise<void>((resolve) => (isRunning = resolve));
  const ended = runControllers(
    {
      clock,
      rng: seededRng("our-manager"),
      log: options.log ?? noLog,
      metrics: noMetrics,
      gates,
      settings: {
        config: {
          ...defaultConfig,
          Generic: { ...defaultConfig.Generic, Controllers: options.controllers },
          SAController: {
            ...defaultConfig.SAController,
            ServiceAccountKeyFile: plane.pki.file("service-account.key"),
          },
        },
        host: systemHost({ certificateAuthorityData: ca }),
      },
      rootClients,
      controllerClients: serviceAccountClientBuilder(root, anonymous, builderOptions),
      controllers: registeredControllers,
      ...(options.controllers.includes(serviceAccountTokens.name) ? { serviceAccountTokens } : {}),
      shutdownTimeoutMs: 10_000,
      onRunning: () => isRunning?.(),
    },
    stop.signal,
  );
  await Promise.race([running, ended]);
  return {
    async stop() {
      stop.abort();
      await ended;
      rootTransport.close();
      anonymous.close();
    },
  };
}

const on = [{ version: "1.36", default: true, preRelease: "BETA" }] as const;
const table: FeatureTable = {
  gates: {
    StaleControllerConsistencyReplicaSet: on,
    PodDeletionCost: on,
    DeploymentReplicaSetTerminatingReplicas: on,
    WatchListClient: on,
    AtomicFIFO: on,
    InOrderInformersBatchProcess: on,
  },
};
