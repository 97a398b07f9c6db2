// Logs certificates at verbosity 2: the files that were read, and the certificates in use.
// Upstream: apiserver/pkg/server/dynamiccertificates.

import type { Clock } from "#base/clock.ts";
import type { Logger } from "#base/log.ts";
import { certificatesIn } from "#platform/certificates/certificate-fields.ts";
import { certificateText } from "#platform/certificates/certificate-text.ts";
import type { TlsSettings } from "#platform/https-server/tls-settings.ts";

export class CertificateLog {
  readonly #log: Logger;
  readonly #clock: Clock;
  /** The last logged text under each name: it is logged again only after a change. */
  readonly #told = new Map<string, string>();

  constructor(log: Logger, clock: Clock) {
    this.#log = log.v(2);
    this.#clock = clock;
  }

  pairRead(name: string, cert: string): void {
    if (this.#isNews(name, cert)) this.#log.info("Loaded a new cert/key pair", { name });
  }

  bundleRead(name: string, pem: string): void {
    if (this.#isNews(name, pem)) this.#log.info("Loaded a new CA Bundle and Verifier", { name });
  }

  /** Logs the settings in use; servingName: the name of the serving certificate. */
  inForce({ cert, sni = [], clientCas = [] }: TlsSettings, servingName: string): void {
    const certName = clientCas.map(({ name, source = name }) => source).join(",");
    const authorities = clientCas.map(({ pem }) => pem).join("\n");
    if (this.#isNews("client CAs", authorities)) {
      for (const [index, pem] of certificatesIn(authorities).entries()) {
        this.#log.info("Loaded client CA", { index, certName, certDetail: this.#detail(pem) });
      }
    }
    if (this.#isNews("serving", cert)) {
      this.#log.info("Loaded serving cert", { certName: servingName, certDetail: this.#detail(cert) });
    }
    for (const [index, own] of sni.entries()) {
      if (!this.#isNews(`SNI ${index}`, own.cert)) continue;
      this.#log.info("Loaded SNI cert", { index, certName: own.names.join(","), certDetail: this.#detail(own.cert) });
    }
  }

  #isNews(name: string, pem: string): boolean {
    if (this.#told.get(name) === pem) return false;
    this.#told.set(name, pem);
    return pem !== "" && this.#log.isEnabled;
  }

  #detail(pem: string): string {
    return certificateText(pem, this.#clock.now());
  }
}
