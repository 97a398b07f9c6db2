// Generated service account tokens that are not used are marked, and later deleted. The controller checks them at its
// start and then once a day, so the plays restart the manager.

import { expect } from "vitest";
import { ConfigMaps, Pods, Secrets, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import { formatTime } from "#api/time.ts";
import { type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";

const INVALID_SINCE = "kubernetes.io/legacy-token-invalid-since";
const LAST_USED = "kubernetes.io/legacy-token-last-used";
const TRACKING = "kube-apiserver-legacy-service-account-token-tracking";
const LONG_AGO = "2020-01-01";
const IN_THE_FUTURE = "2999-01-01";

/** Sets the date since which the API server has recorded the use of tokens. */
async function trackSince(stage: Stage, since: string): Promise<void> {
  const maps = stage.of(ConfigMaps, "kube-system");
  // A real API server creates the ConfigMap when it starts.
  await stage.standIn("legacy-token-tracking", async () => {
    if ((await maps.find(TRACKING)) === undefined) await maps.create({ metadata: { name: TRACKING }, data: { since } });
  });
  await maps.patch(TRACKING, { data: { since } });
}

interface TokenOptions {
  readonly labels?: Readonly<Record<string, string>>;
  /** The tokens that the account lists; only listed tokens count as generated. */
  readonly listed?: readonly string[];
}

/** Creates a token and the service account of the same name. */
async function createToken(
  stage: Stage,
  name: string,
  { labels = {}, listed = [name] }: TokenOptions = {},
): Promise<void> {
  const secrets = listed.map((name) => ({ name }));
  await stage.of(ServiceAccounts).create({ metadata: { name }, secrets });
  const annotations = { "kubernetes.io/service-account.name": name };
  const type = "kubernetes.io/service-account-token";
  await stage.of(Secrets).create({ metadata: { name, annotations, labels }, type });
  await stage.of(Secrets).until(name, ({ data }) => data?.token !== undefined);
}

/** Starts a new manager, which checks the tokens, when they are older than the clean-up period. */
const lookAgain = (stage: Stage): Promise<void> => stage.restart(() => stage.pass(2000));

const today = (stage: Stage): string => formatTime(stage.now()).slice(0, 10);

async function markOf(stage: Stage, name: string): Promise<string | undefined> {
  return (await stage.of(Secrets).get(name)).metadata.labels?.[INVALID_SINCE];
}

const untilMarked = (stage: Stage, name: string): Promise<unknown> =>
  stage.of(Secrets).until(name, ({ metadata: { labels } }) => labels?.[INVALID_SINCE] === today(stage));

/**
 * The token controller removes a reference when it sees the deletion. Like Go's, it does not look for deletions that it
 * missed.
 */
const exceptions = [
  {
    where: /end state › ServiceAccount \{play\} marked › secrets/,
    reason: "the deletion happens while no controller of tokens watches",
  },
];

export const scenarios: readonly Scenario[] = scenariosOf(
  "legacy-serviceaccount-token-cleaner-controller",
  { cast: "auth", profile: "idle-tokens" },
  [
    {
      name: "legacy-serviceaccount-token-cleaner/6, legacy-serviceaccount-token-cleaner/7, legacy-serviceaccount-token-cleaner/8 marks generated tokens that are not used, marks those anew whose mark is no date, and deletes those that were marked before the period",
      alone: true,
      exceptions,
      async play(stage) {
        await trackSince(stage, LONG_AGO);
        await createToken(stage, "idle");
        await createToken(stage, "undated", { labels: { [INVALID_SINCE]: "long-ago" } });
        await createToken(stage, "marked", { labels: { [INVALID_SINCE]: LONG_AGO, [LAST_USED]: LONG_AGO } });
        await stage.settle();
        await lookAgain(stage);
        await untilMarked(stage, "idle");
        await untilMarked(stage, "undated");
        await stage.of(Secrets).untilGone("marked");
      },
    },
    {
      name: "legacy-serviceaccount-token-cleaner/1, legacy-serviceaccount-token-cleaner/3, legacy-serviceaccount-token-cleaner/4, legacy-serviceaccount-token-cleaner/5 keeps all tokens until their use has been noted for the period, and then those that were used lately or whose last use cannot be read, that a user made, and that a pod mounts",
      alone: true,
      exceptions,
      async play(stage) {
        await trackSince(stage, IN_THE_FUTURE);
        await createToken(stage, "marked", { labels: { [INVALID_SINCE]: LONG_AGO } });
        await createToken(stage, "used-lately", { labels: { [LAST_USED]: IN_THE_FUTURE } });
        await createToken(stage, "used-strangely", { labels: { [LAST_USED]: "today" } });
        await createToken(stage, "of-a-user", { listed: ["another"] });
        await createToken(stage, "mounted");
        const volumes = [{ name: "token", secret: { secretName: "mounted" } }];
        const containers = [{ name: "main", image: "registry.k8s.io/pause:3.10" }];
        await stage.of(Pods).create({ metadata: { name: "user" }, spec: { containers, volumes } });
        await stage.settle();
        await lookAgain(stage);
        await stage.settle();
        expect(await markOf(stage, "marked")).toBe(LONG_AGO);
        await trackSince(stage, LONG_AGO);
        await lookAgain(stage);
        await stage.of(Secrets).untilGone("marked");
        await stage.settle();
        for (const name of ["used-lately", "used-strangely", "of-a-user", "mounted"]) {
          expect([name, await markOf(stage, name)]).toEqual([name, undefined]);
        }
      },
    },
    {
      name: "legacy-serviceaccount-token-cleaner/2 keeps tokens that are younger than the period",
      profile: "default",
      alone: true,
      async play(stage) {
        await trackSince(stage, LONG_AGO);
        await createToken(stage, "idle");
        await stage.settle();
        await lookAgain(stage);
        await stage.settle();
        expect(await markOf(stage, "idle")).toBeUndefined();
      },
    },
    {
      name: "legacy-serviceaccount-token-cleaner/6, legacy-serviceaccount-token-cleaner/7 marks a token on one day and deletes it the next",
      exceptions,
      virtualOnly: "a day passes between two looks",
      async play(stage) {
        await trackSince(stage, LONG_AGO);
        await createToken(stage, "marked");
        await stage.settle();
        await stage.pass(24 * 3_600_000);
        await stage.of(Secrets).until("marked", ({ metadata: { labels } }) => labels?.[INVALID_SINCE] !== undefined);
        await stage.pass(48 * 3_600_000);
        await stage.of(Secrets).untilGone("marked");
      },
    },
  ],
);
