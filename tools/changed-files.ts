// The files that differ from the base of a change, for runs that prefer changed parts.

import { spawnSync } from "node:child_process";

function git(...args: readonly string[]): string {
  const { status, stdout } = spawnSync("git", args, { encoding: "utf8" });
  return status === 0 ? stdout.trim() : "";
}

/**
 * Since the commit STEERSMAN_BASE, otherwise since the branch left main, otherwise, on main, since the previous commit.
 * Undefined if that commit is not known, as in a shallow clone.
 */
export function changedFiles(): ReadonlySet<string> | undefined {
  const head = git("rev-parse", "HEAD");
  const forks = ["main", "origin/main"].map((main) => git("merge-base", "HEAD", main));
  const named = process.env.STEERSMAN_BASE ?? forks.find((fork) => fork !== "" && fork !== head) ?? "HEAD~1";
  const base = git("rev-parse", "--verify", "--quiet", `${named}^{commit}`);
  if (base === "") return undefined;
  const names = [git("diff", "--name-only", base), git("ls-files", "--others", "--exclude-standard")].join("\n");
  return new Set(names.split("\n").filter((name) => name !== ""));
}
