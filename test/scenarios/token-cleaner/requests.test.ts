// The bootstrap token cleaner with refused deletions.

import { expect, it } from "vitest";
import { Secrets } from "#api/generated/resources/core-v1.ts";
import { formatTime } from "#api/time.ts";
import { refusal } from "#test/stage/faulty-network.ts";
import { type WireManagerOptions, WireStage } from "#test/stage/wire-stage.ts";

const SYSTEM = "kube-system";

class TokenWorld extends WireStage {
  static async open(seed: string, options?: WireManagerOptions): Promise<TokenWorld> {
    const world = await new TokenWorld({ controllers: ["token-cleaner-controller"], seed }).opened();
    return await world.started(options);
  }

  async token(name: string, livesMs?: number): Promise<void> {
    const expiration = livesMs === undefined ? {} : { expiration: formatTime(this.world.clock.now() + livesMs) };
    const stringData = { "token-id": "abcdef", ...expiration };
    const secret = { metadata: { name }, type: "bootstrap.kubernetes.io/token", stringData };
    await this.of(Secrets, SYSTEM).create(secret);
  }

  hasToken(name: string): Promise<boolean> {
    return this.exists(Secrets, name, SYSTEM);
  }
}

it.each([
  [500, "InternalError"],
  [404, "NotFound"],
  [409, "Conflict"],
])(
  "token-cleaner/2 tries a deletion that is answered with %i again with the next event alone",
  async (code, reason) => {
    const state = { isRefusing: true };
    const intercept: WireManagerOptions["intercept"] = ({ method }, who) =>
      state.isRefusing && who === "token-cleaner" && method === "DELETE" ? refusal(code, reason) : undefined;
    await using world = await TokenWorld.open(`refused-${code}`, { intercept });
    await world.token("expired", -1000);
    await world.pass(600_000);
    expect(world.requests("DELETE")).toHaveLength(1);
    expect(world.retries("token_cleaner")).toBe(0);
    state.isRefusing = false;
    await world.of(Secrets, SYSTEM).patch("expired", { metadata: { labels: { touched: "yes" } } });
    await world.pass(1000);
    expect(await world.hasToken("expired")).toBe(false);
  },
);

it("token-cleaner/tests deletes what has expired and what expires, and keeps the rest", async () => {
  await using world = await TokenWorld.open("cases");
  await world.token("no-expiration");
  await world.token("expired", -3_600_000);
  await world.token("not-expired", 3_600_000);
  await world.token("expires", 2000);
  await world.pass(1000);
  const names = ["no-expiration", "expired", "not-expired", "expires"];
  const left = async (): Promise<readonly string[]> => {
    const there: string[] = [];
    for (const name of names) if (await world.hasToken(name)) there.push(name);
    return there;
  };
  expect(await left()).toEqual(["no-expiration", "not-expired", "expires"]);
  await world.pass(3000);
  expect(await left()).toEqual(["no-expiration", "not-expired"]);
  expect(world.requests("DELETE")).toHaveLength(2);
});
