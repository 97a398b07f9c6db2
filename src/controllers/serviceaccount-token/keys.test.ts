import { describe, expect, it } from "vitest";
import { Secrets, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import { stored } from "#api/testing.ts";
import { accountQueueKey, parseAccountKey, parseSecretKey, secretQueueKey } from "./keys.ts";

const metadata = { namespace: "n", name: "s", uid: "u1" };
const NAME = "kubernetes.io/service-account.name";
const UID = "kubernetes.io/service-account.uid";

describe("keys of accounts and secrets", () => {
  it("serviceaccount-token/1 an account is known by name and UID", () => {
    const account = stored(ServiceAccounts, { metadata });
    const successor = stored(ServiceAccounts, { metadata: { ...metadata, uid: "u2" } });
    expect(parseAccountKey(accountQueueKey(account))).toEqual(metadata);
    expect(accountQueueKey(account)).not.toBe(accountQueueKey(successor));
  });

  it.each([
    { annotations: { [NAME]: "bot", [UID]: "u2" }, account: ["bot", "u2"] },
    { annotations: { [NAME]: "bot" }, account: ["bot", ""] },
    { annotations: undefined, account: ["", ""] },
    { annotations: { [NAME]: "bot/u2" }, account: ["bot/u2", ""] },
    { annotations: { [NAME]: "a%2Fb/c%", [UID]: "/" }, account: ["a%2Fb/c%", "/"] },
  ])("serviceaccount-token/2 a secret brings its account along: $account", ({ annotations, account }) => {
    const [accountName, accountUid] = account;
    const secret = stored(Secrets, {
      metadata: { ...metadata, ...(annotations === undefined ? {} : { annotations }) },
    });
    expect(parseSecretKey(secretQueueKey(secret))).toEqual({ ...metadata, accountName, accountUid });
  });
});
