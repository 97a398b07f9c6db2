// Accounts and token secrets that share a name: an object that replaced another before the caches showed it, one of
// another namespace, one that is not filled yet. On the embedded server only: the test controls the network.

import { afterEach, describe, expect, it } from "vitest";
import { Namespaces, Secrets, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import type { KubeObject } from "#api/object.ts";
import type { Draft, Resource, StoredObject } from "#api/resource.ts";
import { newExpired, newInternalError } from "#api/status-error.ts";
import { neverAborted } from "#base/testing.ts";
import { openWire, type WireOptions, type WireStage } from "#test/stage/wire-stage.ts";
import { account, tokenSecret, untilFilled } from "./account-objects.ts";

const boom = newInternalError("boom");
/** One attempt and ten retries: then the key waits for its next event. */
const TRIES = 11;

let stage: WireStage;
afterEach(() => stage.stop());

async function open(options: Partial<WireOptions> = {}): Promise<void> {
  stage = await openWire({ controllers: ["serviceaccount-token-controller"], rootCa: "CA", ...options });
}

const asked = (): string[] =>
  stage.world.log.requests
    .filter(({ who }) => who === "tokens-controller")
    .map(({ method, target, code }) => `${method} ${target.split("/").slice(5).join("/")} ${code}`);

describe("a successor that only a new list shows", () => {
  it("serviceaccount-token/1 of an account: the old one's tokens go, its own stay", async () => {
    await open();
    await stage.of(ServiceAccounts).create(account("bot"));
    await stage.of(Secrets).create(tokenSecret("old", "bot"));
    await untilFilled(stage, "old");
    await replaceUnseen(ServiceAccounts, account("bot"), async ({ metadata }) => {
      const object = tokenSecret("new", "bot", {}, metadata?.uid);
      await stage.client.resource(Secrets).create({ namespace: stage.namespace, object }, neverAborted());
    });
    await untilFilled(stage, "new");
    await stage.of(Secrets).untilGone("old");
    await stage.pass(5_000);
    expect((await stage.of(Secrets).list()).map(({ metadata }) => metadata.name)).toEqual(["new"]);
  });

  it("serviceaccount-token/3 of a secret does not keep the reference to the old one", async () => {
    await open();
    await stage.of(ServiceAccounts).create(account("bot"));
    await stage.of(Secrets).create(tokenSecret("t", "bot"));
    await untilFilled(stage, "t");
    await stage.of(ServiceAccounts).patch("bot", { secrets: [{ name: "t" }] });
    await stage.pass(100);
    await replaceUnseen(Secrets, tokenSecret("t", "bot"));
    await untilFilled(stage, "t");
    await stage.of(ServiceAccounts).until("bot", ({ secrets }) => secrets === undefined);
  });
});

/** Replaces the object between two watches. The second watch is refused, so one list shows both changes. */
async function replaceUnseen<T extends StoredObject>(
  resource: Resource<T>,
  object: Draft<T>,
  then: (successor: T) => Promise<void> = async () => undefined,
): Promise<void> {
  stage.network.before(`WATCH ${resource.resource}`, async () => {
    const api = stage.client.resource(resource);
    const { namespace } = stage;
    await api.delete({ namespace, name: (object as KubeObject).metadata?.name ?? "" }, neverAborted());
    await then(await api.create({ namespace, object }, neverAborted()));
    throw newExpired("too old");
  });
  stage.network.endWatches();
  await stage.pass(5_000);
}

describe("of a deleted account", () => {
  it("serviceaccount-token/1 the secrets that were never filled go too, but none of another namespace", async () => {
    await open();
    await stage.of(Namespaces).create({ metadata: { name: "elsewhere" } });
    stage.network.refuse("GET secrets", boom, 2 * TRIES);
    for (const namespace of [stage.namespace, "elsewhere"]) {
      await stage.of(ServiceAccounts, namespace).create(account("bot"));
      await stage.of(Secrets, namespace).create(tokenSecret("t", "bot"));
    }
    await stage.pass(60_000);
    await stage.of(ServiceAccounts).delete("bot");
    await stage.of(Secrets).untilGone("t");
    await stage.pass(5_000);
    const kept = await stage.of(Secrets, "elsewhere").until("t");
    expect(kept.data).toBeUndefined();
  });

  it("serviceaccount-token/1 one secret that cannot be deleted does not spare the others", async () => {
    await open();
    await stage.of(ServiceAccounts).create(account("bot"));
    for (const name of ["a", "b", "c"]) {
      await stage.of(Secrets).create(tokenSecret(name, "bot"));
      await untilFilled(stage, name);
    }
    stage.network.refuse(({ method, path }) => method === "DELETE" && path.endsWith("/secrets/a"), boom, 1_000);
    await stage.of(ServiceAccounts).delete("bot");
    await stage.of(Secrets).untilGone("b");
    await stage.of(Secrets).untilGone("c");
    expect((await stage.of(Secrets).list()).map(({ metadata }) => metadata.name)).toEqual(["a"]);
  });

  it("serviceaccount-token/3 nothing is said about the reference that went with it", async () => {
    await open();
    await stage.of(ServiceAccounts).create(account("bot"));
    await stage.of(Secrets).create(tokenSecret("t", "bot"));
    await untilFilled(stage, "t");
    await stage.of(ServiceAccounts).patch("bot", { secrets: [{ name: "t" }] });
    await stage.pass(100);
    stage.network.before("PUT serviceaccounts", () =>
      stage.client.resource(ServiceAccounts).delete({ namespace: stage.namespace, name: "bot" }, neverAborted()),
    );
    await stage.of(Secrets).delete("t");
    await stage.pass(5_000);
    expect(asked().slice(-2)).toEqual(["GET serviceaccounts/bot 200", "PUT serviceaccounts/bot 404"]);
    expect(stage.log()).not.toContain("Removing secret reference");
  });
});

it("serviceaccount-token/events asks for nothing before it knows the accounts", async () => {
  await open({ held: [ServiceAccounts] });
  await stage.of(ServiceAccounts).create(account("bot"));
  await stage.of(Secrets).create(tokenSecret("t", "bot"));
  await stage.pass(5_000);
  expect(asked()).toEqual([]);
  stage.release(ServiceAccounts);
  await untilFilled(stage, "t");
});
