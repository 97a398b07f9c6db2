// A pod's service account has an old name beside the present one: whoever writes one has written both. A pod
// itself has no negative grace period, and its one address is the first of its addresses.
// Upstream: pkg/apis/core/v1/conversion.go, Convert_v1_PodSpec_To_core_PodSpec, Convert_v1_Pod_To_core_Pod,
// Convert_v1_PodStatus_To_core_PodStatus and back

import type { GroupVersionKind, KubeObject } from "#api/object.ts";

type Fields = Readonly<Record<string, unknown>>;

const TEMPLATE = ["spec", "template", "spec"];

/** Where each kind has its pod spec. */
const PATHS: Readonly<Record<string, readonly string[]>> = {
  __proto__: null as never,
  Pod: ["spec"],
  PodTemplate: ["template", "spec"],
  ReplicationController: TEMPLATE,
  ReplicaSet: TEMPLATE,
  Deployment: TEMPLATE,
  StatefulSet: TEMPLATE,
  DaemonSet: TEMPLATE,
  Job: TEMPLATE,
  CronJob: ["spec", "jobTemplate", "spec", "template", "spec"],
};

const GROUPS: ReadonlySet<string> = new Set(["", "apps", "batch"]);

/** Undefined: a kind without pods. */
export function podSpecAliases({ group, kind }: GroupVersionKind): ((object: KubeObject) => KubeObject) | undefined {
  const path = GROUPS.has(group) ? PATHS[kind] : undefined;
  if (kind === "Pod" && path)
    return (pod) => withBothAddresses(withGrace(changeAt(pod as Fields, path, 0))) as KubeObject;
  return path && ((object) => changeAt(object as Fields, path, 0) as KubeObject);
}

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

function withGrace(pod: Fields): Fields {
  const spec = pod.spec as { readonly terminationGracePeriodSeconds?: number } | undefined;
  return (spec?.terminationGracePeriodSeconds ?? 0) < 0
    ? { ...pod, spec: { ...spec, terminationGracePeriodSeconds: 1 } }
    : pod;
}

interface Addresses {
  readonly podIP?: string;
  readonly podIPs?: readonly { readonly ip?: string }[];
}

/** Where they differ, the old field counts. */
function withBothAddresses(pod: Fields): Fields {
  const { podIP = "", podIPs = [] } = (pod.status ?? {}) as Addresses;
  const first = podIPs[0]?.ip ?? "";
  if (podIP === first) return pod;
  const status = podIP === "" ? { podIP: first } : { podIPs: [{ ip: podIP }] };
  return { ...pod, status: { ...(pod.status as object), ...status } };
}
