// Helm and Python's official client on `steersman up`: they install, list, watch, upgrade, roll back and delete a chart
// with hooks. Python's client also runs a script.

import { spawn } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openProcessScope, type ProcessScope } from "#test/real/processes.ts";
import { startUp } from "#test/real/up-process.ts";
import { areClientsThere, helmPath, pythonPath } from "#tools/other-clients.ts";

const LIMIT_MS = 900_000;
const chart = join(import.meta.dirname, "chart");
const RELEASE = "shop";

const linesOf = (printed: string): readonly string[] => printed.trimEnd().split("\n");

describe.skipIf(!areClientsThere())("clients of other languages", () => {
  let scope: ProcessScope;
  let kubeconfig = "";

  beforeAll(async () => {
    scope = openProcessScope("steersman-clients");
    kubeconfig = (await startUp(scope, 2)).kubeconfig;
  }, LIMIT_MS);
  afterAll(() => scope?.close(), LIMIT_MS);

  /** Resolves to the output; rejects if the command fails. onPrint receives the output so far. */
  function run(
    command: string,
    args: readonly string[],
    onPrint: (printed: string) => void = () => undefined,
  ): Promise<string> {
    const env = { PATH: process.env.PATH ?? "", HOME: scope.directory, KUBECONFIG: kubeconfig };
    return new Promise((resolve, reject) => {
      const child = spawn(command, args, { cwd: scope.directory, env, stdio: ["ignore", "pipe", "pipe"] });
      let [stdout, stderr] = ["", ""];
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        stdout += text;
        onPrint(stdout);
      });
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        stderr += text;
      });
      child.on("error", reject).on("close", (code) => {
        if (code === 0) resolve(stdout);
        else reject(new Error(`${args.join(" ")} ended with ${code}:\n${stdout}${stderr}`));
      });
    });
  }
  const helm = (...args: readonly string[]): Promise<string> => run(helmPath(), [...args, "--namespace", RELEASE]);
  const script = join(import.meta.dirname, "client.py");
  const python = async (...args: readonly string[]): Promise<readonly string[]> =>
    linesOf(await run(pythonPath(), [script, ...args]));
  /** Resolves when the watch is open; `end` resolves to the lines that it printed. */
  const follow = async (): Promise<{ readonly end: Promise<readonly string[]> }> => {
    const begun = Promise.withResolvers<void>();
    const end = run(pythonPath(), [script, "follow", RELEASE], () => begun.resolve()).then(linesOf);
    await Promise.race([begun.promise, end]);
    return { end };
  };
  const change = (command: string, ...args: readonly string[]): Promise<string> =>
    helm(command, RELEASE, ...args, "--wait", "--timeout=300s");

  interface Listed {
    readonly name: string;
    readonly revision: string;
    readonly status: string;
  }
  const listed = async (): Promise<readonly string[]> => {
    const releases = JSON.parse(await helm("list", "--output=json")) as readonly Listed[];
    return releases.map(({ name, revision, status }) => `${name} ${revision} ${status}`);
  };
  const history = async (): Promise<readonly string[]> => {
    const revisions = JSON.parse(await helm("history", RELEASE, "--output=json")) as readonly Listed[];
    return revisions.map(({ revision, status }) => `${revision} ${status}`);
  };

  it(
    "Helm installs, tests, upgrades, rolls back and deletes a chart with hooks, and Python's client watches and lists it",
    async () => {
      expect(await listed()).toEqual([]);
      const followed = await follow();
      expect(await change("install", chart, "--create-namespace")).toContain("STATUS: deployed");
      expect(await listed()).toEqual(["shop 1 deployed"]);
      expect(await helm("test", RELEASE, "--timeout=300s")).toMatch(/TEST SUITE: +shop-test\n[\s\S]*Phase: +Succeeded/);
      expect(await helm("get", "values", RELEASE, "--all")).toContain("greeting: hello");
      const settings = ["--set=image=example/web:2", "--set=replicas=3", "--set=greeting=bye"];
      expect(await change("upgrade", chart, ...settings)).toContain("STATUS: deployed");
      expect(await listed()).toEqual(["shop 2 deployed"]);
      expect(await helm("get", "manifest", RELEASE)).toContain("step: 3");
      expect(await change("rollback", "1")).toContain("Rollback was a success");
      expect(await history()).toEqual(["1 superseded", "2 superseded", "3 deployed"]);
      expect(await python("list", RELEASE)).toEqual([
        "hook post-install: 1 succeeded",
        "hook post-rollback: 1 succeeded",
        "hook post-upgrade: 1 succeeded",
        "hook pre-install: 1 succeeded",
        "hook pre-rollback: 1 succeeded",
        "hook pre-upgrade: 1 succeeded",
        "revision 1: superseded",
        "revision 2: superseded",
        "revision 3: deployed",
      ]);
      expect(await change("uninstall", "--cascade=foreground")).toContain('release "shop" uninstalled');
      expect(await followed.end).toEqual([
        "follows",
        "rolled out example/web:1",
        "rolled out example/web:2",
        "rolled out example/web:1",
        "deleted",
      ]);
      expect(await listed()).toEqual([]);
      expect(await python("list", RELEASE)).toContain("hook post-delete: 1 succeeded");
      await expect(helm("status", RELEASE)).rejects.toThrow("release: not found");
    },
    LIMIT_MS,
  );

  it(
    "Helm keeps the old release when an upgrade is refused, and goes back by itself when one fails",
    async () => {
      await change("install", chart, "--create-namespace");
      await expect(change("upgrade", chart, "--set=replicas=0")).rejects.toThrow("spec.step");
      expect(await history()).toEqual(["1 deployed", "2 failed"]);
      const broken = ["--set=image=example/web:2", "--set=broken=true", "--rollback-on-failure"];
      await expect(helm("upgrade", RELEASE, chart, ...broken, "--timeout=10s")).rejects.toThrow("rolled back");
      expect((await history()).at(-1)).toBe("4 deployed");
      await change("uninstall");
    },
    LIMIT_MS,
  );

  it(
    "Python's client makes, lists, watches, changes, rolls back and deletes",
    async () => {
      expect(await python("use")).toEqual([
        "version v1.36.4",
        "nodes ['node-1', 'node-2']",
        "the same again: 409",
        "pods ['Running', 'Running']",
        "log: simulated container main started: image example/web:1, restart 0",
        "pages of 1 and 1, 1 to come",
        "upgraded; revisions ['1', '2']",
        "rolled back; revision 3",
        "an old version: 409",
        "scaled to 3",
        "applied hello",
        "a conflict: 409",
        "applied by force bye",
        "exec: 501",
        "usage of a pod: {'cpu': '1m', 'memory': '16Mi'}",
        "the Job has succeeded",
        "deleted; 0 pods are left",
        "the namespace is gone: 404",
      ]);
    },
    LIMIT_MS,
  );
});
