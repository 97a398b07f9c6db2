// What a TLS server presents and accepts, as PEM text, and its translation for node:tls.

import { constants } from "node:crypto";
import {
  createSecureContext,
  type SecureContext,
  type SecureContextOptions,
  type SecureVersion,
  type TlsOptions,
} from "node:tls";

export interface CertificateKey {
  /** The certificate, followed by its intermediates. */
  readonly cert: string;
  readonly key: string;
}

export interface TlsSettings extends CertificateKey {
  /** Certificates for certain host names; "*.example.com" covers one label. */
  readonly sni?: readonly (CertificateKey & { readonly names: readonly string[] })[];
  /** CA bundles by name. Clients are asked for a certificate only when there are any, and never forced. */
  readonly clientCas?: readonly ClientCa[];
  readonly minVersion?: SecureVersion;
  /** OpenSSL names. */
  readonly ciphers?: readonly string[];
  /** OpenSSL group names. */
  readonly groups?: readonly string[];
}

export interface ClientCa {
  readonly name: string;
  /** Where it was read, for the log; absent: its name says it. */
  readonly source?: string;
  readonly pem: string;
}

/** Without host names: those are looked up per connection by sniContexts. */
export function tlsServerOptions(settings: TlsSettings): TlsOptions {
  const { clientCas = [] } = settings;
  return {
    cert: settings.cert,
    key: settings.key,
    ...policyOf(settings),
    ...(clientCas.length > 0
      ? { ca: clientCas.map(({ pem }) => pem), requestCert: true, rejectUnauthorized: false }
      : {}),
  };
}

/** Without session tickets: node's hold the client's certificate, but not the intermediates that it has sent along. */
function policyOf({ minVersion = "TLSv1.2", ciphers = [], groups = [] }: TlsSettings): SecureContextOptions {
  return {
    minVersion,
    secureOptions: constants.SSL_OP_NO_TICKET,
    ...(ciphers.length > 0 ? { ciphers: ciphers.join(":") } : {}),
    ...(groups.length > 0 ? { ecdhCurve: groups.join(":") } : {}),
  };
}

/** The certificate for a host name: an exact name before a wildcard; undefined means the default one. */
export function sniContexts(settings: TlsSettings): (host: string) => SecureContext | undefined {
  const contexts = (settings.sni ?? []).map(({ names, cert, key }) => ({
    names,
    context: createSecureContext({ cert, key, ...policyOf(settings) }),
  }));
  const find = (name: string): SecureContext | undefined => contexts.find(({ names }) => names.includes(name))?.context;
  return (host) => find(host) ?? find(host.replace(/^[^.]*/, "*"));
}
