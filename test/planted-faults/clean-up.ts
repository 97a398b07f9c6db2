// Faults in controllers that delete by time or by size: pods, finished jobs, bootstrap tokens; and in the TTL of nodes.

import type { FaultPlan } from "./fault.ts";

const pods = "src/controllers/pod-garbage-collector";
const storageVersions = "src/controllers/storageversion-garbage-collector";
const legacyTokens = "src/controllers/legacy-serviceaccount-token-cleaner";

export const plan: FaultPlan = {
  suites: [
    "./src/controllers/ttl",
    "./src/controllers/ttl-after-finished",
    "./test/scenarios/pod-garbage-collector",
    "./test/scenarios/ttl",
    "./test/scenarios/ttl-after-finished",
    "./test/scenarios/token-cleaner",
    "./src/controllers/legacy-serviceaccount-token-cleaner",
    "./test/scenarios/legacy-serviceaccount-token-cleaner",
    "./src/controllers/storageversion-garbage-collector",
    "./test/scenarios/storageversion-garbage-collector",
  ],
  faults: [
    {
      name: "the oldest terminated pods go before the evicted ones",
      file: `${pods}/victims.ts`,
      find: "Number(isEvicted(b)) - Number(isEvicted(a)) ||",
      replace: "",
      noticedBy: "deletes terminated pods beyond the threshold",
    },
    {
      name: "a ready node that is out of service loses its pods",
      file: `${pods}/victims.ts`,
      find: "return !isReady && (spec",
      replace: "return (spec",
      noticedBy: "leaves terminating pods of a node that is ready, or not out of service",
    },
    {
      name: "an orphaned pod keeps its phase",
      file: `${pods}/collect.ts`,
      find: 'phase: "Failed", ...observed',
      replace: "...observed",
      noticedBy: "fails, marks and deletes the pods of a node that is gone",
    },
    {
      name: "a missing node has no quarantine",
      file: `${pods}/collect.ts`,
      find: "const QUARANTINE_MS = 40_000;",
      replace: "const QUARANTINE_MS = 10;",
      noticedBy: "keeps the pods of a node that comes back within its quarantine",
    },
    {
      name: "the cache alone decides that a job has expired",
      file: "src/controllers/ttl-after-finished/sync.ts",
      find: "if (waitLonger !== undefined) return waitLonger;",
      replace: "",
      noticedBy: "waits longer when the TTL is raised meanwhile",
    },
    {
      name: "a failed job is not finished",
      file: "src/controllers/ttl-after-finished/expiry.ts",
      find: 'type === "Complete" || type === "Failed"',
      replace: 'type === "Complete"',
      noticedBy: "deletes a failed Job with a TTL of none at once",
    },
    {
      name: "a token with an unreadable expiration lives for ever",
      file: "src/controllers/token-cleaner/expiration.ts",
      find: "return 0;",
      replace: 'return "never";',
      noticedBy: "deletes a token whose expiration cannot be read",
    },
    {
      name: "a token in any namespace is deleted",
      file: "src/controllers/token-cleaner/controller.ts",
      find: ' && metadata.namespace === "kube-system"',
      replace: ' && metadata.namespace !== ""',
      noticedBy: "keeps expired Secrets of other types and in other namespaces",
    },
    {
      name: "the TTL goes back as soon as the cluster is small enough for the lower step",
      file: "src/controllers/ttl/cluster-size.ts",
      find: "{ sizeMin: 90, sizeMax: 500, ttlSeconds: 15 }",
      replace: "{ sizeMin: 101, sizeMax: 500, ttlSeconds: 15 }",
      noticedBy: "keeps fifteen seconds while the cluster shrinks to ninety Nodes",
    },
    {
      name: "an annotation that is no integer is left alone",
      file: "src/controllers/ttl/sync.ts",
      find: "return undefined;\n}\n",
      replace: "return 0;\n}\n",
      noticedBy: "restores the annotation after a user changes or removes it",
    },
    {
      name: "a token goes as soon as it is marked",
      file: `${legacyTokens}/verdict.ts`,
      find: 'return invalidSince < dateOf(beforeMs) ? "delete" : "keep";',
      replace: 'return invalidSince <= dateOf(beforeMs) ? "delete" : "keep";',
      noticedBy: "a mark of the first day of the period",
    },
    {
      name: "the period begins before the API server notes uses",
      file: `${legacyTokens}/clean-up.ts`,
      find: "return trackedSince(data?.since) <= beforeMs;",
      replace: "return trackedSince(data?.since) > 0;",
      noticedBy: "keeps tokens until their use has been noted for the period",
    },
    {
      name: "tokens that pods mount are marked",
      file: `${legacyTokens}/clean-up.ts`,
      find: "if (used.has(name)) continue;",
      replace: "",
      noticedBy: "keeps a token that a pod mounts",
    },
    {
      name: "tokens that users made are marked",
      file: `${legacyTokens}/verdict.ts`,
      find: "name === secret.metadata.name",
      replace: 'name !== ""',
      noticedBy: "keeps a token that its user made",
    },
    {
      name: "a deleted lease is not asked for",
      file: `${storageVersions}/sync.ts`,
      find: "if (await exists(name, deps, signal)) return done;",
      replace: "",
      noticedBy: "leaves the reports of a server whose lease is there again",
    },
    {
      name: "any lease is the identity of a server",
      file: `${storageVersions}/sync.ts`,
      find: '["apiserver.kubernetes.io/identity"] === "kube-apiserver"',
      replace: '["apiserver.kubernetes.io/identity"] !== "kubelet"',
      noticedBy: "takes out a server whose lease is no identity lease",
    },
    {
      name: "a storage version without servers stays",
      file: `${storageVersions}/sync.ts`,
      find: "if (left.length === 0) await",
      replace: "if (left.length < 0) await",
      noticedBy: "deletes a storage version whose last server is gone",
    },
    {
      name: "the first server alone decides the common version",
      file: `${storageVersions}/encoding-version.ts`,
      find: "const common = isAgreed ? first?.encodingVersion : undefined;",
      replace: "const common = first?.encodingVersion ?? String(isAgreed);",
      noticedBy: "is unset when they do not",
    },
  ],
};
