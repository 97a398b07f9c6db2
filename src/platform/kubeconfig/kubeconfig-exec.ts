// Credentials from an exec plugin in the kubeconfig: runs the plugin, reads its output, and keeps the credentials until
// they expire or the server refuses them.
// Upstream: client-go/plugin/pkg/client/auth/exec/exec.go
import { type ChildProcess, spawn } from "node:child_process";
import { X509Certificate } from "node:crypto";
import type { Clock } from "#base/clock.ts";
import { errorMessage } from "#base/errors.ts";
import type { Logger } from "#base/log.ts";
import type { ClientConfig, ExecConfig } from "#client/kubeconfig.ts";
import { singleFlight } from "#client/single-flight.ts";
import type { ExecMetrics, Validity } from "./kubeconfig-metrics.ts";

export interface ExecCredentials {
  readonly token?: string;
  /** PEM. */
  readonly cert?: string;
  readonly key?: string;
}

export class ExecPluginError extends Error {
  override readonly name = "ExecPluginError";
}

export interface ExecPluginOptions {
  readonly exec: ExecConfig;
  readonly config: ClientConfig;
  /** PEM of the cluster's authority, for plugins that need it. */
  readonly ca?: string;
  readonly clock: Clock;
  readonly log?: Logger;
  readonly metrics?: ExecMetrics;
  /** Whether standard input is a terminal. */
  readonly isTerminal?: boolean;
}

export interface ExecPlugin {
  /** The current credentials; fetches new ones if there are none. */
  credentials(signal: AbortSignal): Promise<ExecCredentials>;
  /** The server refused these credentials: fetches new ones, unless they were replaced already. */
  refuse(credentials: ExecCredentials, signal: AbortSignal): Promise<void>;
}

/** Go's exit code for a program that a signal ended. */
const KILLED = -1;
/** Credentials take a few kilobytes. Upstream reads without a limit. */
const OUTPUT_BYTES_MAX = 1 << 20;
const VERSIONS = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"];

export function createExecPlugin(options: ExecPluginOptions): ExecPlugin {
  const { exec, clock, log, metrics } = options;
  if (!VERSIONS.includes(exec.apiVersion)) {
    throw new ExecPluginError(`exec plugin: invalid apiVersion "${exec.apiVersion}"`);
  }
  let current: Fetched | undefined;

  const refresh = singleFlight(async (signal) => {
    const fetched = readCredential(await runPlugin(options, signal), exec.apiVersion);
    metrics?.noteCertificate(current?.validity, fetched.validity);
    current = fetched;
    return fetched.credentials;
  });

  return {
    async credentials(signal) {
      if (current && (current.expiresAt === undefined || clock.now() <= current.expiresAt)) return current.credentials;
      return await refresh(signal);
    },
    async refuse(credentials, signal) {
      if (current?.credentials !== credentials) return;
      try {
        await refresh(signal);
      } catch (error) {
        if (signal.aborted) throw error;
        log?.error(error, `refreshing credentials: ${errorMessage(error)}`);
      }
    },
  };
}

interface Fetched {
  readonly credentials: ExecCredentials;
  readonly expiresAt?: number;
  /** Validity of the certificate, if there is one. */
  readonly validity?: Validity;
}

async function runPlugin(options: ExecPluginOptions, signal: AbortSignal): Promise<string> {
  const { exec, metrics } = options;
  const isInteractive = mayAsk(options);
  const info = JSON.stringify({
    kind: "ExecCredential",
    apiVersion: exec.apiVersion,
    spec: { interactive: isInteractive, ...(exec.provideClusterInfo && { cluster: clusterInfo(options) }) },
  });
  const env = {
    ...process.env,
    ...Object.fromEntries(exec.env.map(({ name, value }) => [name, value])),
    KUBERNETES_EXEC_INFO: info,
  };
  const child = spawn(exec.command, [...exec.args], {
    env,
    stdio: [isInteractive ? "inherit" : "ignore", "pipe", "inherit"],
    signal: signal as globalThis.AbortSignal,
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code));
  });
  try {
    const [output, code] = await Promise.all([outputOf(child, options), ended]);
    const exitCode = code ?? KILLED;
    metrics?.noteCall(exitCode, exitCode === 0 ? "no_error" : "plugin_execution_error");
    if (exitCode !== 0) throw new ExecPluginError(`exec: executable ${exec.command} failed with exit code ${exitCode}`);
    return output;
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw spawnError(error, options);
  }
}

/** A plugin that prints more than the limit is killed. */
async function outputOf(child: ChildProcess, { exec, metrics }: ExecPluginOptions): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of child.stdout ?? []) {
    length += chunk.length;
    if (length > OUTPUT_BYTES_MAX) {
      child.kill("SIGKILL");
      metrics?.noteCall(KILLED, "plugin_execution_error");
      throw new ExecPluginError(`exec: executable ${exec.command} printed more than ${OUTPUT_BYTES_MAX} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function spawnError(error: unknown, { exec, metrics }: ExecPluginOptions): unknown {
  if (error instanceof ExecPluginError) return error;
  const { code } = error as NodeJS.ErrnoException;
  if (code !== "ENOENT" && code !== "EACCES") {
    metrics?.noteCall(1, "client_internal_error");
    return new ExecPluginError(`exec: ${errorMessage(error)}`, { cause: error });
  }
  metrics?.noteCall(1, "plugin_not_found_error");
  const hint = exec.installHint ? `\n\n${exec.installHint}` : "";
  return new ExecPluginError(`exec: executable ${exec.command} not found${hint}`, { cause: error });
}

function mayAsk({ exec, isTerminal = process.stdin.isTTY === true }: ExecPluginOptions): boolean {
  if (exec.interactiveMode === "Never") return false;
  if (exec.interactiveMode === "Always" && !isTerminal) {
    throw new ExecPluginError("exec plugin cannot support interactive mode: standard input is not a terminal");
  }
  return isTerminal;
}

function clusterInfo({ config, ca }: ExecPluginOptions): unknown {
  return {
    server: config.server,
    ...(config.tlsServerName && { "tls-server-name": config.tlsServerName }),
    ...(config.insecureSkipTlsVerify && { "insecure-skip-tls-verify": true }),
    ...(ca && { "certificate-authority-data": Buffer.from(ca).toString("base64") }),
    ...(config.proxyUrl && { "proxy-url": config.proxyUrl }),
    ...(config.disableCompression && { "disable-compression": true }),
    config: config.execConfig ?? null,
  };
}

/** The error for invalid output says what is wrong but quotes nothing, because the output may contain secrets. */
export function readCredential(output: string, apiVersion: string): Fetched {
  const fail = (message: string, cause?: unknown): never => {
    throw new ExecPluginError(message, { cause });
  };
  let document: {
    apiVersion?: unknown;
    kind?: unknown;
    status?: Readonly<Record<string, unknown>> | null;
  } | null;
  try {
    document = JSON.parse(output);
  } catch {
    // The parser quotes its input, which may be the bare token.
    return fail("decoding stdout: couldn't get version/kind; json parse error");
  }
  if (typeof document !== "object" || document === null) return fail("decoding stdout: not an object");
  if (document.kind !== "ExecCredential") return fail(`decoding stdout: no kind "${document.kind}" is registered`);
  if (document.apiVersion !== apiVersion) {
    return fail(
      `exec plugin is configured to use API version ${apiVersion}, plugin returned version ${document.apiVersion}`,
    );
  }
  const { status } = document;
  if (typeof status !== "object" || status === null) return fail("exec plugin didn't return a status field");
  const textOf = (name: string): string => {
    const value = status[name] ?? "";
    return typeof value === "string" ? value : fail(`decoding stdout: status.${name} is not a string`);
  };
  const token = textOf("token");
  const cert = textOf("clientCertificateData");
  const key = textOf("clientKeyData");
  const expiry = textOf("expirationTimestamp");
  if (!token && !cert && !key) return fail("exec plugin didn't return a token or cert/key pair");
  if (!cert !== !key) return fail("exec plugin returned only certificate or key, not both");
  const validity = cert ? validityOf(cert, fail) : undefined;
  const expiresAt = expiry ? Date.parse(expiry) : undefined;
  if (Number.isNaN(expiresAt)) return fail(`decoding stdout: parsing time "${expiry}"`);
  const credentials = { ...(token && { token }), ...(cert && { cert, key }) };
  return { credentials, ...(expiresAt !== undefined && { expiresAt }), ...(validity && { validity }) };
}

function validityOf(cert: string, fail: (message: string, cause: unknown) => never): Validity {
  try {
    const { validFrom, validTo } = new X509Certificate(cert);
    return { notBefore: Date.parse(validFrom), notAfter: Date.parse(validTo) };
  } catch (cause) {
    return fail(`failed parsing client key/certificate: ${errorMessage(cause)}`, cause);
  }
}
