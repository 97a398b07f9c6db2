// The schedule of the legacy token cleaner, and the effect of one run on the cases of upstream's tests.

import { expect, it } from "vitest";
import { ConfigMaps, Pods, Secrets, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import { formatTime } from "#api/time.ts";
import { defaultConfig } from "#manager/options/config.ts";
import { refusal } from "#test/stage/faulty-network.ts";
import { type WireManagerOptions, WireStage } from "#test/stage/wire-stage.ts";

const DAY_MS = 24 * 3_600_000;
const SECOND = 1_000_000_000n;
const INVALID_SINCE = "kubernetes.io/legacy-token-invalid-since";
const LAST_USED = "kubernetes.io/legacy-token-last-used";
const TRACKING = "kube-apiserver-legacy-service-account-token-tracking";
const TOKEN = "token-secret-1";
const PERIOD_DAYS = 10n;

class LegacyWorld extends WireStage {
  static open(seed: string): Promise<LegacyWorld> {
    return new LegacyWorld({ controllers: ["legacy-serviceaccount-token-cleaner-controller"], seed }).opened();
  }

  start(options: WireManagerOptions = {}): Promise<void> {
    const CleanUpPeriod = PERIOD_DAYS * 86_400n * SECOND;
    this.startManager({ config: { LegacySATokenCleaner: { CleanUpPeriod } }, ...options });
    return this.pass(1000);
  }

  dateOf(daysAgo: number): string {
    return formatTime(this.world.clock.now() - daysAgo * DAY_MS).slice(0, 10);
  }

  /** Creates the tracking ConfigMap, as the API server does. */
  async track(since: string | undefined): Promise<void> {
    await this.of(ConfigMaps, "kube-system").patch(TRACKING, { data: { since: since ?? null } });
  }

  async token({ account = "builder", uid, listed = [TOKEN], labels = {}, type }: TokenOptions = {}): Promise<void> {
    const builder = { metadata: { name: "builder" }, secrets: listed.map((name) => ({ name })) };
    await this.of(ServiceAccounts).create(builder);
    const annotations = {
      "kubernetes.io/service-account.name": account,
      ...(uid === undefined ? {} : { "kubernetes.io/service-account.uid": uid }),
    };
    const metadata = { name: TOKEN, labels, annotations };
    const secret = { metadata, type: type ?? "kubernetes.io/service-account-token" };
    await this.of(Secrets).create(secret);
  }

  async outcome(): Promise<string> {
    const secret = await this.of(Secrets).find(TOKEN);
    if (secret === undefined) return "deleted";
    return secret.metadata.labels?.[INVALID_SINCE] === this.dateOf(0) ? "marked" : "kept";
  }

  looks(): number {
    return this.requests("GET").filter((target) => target.endsWith(TRACKING)).length;
  }
}

interface TokenOptions {
  readonly account?: string;
  readonly uid?: string;
  readonly listed?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly type?: string;
}

it("legacy-serviceaccount-token-cleaner/config looks once the caches are filled, then once a day", async () => {
  expect(defaultConfig.LegacySATokenCleaner.CleanUpPeriod).toBe(365n * 86_400n * SECOND);
  await using world = await LegacyWorld.open("looks");
  await world.track("2020-01-01");
  await world.start();
  expect(world.looks()).toBe(1);
  await world.pass(DAY_MS - 10_000);
  expect(world.looks()).toBe(1);
  await world.pass(20_000);
  expect(world.looks()).toBe(2);
  expect(world.series("workqueue_adds_total{")).toEqual([]);
});

it("legacy-serviceaccount-token-cleaner/config does not start with a period of none", async () => {
  const world = await LegacyWorld.open("no-period");
  const manager = world.startManager({ config: { LegacySATokenCleaner: { CleanUpPeriod: 0n } } });
  await world.pass(1000);
  await expect(manager.stop()).rejects.toThrow("invalid CleanUpPeriod: 0s");
  world.world.server.close();
});

const cases: readonly {
  readonly what: string;
  readonly since?: (world: LegacyWorld) => string | undefined;
  readonly token?: (world: LegacyWorld) => TokenOptions;
  readonly ageDays?: number;
  readonly isMounted?: boolean;
  readonly outcome: string;
}[] = [
  { what: "the date of tracking is missing", since: () => undefined, outcome: "kept" },
  { what: "uses are noted since a few days", since: (world) => world.dateOf(3), outcome: "kept" },
  { what: "the date of tracking is no date", since: () => "2022-12-27-1", outcome: "kept" },
  { what: "the Secret has another type", token: () => ({ type: "Opaque" }), outcome: "kept" },
  { what: "the account does not list it", token: () => ({ listed: [] }), outcome: "kept" },
  { what: "it is young", ageDays: 5, outcome: "kept" },
  { what: "it was used lately", token: (world) => ({ labels: { [LAST_USED]: world.dateOf(-15) } }), outcome: "kept" },
  { what: "its last use is no date", token: () => ({ labels: { [LAST_USED]: "2022-12-27-1" } }), outcome: "kept" },
  { what: "it was used long ago", token: () => ({ labels: { [LAST_USED]: "2022-12-27" } }), outcome: "marked" },
  { what: "its account does not exist", token: () => ({ account: "nobody" }), outcome: "kept" },
  { what: "its account has another UID", token: () => ({ uid: "another" }), outcome: "kept" },
  { what: "nothing notes its use", outcome: "marked" },
  { what: "its mark is no date", token: () => ({ labels: { [INVALID_SINCE]: "2022-12-29-1" } }), outcome: "marked" },
  {
    what: "it was marked lately",
    token: (world) => ({ labels: { [INVALID_SINCE]: world.dateOf(-15) } }),
    outcome: "kept",
  },
  { what: "it was marked long ago", token: () => ({ labels: { [INVALID_SINCE]: "2022-12-29" } }), outcome: "deleted" },
  {
    what: "it was marked long ago and is used since",
    token: (world) => ({ labels: { [INVALID_SINCE]: "2022-12-29", [LAST_USED]: world.dateOf(-15) } }),
    outcome: "kept",
  },
  { what: "a pod mounts it", isMounted: true, outcome: "kept" },
];

it.each(cases)(
  "legacy-serviceaccount-token-cleaner/tests a token is $outcome when $what",
  async ({ since = () => "2020-01-01", token = () => ({}), ageDays = 20, isMounted = false, outcome }) => {
    await using world = await LegacyWorld.open("cases");
    await world.token(token(world));
    if (isMounted) {
      const volumes = [{ name: "token", secret: { secretName: TOKEN } }];
      const pod = {
        metadata: { name: "user" },
        spec: { containers: [{ name: "main", image: "example/web:1" }], volumes, serviceAccountName: "builder" },
      };
      await world.of(Pods).create(pod);
    }
    await world.pass(ageDays * DAY_MS);
    await world.track(since(world));
    await world.start();
    expect(world.looks()).toBe(1);
    expect(await world.outcome()).toBe(outcome);
  },
);

it("legacy-serviceaccount-token-cleaner/tests a token is kept when nothing says since when uses are noted", async () => {
  await using world = await LegacyWorld.open("no-map");
  await world.token();
  await world.pass(20 * DAY_MS);
  await world.start({ intercept: ({ path }) => (path.endsWith(TRACKING) ? refusal(404, "NotFound") : undefined) });
  expect(world.looks()).toBe(1);
  expect(await world.outcome()).toBe("kept");
});

it("legacy-serviceaccount-token-cleaner/traps begins anew when a user takes the mark off", async () => {
  await using world = await LegacyWorld.open("anew");
  await world.track("2020-01-01");
  await world.token();
  await world.pass(20 * DAY_MS);
  const CleanUpPeriod = 2n * 86_400n * SECOND;
  await world.start({ config: { LegacySATokenCleaner: { CleanUpPeriod } } });
  expect(await world.outcome()).toBe("marked");
  await world.pass(1.5 * DAY_MS);
  await world.of(Secrets).patch(TOKEN, { metadata: { labels: { [INVALID_SINCE]: null } } });
  await world.pass(0.5 * DAY_MS);
  expect(await world.outcome()).toBe("marked");
  const marked = world.dateOf(0);
  await world.pass(2 * DAY_MS);
  expect((await world.of(Secrets).find(TOKEN))?.metadata.labels?.[INVALID_SINCE]).toBe(marked);
  await world.pass(DAY_MS);
  expect(await world.outcome()).toBe("deleted");
});
