// Connects the PKI of a cluster in one process with its parts: the API server signs and verifies tokens and connects to
// aggregated API servers; the controllers' host has the keys as files.

import type { ApiServerOptions } from "#apiserver/create-api-server.ts";
import { CLIENT_CA, REQUEST_HEADER_CA } from "#apiserver/filters/authenticate.ts";
import { type Host, withFiles } from "#base/host.ts";
import { clusterFiles } from "#cluster/manager.ts";
import { type ClusterPki, FRONT_PROXY, type InnerPki } from "#platform/certificates/cluster-pki.ts";
import { keyReader } from "#platform/certificates/key-reader.ts";
import { connectAggregatedServers } from "#platform/http-client/aggregated-servers.ts";
import type { ClientCa } from "#platform/https-server/tls-settings.ts";
import { systemHost } from "#platform/system/system-host.ts";
import { publicJwk } from "#platform/tokens/jwk.ts";
import { jwtSigner, readPrivateKey } from "#platform/tokens/jwt-signer.ts";
import { jwtVerifier } from "#platform/tokens/jwt-verifier.ts";

type InnerOptions = Required<Pick<ApiServerOptions, "tokenKeys" | "keyReader">>;
type KeyOptions = InnerOptions & Required<Pick<ApiServerOptions, "authentication" | "connect">>;

/** For an API server that does not listen. */
export function innerServerKeys(pki: InnerPki): InnerOptions {
  const accountKey = readPrivateKey(pki.accountKeyPem);
  return {
    keyReader,
    tokenKeys: { publicKeys: [publicJwk(accountKey)], sign: jwtSigner(accountKey), verify: jwtVerifier([accountKey]) },
  };
}

export function serverKeys(pki: ClusterPki): KeyOptions {
  const { certificatePem: cert, keyPem: key } = pki.frontProxy;
  return {
    ...innerServerKeys(pki),
    connect: connectAggregatedServers({ cert, key }),
    authentication: {
      allowsAnonymous: true,
      clientCa: pki.ca.certificatePem,
      requestHeader: {
        ca: pki.frontProxyCa.certificatePem,
        allowedNames: [FRONT_PROXY],
        usernameHeaders: ["X-Remote-User"],
        uidHeaders: ["X-Remote-Uid"],
        groupHeaders: ["X-Remote-Group"],
        extraHeaderPrefixes: ["X-Remote-Extra-"],
      },
    },
  };
}

/** By the names that the API server uses. */
export function clientCas(pki: ClusterPki): readonly ClientCa[] {
  return [
    { name: CLIENT_CA, pem: pki.ca.certificatePem },
    { name: REQUEST_HEADER_CA, pem: pki.frontProxyCa.certificatePem },
  ];
}

/** The PKI does not change while the cluster runs, so its files are not watched. */
export function clusterHost(pki: InnerPki): Host {
  const host = withFiles(systemHost({ certificateAuthorityData: pki.ca.certificatePem }), {
    [clusterFiles.accountKey]: pki.accountKeyPem,
    [clusterFiles.ca]: pki.ca.certificatePem,
    [clusterFiles.caKey]: pki.ca.keyPem,
  });
  return { ...host, files: { ...host.files, watch: () => ({ [Symbol.dispose]: () => undefined }) } };
}
