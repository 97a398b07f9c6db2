// What the PKI of a cluster in one process gives its parts: the API server signs and checks tokens, the host of the
// controllers has the keys as files.

import type { ApiServerOptions } from "#apiserver/create-api-server.ts";
import { type Host, withFiles } from "#base/host.ts";
import { clusterFiles } from "#cluster/manager.ts";
import type { ClusterPki } from "#platform/certificates/cluster-pki.ts";
import { keyReader } from "#platform/certificates/key-reader.ts";
import { systemHost } from "#platform/system/system-host.ts";
import { publicJwk } from "#platform/tokens/jwk.ts";
import { jwtSigner, readPrivateKey } from "#platform/tokens/jwt-signer.ts";
import { jwtVerifier } from "#platform/tokens/jwt-verifier.ts";

export function serverKeys(pki: ClusterPki): Required<Pick<ApiServerOptions, "tokenKeys" | "keyReader">> {
  const accountKey = readPrivateKey(pki.accountKeyPem);
  return {
    keyReader,
    tokenKeys: { publicKeys: [publicJwk(accountKey)], sign: jwtSigner(accountKey), verify: jwtVerifier([accountKey]) },
  };
}

/** The PKI does not change while the cluster runs: nothing watches its files. */
export function clusterHost(pki: ClusterPki): Host {
  const host = withFiles(systemHost({ certificateAuthorityData: pki.ca.certificatePem }), {
    [clusterFiles.accountKey]: pki.accountKeyPem,
    [clusterFiles.ca]: pki.ca.certificatePem,
    [clusterFiles.caKey]: pki.ca.keyPem,
  });
  return { ...host, files: { ...host.files, watch: () => ({ [Symbol.dispose]: () => undefined }) } };
}
