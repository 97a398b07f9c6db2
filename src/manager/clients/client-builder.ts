// Builds clients. The root builder gives every client the program's credentials. The service account builder gives each
// controller the credentials of its account, with tokens from the TokenRequest API.
// Upstream: k8s.io/controller-manager/pkg/clientbuilder.

import type { Transport } from "#base/http.ts";
import { withBearerToken } from "#client/bearer-token.ts";
import type { Client } from "#client/client.ts";
import { type ClientOptions, createClient } from "#client/create-client.ts";
import { type RateLimits, rateLimiterFor } from "#client/rate-limiter.ts";
import type { ClientNeeds } from "#kit/controller.ts";
import { ServiceAccountTokens } from "./service-account-tokens.ts";

// Upstream: controller-manager/pkg/clientbuilder/client_builder.go, DiscoveryClient; client-go/discovery/discovery_client.go.
const DISCOVERY_LIMITS: RateLimits = { qps: 20, burst: 200 };
// Deviation: upstream's limit never reaches the requests of clients from its builders.
const DISCOVERY_TIMEOUT_MS = 32_000;

export interface ClientBuilder {
  /** A new client with a separate rate limit. With service accounts, a missing account is created. */
  client(name: string, needs: ClientNeeds, signal: AbortSignal): Promise<Client>;
}

export interface BuilderOptions extends Omit<ClientOptions, "transport" | "userAgent" | "rateLimiter"> {
  readonly limits: RateLimits;
  /** "kube-controller-manager/v1.36.4 (linux/amd64) kubernetes/<commit>"; the client's name is appended. */
  readonly userAgentPrefix: string;
}

/** Every client uses the credentials of the given transport. */
export function rootClientBuilder(transport: Transport, options: BuilderOptions): ClientBuilder {
  return {
    client: async (name, needs) => newClient(transport, `${options.userAgentPrefix}/${name}`, needs, options),
  };
}

/** anonymous: a transport that trusts the same server but has no credentials. */
export function serviceAccountClientBuilder(
  root: Client,
  anonymous: Transport,
  options: BuilderOptions,
): ClientBuilder {
  const tokens = new ServiceAccountTokens({ root, ...options });
  return {
    async client(name, needs, signal) {
      await tokens.ensureAccount(name, signal);
      const transport = withBearerToken(anonymous, tokens.sourceFor(name), options.clock);
      const userAgent = `${options.userAgentPrefix}/system:serviceaccount:kube-system:${name}`;
      return newClient(transport, userAgent, needs, options);
    },
  };
}

function newClient(transport: Transport, userAgent: string, needs: ClientNeeds, options: BuilderOptions): Client {
  const { limits, userAgentPrefix: _, ...rest } = options;
  const { qpsFactor = 1, burstFactor = 1, isDiscovery = false } = needs;
  const own = isDiscovery ? DISCOVERY_LIMITS : { qps: limits.qps * qpsFactor, burst: limits.burst * burstFactor };
  const rateLimiter = rateLimiterFor(own, options.clock);
  return createClient({
    ...rest,
    transport,
    userAgent,
    ...(rateLimiter ? { rateLimiter } : {}),
    ...(isDiscovery ? { timeoutMs: DISCOVERY_TIMEOUT_MS } : {}),
  });
}
