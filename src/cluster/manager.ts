// Runs the controllers of kube-controller-manager beside an API server: their clients over a transport, and the files
// that a cluster in one process provides.

import type { Host } from "#base/host.ts";
import type { Transport } from "#base/http.ts";
import type { ClientNeeds } from "#kit/controller.ts";
import { createClientBuilders } from "#manager/clients/builders.ts";
import { type BuilderOptions, rootClientBuilder } from "#manager/clients/client-builder.ts";
import type { ComponentConfig } from "#manager/options/config.ts";
import { type RegisteredController, registeredControllers, serviceAccountTokens } from "#manager/registry.ts";
import { type RunDeps, runControllers } from "#manager/run-controllers.ts";

/** The file names, on the host of a cluster in one process, of the service account key, the CA and its key. */
export const clusterFiles = { accountKey: "service-account.key", ca: "ca.crt", caKey: "ca.key" } as const;

export interface ManagerOptions
  extends Pick<
    RunDeps,
    | "clock"
    | "rng"
    | "log"
    | "metrics"
    | "gates"
    | "trace"
    | "isAssigned"
    | "shutdownTimeoutMs"
    | "onBuilt"
    | "onSynced"
  > {
  readonly host: Host;
  /** Generic.Controllers selects the controllers. */
  readonly config: ComponentConfig;
  readonly hasTokenController: boolean;
  /** With the credentials of the manager. */
  readonly transport: Transport;
  /** Without credentials: each controller uses its service account. Absent: all use the manager's credentials. */
  readonly anonymous?: Transport;
  /** A transport as a service account in kube-system: each controller uses its own, without tokens. */
  readonly accountTransport?: (account: string) => Transport;
  readonly clients: Pick<BuilderOptions, "limits" | "userAgentPrefix" | "direct">;
  /** These run instead of the controllers of kube-controller-manager. */
  readonly controllers?: readonly RegisteredController[];
}

/** Sets the cluster's service account key, unless the configuration names another one. */
export function withAccountKey(config: ComponentConfig): ComponentConfig {
  const { SAController } = config;
  const ServiceAccountKeyFile = SAController.ServiceAccountKeyFile || clusterFiles.accountKey;
  return { ...config, SAController: { ...SAController, ServiceAccountKeyFile } };
}

/** Sets the cluster's CA as the signing CA for certificates. */
export function withCa(config: ComponentConfig): ComponentConfig {
  const CSRSigningController = {
    ...config.CSRSigningController,
    ClusterSigningCertFile: clusterFiles.ca,
    ClusterSigningKeyFile: clusterFiles.caKey,
  };
  return { ...config, CSRSigningController };
}

/** Resolves when all controllers have ended after an abort; rejects when one fails. */
export async function runManager(options: ManagerOptions, signal: AbortSignal): Promise<void> {
  const { host, config, hasTokenController, transport, anonymous, accountTransport, clients, controllers, ...deps } =
    options;
  const builderOptions = { ...clients, clock: deps.clock };
  const builders = await createClientBuilders(transport, anonymous, builderOptions, signal);
  const ownAccounts = accountTransport && {
    client: (name: string, needs: ClientNeeds, stop: AbortSignal) =>
      rootClientBuilder(accountTransport(name), builderOptions).client(name, needs, stop),
  };
  await runControllers(
    {
      ...deps,
      ...builders,
      ...(ownAccounts && { controllerClients: ownAccounts }),
      settings: { config: withAccountKey(config), host },
      controllers: controllers ?? registeredControllers,
      ...(hasTokenController ? { serviceAccountTokens } : {}),
    },
    signal,
  );
}
