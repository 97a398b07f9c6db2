// An API server that cannot be reached when the program starts: what happens next depends on the flags, and is the
// same as with the Go program in the same run.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { finalError, goDaemon, ourDaemon, runToEnd, sharedControllers } from "#test/real/daemon.ts";
import { freePorts } from "#test/real/processes.ts";
import { describeReal } from "#test/real/suite.ts";
import { linesPerSecond } from "#test/scenarios/log-rate.ts";

const LIMIT_MS = 120_000;
/** Far longer than the 10 s for which the program waits for the API server: then it waits for ever. */
const PATIENCE_MS = 40_000;

describeReal("an API server that is not there at the start", () => {
  const directory = mkdtempSync(join(tmpdir(), "unreachable-"));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it.each([
    { elects: true, authenticates: true },
    { elects: true, authenticates: false },
    { elects: false, authenticates: true },
    { elects: false, authenticates: false },
  ])(
    "leader election: $elects, delegated authentication: $authenticates",
    async ({ elects, authenticates }) => {
      const [closed = 0] = await freePorts(1);
      const kubeconfig = join(directory, `kubeconfig-${elects}-${authenticates}`);
      writeFileSync(kubeconfig, JSON.stringify(config(`https://127.0.0.1:${closed}`)));
      const outcome = async (command: readonly [string, ...string[]]): Promise<object> => {
        const [port] = await freePorts(1);
        const ending = await runToEnd(
          command,
          [
            `--kubeconfig=${kubeconfig}`,
            ...(authenticates ? [`--authentication-kubeconfig=${kubeconfig}`] : []),
            `--leader-elect=${elects}`,
            `--controllers=${sharedControllers.join(",")}`,
            "--bind-address=127.0.0.1",
            `--secure-port=${port}`,
            "--v=2",
          ],
          PATIENCE_MS,
        );
        const seconds = linesPerSecond(ending.stderr);
        if (command !== goCommand) expect(seconds.filter(({ count }) => count > 1)).toEqual([]);
        return { code: ending.code, error: plain(finalError(ending)) };
      };
      const goCommand = goDaemon();
      const [go, ours] = await Promise.all([outcome(goCommand), outcome(ourDaemon)]);
      expect(ours).toEqual(go);
    },
    LIMIT_MS,
  );
});

/** What could not be asked for, without the words that Go's net library and ours have for the refusal. */
function plain(error: string): string {
  return error.replace(/get "?https:\/\/127\.0\.0\.1:\d+([^":]*)"?: .*(refused|ECONNREFUSED).*/i, "GET $1 refused");
}

function config(server: string): object {
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "test", cluster: { server } }],
    users: [{ name: "test", user: { token: "none" } }],
    contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
    "current-context": "test",
  };
}
