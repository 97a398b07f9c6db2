// A transport for a ClientConfig: TLS material from inline data or from files that are read again when they change, and
// the user's identity on every request: certificate, token, token file, basic auth or exec plugin.
// Upstream: client-go/transport/{transport,round_trippers,cert_rotation,ca_rotation,token_source}.go
import type { Clock } from "#base/clock.ts";
import { errorMessage } from "#base/errors.ts";
import type { HttpHeaders, Transport } from "#base/http.ts";
import type { Logger } from "#base/log.ts";
import type { Metrics } from "#base/metrics.ts";
import { cachedTokenSource, withBearerToken } from "#client/bearer-token.ts";
import type { ClientConfig, Impersonation } from "#client/kubeconfig.ts";
import { withoutPassword } from "#client/kubeconfig-validation.ts";
import { createHttpClient } from "../http-client/http-client.ts";
import { readFileAsGo } from "../https-server/serving-files.ts";
import type { ExecCredentials, ExecPlugin } from "./kubeconfig-exec.ts";
import { connectionMetrics } from "./kubeconfig-metrics.ts";
import { TlsMaterial } from "./kubeconfig-tls.ts";
import { serverUrl } from "./server-url.ts";

export interface TransportDeps {
  readonly clock: Clock;
  readonly log?: Logger;
  readonly metrics?: Metrics;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * Read the server's CA file only once (gate ClientsAllowCARotation is off). The client's own files are still
   * followed.
   */
  readonly keepsCa?: boolean;
}

export interface ConfiguredTransport extends Transport {
  /** Host and port, as in metric labels. */
  readonly host: string;
  close(): void;
}

/** The configuration needs a feature that no transport here has. */
export class UnsupportedConfig extends Error {
  override readonly name = "UnsupportedConfig";
}

/** How often files are checked, and how long a token from a file is used: half of the time that rotation leaves. */
const FILE_CHECK_MS = 60_000;
const TOKEN_LEEWAY_MS = 10_000;

export async function createTransport(config: ClientConfig, deps: TransportDeps): Promise<ConfiguredTransport> {
  const { clock, metrics, env = process.env } = deps;
  if (config.hasAuthProvider) throw new UnsupportedConfig("auth-provider is no longer supported; use an exec plugin");
  const baseUrl = baseUrlOf(config);
  if (config.tokenFile) readFileAsGo(config.tokenFile); // as upstream, which reads it when it loads the kubeconfig
  const proxyUrl = config.proxyUrl ?? (await environmentProxy(baseUrl, env));
  if (proxyUrl?.startsWith("socks5:")) throw new UnsupportedConfig("socks5 proxies are not supported");
  if (proxyUrl !== undefined && !URL.canParse(proxyUrl)) {
    throw new UnsupportedConfig(`invalid proxy address "${withoutPassword(proxyUrl)}"`);
  }
  // As upstream, no secrets are sent over plain HTTP.
  const isTls = baseUrl.startsWith("https:");
  const material = new TlsMaterial(config, deps, metrics && connectionMetrics(metrics, clock).transport);
  const isTrustOpen = isTls && material.current.ca === undefined && !config.insecureSkipTlsVerify;
  const trusted = isTrustOpen
    ? (await import("../certificates/system-authorities.ts")).systemAuthorities(env)
    : undefined;
  const fixed = {
    baseUrl,
    ...(trusted !== undefined && { ca: trusted }),
    ...(config.tlsServerName && { serverName: config.tlsServerName }),
    ...(config.insecureSkipTlsVerify && { insecureSkipVerify: true }),
    ...(proxyUrl && { proxyUrl }),
  };
  const plugin = isTls ? await execPluginOf(config, material, deps) : undefined;
  const http = await createHttpClient({ ...fixed, ...(isTls && material.current) });
  const update = (): void => http.update({ ...(trusted !== undefined && { ca: trusted }), ...material.current });
  let transport = isTls ? fileChecking(http, material, update, clock) : http;
  if (plugin) transport = withExecPlugin(transport, material, update, plugin);
  else if (isTls) transport = withLogin(transport, config, deps);
  if (config.impersonate) transport = withHeaders(transport, impersonationHeaders(config.impersonate));
  material.metrics?.noteCreated();
  return {
    host: new URL(baseUrl).host,
    send: (request, signal) => transport.send(request, signal),
    close() {
      material.metrics?.noteClosed();
      http.close();
    },
  };
}

/** Checks the files before a request if the last check is long ago. */
function fileChecking(transport: Transport, material: TlsMaterial, update: () => void, clock: Clock): Transport {
  if (!material.hasFiles) return transport;
  let checkedAt = clock.monotonicMs();
  return {
    send(request, signal) {
      const now = clock.monotonicMs();
      if (now - checkedAt >= FILE_CHECK_MS) {
        checkedAt = now;
        if (material.reload()) update();
      }
      return transport.send(request, signal);
    },
  };
}

// Plugins and proxies are rare, and their modules take megabytes, so they are loaded when needed.

async function environmentProxy(
  baseUrl: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  if (!Object.keys(env).some((name) => env[name] && /^https?_proxy$/i.test(name))) return undefined;
  return (await import("./kubeconfig-proxy.ts")).proxyFromEnvironment(baseUrl, env);
}

async function execPluginOf(
  config: ClientConfig,
  material: TlsMaterial,
  deps: TransportDeps,
): Promise<ExecPlugin | undefined> {
  const hasOther = config.token || config.tokenFile || config.username || config.password || material.current.cert;
  if (!config.exec || hasOther) return undefined;
  const { clock, log, metrics } = deps;
  const { ca } = material.current;
  const { createExecPlugin } = await import("./kubeconfig-exec.ts");
  return createExecPlugin({
    exec: config.exec,
    config,
    clock,
    ...(ca !== undefined && { ca }),
    ...(log && { log }),
    ...(metrics && { metrics: connectionMetrics(metrics, clock).exec }),
  });
}

function withExecPlugin(
  transport: Transport,
  material: TlsMaterial,
  update: () => void,
  plugin: ExecPlugin,
): Transport {
  return {
    async send(request, signal) {
      if (request.headers.authorization !== undefined) return transport.send(request, signal);
      const credentials = await credentialsOf(plugin, signal);
      if (material.present(credentials)) update();
      const { token } = credentials;
      const headers = token ? { ...request.headers, authorization: `Bearer ${token}` } : request.headers;
      const response = await transport.send({ ...request, headers }, signal);
      if (response.status === 401) await plugin.refuse(credentials, signal);
      return response;
    },
  };
}

async function credentialsOf(plugin: ExecPlugin, signal: AbortSignal): Promise<ExecCredentials> {
  try {
    return await plugin.credentials(signal);
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw new CredentialsError(`getting credentials: ${errorMessage(cause)}`, { cause });
  }
}

/** The exec plugin returned no usable credentials. */
export class CredentialsError extends Error {
  override readonly name = "CredentialsError";
}

function withLogin(transport: Transport, config: ClientConfig, { clock, log }: TransportDeps): Transport {
  const { token, tokenFile, username, password } = config;
  if (tokenFile) {
    const fetch = async (): Promise<{ value: string; refreshAtMs: number }> => ({
      value: readToken(tokenFile),
      refreshAtMs: clock.monotonicMs() + FILE_CHECK_MS - TOKEN_LEEWAY_MS,
    });
    return withBearerToken(transport, cachedTokenSource({ clock, fetch, ...(log && { log }) }), clock);
  }
  if (token) return withHeaders(transport, { authorization: `Bearer ${token}` });
  if (!username && !password) return transport;
  const login = Buffer.from(`${username ?? ""}:${password ?? ""}`).toString("base64");
  return withHeaders(transport, { authorization: `Basic ${login}` });
}

/** A token file that is unreadable or empty. */
export class TokenFileError extends Error {
  override readonly name = "TokenFileError";
}

function readToken(path: string): string {
  let text: string;
  try {
    text = readFileAsGo(path).trim();
  } catch (cause) {
    throw new TokenFileError(`failed to read token file "${path}": ${errorMessage(cause)}`, { cause });
  }
  if (text === "") throw new TokenFileError(`read empty token from file "${path}"`);
  return text;
}

/** Headers of the request win. */
function withHeaders(transport: Transport, headers: HttpHeaders): Transport {
  return {
    send: (request, signal) => transport.send({ ...request, headers: { ...headers, ...request.headers } }, signal),
  };
}

function impersonationHeaders({ user, uid, groups, extra }: Impersonation): HttpHeaders {
  const headers: Record<string, string | readonly string[]> = { "impersonate-user": user };
  if (uid) headers["impersonate-uid"] = uid;
  if (groups.length > 0) headers["impersonate-group"] = groups;
  for (const [key, values] of Object.entries(extra)) {
    headers[`impersonate-extra-${encodeURIComponent(key).toLowerCase()}`] = values;
  }
  return headers;
}

function baseUrlOf(config: ClientConfig): string {
  const hasTls = Boolean(
    config.certificateAuthority ||
      config.certificateAuthorityData ||
      config.clientCertificate ||
      config.clientCertificateData ||
      config.insecureSkipTlsVerify,
  );
  return serverUrl(config.server, hasTls);
}
