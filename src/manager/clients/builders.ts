// The two client builders of a running manager over one transport: with the program's own credentials, and with the
// controllers' service accounts under --use-service-account-credentials.
// Upstream: cmd/kube-controller-manager/app/controllermanager.go, createClientBuilders.

import type { Transport } from "#base/http.ts";
import {
  type BuilderOptions,
  type ClientBuilder,
  rootClientBuilder,
  serviceAccountClientBuilder,
} from "./client-builder.ts";

export interface ClientBuilders {
  readonly rootClients: ClientBuilder;
  readonly controllerClients: ClientBuilder;
}

/**
 * anonymous: a transport to the same server without credentials; undefined when all controllers use the program's
 * credentials.
 */
export async function createClientBuilders(
  own: Transport,
  anonymous: Transport | undefined,
  options: BuilderOptions,
  signal: AbortSignal,
): Promise<ClientBuilders> {
  const rootClients = rootClientBuilder(own, options);
  if (anonymous === undefined) return { rootClients, controllerClients: rootClients };
  const root = await rootClients.client("kube-controller-manager", {}, signal);
  return { rootClients, controllerClients: serviceAccountClientBuilder(root, anonymous, options) };
}
