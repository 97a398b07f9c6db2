// Faults in the clean-up of pod certificate requests, in the trust bundle of API servers, and in the signatures of
// bootstrap tokens.

import type { FaultPlan } from "./fault.ts";

const pods = "src/controllers/podcertificaterequest-cleaner";
const publisher = "src/controllers/kube-apiserver-serving-clustertrustbundle-publisher";
const signer = "src/controllers/bootstrap-signer";

export const plan: FaultPlan = {
  suites: [
    `./${publisher}`,
    `./${signer}`,
    "./test/scenarios/podcertificaterequest-cleaner",
    "./test/scenarios/kube-apiserver-serving-clustertrustbundle-publisher",
    "./test/scenarios/bootstrap-signer",
  ],
  faults: [
    {
      name: "pods' requests go after five minutes",
      file: `${pods}/expiry.ts`,
      find: "const AGE_MS_MAX = 15 * 60_000;",
      replace: "const AGE_MS_MAX = 5 * 60_000;",
      noticedBy: "deletes a request after a quarter of an hour, and not before",
    },
    {
      name: "pods' requests are looked at once an hour",
      file: `${pods}/controller.ts`,
      find: "const CHECK_PERIOD_MS = 5 * 60_000;",
      replace: "const CHECK_PERIOD_MS = 60 * 60_000;",
      noticedBy: "counts the age of each request",
    },
    {
      name: "a pod's request is deleted whoever it is",
      file: `${pods}/controller.ts`,
      find: "options: { preconditions: { uid } }",
      replace: "options: { ...(uid === undefined ? {} : {}) }",
      noticedBy: "gives a successor of the same name its own time",
    },
    {
      name: "the clean-up ends with the first request that is young",
      file: `${pods}/controller.ts`,
      find: "context.clock.now())) continue;",
      replace: "context.clock.now())) return signal.throwIfAborted();",
      noticedBy: "goes on after a request that is young",
    },
    {
      name: "a changed bundle stays",
      file: `${publisher}/sync.ts`,
      find: "bundle.spec.trustBundle !== trustBundle",
      replace: "bundle.spec.signerName !== signerName",
      noticedBy: "puts a changed one right and keeps its labels",
    },
    {
      name: "other bundles of the signer stay",
      file: `${publisher}/sync.ts`,
      find: "if (name === kept) continue;",
      replace: "if (name !== kept || name === kept) continue;",
      noticedBy: "deletes the signer's other bundles",
    },
    {
      name: "the bundles of all signers are the publisher's",
      file: `${publisher}/controller.ts`,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the text that is replaced
      find: "{ fieldSelector: `spec.signerName=${SIGNER_NAME}` }",
      replace: "{}",
      noticedBy: "keeps bundles of other signers and of none",
    },
    {
      name: "the whole hash is in the name of a bundle",
      file: `${publisher}/bundle-name.ts`,
      find: "const HASH_BYTES = 12;",
      replace: "const HASH_BYTES = 32;",
      noticedBy: "publishes the root CA at its start",
    },
    {
      name: "a token signs whatever its use",
      file: `${signer}/signatures.ts`,
      find: ' || tokenText(secret, "usage-bootstrap-signing") !== "true"',
      replace: "",
      noticedBy: "does not sign with tokens that may not sign",
    },
    {
      name: "a token signs under the name of another",
      file: `${signer}/signatures.ts`,
      find: ' || tokenText(secret, "token-id") !== id',
      replace: "",
      noticedBy: "does not sign with tokens that may not sign",
    },
    {
      name: "signatures of tokens that are gone stay",
      file: `${signer}/signatures.ts`,
      find: ".filter(([key]) => !key.startsWith(SIGNATURE_PREFIX))",
      replace: "",
      noticedBy: "drops the signature of a token that is gone",
    },
    {
      name: "the signature says nothing about the content",
      file: `${signer}/signatures.ts`,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the text that is replaced
      find: "`${header}.${base64Url(encoder.encode(content))}`",
      replace: "header",
      noticedBy: "signs nothing without a kubeconfig, then with each token",
    },
  ],
};
