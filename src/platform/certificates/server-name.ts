// Go's errors for the names in a server's certificate. The runtimes compare names themselves, but unlike Go they fall
// back to the common name if there are no alternative names. Pure.
// Upstream: crypto/x509/verify.go, VerifyHostname and HostnameError
import { isIP } from "node:net";
import { TransportError } from "#base/http.ts";
import { alternativeNames } from "./certificate-fields.ts";

export interface CertificateNames {
  /** In OpenSSL's format: "DNS:localhost, IP Address:127.0.0.1". Undefined if the extension is missing. */
  readonly subjectAltName: string | undefined;
  readonly commonName: string | undefined;
}

/** wanted: host name or IP address. isAccepted: the runtime's verdict. Undefined if the certificate matches. */
export function nameError(wanted: string, names: CertificateNames, isAccepted: boolean): TransportError | undefined {
  const problem = nameProblem(wanted, names, isAccepted);
  return problem === undefined
    ? undefined
    : new TransportError("tls", `tls: failed to verify certificate: x509: ${problem}`);
}

const NAMES_SHOWN_MAX = 100;

function nameProblem(wanted: string, names: CertificateNames, isAccepted: boolean): string | undefined {
  const isAddress = isIP(wanted) !== 0;
  const known = alternativeNames(names.subjectAltName, isAddress ? "IP Address" : "DNS");
  if (isAccepted && known.length > 0) return undefined;
  const isLegacy = names.subjectAltName === undefined && (isAccepted || matches(names.commonName ?? "", wanted));
  if (isLegacy) return "certificate relies on legacy Common Name field, use SANs instead";
  if (known.length >= NAMES_SHOWN_MAX) {
    return `certificate is valid for ${known.length} ${isAddress ? "IP SANs" : "names"}, but none matched ${wanted}`;
  }
  if (known.length > 0) return `certificate is valid for ${known.map(shortAddress).join(", ")}, not ${wanted}`;
  if (isAddress) return `cannot validate certificate for ${wanted} because it doesn't contain any IP SANs`;
  return `certificate is not valid for any names, but wanted to match ${wanted}`;
}

function shortAddress(name: string): string {
  return isIP(name) === 6 ? new URL(`http://[${name}]`).hostname.slice(1, -1) : name;
}

function matches(commonName: string, wanted: string): boolean {
  const [pattern, host] = [commonName, wanted].map((text) => text.toLowerCase().split(".")) as [string[], string[]];
  if (pattern.length !== host.length || commonName === "") return false;
  return pattern.every((label, i) => label === host[i] || (i === 0 && label === "*"));
}
