// The kinds of certificates.k8s.io, validated with real cryptography.

import { certificateSigningRequest } from "#kinds/certificates/certificate-signing-request.ts";
import { clusterTrustBundle } from "#kinds/certificates/cluster-trust-bundle.ts";
import { podCertificateRequest } from "#kinds/certificates/pod-certificate-request.ts";
import { judgeStrategy } from "#kinds/strategy.contract.ts";
import requests from "#test/vectors/validation/certificatesigningrequests.certificates.k8s.io.json" with {
  type: "json",
};
import bundles from "#test/vectors/validation/clustertrustbundles.certificates.k8s.io.json" with { type: "json" };
import podRequests from "#test/vectors/validation/podcertificaterequests.certificates.k8s.io.json" with {
  type: "json",
};
import { keyReader } from "./key-reader.ts";

judgeStrategy(certificateSigningRequest, requests, keyReader);
judgeStrategy(clusterTrustBundle, bundles, keyReader);
judgeStrategy(podCertificateRequest, podRequests, keyReader);
