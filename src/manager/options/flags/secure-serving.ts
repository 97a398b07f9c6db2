// Flags of the HTTPS port.

import { bool, int, int32List, ip, namedCertKeys, string, strings } from "../../flags/flag-types.ts";
import { at, type BoundFlag } from "./bound-flag.ts";

export const secureServing: readonly BoundFlag[] = [
  at(
    "bind-address",
    ip,
    "secureServing.bindAddress",
    "Address to serve HTTPS on. An unspecified one means all interfaces, IPv4 and IPv6.",
  ),
  at("secure-port", int, "secureServing.port", "Port to serve HTTPS on; 0 serves nothing."),
  at("disable-http2-serving", bool, "secureServing.disableHttp2", "Serve HTTP/1.1 only."),
  at(
    "cert-dir",
    string,
    "secureServing.certDirectory",
    "Directory of the self-signed serving certificate. Ignored with --tls-cert-file and --tls-private-key-file.",
  ),
  at(
    "tls-cert-file",
    string,
    "secureServing.certFile",
    "Serving certificate, followed by its intermediates. Without one a self-signed certificate is created.",
  ),
  at("tls-private-key-file", string, "secureServing.keyFile", "Private key of --tls-cert-file."),
  at(
    "tls-cipher-suites",
    strings,
    "secureServing.cipherSuites",
    "Cipher suites for TLS up to 1.2, by their IANA names. Empty: the defaults of the TLS library.",
  ),
  at(
    "tls-curve-preferences",
    int32List,
    "secureServing.curvePreferences",
    "Key exchange groups by number (23 P-256, 24 P-384, 25 P-521, 29 X25519, 4588 X25519MLKEM768). Empty: the defaults of the TLS library.",
  ),
  at(
    "tls-min-version",
    string,
    "secureServing.minTlsVersion",
    "Oldest TLS version: VersionTLS10, VersionTLS11, VersionTLS12 or VersionTLS13. Empty: VersionTLS12.",
  ),
  at(
    "tls-sni-cert-key",
    namedCertKeys,
    "secureServing.sniCertKeys",
    "Certificate and key for certain host names: cert,key or cert,key:name,*.name. Repeatable; names default to the certificate's own.",
  ),
  at(
    "http2-max-streams-per-connection",
    int,
    "secureServing.http2MaxStreams",
    "Streams a client may open on one HTTP/2 connection; 0 means 100.",
  ),
  at(
    "permit-port-sharing",
    bool,
    "secureServing.permitPortSharing",
    "Bind with SO_REUSEPORT, so that several processes can serve on one port.",
  ),
  at(
    "permit-address-sharing",
    bool,
    "secureServing.permitAddressSharing",
    "Bind with SO_REUSEADDR, so that the port can be reused at once after a restart.",
  ),
];
