// The HTTPS port of the daemon: certificates from files or self-signed, reloaded when they change. The socket is bound
// while the configuration is built, so that a taken port is an error of the command.
// Upstream: apiserver/pkg/server/options/serving.go; server/secure_serving.go.

import { errorMessage } from "#base/errors.ts";
import type { HttpResponse } from "#base/http.ts";
import type { Options } from "#manager/options/options.ts";
import type { DaemonRequest, Handler } from "#manager/serving/request.ts";
import { type TlsPolicy, tlsPolicy } from "#manager/serving/tls-names.ts";
import type { ServedRequest } from "#platform/https-server/https-request.ts";
import { type HttpsServer, startHttpsServer } from "#platform/https-server/https-server.ts";
import { listenAsGo } from "#platform/https-server/listen-address.ts";
import {
  namesIn,
  pairInDirectory,
  readPair,
  systemErrorText,
  watchFiles,
} from "#platform/https-server/serving-files.ts";
import type { CertificateKey, ClientCa, TlsSettings } from "#platform/https-server/tls-settings.ts";
import { systemClock } from "#platform/system/system-clock.ts";
import type { ApplyToTls } from "./ca-bundles.ts";
import { CertificateLog } from "./certificate-log.ts";
import type { Logging } from "./logging.ts";

const PAIR_NAME = "kube-controller-manager";

/** The serving certificate: a pair in memory, or files. */
export type ServingCertificate =
  | { readonly kind: "memory"; readonly pair: CertificateKey }
  | { readonly kind: "files"; readonly certFile: string; readonly keyFile: string };

/** Undefined when nothing is served. Creates a self-signed certificate if none is given. */
export async function prepareCertificate(
  { secureServing }: Options,
  nowMs: number,
  logging: Logging,
): Promise<ServingCertificate | undefined> {
  const { port, certFile, keyFile, certDirectory, bindAddress, cipherSuites } = secureServing;
  if (port === 0) return undefined;
  if (certFile !== "" || keyFile !== "") return { kind: "files", certFile, keyFile };
  const keyType = cipherSuites.some((name) => name.includes("_RSA_")) && !cipherSuites.some(isForEc) ? "rsa" : "ec";
  try {
    const { selfSigned } = await import("#platform/certificates/self-signed.ts");
    if (certDirectory === "") {
      const pair = selfSigned(bindAddress, nowMs, keyType);
      logging.plain(0, "Generated self-signed cert in-memory");
      return { kind: "memory", pair };
    }
    const files = pairInDirectory(certDirectory, PAIR_NAME, () => selfSigned(bindAddress, nowMs, keyType));
    if (files.isNew) logging.plain(0, `Generated self-signed cert (${files.certFile}, ${files.keyFile})`);
    return { kind: "files", ...files };
  } catch (cause) {
    throw new Error(`error creating self-signed certificates: ${errorMessage(cause)}`, { cause });
  }
}

const isForEc = (cipherSuite: string): boolean => cipherSuite.includes("_ECDSA_");

export interface Port {
  /** Answers from now on; earlier requests waited. */
  serve(handler: Handler): void;
  /** Requests client certificates of these CAs. */
  update(clientCas: readonly ClientCa[]): void;
  /** Reads everything again when one of our files or one of these changes. */
  watch(files: readonly string[], reread: (apply: ApplyToTls) => void): void;
  close(): Promise<void>;
}

export async function openPort(options: Options, certificate: ServingCertificate, logging: Logging): Promise<Port> {
  const { secureServing } = options;
  const { log } = logging;
  let start: (handler: Handler) => void = () => undefined;
  const started = new Promise<Handler>((resolve) => (start = resolve));
  const pair = pairOf(certificate);
  const server = await listen(
    options,
    // An unreadable pair is reported after a taken port, and only a server with a certificate can detect a taken port.
    "problem" in pair ? await substitute(secureServing.bindAddress) : pair,
    async (request, signal) => (await started)(daemonRequest(request), signal),
    logging,
  );
  if ("problem" in pair) throw pair.problem;
  const policy = tlsPolicy(secureServing);
  for (const suite of policy.insecure) logging.warn(`Use of insecure cipher '${suite}' detected.`);
  const material = new Material(options, certificate, pair, policy, new CertificateLog(log, systemClock), server);
  const address = `${server.host.includes(":") ? `[${server.host}]` : server.host}:${server.port}`;
  material.change({});
  let isServing = false;
  return {
    serve(handler) {
      if (policy.problem !== undefined) throw new Error(policy.problem);
      isServing = true;
      start(handler);
      material.tell();
      logging.plain(0, `Serving securely on ${address}`);
    },
    update(clientCas) {
      material.change({ clientCas });
      if (isServing) material.tell();
    },
    watch(files, reread) {
      const all = [...files, ...material.files];
      if (all.length === 0) return;
      watchFiles(all, () => {
        try {
          const own = material.read();
          reread((clientCas) => material.change({ ...own, clientCas }));
          material.tell();
        } catch (error) {
          log.error(error, "Failed to reload the serving certificates; the old ones stay in use");
        }
      });
    },
    async close() {
      await server.close();
      logging.plain(0, `Stopped listening on ${address}`);
    },
  };
}

async function substitute(bindAddress: string): Promise<CertificateKey> {
  return (await import("#platform/certificates/self-signed.ts")).selfSigned(bindAddress, Date.now());
}

function pairOf(certificate: ServingCertificate): CertificateKey | { readonly problem: unknown } {
  if (certificate.kind === "memory") return certificate.pair;
  try {
    return readPair(certificate.certFile, certificate.keyFile);
  } catch (problem) {
    return { problem };
  }
}

class Material {
  #settings: TlsSettings;
  readonly #options: Options;
  readonly #certificate: ServingCertificate;
  readonly #log: CertificateLog;
  readonly #server: HttpsServer;

  constructor(
    options: Options,
    certificate: ServingCertificate,
    pair: CertificateKey,
    policy: TlsPolicy,
    log: CertificateLog,
    server: HttpsServer,
  ) {
    this.#options = options;
    this.#certificate = certificate;
    this.#log = log;
    this.#server = server;
    if (certificate.kind === "files") log.pairRead(this.#servingName, pair.cert);
    const { minVersion, ciphers, groups } = policy;
    this.#settings = { ...pair, minVersion, ciphers, groups, sni: this.#readSni() };
  }

  get files(): readonly string[] {
    const own = this.#certificate.kind === "files" ? [this.#certificate.certFile, this.#certificate.keyFile] : [];
    return [...own, ...this.#options.secureServing.sniCertKeys.flatMap(({ certFile, keyFile }) => [certFile, keyFile])];
  }

  /** Throws, and changes nothing, when TLS refuses them. */
  change(settings: Partial<TlsSettings>): void {
    const next = { ...this.#settings, ...settings };
    this.#server.update(next);
    this.#settings = next;
  }

  /** The current content of the files. */
  read(): Partial<TlsSettings> {
    const certificate = this.#certificate;
    const pair = certificate.kind === "files" ? readPair(certificate.certFile, certificate.keyFile) : certificate.pair;
    if (certificate.kind === "files") this.#log.pairRead(this.#servingName, pair.cert);
    return { ...pair, sni: this.#readSni() };
  }

  /** Logs the settings in use, as far as they are new. */
  tell(): void {
    this.#log.inForce(this.#settings, this.#servingName);
  }

  get #servingName(): string {
    const certificate = this.#certificate;
    if (certificate.kind === "memory") return "Generated self signed cert";
    return `serving-cert::${certificate.certFile}::${certificate.keyFile}`;
  }

  #readSni(): NonNullable<TlsSettings["sni"]> {
    return this.#options.secureServing.sniCertKeys.map(({ certFile, keyFile, names }) => {
      try {
        const pair = readPair(certFile, keyFile);
        this.#log.pairRead(`sni-serving-cert::${certFile}::${keyFile}`, pair.cert);
        return { ...pair, names: names.length > 0 ? names : namesIn(pair.cert) };
      } catch (cause) {
        throw new Error(`failed to load SNI cert and key: ${errorMessage(cause)}`, { cause });
      }
    });
  }
}

/** True if CAs are given as files, or may be in the cluster. */
function mayHaveClientCas(authentication: Options["authentication"]): boolean {
  const { clientCaFile, requestHeader, skipLookup, kubeconfig } = authentication;
  if (clientCaFile !== "" || requestHeader.clientCaFile !== "") return true;
  return !skipLookup && (kubeconfig !== "" || process.env.KUBERNETES_SERVICE_HOST !== undefined);
}

async function listen(
  { secureServing, authentication }: Options,
  tls: TlsSettings,
  handle: (request: ServedRequest, signal: AbortSignal) => Promise<HttpResponse>,
  { log, plain }: Logging,
): Promise<HttpsServer> {
  const { bindAddress, port, disableHttp2, http2MaxStreams, permitPortSharing } = secureServing;
  const address = `${bindAddress.includes(":") ? `[${bindAddress}]` : bindAddress}:${port}`;
  try {
    return await listenAsGo(bindAddress, (host) =>
      startHttpsServer({
        host,
        port,
        tls,
        disableHttp2,
        http2StreamsMax: http2MaxStreams,
        reusePort: permitPortSharing,
        expectsClientCas: mayHaveClientCas(authentication),
        handle,
        onError(error) {
          log.error(error, "Observed a panic", { panic: errorMessage(error) });
        },
        onHandshakeError({ message }, peer) {
          plain(5, `http: TLS handshake error from ${peer}: ${message}`);
        },
        onCrowded() {
          log.error(
            new Error(`accept tcp ${address}: too many open files; closing the connection`),
            "http: Accept error",
          );
        },
      }),
    );
  } catch (cause) {
    throw new Error(
      `failed to create listener: failed to listen on ${address}: listen tcp ${address}: bind: ${systemErrorText(cause)}`,
      { cause },
    );
  }
}

function daemonRequest(request: ServedRequest): DaemonRequest {
  const { address, certificate, untrusted } = request.peer;
  const presented = certificate ?? untrusted;
  const uri = request.query === "" ? request.path : `${request.path}?${request.query}`;
  return {
    ...request,
    path: decodedPath(request.path),
    uri,
    peer: { address, ...(presented === undefined ? {} : { certificate: presented }) },
  };
}

/** A badly encoded path stays unchanged: no page has such a path. */
function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
