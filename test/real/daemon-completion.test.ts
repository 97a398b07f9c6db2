// The completion commands: the same answers as the Go program's for the same words, and scripts that bash runs.

import { execFile } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { finalError, goDaemon, ourDaemon, runToEnd } from "./daemon.ts";
import { describeReal } from "./suite.ts";

const LIMIT_MS = 180_000;

describeReal("completion of the command line", () => {
  const directory = mkdtempSync(join(tmpdir(), "daemon-completion-"));
  beforeAll(() => {
    const program = join(directory, "kube-controller-manager");
    writeFileSync(program, `#!/bin/sh\nexec ${ourDaemon.join(" ")} "$@"\n`);
    chmodSync(program, 0o755);
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it.each([
    [["-"]],
    [["--con"]],
    [["--controllers"]],
    [["--controllers", ""]],
    [["--controllers="]],
    [["--controllers=a", "--controllers"]],
    [["--leader-elect", "--leader-elec"]],
    [["--leader-elect", ""]],
    [["--allow-metric-labels=a=b", "--allow-metric"]],
    [["--bogus", ""]],
    [["--kubeconfig", "--con"]],
    [["-v"]],
    [["-v="]],
    [["--", "--con"]],
    [["foo", "--le"]],
    [["comp"]],
    [["completion", ""]],
    [["completion", "b"]],
    [["completion", "bash", ""]],
    [["completion", "bash", "-"]],
    [["completion", "foo", ""]],
    [["completion", "--"]],
    [["completion", "bash", "--no-descriptions", "--no"]],
    [[]],
  ])("offers the same after %j", async (words) => {
    const args = ["__completeNoDesc", ...words];
    const [ours, go] = await Promise.all([runToEnd(ourDaemon, args), runToEnd(goDaemon(), args)]);
    const lines = ({ stdout }: typeof ours): readonly string[] => stdout.split("\n").sort();
    expect([ours.code, lines(ours), finalError(ours)]).toEqual([go.code, lines(go), finalError(go)]);
    const problem = (text: string): string | undefined => /^\[Debug\].*$/m.exec(text)?.[0];
    expect(problem(ours.stderr)).toBe(problem(go.stderr));
  });

  it.each([
    [["completion"]],
    [["completion", "--help"]],
    [["completion", "tcsh"]],
    [["completion", "bash"]],
    [["completion", "zsh"]],
    [["completion", "fish"]],
    [["completion", "powershell"]],
    [["completion", "bash", "--help"]],
    [["completion", "bash", "--no-descriptions"]],
    [["completion", "bash", "--no-descriptions=x"]],
    [["completion", "--no-descriptions", "bash"]],
    [["completion", "bash", "extra"]],
    [["completion", "--", "bash"]],
    [["-v=0", "--", "completion"]],
    [["--version", "completion", "bash"]],
    [["--controllers", "completion", "bash"]],
    [["--controllers", "x", "completion", "bash"]],
    [["--bogus", "completion"]],
    [["help", "completion"]],
  ])("prints or refuses as the Go program: %j", async (args) => {
    const [ours, go] = await Promise.all([runToEnd(ourDaemon, args), runToEnd(goDaemon(), args)]);
    const shown = ({ code, stdout, stderr }: typeof ours): unknown => ({
      code,
      error: /^Error: .*$/m.exec(stderr)?.[0],
      hasScript: /^#.*completion/.test(stdout),
      usage: /^Usage:\n.*$/m.exec(stdout)?.[0],
      sections: [...stdout.matchAll(/^\S.* flags:$/gm)].map(([title]) => title),
    });
    expect(shown(ours)).toEqual(shown(go));
  });

  /** The words that bash would insert or list. */
  const tab = (script: string, line: string): Promise<readonly string[]> =>
    new Promise((resolve, reject) => {
      const text = `COLUMNS=60; source <(kube-controller-manager completion bash ${script}) || exit
        COMP_LINE="$1" COMP_POINT=\${#1}
        _kube_controller_manager; printf '%s\\n' "\${COMPREPLY[@]}"
        complete -p kube-controller-manager >&2`;
      const env = { PATH: `${directory}:${process.env.PATH ?? ""}` };
      execFile("bash", ["--norc", "-c", text, "bash", line], { env }, (error, stdout, stderr) => {
        if (error !== null) reject(error);
        else if (!stderr.includes("_kube_controller_manager")) reject(new Error(stderr));
        else resolve(stdout.split("\n").filter((candidate) => candidate !== ""));
      });
    });

  it(
    "completes flags and shells in bash",
    async () => {
      expect(await tab("", "kube-controller-manager --kubeconf")).toEqual(["--kubeconfig"]);
      expect(await tab("", "kube-controller-manager --controllers=a:b --kubeconf")).toEqual(["--kubeconfig"]);
      expect(await tab("", "kube-controller-manager --kubeconfig ")).toEqual([]);
      expect(await tab("", "kube-controller-manager completion p")).toEqual(["powershell"]);
      const [first = "", second = ""] = await tab("", "kube-controller-manager --cert-dir=/x --c");
      expect(first).toMatch(/^--cidr-allocator-type {2}\(.*\)$/);
      expect(second.length).toBeLessThan(60);
      expect(await tab("--no-descriptions", "kube-controller-manager --tls-p")).toEqual(["--tls-private-key-file"]);
      expect(await tab("--no-descriptions", "kube-controller-manager --kube-api-")).toEqual([
        "--kube-api-burst",
        "--kube-api-content-type",
        "--kube-api-qps",
      ]);
    },
    LIMIT_MS,
  );
});
