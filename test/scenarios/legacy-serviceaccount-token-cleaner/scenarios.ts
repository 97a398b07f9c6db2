// Tokens that were generated for service accounts and that nobody uses are marked, and later deleted. The controller
// looks at them when it starts and then once a day: the plays restart the manager.

import { expect } from "vitest";
import { ConfigMaps, Pods, Secrets, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import { formatTime } from "#api/time.ts";
import { type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";

const INVALID_SINCE = "kubernetes.io/legacy-token-invalid-since";
const LAST_USED = "kubernetes.io/legacy-token-last-used";
const TRACKING = "kube-apiserver-legacy-service-account-token-tracking";
const TOKEN = "builder-token";
const LONG_AGO = "2020-01-01";
const IN_THE_FUTURE = "2999-01-01";

/** Since when the API server says it has noted the use of tokens. */
async function trackSince(stage: Stage, since: string): Promise<void> {
  const maps = stage.of(ConfigMaps, "kube-system");
  // A real API server makes the ConfigMap when it starts.
  await stage.standIn("legacy-token-tracking", async () => {
    if ((await maps.find(TRACKING)) === undefined) await maps.create({ metadata: { name: TRACKING }, data: { since } });
  });
  await maps.patch(TRACKING, { data: { since } });
}

/** A token and its service account, which lists it as those do that were generated. */
async function createToken(stage: Stage, labels: Record<string, string> = {}, listed = [TOKEN]): Promise<void> {
  const secrets = listed.map((name) => ({ name }));
  await stage.of(ServiceAccounts).create({ metadata: { name: "builder" }, secrets });
  const annotations = { "kubernetes.io/service-account.name": "builder" };
  const type = "kubernetes.io/service-account-token";
  await stage.of(Secrets).create({ metadata: { name: TOKEN, annotations, labels }, type });
  await stage.of(Secrets).until(TOKEN, ({ data }) => data?.token !== undefined);
  await stage.settle();
}

/** A new manager looks at the token when it is older than the clean-up period. */
const lookAgain = (stage: Stage): Promise<void> => stage.restart(() => stage.pass(2000));

/** The controller of tokens takes a reference out when it sees the deletion; Go's does not look for those it missed, either. */
const exceptions = [
  {
    where: /end state › ServiceAccount \{play\} builder › secrets/,
    reason: "the deletion happens while no controller of tokens watches",
  },
];

async function expectUntouched(stage: Stage): Promise<void> {
  await stage.settle();
  const { metadata } = await stage.of(Secrets).get(TOKEN);
  expect(metadata.labels?.[INVALID_SINCE]).toBeUndefined();
}

export const scenarios: readonly Scenario[] = scenariosOf(
  "legacy-serviceaccount-token-cleaner-controller",
  { cast: "auth", profile: "idle-tokens" },
  [
    {
      name: "legacy-serviceaccount-token-cleaner/6 marks a generated token that is not used, and keeps it",
      alone: true,
      async play(stage) {
        await trackSince(stage, LONG_AGO);
        await createToken(stage);
        await lookAgain(stage);
        await stage.of(Secrets).until(TOKEN, ({ metadata: { labels } }) => labels?.[INVALID_SINCE] !== undefined);
        const { metadata } = await stage.of(Secrets).get(TOKEN);
        expect(metadata.labels?.[INVALID_SINCE]).toBe(formatTime(stage.now()).slice(0, 10));
      },
    },
    {
      name: "legacy-serviceaccount-token-cleaner/7 deletes a token that was marked before the period",
      alone: true,
      exceptions,
      async play(stage) {
        await trackSince(stage, LONG_AGO);
        await createToken(stage, { [INVALID_SINCE]: LONG_AGO, [LAST_USED]: LONG_AGO });
        await lookAgain(stage);
        await stage.of(Secrets).untilGone(TOKEN);
      },
    },
    {
      name: "legacy-serviceaccount-token-cleaner/6, legacy-serviceaccount-token-cleaner/8 marks a token anew whose mark is no date",
      alone: true,
      async play(stage) {
        await trackSince(stage, LONG_AGO);
        await createToken(stage, { [INVALID_SINCE]: "long-ago" });
        await lookAgain(stage);
        const today = formatTime(stage.now()).slice(0, 10);
        await stage.of(Secrets).until(TOKEN, ({ metadata: { labels } }) => labels?.[INVALID_SINCE] === today);
      },
    },
    {
      name: "legacy-serviceaccount-token-cleaner/3 keeps a token that was used lately",
      alone: true,
      async play(stage) {
        await trackSince(stage, LONG_AGO);
        await createToken(stage, { [LAST_USED]: IN_THE_FUTURE });
        await lookAgain(stage);
        await expectUntouched(stage);
      },
    },
    {
      name: "legacy-serviceaccount-token-cleaner/3 keeps a token whose last use cannot be read",
      alone: true,
      async play(stage) {
        await trackSince(stage, LONG_AGO);
        await createToken(stage, { [LAST_USED]: "today" });
        await lookAgain(stage);
        await expectUntouched(stage);
      },
    },
    {
      name: "legacy-serviceaccount-token-cleaner/4 keeps a token that its user made",
      alone: true,
      async play(stage) {
        await trackSince(stage, LONG_AGO);
        await createToken(stage, {}, ["another"]);
        await lookAgain(stage);
        await expectUntouched(stage);
      },
    },
    {
      name: "legacy-serviceaccount-token-cleaner/5 keeps a token that a pod mounts",
      alone: true,
      async play(stage) {
        await trackSince(stage, LONG_AGO);
        await createToken(stage);
        const volumes = [{ name: "token", secret: { secretName: TOKEN } }];
        const containers = [{ name: "main", image: "registry.k8s.io/pause:3.10" }];
        await stage.of(Pods).create({ metadata: { name: "user" }, spec: { containers, volumes } });
        await lookAgain(stage);
        await expectUntouched(stage);
      },
    },
    {
      name: "legacy-serviceaccount-token-cleaner/1 keeps tokens until their use has been noted for the period",
      alone: true,
      async play(stage) {
        await trackSince(stage, IN_THE_FUTURE);
        await createToken(stage, { [INVALID_SINCE]: LONG_AGO });
        await lookAgain(stage);
        await stage.settle();
        expect((await stage.of(Secrets).get(TOKEN)).metadata.labels?.[INVALID_SINCE]).toBe(LONG_AGO);
      },
    },
    {
      name: "legacy-serviceaccount-token-cleaner/2 keeps tokens that are younger than the period",
      profile: "default",
      alone: true,
      async play(stage) {
        await trackSince(stage, LONG_AGO);
        await createToken(stage);
        await lookAgain(stage);
        await expectUntouched(stage);
      },
    },
    {
      name: "legacy-serviceaccount-token-cleaner/6, legacy-serviceaccount-token-cleaner/7 marks a token on one day and deletes it the next",
      alone: true,
      exceptions,
      virtualOnly: "a day passes between two looks",
      async play(stage) {
        await trackSince(stage, LONG_AGO);
        await createToken(stage);
        await stage.pass(24 * 3_600_000);
        await stage.of(Secrets).until(TOKEN, ({ metadata: { labels } }) => labels?.[INVALID_SINCE] !== undefined);
        await stage.pass(48 * 3_600_000);
        await stage.of(Secrets).untilGone(TOKEN);
      },
    },
  ],
);
