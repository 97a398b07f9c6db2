// All controllers at once: those that are off by default, those behind gates, and the one that needs a flag.

import { expect, it } from "vitest";
import { knownControllers } from "#kit/known-controllers.ts";
import { profiles } from "#test/stage/profiles.ts";
import { daemonOf, type Side, sides } from "./daemon.ts";
import { describeReal, logged, useControlPlane } from "./suite.ts";

const LIMIT_MS = 120_000;
const { gates, extraVersions } = profiles.alpha;
const gateFlag = `--feature-gates=${Object.keys(gates).map((gate) => `${gate}=true`)}`;
const versionFlag = `--runtime-config=${extraVersions.map((version) => `${version}=true`)}`;
const offByDefault = knownControllers.filter(({ isOffByDefault }) => isOffByDefault).map(({ name }) => name);
const withoutCloud = knownControllers.filter(({ isCloud }) => isCloud !== true).map(({ name }) => name);

describeReal("all controllers that need no cloud", () => {
  const plane = useControlPlane({ apiServerFlags: [gateFlag, versionFlag] });

  /** The controllers that started, and the health of all. */
  async function start(side: Side): Promise<{ readonly names: readonly string[]; readonly health: string }> {
    const program = await plane().startManager(daemonOf(side), {
      controllers: ["*", ...offByDefault],
      flags: [gateFlag, "--allocate-node-cidrs=true", "--cluster-cidr=10.244.0.0/16", "-v=1"],
    });
    await logged(program, "Controller starting...", withoutCloud.length);
    const names = [...program.log().matchAll(/Controller starting\.\.\." controller="([^"]+)"/g)].map(
      ([, n = ""]) => n,
    );
    const health = await program.page("/healthz?verbose");
    await program.stop();
    return { names: names.sort(), health: health.split("\n").sort().join("\n") };
  }

  it(
    "machinery/1.4.n1, machinery/1.5.1 start at the same time, as the Go program's",
    async () => {
      const started = new Map<Side, Awaited<ReturnType<typeof start>>>();
      for (const side of sides) started.set(side, await start(side));
      expect(started.get("ours")?.names).toHaveLength(49);
      expect(started.get("ours")).toEqual(started.get("go"));
    },
    LIMIT_MS,
  );
});
