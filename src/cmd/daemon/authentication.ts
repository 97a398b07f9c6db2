// Builds delegated authentication and authorization for the daemon's port: clients for the reviews, CA bundles from
// files or from the cluster, and their reload.
// Upstream: apiserver/pkg/server/options/{authentication,authorization}.go, ApplyTo.

import { createHmac, randomBytes } from "node:crypto";
import { ConfigMaps } from "#api/generated/resources/core-v1.ts";
import type { ConfigMap } from "#api/generated/types/core-v1.ts";
import { durationMs } from "#api/go-duration.ts";
import { isForbidden, isNotFound } from "#api/status-error.ts";
import { errorMessage } from "#base/errors.ts";
import type { Client } from "#client/client.ts";
import { createInformerFactory } from "#informers/factory.ts";
import type { Options } from "#manager/options/options.ts";
import { AccessReviews } from "#manager/serving/access-reviews.ts";
import type { AuthMetrics } from "#manager/serving/auth-metrics.ts";
import type { AuthenticationSources } from "#manager/serving/authentication.ts";
import {
  authenticationConfigMap,
  type ClusterAuthentication,
  clusterAuthentication,
} from "#manager/serving/authentication-config.ts";
import { type Authorizer, createAuthorizer } from "#manager/serving/authorization.ts";
import type { ReviewDeps } from "#manager/serving/review-call.ts";
import { createReviewClient, type ReviewPart } from "#manager/serving/review-client.ts";
import { TokenReviews } from "#manager/serving/token-reviews.ts";
import type { ClientCa } from "#platform/https-server/tls-settings.ts";
import { inClusterConfig, loadClientConfig, NotInCluster } from "#platform/kubeconfig/kubeconfig.ts";
import { createTransport } from "#platform/kubeconfig/kubeconfig-transport.ts";
import { type ApplyToTls, CaBundles } from "./ca-bundles.ts";
import { CertificateLog } from "./certificate-log.ts";
import type { HostEnvironment } from "./host-environment.ts";

const { namespace, name } = authenticationConfigMap;
const MAP = `configmap/${name} in ${namespace}`;

export interface Delegation {
  readonly sources: Omit<AuthenticationSources, "readsCertificateUid">;
  readonly authorize: Authorizer;
  /** The CA bundles of client certificates. */
  clientCas(): readonly ClientCa[];
  /** Files whose change calls for reload(). */
  readonly files: readonly string[];
  /** Reads the files again; after an error the old bundles stay in use. */
  reload(apply: ApplyToTls): void;
  /** Follows the cluster's configuration until the signal aborts. */
  follow(apply: ApplyToTls, signal: AbortSignal): void;
}

export async function delegate(
  options: Options,
  environment: HostEnvironment,
  metrics: AuthMetrics,
  signal: AbortSignal,
): Promise<Delegation> {
  const { authentication, authorization } = options;
  const { warn } = environment;
  const client = await delegatedClient("authentication", authentication.kubeconfig, environment);
  const bundles = new CaBundles(authentication, new CertificateLog(environment.log, environment.clock));
  const isLookingUp = !authentication.skipLookup && client !== undefined;
  const [needsClientCa, needsProxyCa] = [
    authentication.clientCaFile === "",
    authentication.requestHeader.clientCaFile === "",
  ];
  const warnOfMissing = (file: string, what: string): void => {
    if (authentication.skipLookup || client !== undefined) return;
    warn(
      `No authentication-kubeconfig provided in order to lookup ${file} in ${MAP}, so ${what} authentication won't work.`,
    );
  };
  named("unable to load client CA provider", () => bundles.readClientCa());
  if (needsClientCa) warnOfMissing("client-ca-file", "client certificate");
  named("unable to create request header authentication config", () => bundles.readRequestHeaderCa());
  if (needsProxyCa) warnOfMissing("requestheader-client-ca-file", "request-header client certificate");
  if (isLookingUp && (needsClientCa || needsProxyCa)) {
    bundles.startWith(await lookUp(client, needsProxyCa, options, environment, signal));
  }

  const authorizationClient = await delegatedClient("authorization", authorization.kubeconfig, environment);
  const reviewDeps = (reviewer: Client): ReviewDeps => ({ ...environment, client: reviewer, digest });
  let reviews: AccessReviews | undefined;
  if (authorizationClient !== undefined) {
    reviews = new AccessReviews(reviewDeps(authorizationClient), metrics, {
      allowedMs: durationMs(authorization.allowCacheTtl),
      deniedMs: durationMs(authorization.denyCacheTtl),
    });
  }
  const authorize = createAuthorizer(authorization.alwaysAllowPaths, reviews);
  if (reviews === undefined) {
    warn("No authorization-kubeconfig provided, so SubjectAccessReview of authorization tokens won't work.");
  }
  const tokenTtlMs = durationMs(authentication.tokenCacheTtl);
  return {
    authorize,
    sources: {
      tokens: client === undefined ? undefined : new TokenReviews(reviewDeps(client), metrics, tokenTtlMs),
      hasClientCa: () => bundles.clientCa !== "",
      requestHeader: () => (bundles.requestHeaderCa === "" ? undefined : bundles.requestHeader),
    },
    clientCas: () => bundles.list(),
    files: [authentication.clientCaFile, authentication.requestHeader.clientCaFile].filter((file) => file !== ""),
    reload(apply) {
      try {
        bundles.reread(apply);
      } catch (error) {
        environment.log.error(error, "Failed to load the client CA; the old one stays in use");
        apply(bundles.list());
      }
    },
    follow(apply, running) {
      if (!isLookingUp || !(needsClientCa || needsProxyCa)) return;
      followConfigMap(client, environment, running, (found) => bundles.follow(found, apply));
    },
  };
}

function named(what: string, read: () => void): void {
  try {
    read();
  } catch (cause) {
    throw new Error(`${what}: ${errorMessage(cause)}`, { cause });
  }
}

/** Undefined: no API server is configured for it, which is allowed. */
async function delegatedClient(
  part: ReviewPart,
  kubeconfig: string,
  environment: HostEnvironment,
): Promise<Client | undefined> {
  const { clock, log, warn, registry, userAgentPrefix } = environment;
  let config: Awaited<ReturnType<typeof loadClientConfig>>;
  try {
    config = kubeconfig === "" ? inClusterConfig() : await loadClientConfig({ path: kubeconfig });
  } catch (error) {
    if (kubeconfig === "") {
      if (error instanceof NotInCluster) return undefined;
      warn(`failed to read in-cluster kubeconfig for delegated ${part}: ${errorMessage(error)}`);
      return undefined;
    }
    const text = `failed to get delegated ${part} kubeconfig: ${errorMessage(error)}`;
    // As upstream, the text is repeated for authentication.
    throw new Error(part === "authentication" ? `failed to get delegated ${part} kubeconfig: ${text}` : text, {
      cause: error,
    });
  }
  const transport = await createTransport(config, { ...environment, metrics: registry });
  const { host } = transport;
  return createReviewClient(part, { transport, clock, log, metrics: registry, host, userAgent: userAgentPrefix });
}

/** A failure is fatal only if a front proxy's CA is needed, and is tolerated on request. */
async function lookUp(
  client: Client,
  needsProxyCa: boolean,
  options: Options,
  { warn }: HostEnvironment,
  signal: AbortSignal,
): Promise<ClusterAuthentication | undefined> {
  try {
    const map = await client.resource(ConfigMaps).get({ namespace, name }, signal);
    return clusterAuthentication(map);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    if (isForbidden(error)) {
      warn(
        `Unable to get ${MAP}.  Usually fixed by 'kubectl create rolebinding -n ${namespace} ROLEBINDING_NAME --role=extension-apiserver-authentication-reader --serviceaccount=YOUR_NS:YOUR_SA'`,
      );
    }
    if (!needsProxyCa) {
      warn(`Initial population of client CA failed: ${errorMessage(error)}`);
      return undefined;
    }
    if (!options.authentication.tolerateLookupFailure) {
      throw new Error(`unable to load configmap based request-header-client-ca-file: ${errorMessage(error)}`, {
        cause: error,
      });
    }
    warn(`Error looking up in-cluster authentication configuration: ${errorMessage(error)}`);
    warn("Continuing without authentication configuration. This may treat all requests as anonymous.");
    warn(
      "To require authentication configuration lookup to succeed, set --authentication-tolerate-lookup-failure=false",
    );
    return undefined;
  }
}

function followConfigMap(
  client: Client,
  { clock, rng, log }: HostEnvironment,
  signal: AbortSignal,
  onChange: (found: ClusterAuthentication) => void,
): void {
  const informers = createInformerFactory({ client, clock, rng: rng.fork("authentication"), log });
  const seen = (map: ConfigMap): void => {
    try {
      onChange(clusterAuthentication(map));
    } catch (error) {
      log.error(error, "The cluster's authentication configuration is not usable; the old one stays in use");
    }
  };
  informers
    .informer(ConfigMaps, { namespace, fieldSelector: `metadata.name=${name}` })
    .addHandler({ onAdd: seen, onUpdate: (_, map) => seen(map) });
  informers.start();
  signal.addEventListener("abort", () => void informers.shutdown(), { once: true });
}

const secret = randomBytes(32);

/** Caches use the digest instead of the token. */
function digest(text: string): string {
  return createHmac("sha256", secret).update(text).digest("base64");
}
