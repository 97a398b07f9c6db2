// The SELinux labels that the containers of a pod give to its volumes.
// Upstream: pkg/controller/volume/selinuxwarning/translator; pkg/volume/util, GetPodVolumeNames, GetMountSELinuxLabel.

import type { Pod, SELinuxOptions } from "#api/generated/types/core-v1.ts";

/** "user:role:type:level". Missing parts stay empty, because the controller does not know the node's defaults. */
export function labelOf({ user = "", role = "", type = "", level = "" }: SELinuxOptions): string {
  const label = [user, role, type, level].join(":");
  return label === ":::" ? "" : label;
}

/** A missing part may get any value, except for the level, which nodes do not fill in. */
export function labelsConflict(a: string, b: string): boolean {
  const [userA, roleA, typeA, levelA] = partsOf(a);
  const [userB, roleB, typeB, levelB] = partsOf(b);
  const differ = (one: string, other: string): boolean => one !== other && one !== "" && other !== "";
  return differ(userA, userB) || differ(roleA, roleB) || differ(typeA, typeB) || levelA !== levelB;
}

/** The level may contain colons. */
function partsOf(label: string): readonly [string, string, string, string] {
  const [user = "", role = "", type = "", ...level] = label.split(":");
  return [user, role, type, level.join(":")];
}

/** The volumes that containers mount, by name, each with the labels that they give it. */
export function mountedLabels({ spec }: Pod): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  const { initContainers = [], containers = [], ephemeralContainers = [] } = spec ?? {};
  for (const { securityContext, volumeMounts } of [...initContainers, ...containers, ...ephemeralContainers]) {
    const options = securityContext?.seLinuxOptions ?? spec?.securityContext?.seLinuxOptions;
    for (const { name = "" } of volumeMounts ?? []) {
      const labels = found.get(name) ?? new Set<string>();
      if (options !== undefined) labels.add(labelOf(options));
      found.set(name, labels);
    }
  }
  return found;
}
