import { describe, expect, it } from "vitest";
import { accountQueueKey, parseAccountKey, parseSecretKey, secretQueueKey } from "./keys.ts";

const metadata = { namespace: "n", name: "s", uid: "u1" };
const NAME = "kubernetes.io/service-account.name";
const UID = "kubernetes.io/service-account.uid";

describe("keys of accounts and secrets", () => {
  it("serviceaccount-token/1 an account is known by name and UID", () => {
    expect(parseAccountKey(accountQueueKey({ metadata }))).toEqual(metadata);
    expect(accountQueueKey({ metadata })).not.toBe(accountQueueKey({ metadata: { ...metadata, uid: "u2" } }));
  });

  it.each([
    { annotations: { [NAME]: "bot", [UID]: "u2" }, account: ["bot", "u2"] },
    { annotations: { [NAME]: "bot" }, account: ["bot", ""] },
    { annotations: undefined, account: ["", ""] },
    { annotations: { [NAME]: "bot/u2" }, account: ["bot/u2", ""] },
    { annotations: { [NAME]: "a%2Fb/c%", [UID]: "/" }, account: ["a%2Fb/c%", "/"] },
  ])("serviceaccount-token/2 a secret brings its account along: $account", ({ annotations, account }) => {
    const [accountName, accountUid] = account;
    const secret = { metadata: { ...metadata, ...(annotations === undefined ? {} : { annotations }) } };
    expect(parseSecretKey(secretQueueKey(secret))).toEqual({ ...metadata, accountName, accountUid });
  });
});
