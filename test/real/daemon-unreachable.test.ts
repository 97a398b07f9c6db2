// An API server that cannot be reached when the daemon starts: it ends or waits as the Go program does, and does not
// flood its log meanwhile.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { type Ending, finalError, goDaemon, ourDaemon, runToEnd, sharedControllers } from "./daemon.ts";
import { freePorts } from "./processes.ts";
import { describeReal } from "./suite.ts";

const WATCHED_MS = 16_000;
const LIMIT_MS = 60_000;
const directory = mkdtempSync(join(tmpdir(), "daemon-unreachable-"));
const kubeconfig = join(directory, "kubeconfig");
writeFileSync(
  kubeconfig,
  JSON.stringify({
    clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:1" } }],
    users: [{ name: "u", user: { token: "t" } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  }),
);

const combinations = [true, false].flatMap((leaderElect) =>
  ["without", "with", "with a tolerated"].map((lookup) => ({ leaderElect, lookup })),
);

describeReal("an API server that cannot be reached at the start", () => {
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it.each(combinations)(
    "with --leader-elect=$leaderElect and $lookup look-up of authentication it ends or waits as the Go program does",
    async ({ leaderElect, lookup }) => {
      const ports = await freePorts(2);
      const flags = [
        `--kubeconfig=${kubeconfig}`,
        `--controllers=${sharedControllers.join(",")}`,
        `--leader-elect=${leaderElect}`,
        ...(lookup === "without"
          ? []
          : [`--authentication-kubeconfig=${kubeconfig}`, `--authorization-kubeconfig=${kubeconfig}`]),
        ...(lookup === "with a tolerated" ? ["--authentication-tolerate-lookup-failure"] : []),
      ];
      const [ours, go] = await Promise.all(
        [ourDaemon, goDaemon()].map((command, i) =>
          runToEnd(command, [...flags, `--secure-port=${ports[i]}`], WATCHED_MS),
        ),
      );
      expect([ours?.code, reasonOf(ours)]).toEqual([go?.code, reasonOf(go)]);
      expect(busiestSecond(ours?.stderr ?? "")).toBeLessThanOrEqual(1);
    },
    LIMIT_MS,
  );
});

/** What went wrong, without the network's own words. */
function reasonOf(ending: Ending | undefined): string {
  return ending === undefined ? "" : (finalError(ending).split(": ")[0] ?? "");
}

/** The most lines that one cause wrote in one second, the first one of the start aside. */
function busiestSecond(log: string): number {
  const counts = new Map<string, number>();
  for (const [, second = "", cause = ""] of log.matchAll(
    /^[IE]\d{4} (\d\d:\d\d:\d\d)\.\d+ +\d+ \S+\] "([^"]*)".*err=/gm,
  )) {
    const key = `${second} ${cause}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return Math.max(0, ...counts.values());
}
