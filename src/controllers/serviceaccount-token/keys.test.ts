import { describe, expect, it } from "vitest";
import { Secrets, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import { stored } from "#api/testing.ts";
import { accountKey, accountKeyText, secretKey, secretKeyText } from "./keys.ts";

const metadata = { namespace: "n", name: "s", uid: "u1" };
const NAME = "kubernetes.io/service-account.name";
const UID = "kubernetes.io/service-account.uid";

describe("keys of accounts and secrets", () => {
  it("serviceaccount-token/1 an account is known by name and UID", () => {
    expect(accountKey(stored(ServiceAccounts, { metadata }))).toEqual(metadata);
    expect(accountKeyText(metadata)).toBe("n/s u1");
  });

  it.each([
    { annotations: { [NAME]: "bot", [UID]: "u2" }, account: ["bot", "u2"], text: '["bot","u2"]' },
    { annotations: { [NAME]: "bot" }, account: ["bot", ""], text: '["bot",""]' },
    { annotations: undefined, account: ["", ""], text: '["",""]' },
    { annotations: { [NAME]: 'a"', [UID]: "b" }, account: ['a"', "b"], text: '["a\\"","b"]' },
  ])("serviceaccount-token/2 a secret brings its account along: $account", ({ annotations, account, text }) => {
    const [accountName, accountUid] = account;
    const secret = stored(Secrets, {
      metadata: { ...metadata, ...(annotations === undefined ? {} : { annotations }) },
    });
    const key = secretKey(secret);
    expect(key).toEqual({ ...metadata, accountName, accountUid });
    expect(secretKeyText(key)).toBe(`n/s u1 of ${text}`);
  });
});
