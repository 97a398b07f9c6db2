// Accounts and token secrets that share a name: one that took another's place before the caches showed it, one of
// another namespace, one that nobody has filled yet. On the embedded server only: the network is the scenario's.

import { afterEach, describe, expect, it } from "vitest";
import { Secrets, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import type { KubeObject } from "#api/object.ts";
import type { Draft, Resource, StoredObject } from "#api/resource.ts";
import { newExpired, newInternalError } from "#api/status-error.ts";
import { neverAborted } from "#base/testing.ts";
import { StreamValve } from "#sim/stream-valve.ts";
import { account, tokenSecret, untilFilled } from "./account-objects.ts";
import { type EmbeddedStage, embeddedStage } from "./embedded-stage.ts";
import { FaultyNetwork } from "./faulty-network.ts";
import { createNamespace, createObject, namesIn, patch, remove, untilFound, untilGone } from "./steps.ts";

const boom = newInternalError("boom");
/** One try and ten more: then a key is left until its next event. */
const TRIES = 11;

let stage: EmbeddedStage;
let network: FaultyNetwork;
afterEach(() => stage.stop());

async function open(valve = new StreamValve()): Promise<void> {
  network = new FaultyNetwork();
  stage = await embeddedStage({
    controllers: ["serviceaccount-token-controller"],
    rootCa: "CA",
    network: (transport) => valve.over(network.over(transport), ({ path }) => path === "/api/v1/serviceaccounts"),
  });
}

const asked = (): string[] =>
  stage.world.log.requests
    .filter(({ who }) => who === "tokens-controller")
    .map(({ method, target, code }) => `${method} ${target.split("/").slice(5).join("/")} ${code}`);

describe("a successor that only a new list shows", () => {
  it("serviceaccount-token/1 of an account: the old one's tokens go, its own stay", async () => {
    await open();
    await createObject(stage, ServiceAccounts, account("bot"));
    await createObject(stage, Secrets, tokenSecret("old", "bot"));
    await untilFilled(stage, "old");
    await replaceUnseen(ServiceAccounts, account("bot"), async ({ metadata }) => {
      const object = tokenSecret("new", "bot", {}, metadata?.uid);
      await stage.client.resource(Secrets).create({ namespace: stage.namespace, object }, neverAborted());
    });
    await untilFilled(stage, "new");
    await untilGone(stage, Secrets, "old");
    await stage.pass(5_000);
    expect(await namesIn(stage, Secrets)).toEqual(["new"]);
  });

  it("serviceaccount-token/3 of a secret does not keep the reference to the old one", async () => {
    await open();
    await createObject(stage, ServiceAccounts, account("bot"));
    await createObject(stage, Secrets, tokenSecret("t", "bot"));
    await untilFilled(stage, "t");
    await patch(stage, ServiceAccounts, "bot", { secrets: [{ name: "t" }] });
    await stage.pass(100);
    await replaceUnseen(Secrets, tokenSecret("t", "bot"));
    await untilFilled(stage, "t");
    await untilFound(stage, ServiceAccounts, "bot", ({ secrets }) => secrets === undefined);
  });
});

/** Between two watches, of which the second is refused: what happened then shows in one list. */
async function replaceUnseen<T extends StoredObject>(
  resource: Resource<T>,
  object: Draft<T>,
  then: (successor: T) => Promise<void> = async () => undefined,
): Promise<void> {
  network.before(`WATCH ${resource.resource}`, async () => {
    const api = stage.client.resource(resource);
    const { namespace } = stage;
    await api.delete({ namespace, name: (object as KubeObject).metadata?.name ?? "" }, neverAborted());
    await then(await api.create({ namespace, object }, neverAborted()));
    throw newExpired("too old");
  });
  network.endWatches();
  await stage.pass(5_000);
}

describe("of a deleted account", () => {
  it("serviceaccount-token/1 the secrets that were never filled go too, but none of another namespace", async () => {
    await open();
    await createNamespace(stage, "elsewhere");
    network.refuse("GET secrets", boom, 2 * TRIES);
    for (const namespace of [stage.namespace, "elsewhere"]) {
      await stage.do(async (client, signal) => {
        await client.resource(ServiceAccounts).create({ namespace, object: account("bot") }, signal);
        await client.resource(Secrets).create({ namespace, object: tokenSecret("t", "bot") }, signal);
      });
    }
    await stage.pass(60_000);
    await remove(stage, ServiceAccounts, "bot");
    await untilGone(stage, Secrets, "t");
    await stage.pass(5_000);
    const kept = await untilFound(stage, Secrets, "t", undefined, "elsewhere");
    expect(kept.data).toBeUndefined();
  });

  it("serviceaccount-token/1 one secret that cannot be deleted does not spare the others", async () => {
    await open();
    await createObject(stage, ServiceAccounts, account("bot"));
    for (const name of ["a", "b", "c"]) {
      await createObject(stage, Secrets, tokenSecret(name, "bot"));
      await untilFilled(stage, name);
    }
    network.refuse(({ method, path }) => method === "DELETE" && path.endsWith("/secrets/a"), boom, 1_000);
    await remove(stage, ServiceAccounts, "bot");
    await untilGone(stage, Secrets, "b");
    await untilGone(stage, Secrets, "c");
    expect(await namesIn(stage, Secrets)).toEqual(["a"]);
  });

  it("serviceaccount-token/3 nothing is said about the reference that went with it", async () => {
    await open();
    await createObject(stage, ServiceAccounts, account("bot"));
    await createObject(stage, Secrets, tokenSecret("t", "bot"));
    await untilFilled(stage, "t");
    await patch(stage, ServiceAccounts, "bot", { secrets: [{ name: "t" }] });
    await stage.pass(100);
    network.before("PUT serviceaccounts", () =>
      stage.client.resource(ServiceAccounts).delete({ namespace: stage.namespace, name: "bot" }, neverAborted()),
    );
    await remove(stage, Secrets, "t");
    await stage.pass(5_000);
    expect(asked().slice(-2)).toEqual(["GET serviceaccounts/bot 200", "PUT serviceaccounts/bot 404"]);
    expect(stage.log()).not.toContain("Removing secret reference");
  });
});

it("serviceaccount-token/events asks for nothing before it knows the accounts", async () => {
  const valve = new StreamValve();
  valve.close();
  await open(valve);
  await createObject(stage, ServiceAccounts, account("bot"));
  await createObject(stage, Secrets, tokenSecret("t", "bot"));
  await stage.pass(5_000);
  expect(asked()).toEqual([]);
  valve.open();
  await untilFilled(stage, "t");
});
