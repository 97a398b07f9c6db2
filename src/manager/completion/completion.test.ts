// test/real/daemon-completion.test.ts compares the whole table with the Go program; the rules are tested here.

import { describe, expect, it } from "vitest";
import { readCommandLine } from "../command.ts";

const said = (...args: readonly string[]): readonly [kind: string, text: string] => {
  const verdict = readCommandLine(args, 0);
  return [verdict.kind, "text" in verdict ? verdict.text : ""];
};
const offered = (...words: readonly string[]): readonly string[] => said("__completeNoDesc", ...words)[1].split("\n");

describe("completion of the command line", () => {
  it("offers flags that fit, those that can be repeated even again, and deprecated ones never", () => {
    expect(offered("--kubeconf")).toEqual(["--kubeconfig", ":4", ""]);
    expect(offered("--kubeconfig=x", "--kubeconf")).toEqual([":4", ""]);
    expect(offered("--controllers=x", "--controllers")).toEqual(["--controllers", ":4", ""]);
    expect(offered("-h")).toEqual(["-h", ":4", ""]);
    expect(offered("--cloud-provider-gce")).toEqual([":4", ""]);
  });

  it("leaves values and what is no flag to the shell", () => {
    for (const words of [["--kubeconfig", ""], ["--kubeconfig="], ["x"], ["--", "--kube"], ["--bogus", ""]]) {
      expect(offered(...words)).toEqual([":0", ""]);
    }
  });

  it("offers shells, and their own flags", () => {
    expect(offered("completion", "")).toEqual(["bash", "fish", "powershell", "zsh", ":4", ""]);
    expect(offered("completion", "bash", "--no")).toEqual(["--no-descriptions", ":4", ""]);
    expect(offered("completion", "bash", "")).toEqual([":4", ""]);
  });

  it("explains what it offers, where it is asked to", () => {
    expect(said("__complete", "--kubeconf")[1]).toMatch(/^--kubeconfig\t\S.*\n:4\n$/);
    expect(readCommandLine(["__complete", "--bogus", ""], 0).notices).toEqual([
      "[Debug] [Error] Error while parsing flags from args [--bogus]: unknown flag: --bogus",
    ]);
  });

  it.each(["bash", "fish", "powershell", "zsh"])("prints a script for %s that asks the program", (shell) => {
    expect(said("completion", shell)).toEqual(["print", expect.stringMatching(/ __complete /)]);
    expect(said("completion", shell, "--no-descriptions")[1]).toContain(" __completeNoDesc ");
  });

  it.each([
    { args: ["completion", "bash", "x"], error: 'unknown command "x" for "kube-controller-manager completion bash"' },
    { args: ["--kubeconfig", "x", "completion", "bash"], error: "unknown flag: --kubeconfig" },
    { args: ["__complete"], error: "requires at least 1 arg(s), only received 0" },
    {
      args: ["--kubeconfig", "completion", "x"],
      error: '"kube-controller-manager" does not take any arguments, got ["x"]',
    },
  ])("refuses $args", ({ args, error }) => {
    expect(said(...args)).toEqual(["refuse", `Error: ${error}\n`]);
  });

  it("takes nothing for a sub-command that is the value of a flag", () => {
    expect(said("--kubeconfig", "completion")[0]).toBe("run");
    expect(said("-v=2", "completion")[1]).toContain("kube-controller-manager completion [flags]");
  });
});
