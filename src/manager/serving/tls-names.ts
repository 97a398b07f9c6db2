// Cipher suites, curves and versions by their names in flags, with OpenSSL's names.
// Upstream: component-base/cli/flag/{ciphersuites,curves}_flag.go; Go's crypto/tls.

import { goQuote } from "#api/go-text.ts";

/** IANA name to OpenSSL name. TLS 1.3 suites have one name; Go always offers all of them. */
const suites: ReadonlyMap<string, string> = new Map([
  ["TLS_AES_128_GCM_SHA256", "TLS_AES_128_GCM_SHA256"],
  ["TLS_AES_256_GCM_SHA384", "TLS_AES_256_GCM_SHA384"],
  ["TLS_CHACHA20_POLY1305_SHA256", "TLS_CHACHA20_POLY1305_SHA256"],
  ["TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", "ECDHE-ECDSA-AES128-SHA"],
  ["TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256"],
  ["TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA", "ECDHE-ECDSA-AES256-SHA"],
  ["TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "ECDHE-ECDSA-AES256-GCM-SHA384"],
  ["TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305", "ECDHE-ECDSA-CHACHA20-POLY1305"],
  ["TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"],
  ["TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", "ECDHE-RSA-AES128-SHA"],
  ["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "ECDHE-RSA-AES128-GCM-SHA256"],
  ["TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", "ECDHE-RSA-AES256-SHA"],
  ["TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "ECDHE-RSA-AES256-GCM-SHA384"],
  ["TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305", "ECDHE-RSA-CHACHA20-POLY1305"],
  ["TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-RSA-CHACHA20-POLY1305"],
]);

/** Accepted with a warning. */
const insecureSuites: ReadonlyMap<string, string> = new Map([
  ["TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256", "ECDHE-ECDSA-AES128-SHA256"],
  ["TLS_ECDHE_ECDSA_WITH_RC4_128_SHA", "ECDHE-ECDSA-RC4-SHA"],
  ["TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA", "ECDHE-RSA-DES-CBC3-SHA"],
  ["TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256", "ECDHE-RSA-AES128-SHA256"],
  ["TLS_ECDHE_RSA_WITH_RC4_128_SHA", "ECDHE-RSA-RC4-SHA"],
  ["TLS_RSA_WITH_3DES_EDE_CBC_SHA", "DES-CBC3-SHA"],
  ["TLS_RSA_WITH_AES_128_CBC_SHA", "AES128-SHA"],
  ["TLS_RSA_WITH_AES_128_CBC_SHA256", "AES128-SHA256"],
  ["TLS_RSA_WITH_AES_128_GCM_SHA256", "AES128-GCM-SHA256"],
  ["TLS_RSA_WITH_AES_256_CBC_SHA", "AES256-SHA"],
  ["TLS_RSA_WITH_AES_256_GCM_SHA384", "AES256-GCM-SHA384"],
  ["TLS_RSA_WITH_RC4_128_SHA", "RC4-SHA"],
]);

/** Go's CurveID to OpenSSL's group. */
const curves: ReadonlyMap<number, string> = new Map([
  [23, "P-256"],
  [24, "P-384"],
  [25, "P-521"],
  [29, "X25519"],
  [4587, "SecP256r1MLKEM768"],
  [4588, "X25519MLKEM768"],
  [4589, "SecP384r1MLKEM1024"],
]);
const CURVE_MAX = 65535;

const versions = {
  VersionTLS10: "TLSv1",
  VersionTLS11: "TLSv1.1",
  VersionTLS12: "TLSv1.2",
  VersionTLS13: "TLSv1.3",
} as const;
type TlsVersion = (typeof versions)[keyof typeof versions];

export interface TlsPolicy {
  readonly minVersion: TlsVersion;
  /** OpenSSL names; empty: the default. */
  readonly ciphers: readonly string[];
  readonly groups: readonly string[];
  /** Insecure suites that the flags request. */
  readonly insecure: readonly string[];
  /** Why the policy cannot be used. */
  readonly problem?: string;
}

/** HTTP/2 needs one of these below TLS 1.3. */
const HTTP2_SUITES = ["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"];

/** Throws for unknown names, in upstream's words. */
export function tlsPolicy(names: {
  readonly cipherSuites: readonly string[];
  readonly curvePreferences: readonly number[];
  readonly minTlsVersion: string;
  readonly disableHttp2: boolean;
}): TlsPolicy {
  const ciphers = names.cipherSuites.map((name) => {
    const openssl = suites.get(name) ?? insecureSuites.get(name);
    if (openssl === undefined) throw new Error(`Cipher suite ${name} not supported or doesn't exist`);
    return openssl;
  });
  const minVersion = versionOf(names.minTlsVersion);
  const isHttp2Bound = !names.disableHttp2 && ciphers.length > 0 && minVersion !== "TLSv1.3";
  return {
    ciphers,
    insecure: names.cipherSuites.filter((name) => insecureSuites.has(name)),
    groups: groupsOf(names.curvePreferences),
    minVersion,
    ...(isHttp2Bound && !names.cipherSuites.some((name) => HTTP2_SUITES.includes(name))
      ? {
          problem: `error configuring http2: http2: TLSConfig.CipherSuites is missing an HTTP/2-required AES_128_GCM_SHA256 cipher (need at least one of ${HTTP2_SUITES.join(" or ")})`,
        }
      : {}),
  };
}

function groupsOf(ids: readonly number[]): string[] {
  const seen = new Set<number>();
  return ids.map((id) => {
    if (id <= 0 || id > CURVE_MAX) throw new Error(`curve preference ${id} is out of range (must be 1-${CURVE_MAX})`);
    if (seen.has(id)) throw new Error(`duplicate curve preference ${id}`);
    seen.add(id);
    const group = curves.get(id);
    if (group === undefined) throw new Error(`curve preference ${id} is not supported by the current Go version`);
    return group;
  });
}

function versionOf(name: string): TlsVersion {
  if (name === "") return "TLSv1.2";
  if (!Object.hasOwn(versions, name)) throw new Error(`unknown tls version ${goQuote(name)}`);
  return versions[name as keyof typeof versions];
}
