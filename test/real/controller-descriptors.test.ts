// The 52 controllers of the program and of the Go program: names, aliases, gates, identities, which are on by default
// and which are cloud loops. Other rows cover their behaviour.

import { expect, it } from "vitest";
import { type KnownController, knownControllers } from "#kit/known-controllers.ts";
import { goDaemon, ourDaemon, runToEnd, sharedControllers } from "./daemon.ts";
import { useIdleDaemons } from "./idle-daemon.ts";
import { describeReal, eventually, logged, useControlPlane } from "./suite.ts";

const LIMIT_MS = 120_000;
const offByDefault = knownControllers.filter(({ isOffByDefault }) => isOffByDefault).map(({ name }) => name);
const everything = ["*", ...offByDefault];

/** Built from the root client, so it has no service account. */
const TOKEN_CONTROLLER = "serviceaccount-token-controller";

describeReal("the known controllers", () => {
  const plane = useControlPlane();
  const daemons = useIdleDaemons("controller-descriptors");

  it("machinery/1.4.n1, machinery/1.4.r1..r52 have the Go program's names, and the same controllers off by default", async () => {
    const { stdout } = await runToEnd(goDaemon(), ["--help"]);
    const listed = (title: string): string[] =>
      new RegExp(`${title} controllers: (.*?)(?: \\(default|$)`, "m").exec(stdout)?.[1]?.split(", ") ?? [];
    const names = knownControllers.map(({ name }) => name);
    expect(names.toSorted()).toEqual(listed("All"));
    expect(offByDefault.toSorted()).toEqual(listed("Disabled-by-default"));
    expect(names).toHaveLength(52);
    const aliases = knownControllers.flatMap((controller) => controller.aliases);
    expect(new Set([...names, ...aliases]).size).toBe(names.length + aliases.length);
  });

  it(
    "machinery/1.4.n1, machinery/1.4.r1..r52 have the Go program's aliases",
    async () => {
      const aliases = knownControllers.flatMap((controller) => controller.aliases);
      const flags = [`--controllers=${aliases.map((alias) => `-${alias}`).join(",")}`];
      const wanted = knownControllers.flatMap(({ name, aliases: own }) => own.map(() => `-${name}`));
      for (const command of [goDaemon(), ourDaemon]) {
        const { page, kill } = await daemons().start(flags, { command });
        expect(controllersIn(await page("/configz")).slice(sharedControllers.length)).toEqual(wanted);
        await kill();
      }
      // An alias that only the Go program knows would be refused here.
      const others = knownControllers.filter((controller) => controller.aliases.length === 0);
      for (const { name } of others) {
        const bare = name.replace(/-controller$/, "");
        const { code, stderr } = await runToEnd(goDaemon(), [`--controllers=${bare}`, "--secure-port=0"]);
        expect([bare, code, stderr.includes("is not in the list of known controllers")]).toEqual([bare, 1, true]);
      }
    },
    LIMIT_MS,
  );

  it(
    "machinery/1.4.n1, machinery/1.4.r1..r52 need the Go program's gates, and three a cloud",
    async () => {
      const gated = knownControllers.filter(({ featureGates }) => featureGates.length > 0);
      const off =
        "--feature-gates=AllAlpha=false,AllBeta=false,MultiCIDRServiceAllocator=false,SELinuxChangePolicy=false";
      const program = await plane().startManager(goDaemon(), {
        controllers: everything,
        flags: ["--emulated-version=1.33", off],
      });
      // The last line of the start: by then each disabled controller has logged its reason.
      await logged(program, "Garbage collector");
      const log = program.log();
      await program.stop("SIGKILL");
      const needs = new Map(
        [...log.matchAll(/disabled by a feature gate" controller="([^"]+)" requiredFeatureGates=(\[.*\])/g)].map(
          ([, name = "", gates = ""]) => [name, JSON.parse(gates) as readonly string[]],
        ),
      );
      expect(new Map([...needs].sort())).toEqual(
        new Map(gated.map(({ name, featureGates }) => [name, featureGates] as const).sort()),
      );
      const clouds = [...log.matchAll(/Skipping a cloud provider controller" controller="([^"]+)"/g)].map(([, n]) => n);
      expect(clouds.sort()).toEqual(namesOf(({ isCloud }) => isCloud === true));
    },
    LIMIT_MS,
  );

  it(
    "machinery/1.4.n1, machinery/1.4.r1..r52 act as the Go program's accounts",
    async () => {
      const mark = plane().audit.mark();
      const program = await plane().startManager(goDaemon(), {
        controllers: everything,
        flags: ["--allocate-node-cidrs=true", "--feature-gates=AllAlpha=true,AllBeta=true"],
      });
      const wanted = new Set(
        knownControllers.filter(({ name, isCloud }) => !isCloud && name !== TOKEN_CONTROLLER).map((c) => c.identity),
      );
      const accounts = (): Set<string> =>
        new Set(
          plane()
            .audit.since(mark)
            .filter(({ user }) => user.username === "system:kube-controller-manager")
            .filter(({ objectRef }) => objectRef?.resource === "serviceaccounts" && !objectRef.subresource)
            .flatMap(({ objectRef }) => (objectRef?.namespace === "kube-system" ? (objectRef.name ?? []) : [])),
        );
      await eventually(() => (accounts().size >= wanted.size ? true : undefined));
      await program.stop("SIGKILL");
      expect([...accounts()].sort()).toEqual([...wanted].sort());
    },
    LIMIT_MS,
  );
});

function namesOf(isMeant: (controller: KnownController) => boolean): string[] {
  return knownControllers
    .filter(isMeant)
    .map(({ name }) => name)
    .sort();
}

function controllersIn(configz: string): readonly string[] {
  const { "kubecontrollermanager.config.k8s.io": config } = JSON.parse(configz) as {
    "kubecontrollermanager.config.k8s.io": { Generic: { Controllers: readonly string[] } };
  };
  return config.Generic.Controllers;
}
