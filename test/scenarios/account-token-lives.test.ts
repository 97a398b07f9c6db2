// Accounts and token secrets that share a name: one that took another's place before the caches showed it, one of
// another namespace, one that nobody has filled yet. On the embedded server only: the network is the scenario's.

import { afterEach, describe, expect, it } from "vitest";
import type { Secret, ServiceAccount } from "#api/generated/types/core-v1.ts";
import type { GroupVersionResource, KubeObject } from "#api/object.ts";
import type { Draft } from "#api/resource.ts";
import { newExpired, newInternalError } from "#api/status-error.ts";
import { neverAborted } from "#base/testing.ts";
import { StreamValve } from "#sim/stream-valve.ts";
import { account, accountsGvr, secretsGvr, tokenSecret, untilFilled } from "./account-objects.ts";
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
    await createObject(stage, accountsGvr, account("bot"));
    await createObject(stage, secretsGvr, tokenSecret("old", "bot"));
    await untilFilled(stage, "old");
    await replaceUnseen(accountsGvr, account("bot"), async ({ metadata }) => {
      const object = tokenSecret("new", "bot", {}, metadata?.uid);
      await stage.client.resource<Secret>(secretsGvr).create({ namespace: stage.namespace, object }, neverAborted());
    });
    await untilFilled(stage, "new");
    await untilGone(stage, secretsGvr, "old");
    await stage.pass(5_000);
    expect(await namesIn(stage, secretsGvr)).toEqual(["new"]);
  });

  it("serviceaccount-token/3 of a secret does not keep the reference to the old one", async () => {
    await open();
    await createObject(stage, accountsGvr, account("bot"));
    await createObject(stage, secretsGvr, tokenSecret("t", "bot"));
    await untilFilled(stage, "t");
    await patch(stage, accountsGvr, "bot", { secrets: [{ name: "t" }] });
    await stage.pass(100);
    await replaceUnseen(secretsGvr, tokenSecret("t", "bot"));
    await untilFilled(stage, "t");
    await untilFound<ServiceAccount>(stage, accountsGvr, "bot", ({ secrets }) => secrets === undefined);
  });
});

/** Between two watches, of which the second is refused: what happened then shows in one list. */
async function replaceUnseen<T extends KubeObject>(
  gvr: GroupVersionResource,
  object: T,
  then: (successor: T) => Promise<void> = async () => undefined,
): Promise<void> {
  network.before(`WATCH ${gvr.resource}`, async () => {
    const resource = stage.client.resource<T>(gvr);
    const { namespace } = stage;
    await resource.delete({ namespace, name: object.metadata?.name ?? "" }, neverAborted());
    await then(await resource.create({ namespace, object: object as Draft<T> }, neverAborted()));
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
        await client.resource<ServiceAccount>(accountsGvr).create({ namespace, object: account("bot") }, signal);
        await client.resource<Secret>(secretsGvr).create({ namespace, object: tokenSecret("t", "bot") }, signal);
      });
    }
    await stage.pass(60_000);
    await remove(stage, accountsGvr, "bot");
    await untilGone(stage, secretsGvr, "t");
    await stage.pass(5_000);
    const kept = await untilFound<Secret>(stage, secretsGvr, "t", undefined, "elsewhere");
    expect(kept.data).toBeUndefined();
  });

  it("serviceaccount-token/1 one secret that cannot be deleted does not spare the others", async () => {
    await open();
    await createObject(stage, accountsGvr, account("bot"));
    for (const name of ["a", "b", "c"]) {
      await createObject(stage, secretsGvr, tokenSecret(name, "bot"));
      await untilFilled(stage, name);
    }
    network.refuse(({ method, path }) => method === "DELETE" && path.endsWith("/secrets/a"), boom, 1_000);
    await remove(stage, accountsGvr, "bot");
    await untilGone(stage, secretsGvr, "b");
    await untilGone(stage, secretsGvr, "c");
    expect(await namesIn(stage, secretsGvr)).toEqual(["a"]);
  });

  it("serviceaccount-token/3 nothing is said about the reference that went with it", async () => {
    await open();
    await createObject(stage, accountsGvr, account("bot"));
    await createObject(stage, secretsGvr, tokenSecret("t", "bot"));
    await untilFilled(stage, "t");
    await patch(stage, accountsGvr, "bot", { secrets: [{ name: "t" }] });
    await stage.pass(100);
    network.before("PUT serviceaccounts", () =>
      stage.client.resource(accountsGvr).delete({ namespace: stage.namespace, name: "bot" }, neverAborted()),
    );
    await remove(stage, secretsGvr, "t");
    await stage.pass(5_000);
    expect(asked().slice(-2)).toEqual(["GET serviceaccounts/bot 200", "PUT serviceaccounts/bot 404"]);
    expect(stage.log()).not.toContain("Removing secret reference");
  });
});

it("serviceaccount-token/events asks for nothing before it knows the accounts", async () => {
  const valve = new StreamValve();
  valve.close();
  await open(valve);
  await createObject(stage, accountsGvr, account("bot"));
  await createObject(stage, secretsGvr, tokenSecret("t", "bot"));
  await stage.pass(5_000);
  expect(asked()).toEqual([]);
  valve.open();
  await untilFilled(stage, "t");
});
