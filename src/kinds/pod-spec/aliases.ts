// serviceAccountName has a deprecated alias: writing one writes both. Also normalizes a pod's negative grace period,
// and keeps podIP equal to the first of podIPs.
// Upstream: pkg/apis/core/v1/conversion.go, Convert_v1_PodSpec_To_core_PodSpec, Convert_v1_Pod_To_core_Pod,
// Convert_v1_PodStatus_To_core_PodStatus and back

import type { Pod } from "#api/generated/types/core-v1.ts";
import type { KubeObject } from "#api/object.ts";

type Fields = Readonly<Record<string, unknown>>;

/** For a kind with a pod spec at this path. */
export const podSpecAliases =
  (path: readonly string[]) =>
  <T extends KubeObject>(object: T): T =>
    changeAt(object as unknown as Fields, path, 0) as unknown as T;

export const templateAliases: <T extends KubeObject>(object: T) => T = podSpecAliases(["spec", "template", "spec"]);

const ofSpec = podSpecAliases(["spec"]);

export const podAliases = (pod: Pod): Pod => withBothAddresses(withGrace(ofSpec(pod)));

function changeAt(object: Fields, path: readonly string[], depth: number): Fields {
  if (depth === path.length) return withBothNames(object);
  const key = path[depth] as string;
  const part = object[key];
  if (typeof part !== "object" || part === null) return object;
  const changed = changeAt(part as Fields, path, depth + 1);
  return changed === part ? object : { ...object, [key]: changed };
}

function withBothNames(spec: Fields): Fields {
  const { serviceAccountName, serviceAccount } = spec;
  if (serviceAccountName === serviceAccount) return spec;
  const name = serviceAccountName || serviceAccount;
  return { ...spec, serviceAccountName: name, serviceAccount: name };
}

function withGrace(pod: Pod): Pod {
  const { spec } = pod;
  return (spec?.terminationGracePeriodSeconds ?? 0) < 0
    ? { ...pod, spec: { ...(spec as NonNullable<typeof spec>), terminationGracePeriodSeconds: 1 } }
    : pod;
}

/** If the two differ, podIP wins. */
function withBothAddresses(pod: Pod): Pod {
  const { podIP = "", podIPs = [] } = pod.status ?? {};
  const first = podIPs[0]?.ip ?? "";
  if (podIP === first) return pod;
  const status = podIP === "" ? { podIP: first } : { podIPs: [{ ip: podIP }] };
  return { ...pod, status: { ...pod.status, ...status } };
}
