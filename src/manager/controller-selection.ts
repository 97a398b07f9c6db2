// The meaning of --controllers: a list read from the left, in which the first word about a controller decides, and '*'
// selects all that are on by default.
// Upstream: k8s.io/controller-manager/pkg/... genericcontrollermanager.IsControllerEnabled; options/generic.go.

import { controllerAliases, offByDefaultNames } from "#kit/known-controllers.ts";

/** Aliases become canonical names; a leading '-' stays. */
export function canonicalSelection(words: readonly string[]): readonly string[] {
  return words.map((word) => {
    const isExclusion = word.startsWith("-");
    const name = isExclusion ? word.slice(1) : word;
    return `${isExclusion ? "-" : ""}${controllerAliases.get(name) ?? name}`;
  });
}

/** Whether this controller (canonical name) is selected by this list of canonical names. */
export function isSelected(name: string, selection: readonly string[]): boolean {
  const verdict = selection.find((word) => word === name || word === `-${name}`);
  if (verdict !== undefined) return verdict === name;
  return selection.includes("*") && !offByDefaultNames.includes(name);
}
