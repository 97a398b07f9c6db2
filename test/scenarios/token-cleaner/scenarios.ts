// Bootstrap tokens are deleted when they expire.

import { expect } from "vitest";
import { Secrets } from "#api/generated/resources/core-v1.ts";
import { formatTime } from "#api/time.ts";
import { type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";

const TOKEN = "bootstrap.kubernetes.io/token";
const SYSTEM = "kube-system";

async function createToken(
  stage: Stage,
  expiration: string | undefined,
  type = TOKEN,
  namespace = SYSTEM,
): Promise<string> {
  const name = stage.name("token");
  const stringData = { "token-id": "abcdef", ...(expiration === undefined ? {} : { expiration }) };
  await stage.of(Secrets, namespace).create({ metadata: { name }, type, stringData });
  return name;
}

export const scenarios: readonly Scenario[] = scenariosOf("token-cleaner-controller", { cast: "auth" }, [
  {
    name: "token-cleaner/1 deletes a token that has expired",
    async play(stage) {
      const name = await createToken(stage, formatTime(stage.now() - 1000));
      await stage.of(Secrets, SYSTEM).untilGone(name);
    },
  },
  {
    name: "token-cleaner/1 deletes a token when it expires, and not before",
    async play(stage) {
      const name = await createToken(stage, formatTime(stage.now() + 4000));
      await stage.settle();
      await stage.calm(async () => {
        expect(await stage.of(Secrets, SYSTEM).find(name)).toBeDefined();
      });
      await stage.of(Secrets, SYSTEM).untilGone(name);
    },
  },
  {
    name: "token-cleaner/1 deletes a token whose expiration cannot be read",
    async play(stage) {
      const name = await createToken(stage, "tomorrow");
      await stage.of(Secrets, SYSTEM).untilGone(name);
    },
  },
  {
    name: "token-cleaner/1 keeps a token without expiration",
    async play(stage) {
      const name = await createToken(stage, undefined);
      await stage.settle();
      expect(await stage.of(Secrets, SYSTEM).find(name)).toBeDefined();
      await stage.of(Secrets, SYSTEM).delete(name);
    },
  },
  {
    name: "token-cleaner/3 keeps expired Secrets of other types and in other namespaces",
    async play(stage) {
      const past = "2020-01-01T00:00:00Z";
      const opaque = await createToken(stage, past, "Opaque");
      const elsewhere = await createToken(stage, past, TOKEN, stage.namespace);
      await stage.settle();
      expect(await stage.of(Secrets, SYSTEM).find(opaque)).toBeDefined();
      expect(await stage.of(Secrets).find(elsewhere)).toBeDefined();
      await stage.of(Secrets, SYSTEM).delete(opaque);
    },
  },
  {
    name: "token-cleaner/4 follows an expiration that is changed",
    async play(stage) {
      const name = await createToken(stage, formatTime(stage.now() + 3_600_000));
      await stage.settle();
      const expiration = formatTime(stage.now() - 1000);
      await stage.of(Secrets, SYSTEM).patch(name, { stringData: { expiration } });
      await stage.of(Secrets, SYSTEM).untilGone(name);
    },
  },
]);
