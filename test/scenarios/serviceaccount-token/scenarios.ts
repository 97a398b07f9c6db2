// The token controller fills secrets that request a service account token, and deletes them with the account.

import { expect } from "vitest";
import { Secrets, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import { type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import { tokenSecret, untilFilled } from "./objects.ts";

export const scenarios: readonly Scenario[] = scenariosOf("serviceaccount-token-controller", { cast: "auth" }, [
  {
    name: "serviceaccount-token/5, serviceaccount-token/6, serviceaccount-token/7 fills a token secret",
    async play(stage) {
      const { uid } = (await stage.of(ServiceAccounts).create({ metadata: { name: "bot" } })).metadata;
      await stage.settle();
      await stage.of(Secrets).create(tokenSecret("bot-token", "bot"));
      const { metadata, data = {} } = await untilFilled(stage, "bot-token");
      expect(metadata.annotations).toMatchObject({
        "kubernetes.io/service-account.name": "bot",
        "kubernetes.io/service-account.uid": uid,
      });
      expect(atob(data.namespace ?? "")).toBe(stage.namespace);
      expect(atob(data["ca.crt"] ?? "")).toContain("BEGIN CERTIFICATE");
      const [header = "", claims = ""] = atob(data.token ?? "").split(".");
      expect(Object.keys(decoded(header))).toEqual(["alg", "kid"]);
      expect(decoded(claims)).toEqual({
        iss: "kubernetes/serviceaccount",
        "kubernetes.io/serviceaccount/namespace": stage.namespace,
        "kubernetes.io/serviceaccount/secret.name": "bot-token",
        "kubernetes.io/serviceaccount/service-account.name": "bot",
        "kubernetes.io/serviceaccount/service-account.uid": uid,
        sub: `system:serviceaccount:${stage.namespace}:bot`,
      });
    },
  },
  {
    name: "serviceaccount-token/5 restores what is missing, but never replaces a token that is there",
    async play(stage) {
      await stage.of(ServiceAccounts).create({ metadata: { name: "bot" } });
      await stage.settle();
      await stage.of(Secrets).create(tokenSecret("t", "bot"));
      const filled = await untilFilled(stage, "t");
      await stage.settle();
      const change = { token: btoa("mine"), "ca.crt": btoa("junk"), namespace: null };
      await stage.of(Secrets).patch("t", { data: change });
      const restored = await stage
        .of(Secrets)
        .until("t", ({ data }) => data?.["ca.crt"] !== btoa("junk") && data?.namespace !== undefined);
      expect(restored.data).toEqual({ ...filled.data, token: btoa("mine") });
    },
  },
  {
    name: "serviceaccount-token/1 deletes the token secrets of an account that is deleted, filled or not, and no others",
    async play(stage) {
      const secrets = stage.of(Secrets);
      const owners = { t1: "bot", t2: "bot", t3: "bot-2" };
      for (const name of ["bot", "bot-2"]) await stage.of(ServiceAccounts).create({ metadata: { name } });
      await stage.settle();
      for (const [name, owner] of Object.entries(owners)) {
        await secrets.create(tokenSecret(name, owner));
        await untilFilled(stage, name);
      }
      await secrets.create({ ...tokenSecret("plain", "bot"), type: "Opaque" });
      await stage.settle();
      await stage.of(ServiceAccounts).delete("bot");
      await secrets.untilGone("t1");
      await secrets.untilGone("t2");
      await stage.settle();
      expect((await secrets.list()).map(({ metadata }) => metadata.name)).toEqual(["plain", "t3"]);
    },
  },
  {
    name: "serviceaccount-token/1, serviceaccount-token/4 deletes the tokens of an account that was replaced by one of its name",
    async play(stage) {
      await stage.of(ServiceAccounts).create({ metadata: { name: "bot" } });
      await stage.settle();
      await stage.of(Secrets).create(tokenSecret("t", "bot"));
      await untilFilled(stage, "t");
      await stage.settle();
      await stage.of(ServiceAccounts).delete("bot");
      await stage.of(ServiceAccounts).create({ metadata: { name: "bot" } });
      await stage.of(Secrets).untilGone("t");
      expect(await stage.of(ServiceAccounts).find("bot")).toBeDefined();
    },
  },
  {
    name: "serviceaccount-token/4 deletes a token secret whose account never existed, or is another one",
    async play(stage) {
      await stage.of(ServiceAccounts).create({ metadata: { name: "bot" } });
      await stage.settle();
      await stage.of(Secrets).create(tokenSecret("nobody", "nobody"));
      await stage.of(Secrets).create(tokenSecret("other", "bot", "another-uid"));
      await stage.of(Secrets).untilGone("nobody");
      await stage.of(Secrets).untilGone("other");
    },
  },
  {
    name: "serviceaccount-token/traps fills the secrets of accounts that come in the same burst",
    chance: [
      {
        where: /reads of phase 1 › get .*serviceaccounts/,
        reason: "only an account that is not cached yet is read live",
      },
    ],
    async play(stage) {
      const names = Array.from({ length: 10 }, (_, i) => `bot-${i}`);
      for (const name of names) {
        await stage.of(ServiceAccounts).create({ metadata: { name } });
        await stage.of(Secrets).create(tokenSecret(name, name));
      }
      for (const name of names) await untilFilled(stage, name);
    },
  },
  {
    name: "serviceaccount-token/3 drops the account's reference to a secret that is gone",
    async play(stage) {
      await stage.of(ServiceAccounts).create({ metadata: { name: "bot" } });
      await stage.settle();
      await stage.of(Secrets).create(tokenSecret("t", "bot"));
      await untilFilled(stage, "t");
      await stage.of(ServiceAccounts).patch("bot", { secrets: [{ name: "t" }, { name: "kept" }] });
      await stage.settle();
      await stage.of(Secrets).delete("t");
      const kept = await stage.of(ServiceAccounts).until("bot", ({ secrets }) => secrets?.length === 1);
      expect(kept.secrets).toEqual([{ name: "kept" }]);
    },
  },
  {
    name: "serviceaccount-token/2 takes the name of an account as it is written, slashes and all",
    async play(stage) {
      const { uid } = (await stage.of(ServiceAccounts).create({ metadata: { name: "bot" } })).metadata;
      await stage.settle();
      await stage.of(Secrets).create(tokenSecret("t", `bot/${uid}`));
      await stage.of(Secrets).create(tokenSecret("good", "bot"));
      await untilFilled(stage, "good");
      await stage.settle();
      // A name with a slash cannot be requested, so the secret is neither filled nor deleted.
      expect((await stage.of(Secrets).get("t")).data).toBeUndefined();
    },
  },
  {
    name: "serviceaccount-token/8 makes no token secrets on its own, and leaves other secrets alone",
    async play(stage) {
      await stage.of(ServiceAccounts).create({ metadata: { name: "bot" } });
      await stage.of(Secrets).create({ metadata: { name: "plain" }, type: "Opaque" });
      await stage.of(Secrets).create({ ...tokenSecret("named", "bot"), type: "Opaque" });
      await stage.settle();
      expect((await stage.of(Secrets).list()).map(({ metadata, data }) => [metadata.name, data])).toEqual([
        ["named", undefined],
        ["plain", undefined],
      ]);
    },
  },
]);

function decoded(part: string): Record<string, unknown> {
  return JSON.parse(atob(part.replaceAll("-", "+").replaceAll("_", "/"))) as Record<string, unknown>;
}
