// The certificates and CAs of a TLS server as PEM text, and their translation for node:tls.

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
  /** CA bundles by name. If there are any, clients are asked for a certificate, which stays optional. */
  readonly clientCas?: readonly ClientCa[];
  readonly minVersion?: SecureVersion;
  /** OpenSSL names. */
  readonly ciphers?: readonly string[];
  /** OpenSSL group names. */
  readonly groups?: readonly string[];
}

export interface ClientCa {
  readonly name: string;
  /** Where the bundle was read, for the log. Absent: the name says it. */
  readonly source?: string;
  readonly pem: string;
}

/** Without SNI certificates: sniContexts selects them per connection. */
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

/** Session tickets are off: node's contain the client's certificate but not its intermediates. */
function policyOf({ minVersion = "TLSv1.2", ciphers = [], groups = [] }: TlsSettings): SecureContextOptions {
  return {
    minVersion,
    secureOptions: constants.SSL_OP_NO_TICKET,
    ...(ciphers.length > 0 ? { ciphers: ciphers.join(":") } : {}),
    ...(groups.length > 0 ? { ecdhCurve: groups.join(":") } : {}),
  };
}

/** The certificate for a host name; exact names win over wildcards. Undefined: the default certificate. */
export function sniContexts(settings: TlsSettings): (host: string) => SecureContext | undefined {
  const contexts = (settings.sni ?? []).map(({ names, cert, key }) => ({
    names,
    context: createSecureContext({ cert, key, ...policyOf(settings) }),
  }));
  const find = (name: string): SecureContext | undefined => contexts.find(({ names }) => names.includes(name))?.context;
  return (host) => find(host) ?? find(host.replace(/^[^.]*/, "*"));
}
