// An API server that is unreachable when the daemon starts: the daemon ends or waits as the Go program does, and does
// not flood its log.

import { expect, it } from "vitest";
import { linesPerSecond } from "#test/scenarios/log-rate.ts";
import { finalError, goDaemon, ourDaemon, runToEnd, sharedControllers } from "./daemon.ts";
import { useIdleDaemons } from "./idle-daemon.ts";
import { freePorts } from "./processes.ts";
import { describeReal } from "./suite.ts";

const WATCHED_MS = 24_000;
const LIMIT_MS = 120_000;

const combinations = [true, false].flatMap((leaderElect) =>
  ["without", "with", "with a tolerated", "with but half a"].map((lookup) => ({ leaderElect, lookup })),
);

describeReal("an unreachable API server at the start", () => {
  const daemons = useIdleDaemons("daemon-unreachable");

  it.each(combinations)(
    "with --leader-elect=$leaderElect and $lookup look-up of authentication it ends or waits as the Go program does",
    async ({ leaderElect, lookup }) => {
      const { kubeconfig } = daemons();
      const ports = await freePorts(2);
      const flags = [
        `--kubeconfig=${kubeconfig}`,
        `--controllers=${sharedControllers.join(",")}`,
        `--leader-elect=${leaderElect}`,
        "-v=2",
        ...(lookup === "without" ? [] : [`--authentication-kubeconfig=${kubeconfig}`]),
        ...(lookup === "without" || lookup === "with but half a" ? [] : [`--authorization-kubeconfig=${kubeconfig}`]),
        ...(lookup === "with a tolerated" ? ["--authentication-tolerate-lookup-failure"] : []),
      ];
      const [ours, go] = await Promise.all(
        [ourDaemon, goDaemon()].map((command, i) =>
          runToEnd(command, [...flags, `--secure-port=${ports[i]}`], WATCHED_MS),
        ),
      );
      expect([ours?.code, ours && finalError(ours)]).toEqual([go?.code, go && finalError(go)]);
      expect(linesPerSecond(ours?.stderr ?? "").filter(({ count }) => count > 1)).toEqual([]);
    },
    LIMIT_MS,
  );
});
