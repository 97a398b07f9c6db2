// The token controller with a server that refuses requests, concurrent writers, or a signer that fails. On the embedded
// server only: the test controls the network.

import { afterEach, describe, expect, it } from "vitest";
import { Secrets, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import { newConflict, newExpired, newInternalError, newNotFound } from "#api/status-error.ts";
import { TerminalError } from "#base/errors.ts";
import type { Logger } from "#base/log.ts";
import { noLog } from "#base/log.ts";
import { neverAborted } from "#base/testing.ts";
import { serviceAccountTokenController } from "#controllers/serviceaccount-token/controller.ts";
import { type SecretKey, secretKey } from "#controllers/serviceaccount-token/keys.ts";
import { type Deps, syncSecret } from "#controllers/serviceaccount-token/sync-secret.ts";
import { createInformerFactory } from "#informers/factory.ts";
import type { ControllerContext } from "#kit/controller.ts";
import { done } from "#kit/worker-loop.ts";
import { canonicalSelection } from "#manager/controller-selection.ts";
import { defaultConfig } from "#manager/options/config.ts";
import { openWire, type WireOptions, type WireStage } from "#test/stage/wire-stage.ts";
import { account, tokenSecret, untilFilled } from "./account-objects.ts";

const TOKENS = "serviceaccount-token-controller";
const QUEUE = "serviceaccount_tokens_service";
const gr = { group: "", resource: "secrets" };
const boom = newInternalError("boom");

let stage: WireStage;
afterEach(() => stage.stop());

async function open(options: Partial<WireOptions> = {}): Promise<void> {
  stage = await openWire({ controllers: [TOKENS], rootCa: "CA", ...options });
}

const own = () => stage.world.log.requests.filter(({ who }) => who === "tokens-controller");
const asked = (): string[] =>
  own().map(({ method, target, code }) => `${method} ${target.split("/").slice(5).join("/")} ${code}`);
const retries = (): number => stage.metrics.value("workqueue_retries_total", [QUEUE]) ?? 0;
const secrets = () => stage.client.resource(Secrets);
const touch = async (): Promise<void> => {
  const change = { metadata: { labels: { touched: String(asked().length) } } };
  await secrets().patch({ namespace: stage.namespace, name: "t", type: "merge", patch: change }, neverAborted());
};
const drop = (): Promise<void> => secrets().delete({ namespace: stage.namespace, name: "t" }, neverAborted());

async function createPair(): Promise<void> {
  await stage.of(ServiceAccounts).create(account("bot"));
  await stage.pass(100);
  await stage.of(Secrets).create(tokenSecret("t", "bot"));
}

describe("filling a secret", () => {
  it("serviceaccount-token/6 waits for the event when the cache is behind", async () => {
    await open();
    stage.network.before("GET secrets", touch);
    await createPair();
    await untilFilled(stage, "t");
    expect(asked()).toEqual(["GET secrets/t 200", "GET secrets/t 200", "PUT secrets/t 200"]);
    expect(retries()).toBe(0);
  });

  it("serviceaccount-token/6 a conflict means that an event is coming", async () => {
    await open();
    stage.network.before("PUT secrets", touch);
    await createPair();
    const filled = await untilFilled(stage, "t");
    expect(asked()).toEqual(["GET secrets/t 200", "PUT secrets/t 409", "GET secrets/t 200", "PUT secrets/t 200"]);
    expect([retries(), filled.metadata?.labels?.touched]).toEqual([0, "1"]);
  });

  it.each([
    { what: "before it is read", matching: "GET secrets", does: ["GET secrets/t 404"] },
    { what: "before it is written", matching: "PUT secrets", does: ["GET secrets/t 200", "PUT secrets/t 404"] },
  ])("serviceaccount-token/6 a secret that is gone $what needs nothing", async ({ matching, does }) => {
    await open();
    stage.network.before(matching, drop);
    await createPair();
    await stage.pass(5_000);
    expect(asked().slice(0, does.length)).toEqual(does);
    expect(asked().slice(does.length)).toEqual(["GET serviceaccounts/bot 200"]); // looks for a reference to drop
    expect(retries()).toBe(0);
  });

  it.each(["GET secrets", "PUT secrets", "GET serviceaccounts"])(
    "serviceaccount-token/6 tries again when %s fails",
    async (matching) => {
      await open();
      stage.network.refuse(matching, boom, 2);
      // An account that is not in the cache is read live.
      if (matching === "GET serviceaccounts") stage.hold(ServiceAccounts);
      await createPair();
      await untilFilled(stage, "t");
      expect(asked().filter((line) => line.endsWith(" 500"))).toHaveLength(2);
      expect(retries()).toBe(2);
      stage.release(ServiceAccounts);
    },
  );

  it("serviceaccount-token/config tries ten more times, then waits for the next event", async () => {
    await open();
    stage.network.refuse("GET secrets", boom, 11);
    await createPair();
    await stage.pass(60_000);
    expect(asked()).toEqual(Array(11).fill("GET secrets/t 500"));
    await stage.do(touch);
    await untilFilled(stage, "t");
  });

  it("serviceaccount-token/config, serviceaccount-token/events, serviceaccount-token/metrics works on five secrets at a time, under one name for both queues", async () => {
    expect(defaultConfig.SAController.ConcurrentSATokenSyncs).toBe(5);
    await open();
    let isHeld = true;
    stage.network.before(
      "GET secrets",
      async () => {
        while (isHeld) await stage.world.clock.sleep(10, neverAborted());
      },
      100,
    );
    await stage.of(ServiceAccounts).create(account("bot"));
    for (let i = 0; i < 8; i++) await stage.of(Secrets).create(tokenSecret(`t${i}`, "bot"));
    await stage.pass(1_000);
    const waiting = [...stage.metrics.render().matchAll(/^workqueue_depth\{name="(\S+?)".*\} (\d+)$/gm)];
    expect(waiting.map(([, name, depth]) => [name, depth])).toEqual([[QUEUE, "3"]]);
    isHeld = false;
    for (let i = 0; i < 8; i++) await untilFilled(stage, `t${i}`);
    expect(stage.world.log.requests.filter(({ target }) => target.includes("/events"))).toEqual([]);
  });
});

describe("deleting secrets", () => {
  it.each([
    { what: "is taken for done", error: newConflict(gr, "t", "the UID differs"), times: 1, count: 0 },
    { what: "is taken for done", error: newNotFound(gr, "t"), times: 1, count: 0 },
    { what: "is tried again", error: boom, times: 3, count: 3 },
  ])("serviceaccount-token/1 a deletion that ends with $error.code $what", async ({ error, times, count }) => {
    await open();
    await createPair();
    await untilFilled(stage, "t");
    stage.network.refuse("DELETE secrets", error, times);
    await stage.of(ServiceAccounts).delete("bot");
    if (count > 0) await stage.of(Secrets).untilGone("t");
    else await stage.pass(60_000);
    expect(asked().filter((line) => line.startsWith("DELETE"))).toHaveLength(count + 1);
    expect(retries()).toBe(count);
  });

  it("serviceaccount-token/4 asks the server before it calls an account gone", async () => {
    await open();
    stage.hold(ServiceAccounts);
    await createPair();
    await untilFilled(stage, "t");
    stage.release(ServiceAccounts);
    expect(asked().slice(0, 3)).toEqual(["GET serviceaccounts/bot 200", "GET secrets/t 200", "PUT secrets/t 200"]);
  });
});

describe("dropping references", () => {
  const refer = async (): Promise<void> => {
    await createPair();
    await untilFilled(stage, "t");
    await stage.of(ServiceAccounts).patch("bot", { secrets: [{ name: "t" }] });
    await stage.pass(100);
  };
  const conflict = newConflict({ group: "", resource: "serviceaccounts" }, "bot", "it was changed");
  const puts = (): string[] => asked().filter((line) => line.startsWith("PUT serviceaccounts"));

  it("serviceaccount-token/3 tries ten times when others change the account too", async () => {
    await open();
    await refer();
    stage.network.refuse("PUT serviceaccounts", conflict, 9);
    await stage.of(Secrets).delete("t");
    await stage.of(ServiceAccounts).until("bot", (found) => found.secrets === undefined);
    expect(puts()).toHaveLength(10);
    const times = own()
      .filter(({ method, target }) => method === "PUT" && target.includes("serviceaccounts"))
      .map(({ atMs }) => atMs);
    for (const [i, atMs] of times.slice(1).entries()) {
      expect(atMs - (times[i] ?? 0)).toBeGreaterThanOrEqual(100);
      expect(atMs - (times[i] ?? 0)).toBeLessThan(201);
    }
  });

  it.each([
    { what: "ten conflicts", error: conflict, times: 10 },
    { what: "any other error", error: boom, times: 1 },
  ])("serviceaccount-token/3 leaves the reference after $what", async ({ error, times }) => {
    await open();
    await refer();
    stage.network.refuse("PUT serviceaccounts", error, times);
    await stage.of(Secrets).delete("t");
    await stage.pass(60_000);
    expect([puts().length, retries()]).toEqual([times, 0]);
    const kept = await stage.of(ServiceAccounts).until("bot");
    expect(kept.secrets).toEqual([{ name: "t" }]);
  });

  it("drops the reference too when only a new list shows that the secret is gone", async () => {
    await open();
    await refer();
    stage.network.before("WATCH secrets", async () => {
      await drop();
      throw newExpired("too old");
    });
    stage.network.endWatches();
    await stage.of(ServiceAccounts).until("bot", (found) => found.secrets === undefined);
  });
});

describe("the controller itself", () => {
  it("serviceaccount-token/watches, serviceaccount-token/writes asks for accounts and secrets with the manager's own credentials", async () => {
    await open({ useServiceAccountCredentials: true });
    await createPair();
    await untilFilled(stage, "t");
    const watched = stage.world.log.requests.filter(({ target }) => target.includes("watch="));
    expect(new Set(watched.map(({ target }) => target.split("?")[0]))).toEqual(
      new Set(["/api/v1/secrets", "/api/v1/serviceaccounts"]),
    );
    expect(own().map(({ who }) => who)).toEqual(["tokens-controller", "tokens-controller"]);
    expect(stage.world.log.requests.filter(({ target }) => target.includes("kube-system"))).toEqual([]);
  });

  it("serviceaccount-token/watches is not reminded of what does not change", async () => {
    await open();
    await createPair();
    await untilFilled(stage, "t");
    await stage.pass(60_000);
    const before = stage.metrics.value("workqueue_adds_total", [QUEUE]);
    await stage.pass(48 * 3_600_000);
    expect(stage.metrics.value("workqueue_adds_total", [QUEUE])).toBe(before);
  });

  it("serviceaccount-token/about is known by its old name, and skipped without a key", async () => {
    await open();
    expect(canonicalSelection(["serviceaccount-token"])).toEqual([TOKENS]);
    const { log, lines } = listener();
    const context = { log } as Partial<ControllerContext> as ControllerContext; // the controller reads nothing else
    expect(
      await serviceAccountTokenController.build(
        context,
        { workers: 5, rootCa: "", sign: undefined },
        new AbortController().signal,
      ),
    ).toBeUndefined();
    expect(lines).toEqual(["Controller is disabled because there is no private key"]);
  });

  it("serviceaccount-token/6, serviceaccount-token/2 what cannot be signed is not tried again, what names no account is dropped", async () => {
    await open({ controllers: [] });
    const { clock, rng } = stage.world;
    const informers = createInformerFactory({ client: stage.client, clock, rng: rng.fork("by-hand") });
    const { log, lines } = listener();
    const sign = (): string => {
      throw new Error("no entropy");
    };
    const deps: Deps = {
      clock,
      rng,
      log,
      accounts: informers.informer(ServiceAccounts),
      secrets: informers.informer(Secrets),
      accountsApi: stage.client.resource(ServiceAccounts),
      secretsApi: stage.client.resource(Secrets),
      rootCa: "",
      sign,
    };
    informers.start();
    await createPair();
    await stage.pass(1_000);
    const secret = await stage.of(Secrets).until("t");
    const sync = (key: SecretKey): Promise<unknown> =>
      stage.do((_, signal) => syncSecret(key, deps, signal)).catch((error: unknown) => error);
    const failure = await sync(secretKey(secret));
    expect(failure).toBeInstanceOf(TerminalError);
    expect(String(failure)).toContain("no entropy");
    expect(await sync(secretKey({ ...secret, metadata: { ...secret.metadata, annotations: {} } }))).toEqual(done);
    expect(lines).toEqual(["token secret names no service account: undefined"]);
    const ended = informers.shutdown();
    await stage.pass(1_000);
    await ended;
  });
});

function listener(): { log: Logger; lines: string[] } {
  const lines: string[] = [];
  const log: Logger = {
    ...noLog,
    info: (message) => void lines.push(message),
    error: (error, message) => void lines.push(`${message}: ${error}`),
    v: () => noLog,
    with: () => log,
    named: () => log,
  };
  return { log, lines };
}
