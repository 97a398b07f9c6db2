import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { shellWord } from "./shell-word.ts";

it.each([
  ["/home/you/.steersman/kubeconfig", "/home/you/.steersman/kubeconfig"],
  ["/home/you/my work/kubeconfig", "'/home/you/my work/kubeconfig'"],
  ["it's $HOME", "'it'\\''s $HOME'"],
])("quotes %j if the shell would interpret it", (text, word) => {
  expect(shellWord(text)).toBe(word);
  expect(spawnSync("sh", ["-c", `printf %s ${word}`], { encoding: "utf8" }).stdout).toBe(text);
});
