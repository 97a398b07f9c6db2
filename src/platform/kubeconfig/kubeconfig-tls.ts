// The CA and client certificate of a transport: from inline data, from files that are read again when they change, or
// from an exec plugin.
// Upstream: client-go/transport/{cert_rotation,ca_rotation}.go
import type { Logger } from "#base/log.ts";
import type { ClientConfig } from "#client/kubeconfig.ts";
import type { ClientTls } from "../http-client/http-client.ts";
import { certificatesProblem, checkPair, readFileAsGo } from "../https-server/serving-files.ts";
import type { ExecCredentials } from "./kubeconfig-exec.ts";
import type { TransportMetrics } from "./kubeconfig-metrics.ts";

export interface MaterialDeps {
  readonly log?: Logger;
  /** Read the file of the server's CA only once. */
  readonly keepsCa?: boolean;
}

/**
 * The current CA and client certificate. If files cannot be read or used, the old material stays in use: the two files
 * of a pair are not replaced at the same moment.
 */
export class TlsMaterial {
  readonly metrics: TransportMetrics | undefined;
  readonly #config: ClientConfig;
  readonly #log: Logger | undefined;
  readonly #keepsCa: boolean;
  #ca: string | undefined;
  #pair: Pair;

  constructor(config: ClientConfig, { log, keepsCa = false }: MaterialDeps, metrics: TransportMetrics | undefined) {
    this.metrics = metrics;
    this.#config = config;
    this.#log = log;
    this.#keepsCa = keepsCa;
    this.#ca = config.certificateAuthorityData ?? fileText(config.certificateAuthority);
    this.#pair = this.#readPair();
    this.#check();
  }

  /** Invalid material at startup ends the program; a file that becomes invalid later can be repaired. */
  #check(): void {
    const { insecureSkipTlsVerify, clientCertificateData, clientKeyData } = this.#config;
    if (this.#ca && insecureSkipTlsVerify) {
      throw new UnusableTls("specifying a root certificates file with the insecure flag is not allowed");
    }
    if (this.#ca && !this.#ca.includes("-----BEGIN CERTIFICATE-----")) {
      throw new UnusableTls("unable to load root certificates: unable to parse bytes as PEM block");
    }
    const { cert, key } = this.#pair;
    const isFixed = clientCertificateData !== undefined || clientKeyData !== undefined;
    if (isFixed && cert !== undefined && key !== undefined) checkPair(cert, key);
  }

  get current(): ClientTls {
    const { cert, key } = this.#pair;
    return {
      ...(this.#ca !== undefined && { ca: this.#ca }),
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
    };
  }

  get hasFiles(): boolean {
    return this.#hasCaFile || this.#hasPairFiles;
  }

  /** True if something changed. */
  reload(): boolean {
    const isCaNew = this.#hasCaFile && this.#reloadCa();
    const isPairNew = this.#hasPairFiles && this.#reloadPair();
    return isCaNew || isPairNew;
  }

  /** Takes a plugin's certificate. True if it changed. */
  present({ cert, key }: ExecCredentials): boolean {
    if (cert === this.#pair.cert && key === this.#pair.key) return false;
    this.#pair = { cert, key };
    return true;
  }

  get #hasCaFile(): boolean {
    const { certificateAuthority, certificateAuthorityData } = this.#config;
    return Boolean(certificateAuthority) && certificateAuthorityData === undefined && !this.#keepsCa;
  }

  get #hasPairFiles(): boolean {
    return Boolean(this.#config.clientCertificate || this.#config.clientKey);
  }

  #reloadCa(): boolean {
    let ca: string | undefined;
    try {
      ca = fileText(this.#config.certificateAuthority);
    } catch (error) {
      this.#log?.error(error, "Failed to read CA data from file", { caFile: this.#config.certificateAuthority });
      this.metrics?.noteCaReload("failure", "read_error");
      return false;
    }
    if (!ca) {
      this.#log?.info("CA file empty, skipping transport rotation", { caFile: this.#config.certificateAuthority });
      this.metrics?.noteCaReload("failure", "empty");
      return false;
    }
    if (ca === this.#ca) {
      this.metrics?.noteCaReload("success", "unchanged");
      return false;
    }
    const problem = certificatesProblem(ca);
    if (problem !== undefined) {
      const caFile = this.#config.certificateAuthority;
      this.#log?.error(new Error(problem), "Failed to parse CA data from file", { caFile });
      this.metrics?.noteCaReload("failure", "ca_parse_error");
      return false;
    }
    this.#ca = ca;
    this.metrics?.noteCaReload("success", "updated");
    return true;
  }

  #reloadPair(): boolean {
    let next: Pair;
    try {
      next = this.#readPair();
      if (next.cert === this.#pair.cert && next.key === this.#pair.key) return false;
      checkPair(next.cert ?? "", next.key ?? "");
    } catch (error) {
      this.#log?.error(error, "Loading client cert failed");
      return false;
    }
    this.#pair = next;
    this.#log
      ?.v(1)
      .info("Certificate rotation detected, shutting down client connections to start using new credentials");
    return true;
  }

  /** A key without a certificate is ignored. */
  #readPair(): Pair {
    const config = this.#config;
    const cert = config.clientCertificateData ?? fileText(config.clientCertificate);
    return { cert, key: cert === undefined ? undefined : (config.clientKeyData ?? fileText(config.clientKey)) };
  }
}

class UnusableTls extends Error {
  override readonly name = "UnusableTls";
}

interface Pair {
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

function fileText(path: string | undefined): string | undefined {
  return path === undefined ? undefined : readFileAsGo(path);
}
