// What the controller of token secrets must do, as scenarios for both stages.

import { expect } from "vitest";
import { Secrets, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import { account, tokenSecret, untilFilled } from "./account-objects.ts";
import type { Scenario } from "./stage.ts";
import { createObject, namesIn, patch, remove, untilFound, untilGone } from "./steps.ts";

export const tokenScenarios: readonly Scenario[] = [
  {
    name: "serviceaccount-token/5, serviceaccount-token/6, serviceaccount-token/7 fills a token secret",
    async play(stage) {
      const { metadata } = await createObject(stage, ServiceAccounts, account("bot"));
      await createObject(stage, Secrets, tokenSecret("bot-token", "bot"));
      const filled = await untilFilled(stage, "bot-token");
      expect(filled.metadata?.annotations).toMatchObject({
        "kubernetes.io/service-account.name": "bot",
        "kubernetes.io/service-account.uid": metadata?.uid ?? "",
      });
      expect(atob(filled.data?.namespace ?? "")).toBe(stage.namespace);
      expect(atob(filled.data?.["ca.crt"] ?? "")).toContain("BEGIN CERTIFICATE");
      const [header = "", claims = ""] = atob(filled.data?.token ?? "").split(".");
      expect(Object.keys(decoded(header))).toEqual(["alg", "kid"]);
      expect(decoded(claims)).toEqual({
        iss: "kubernetes/serviceaccount",
        "kubernetes.io/serviceaccount/namespace": stage.namespace,
        "kubernetes.io/serviceaccount/secret.name": "bot-token",
        "kubernetes.io/serviceaccount/service-account.name": "bot",
        "kubernetes.io/serviceaccount/service-account.uid": metadata?.uid ?? "",
        sub: `system:serviceaccount:${stage.namespace}:bot`,
      });
    },
  },
  {
    name: "serviceaccount-token/5 restores what is missing, but never replaces a token that is there",
    async play(stage) {
      await createObject(stage, ServiceAccounts, account("bot"));
      await createObject(stage, Secrets, tokenSecret("t", "bot"));
      const filled = await untilFilled(stage, "t");
      await patch(stage, Secrets, "t", { data: { token: btoa("mine"), "ca.crt": btoa("junk"), namespace: null } });
      const restored = await untilFound(
        stage,
        Secrets,
        "t",
        ({ data }) => data?.["ca.crt"] !== btoa("junk") && data?.namespace !== undefined,
      );
      expect(restored.data).toEqual({ ...filled.data, token: btoa("mine") });
    },
  },
  {
    name: "serviceaccount-token/1 deletes the token secrets of an account that is deleted, filled or not, and no others",
    async play(stage) {
      await createObject(stage, ServiceAccounts, account("bot"));
      await createObject(stage, ServiceAccounts, account("bot-2"));
      for (const [name, owner] of [
        ["t1", "bot"],
        ["t2", "bot"],
        ["t3", "bot-2"],
      ] as const) {
        await createObject(stage, Secrets, tokenSecret(name, owner));
        await untilFilled(stage, name);
      }
      await createObject(stage, Secrets, { ...tokenSecret("plain", "bot"), type: "Opaque" });
      await remove(stage, ServiceAccounts, "bot");
      await untilGone(stage, Secrets, "t1");
      await untilGone(stage, Secrets, "t2");
      await stage.pass(300);
      expect((await namesIn(stage, Secrets)).sort()).toEqual(["plain", "t3"]);
    },
  },
  {
    name: "serviceaccount-token/1, serviceaccount-token/4 deletes the tokens of an account that was replaced by one of its name",
    async play(stage) {
      await createObject(stage, ServiceAccounts, account("bot"));
      await createObject(stage, Secrets, tokenSecret("t", "bot"));
      await untilFilled(stage, "t");
      await remove(stage, ServiceAccounts, "bot");
      await createObject(stage, ServiceAccounts, account("bot"));
      await untilGone(stage, Secrets, "t");
      expect(await namesIn(stage, ServiceAccounts)).toContain("bot");
    },
  },
  {
    name: "serviceaccount-token/4 deletes a token secret whose account never existed, or is another one",
    async play(stage) {
      await createObject(stage, ServiceAccounts, account("bot"));
      await createObject(stage, Secrets, tokenSecret("nobody", "nobody"));
      await createObject(stage, Secrets, tokenSecret("other", "bot", {}, "another-uid"));
      await untilGone(stage, Secrets, "nobody");
      await untilGone(stage, Secrets, "other");
    },
  },
  {
    name: "serviceaccount-token/traps fills the secret of an account that came in the same burst",
    async play(stage) {
      const names = Array.from({ length: 10 }, (_, i) => `bot-${i}`);
      await stage.do(async (client, signal) => {
        const namespace = stage.namespace;
        for (const name of names) {
          await client.resource(ServiceAccounts).create({ namespace, object: account(name) }, signal);
          await client.resource(Secrets).create({ namespace, object: tokenSecret(name, name) }, signal);
        }
      });
      for (const name of names) await untilFilled(stage, name);
    },
  },
  {
    name: "serviceaccount-token/3 drops the account's reference to a secret that is gone",
    async play(stage) {
      await createObject(stage, ServiceAccounts, account("bot"));
      await createObject(stage, Secrets, tokenSecret("t", "bot"));
      await untilFilled(stage, "t");
      await patch(stage, ServiceAccounts, "bot", { secrets: [{ name: "t" }, { name: "kept" }] });
      await stage.pass(100);
      await remove(stage, Secrets, "t");
      const kept = await untilFound(stage, ServiceAccounts, "bot", ({ secrets }) => secrets?.length === 1);
      expect(kept.secrets).toEqual([{ name: "kept" }]);
    },
  },
  {
    name: "serviceaccount-token/2 takes the name of an account as it is written, slashes and all",
    async play(stage) {
      const { metadata } = await createObject(stage, ServiceAccounts, account("bot"));
      await createObject(stage, Secrets, tokenSecret("t", `bot/${metadata?.uid}`));
      await createObject(stage, Secrets, tokenSecret("good", "bot"));
      await untilFilled(stage, "good");
      await stage.pass(300);
      const odd = await untilFound(stage, Secrets, "t"); // no such account can be asked for: neither filled nor deleted
      expect(odd.data).toBeUndefined();
    },
  },
  {
    name: "serviceaccount-token/8 makes no token secrets on its own, and leaves other secrets alone",
    async play(stage) {
      await createObject(stage, ServiceAccounts, account("bot"));
      await createObject(stage, Secrets, { metadata: { name: "plain" }, type: "Opaque" });
      await createObject(stage, Secrets, { ...tokenSecret("named", "bot"), type: "Opaque" });
      await stage.pass(300);
      const { items } = await stage.do((client, signal) =>
        client.resource(Secrets).list({ namespace: stage.namespace }, signal),
      );
      expect(items.map(({ metadata, data }) => [metadata?.name, data])).toEqual([
        ["named", undefined],
        ["plain", undefined],
      ]);
    },
  },
];

function decoded(part: string): Record<string, unknown> {
  return JSON.parse(atob(part.replaceAll("-", "+").replaceAll("_", "/"))) as Record<string, unknown>;
}
