// Faults in the controllers of certificate signing requests: approval, signing and clean-up.

import type { FaultPlan } from "./fault.ts";

const cleaner = "src/controllers/certificatesigningrequest-cleaner";
const approving = "src/controllers/certificatesigningrequest-approving";
const signing = "src/controllers/certificatesigningrequest-signing";
const family = "src/families/certificates";

export const plan: FaultPlan = {
  suites: [
    `./${cleaner}`,
    `./${signing}`,
    "./src/platform/certificates/signing-pair.test.ts",
    "./test/scenarios/certificatesigningrequest-cleaner",
    "./test/scenarios/certificatesigningrequest-approving",
    "./test/scenarios/certificatesigningrequest-signing",
  ],
  faults: [
    {
      name: "a denied request is kept for a day",
      file: `${cleaner}/expiry.ts`,
      find: 'isOld("Denied", DECIDED_MS_MAX)',
      replace: 'isOld("Denied", PENDING_MS_MAX)',
      noticedBy: "deletes a request an hour after it was denied",
    },
    {
      name: "a pending request is as old as its last decision",
      file: `${cleaner}/expiry.ts`,
      find: "conditions.length === 0 && isOlder",
      replace: "isOlder",
      noticedBy: "made 25 hours ago, with another condition",
    },
    {
      name: "an approved request that nobody signs stays for ever",
      file: `${cleaner}/expiry.ts`,
      find: '!isIssued && isOld("Approved", PENDING_MS_MAX)',
      replace: "false",
      noticedBy: "keeps an approved request that nobody signs for a day",
    },
    {
      name: "the cleaner looks once a day",
      file: `${cleaner}/controller.ts`,
      find: "const CHECK_PERIOD_MS = 3_600_000;",
      replace: "const CHECK_PERIOD_MS = 24 * 3_600_000;",
      noticedBy: "deletes a request an hour after its signer refused it",
    },
    {
      name: "any user's request is a node's own",
      file: `${approving}/recognizers.ts`,
      find: '(spec.username ?? "") === request.subject.commonName',
      replace: "true",
      noticedBy: "approves the request of a bootstrapping user",
    },
    {
      name: "a node's own request is tried as such alone",
      file: `${approving}/recognizers.ts`,
      find: "[selfNodeClient, nodeClient] : [nodeClient]",
      replace: "[selfNodeClient] : [nodeClient]",
      noticedBy: "tries a node's own request as anybody's",
    },
    {
      name: "a request that was not allowed is given up",
      file: `${approving}/sync.ts`,
      find: "return backOff(",
      replace: "return done; backOff(",
      noticedBy: "approves a request after its user was allowed to have it",
    },
    {
      name: "a denied request is approved",
      file: `${approving}/sync.ts`,
      find: "if (isDecided(request)) return done;",
      replace: "",
      noticedBy: "leaves a denied request alone",
    },
    {
      name: "a denied request is signed",
      file: `${family}/decisions.ts`,
      find: 'has(request, "Approved") && !has(request, "Denied")',
      replace: 'has(request, "Approved") || has(request, "Denied")',
      noticedBy: "signs no denied request",
    },
    {
      name: "a signer signs the requests of others",
      file: `${signing}/sync.ts`,
      find: " || spec.signerName !== deps.signer.name",
      replace: "",
      noticedBy: "leaves requests of other signers alone",
    },
    {
      name: "a kubelet serves without a name",
      file: `${family}/kubelet-requests.ts`,
      find: 'if (dnsNames.length + ipAddresses.length === 0) return "DNS or IP subjectAltName is required";',
      replace: "",
      noticedBy: "refuses serving certificates that are not a kubelet's",
    },
    {
      name: "a client certificate may be a server's, too",
      file: `${signing}/signers.ts`,
      find: '["digital signature", "key encipherment", "client auth"]',
      replace: '["digital signature", "key encipherment", "client auth", "server auth"]',
      noticedBy: "refuses client certificates with other usages",
    },
    {
      name: "a refused request is tried for ever",
      file: `${family}/decisions.ts`,
      find: 'condition.type === "Failed" && ',
      replace: 'condition.type === "Other" && ',
      noticedBy: "does not try a refused request again",
    },
    {
      name: "certificates outlive their CA",
      file: `${signing}/validity.ts`,
      find: "Math.min(notAfter, caNotAfter)",
      replace: "notAfter",
      noticedBy: "signs for no longer than the CA lives",
    },
    {
      name: "short certificates lose five minutes at their end",
      file: `${signing}/validity.ts`,
      find: "ttlMs < SHORT_MS ? now + ttlMs : now",
      replace: "now",
      noticedBy: "signs for as long as a request asks",
    },
    {
      name: "a new pair of files is read and not used",
      file: `${signing}/signing-pair.ts`,
      find: "if (this.#authority?.of !== pair) {",
      replace: "if (this.#authority === undefined) {",
      noticedBy: "a new pair signs as soon as both files have changed",
    },
  ],
};
