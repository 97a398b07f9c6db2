// The CA bundles for clients of the daemon's port: from files, or from the cluster if no file is given. New ones take
// effect in TLS and in authentication together, or in neither.
// Upstream: apiserver/pkg/server/dynamiccertificates

import type { Options } from "#manager/options/options.ts";
import { type AuthenticationSources, CLIENT_CA, REQUEST_HEADER_CA } from "#manager/serving/authentication.ts";
import { authenticationConfigMap, type ClusterAuthentication } from "#manager/serving/authentication-config.ts";
import { certificatesProblem, readCaBundle } from "#platform/https-server/serving-files.ts";
import type { ClientCa } from "#platform/https-server/tls-settings.ts";
import type { CertificateLog } from "./certificate-log.ts";

const { namespace, name } = authenticationConfigMap;
/** The purposes of CA files, as named in the log. */
const CLIENT_BUNDLE = "client-ca-bundle";
const PROXY_BUNDLE = "request-header";

/** Makes TLS accept client certificates of these CAs; throws when they are unusable. */
export type ApplyToTls = (clientCas: readonly ClientCa[]) => void;

interface InForce {
  /** PEM of the files; "" if none is given. */
  readonly clientCa: string;
  readonly requestHeaderCa: string;
  readonly cluster: ClusterAuthentication | undefined;
}

export class CaBundles {
  readonly #options: Options["authentication"];
  readonly #log: CertificateLog;
  #inForce: InForce = { clientCa: "", requestHeaderCa: "", cluster: undefined };

  constructor(options: Options["authentication"], log: CertificateLog) {
    this.#options = options;
    this.#log = log;
  }

  /** Called before the port serves. */
  readClientCa(): void {
    this.#inForce = { ...this.#inForce, clientCa: this.#read(CLIENT_BUNDLE, this.#options.clientCaFile) };
  }

  readRequestHeaderCa(): void {
    const { clientCaFile } = this.#options.requestHeader;
    this.#inForce = { ...this.#inForce, requestHeaderCa: this.#read(PROXY_BUNDLE, clientCaFile) };
  }

  /** Called before the port serves. */
  startWith(cluster: ClusterAuthentication | undefined): void {
    this.#inForce = { ...this.#inForce, cluster };
  }

  /** Reads the files again. Throws, and changes nothing, if a file or TLS fails. */
  reread(apply: ApplyToTls): void {
    const clientCa = this.#read(CLIENT_BUNDLE, this.#options.clientCaFile);
    const requestHeaderCa = this.#read(PROXY_BUNDLE, this.#options.requestHeader.clientCaFile);
    this.#change({ ...this.#inForce, clientCa, requestHeaderCa }, apply);
  }

  /** Applies a change of the cluster's configuration. Throws, and changes nothing, when it is unusable. */
  follow(cluster: ClusterAuthentication, apply: ApplyToTls): void {
    for (const [key, pem] of [
      ["client-ca-file", cluster.clientCa],
      ["requestheader-client-ca-file", cluster.requestHeaderCa],
    ] as const) {
      const problem = pem === "" ? undefined : certificatesProblem(pem);
      if (problem !== undefined) throw new Error(`error loading CA bundle for "${sourceInCluster(key)}": ${problem}`);
    }
    this.#change({ ...this.#inForce, cluster }, apply);
  }

  get clientCa(): string {
    const { clientCa, cluster } = this.#inForce;
    return this.#options.clientCaFile === "" ? (cluster?.clientCa ?? "") : clientCa;
  }

  get requestHeaderCa(): string {
    const { requestHeaderCa, cluster } = this.#inForce;
    return this.#options.requestHeader.clientCaFile === "" ? (cluster?.requestHeaderCa ?? "") : requestHeaderCa;
  }

  get requestHeader(): ReturnType<AuthenticationSources["requestHeader"]> {
    const { requestHeader } = this.#options;
    return requestHeader.clientCaFile === "" ? this.#inForce.cluster?.requestHeader : requestHeader;
  }

  list(): readonly ClientCa[] {
    const { clientCaFile, requestHeader } = this.#options;
    const sourceOf = (purpose: string, file: string, key: string): string =>
      file === "" ? sourceInCluster(key) : `${purpose}::${file}`;
    return [
      { name: CLIENT_CA, source: sourceOf(CLIENT_BUNDLE, clientCaFile, "client-ca-file"), pem: this.clientCa },
      {
        name: REQUEST_HEADER_CA,
        source: sourceOf(PROXY_BUNDLE, requestHeader.clientCaFile, "requestheader-client-ca-file"),
        pem: this.requestHeaderCa,
      },
    ].filter(({ pem }) => pem !== "");
  }

  #change(next: InForce, apply: ApplyToTls): void {
    const before = this.#inForce;
    this.#inForce = next;
    try {
      apply(this.list());
    } catch (error) {
      this.#inForce = before;
      throw error;
    }
  }

  #read(purpose: string, file: string): string {
    if (file === "") return "";
    const pem = readCaBundle(purpose, file);
    this.#log.bundleRead(`${purpose}::${file}`, pem);
    return pem;
  }
}

function sourceInCluster(key: string): string {
  return `client-ca::${namespace}::${name}::${key}`;
}
