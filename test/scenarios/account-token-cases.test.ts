// Every kind of event about accounts and token secrets, and all requests of the token controller that it causes.
// Upstream: pkg/controller/serviceaccount/tokens_controller_test.go, whose cases these are.

import { afterEach, describe, expect, it } from "vitest";
import { Secrets, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import type { Secret, ServiceAccount } from "#api/generated/types/core-v1.ts";
import { newConflict, newExpired } from "#api/status-error.ts";
import { neverAborted } from "#base/testing.ts";
import { openWire, type WireStage } from "#test/stage/wire-stage.ts";
import { account, tokenSecret } from "./account-objects.ts";

const CA = "CA Data";
const TOKENS = "serviceaccount-token-controller";
const full = { token: btoa("ABC"), "ca.crt": btoa(CA), namespace: btoa("scenario") };
type Data = Partial<Record<keyof typeof full, string | null>>;

let stage: WireStage;
afterEach(() => stage.stop());

async function open(): Promise<void> {
  stage = await openWire({ controllers: [TOKENS], rootCa: CA });
}

/** The requests of the controller itself: "PUT secrets/t". */
const asked = (): string[] =>
  stage.world.log.requests
    .filter(({ who }) => who === "tokens-controller")
    .map(({ method, target }) => `${method} ${target.split("/").slice(5).join("/")}`);

const references: Readonly<Record<string, ServiceAccount["secrets"]>> = {
  "no secrets": [],
  "a secret that is missing": [{ name: "missing" }],
  "a secret of another type": [{ name: "plain" }],
  "a token secret": [{ name: "t" }],
};

/** Creates an account with references, and a secret of another type. */
async function createAccount(secrets: ServiceAccount["secrets"] = []): Promise<ServiceAccount> {
  await stage.of(Secrets).create({ metadata: { name: "plain" }, type: "Opaque" });
  return stage.of(ServiceAccounts).create(account("bot", { secrets }));
}

const createToken = (owner: ServiceAccount, data: Data = {}): Promise<Secret> => {
  const all = Object.entries({ ...full, ...data }).filter((entry): entry is [string, string] => entry[1] !== null);
  return stage.of(Secrets).create(tokenSecret("t", "bot", { data: Object.fromEntries(all) }, owner.metadata?.uid));
};

describe("serviceaccount-token/tests accounts", () => {
  for (const [what, secrets] of Object.entries(references)) {
    it(`serviceaccount-token/tests a new or changed account with ${what} is left alone`, async () => {
      await open();
      const owner = await createAccount(secrets);
      if (what === "a token secret") await createToken(owner);
      await stage.of(ServiceAccounts).patch("bot", { metadata: { labels: { a: "b" } } });
      await stage.pass(5_000);
      expect(asked()).toEqual([]);
    });

    it(`serviceaccount-token/tests, serviceaccount-token/1 of a deleted account with ${what} the tokens go`, async () => {
      await open();
      const owner = await createAccount(secrets);
      const token = what === "a token secret" ? await createToken(owner) : undefined;
      await stage.pass(100);
      await stage.of(ServiceAccounts).delete("bot");
      await stage.pass(5_000);
      expect(asked()).toEqual(token === undefined ? [] : ["DELETE secrets/t"]);
      const bodies = stage.world.log.writes.filter(({ who }) => who === "tokens-controller").map(({ body }) => body);
      if (token !== undefined) expect(bodies).toMatchObject([{ preconditions: { uid: token.metadata?.uid } }]);
    });
  }

  it("serviceaccount-token/tests, serviceaccount-token/watches the tokens go too when only a new list shows that the account is gone", async () => {
    await open();
    await createToken(await createAccount());
    await stage.pass(100);
    stage.network.before("WATCH serviceaccounts", async () => {
      await stage.client.resource(ServiceAccounts).delete({ namespace: stage.namespace, name: "bot" }, neverAborted());
      throw newExpired("too old");
    });
    stage.network.endWatches();
    await stage.pass(5_000);
    expect(asked()).toEqual(["DELETE secrets/t"]);
  });
});

const FILL = ["GET secrets/t", "PUT secrets/t"];
const contents: readonly { what: string; data: Data; does: readonly string[]; becomes?: Data }[] = [
  { what: "everything", data: {}, does: [] },
  { what: "no token", data: { token: null }, does: FILL },
  { what: "no CA", data: { "ca.crt": null }, does: FILL },
  { what: "another CA", data: { "ca.crt": btoa("mismatched") }, does: FILL },
  { what: "no namespace", data: { namespace: null }, does: FILL },
  { what: "another namespace", data: { namespace: btoa("custom") }, does: [], becomes: { namespace: btoa("custom") } },
];

describe("serviceaccount-token/tests secrets", () => {
  for (const { what, data, does, becomes = {} } of contents) {
    const outcome = async (): Promise<void> => {
      await stage.pass(5_000);
      expect(asked()).toEqual([...does]);
      const filled = await stage.of(Secrets).get("t");
      const { token, ...rest } = filled.data ?? {};
      expect(data.token === null ? atob(token ?? "").split(".").length : token).toEqual(
        data.token === null ? 3 : full.token,
      );
      expect({ token: full.token, ...rest }).toEqual({ ...full, ...becomes } as typeof full);
    };

    it(`serviceaccount-token/tests, serviceaccount-token/reads-live, serviceaccount-token/writes a new secret with ${what}`, async () => {
      await open();
      const owner = await createAccount([{ name: "t" }]);
      await stage.pass(100);
      await createToken(owner, data);
      await outcome();
    });

    it(`serviceaccount-token/tests a changed secret with ${what}`, async () => {
      await open();
      await createToken(await createAccount([{ name: "t" }]));
      await stage.pass(100);
      await stage.of(Secrets).patch("t", { metadata: { labels: { a: "b" } }, data });
      await outcome();
    });
  }

  it("serviceaccount-token/tests, serviceaccount-token/4, serviceaccount-token/reads-live a new secret without an account", async () => {
    await open();
    const { metadata } = await createToken({ metadata: { uid: "12345" } });
    await stage.pass(5_000);
    expect(asked()).toEqual(["GET serviceaccounts/bot", "DELETE secrets/t"]);
    expect(stage.world.log.writes.at(-1)?.body).toMatchObject({ preconditions: { uid: metadata?.uid } });
  });

  it("serviceaccount-token/tests, serviceaccount-token/4 a changed secret without an account", async () => {
    await openWithoutAccount();
    await stage.of(Secrets).patch("t", { metadata: { labels: { a: "b" } } });
    await stage.pass(5_000);
    expect(asked()).toEqual(["DELETE secrets/t", "GET serviceaccounts/bot", "DELETE secrets/t"]);
  });

  it("serviceaccount-token/tests a deleted secret without an account", async () => {
    await openWithoutAccount();
    await stage.of(Secrets).delete("t");
    await stage.pass(5_000);
    expect(asked()).toEqual(["DELETE secrets/t"]);
  });

  it.each([
    {
      what: "with a reference",
      secrets: [{ name: "t" }],
      does: ["GET serviceaccounts/bot", "PUT serviceaccounts/bot"],
    },
    { what: "without a reference", secrets: [], does: ["GET serviceaccounts/bot"] },
  ])(
    "serviceaccount-token/tests, serviceaccount-token/3, serviceaccount-token/reads-live a deleted secret of an account $what",
    async ({ secrets, does }) => {
      await open();
      await createToken(await createAccount(secrets));
      await stage.pass(100);
      await stage.of(Secrets).delete("t");
      await stage.pass(5_000);
      expect(asked()).toEqual(does);
      const owner = await stage.of(ServiceAccounts).get("bot");
      expect(owner.secrets ?? []).toEqual([]);
    },
  );
});

/** The account is gone and the secret exists: its deletion met a conflict, which counts as done. */
async function openWithoutAccount(): Promise<void> {
  await open();
  await createToken(await createAccount());
  await stage.pass(100);
  stage.network.refuse("DELETE secrets", newConflict({ group: "", resource: "secrets" }, "t", "the UID differs"));
  await stage.of(ServiceAccounts).delete("bot");
  await stage.pass(5_000);
  expect(asked()).toEqual(["DELETE secrets/t"]);
}
