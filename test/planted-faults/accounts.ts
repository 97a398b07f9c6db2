// Faults in the controllers of service accounts, their tokens and the root CA. Each would harm a user or cause useless
// requests; the scenarios and unit tests must notice all of them.

import type { FaultPlan } from "./fault.ts";

const accounts = "src/controllers/serviceaccount";
const tokens = "src/controllers/serviceaccount-token";
const publisher = "src/controllers/root-ca-certificate-publisher";

export const plan: FaultPlan = {
  suites: [
    `./${tokens}`,
    `./${publisher}`,
    "./test/scenarios/serviceaccount/scenarios.test.ts",
    "./test/scenarios/serviceaccount-token/scenarios.test.ts",
    "./test/scenarios/root-ca-certificate-publisher/scenarios.test.ts",
    "./test/scenarios/account-faults.test.ts",
    "./test/scenarios/account-token-cases.test.ts",
    "./test/scenarios/account-token-faults.test.ts",
    "./test/scenarios/account-token-lives.test.ts",
  ],
  faults: [
    {
      name: "a namespace that is being deleted is to have an account",
      file: `${accounts}/sync.ts`,
      find: 'lister.get(namespace)?.status?.phase !== "Active") return done;',
      replace: "lister.get(namespace) === undefined) return done;",
      noticedBy: "asks for nothing where it knows that the namespace is being deleted",
    },
    {
      name: "every refusal counts as the end of the namespace",
      file: `${accounts}/sync.ts`,
      find: "isAlreadyExists, isNamespaceTerminating);",
      replace: "isAlreadyExists, (error) => (error as { code?: number }).code === 403);",
      noticedBy: "tries again after a refusal that is not about the namespace's end",
    },
    {
      name: "an account that somebody else made is asked for again and again",
      file: `${accounts}/sync.ts`,
      find: "tolerate(created, isAlreadyExists, ",
      replace: "tolerate(created, ",
      noticedBy: "takes an account that is there already for its own",
    },
    {
      name: "new accounts wake the controller, deleted ones do not",
      file: `${accounts}/controller.ts`,
      find: 'on: ["delete"]',
      replace: 'on: ["add"]',
      noticedBy: "makes the default account again when it is deleted, and no other",
    },
    {
      name: "accounts are missed before they are known",
      file: "src/kit/controller-parts.ts",
      find: "    this.#waitFor.push(cache);",
      replace: "    if (this.#waitFor.length === 0) this.#waitFor.push(cache);",
      noticedBy: "waits for its accounts before it misses any",
    },
    {
      name: "an account that is not in the cache counts as gone",
      file: `${tokens}/sync-secret.ts`,
      find: "cachedAccount(key, deps) ?? (await liveAccount(key, deps, signal));",
      replace: "cachedAccount(key, deps);",
      noticedBy: "asks the server before it calls an account gone",
    },
    {
      name: "an account of the name is the account, whatever its UID",
      file: `${tokens}/sync-secret.ts`,
      find: 'return key.accountUid === "" || key.accountUid === account.metadata.uid;',
      replace: "return account.metadata.uid !== key.uid;",
      noticedBy: "deletes a token secret whose account never existed, or is another one",
    },
    {
      name: "an account is not gone while another has its name",
      file: `${tokens}/sync-account.ts`,
      find: "if (cached?.metadata.uid === account.uid) return done;",
      replace: "if (cached !== undefined) return done;",
      noticedBy: "of an account: the old one's tokens go, its own stay",
    },
    {
      name: "with an account go the tokens of its successor",
      file: `${tokens}/sync-account.ts`,
      find: ' && (uid === "" || uid === account.uid)',
      replace: "",
      noticedBy: "of an account: the old one's tokens go, its own stay",
    },
    {
      name: "with an account go only the secrets that were filled",
      file: `${tokens}/sync-account.ts`,
      find: '(uid === "" || uid === account.uid)',
      replace: "uid === account.uid",
      noticedBy: "the secrets that were never filled go too, but none of another namespace",
    },
    {
      name: "with an account go the secrets of its namesakes in other namespaces",
      file: `${tokens}/sync-account.ts`,
      find: "list(undefined, account.namespace)",
      replace: "list()",
      noticedBy: "the secrets that were never filled go too, but none of another namespace",
    },
    {
      name: "one secret that cannot be deleted spares those behind it",
      file: `${tokens}/sync-account.ts`,
      find: "errors.push(error);\n",
      replace: "errors.push(error);\n      break;\n",
      noticedBy: "one secret that cannot be deleted does not spare the others",
    },
    {
      name: "a secret is deleted whichever life it is in",
      file: `${tokens}/sync-secret.ts`,
      find: "options: { preconditions: { uid } }",
      replace: "options: uid ? {} : {}",
      noticedBy: "of a deleted account with a token secret the tokens go",
    },
    {
      name: "a secret that is newer than the cache is filled all the same",
      file: `${tokens}/sync-secret.ts`,
      find: "if (live.metadata.resourceVersion !== resourceVersion) return;",
      replace: 'if (resourceVersion === "") return;',
      noticedBy: "waits for the event when the cache is behind",
    },
    {
      name: "a deleted secret is mistaken for its successor",
      file: `${tokens}/sync-secret.ts`,
      find: "if (secret?.metadata.uid !== key.uid) {",
      replace: "if (secret === undefined) {",
      noticedBy: "of a secret does not keep the reference to the old one",
    },
    {
      name: "a reference is insisted on, whatever the error",
      file: `${tokens}/sync-secret.ts`,
      find: "removeReferenceBackoff, isConflict,",
      replace: "removeReferenceBackoff, () => true,",
      noticedBy: "leaves the reference after any other error",
    },
    {
      name: "secrets of any type are filled",
      file: `${tokens}/controller.ts`,
      find: "when: ({ type }) => type === TOKEN_SECRET_TYPE,",
      replace: "",
      noticedBy: "makes no token secrets on its own, and leaves other secrets alone",
    },
    {
      name: "a secret that cannot be filled is tried for ever",
      file: `${tokens}/controller.ts`,
      find: ", retriesMax: RETRIES_MAX }",
      replace: " }",
      noticedBy: "tries ten more times, then waits for the next event",
    },
    {
      name: "every ConfigMap wakes the publisher",
      file: `${publisher}/controller.ts`,
      find: "(metadata.name === CONFIG_MAP_NAME ? metadata.namespace : undefined)",
      replace: "metadata.namespace",
      noticedBy: "is not woken by ConfigMaps of other names",
    },
    {
      name: "a namespace that is being deleted wakes the publisher",
      file: `${publisher}/controller.ts`,
      find: 'old === undefined || status?.phase === "Active"',
      replace: "true",
      noticedBy: "asks once in a namespace that is gone",
    },
    {
      name: "a ConfigMap that somebody else made is taken for the bundle",
      file: `${publisher}/sync.ts`,
      find: "tolerate(created, isNotFound, ",
      replace: "tolerate(created, isNotFound, (error) => (error as { code?: number }).code === 409, ",
      noticedBy: "tries again when the ConfigMap is there and not in its cache",
    },
    {
      name: "a conflict is counted and forgotten",
      file: "src/families/publishing/sync-metrics.ts",
      find: "    throw error;\n  } finally {",
      replace: '    if (code !== "409") throw error;\n    return { kind: "done" } as T;\n  } finally {',
      noticedBy: "starts again from its cache after a conflict",
    },
  ],
};
