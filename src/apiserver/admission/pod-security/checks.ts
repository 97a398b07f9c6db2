// The checks of the pod security levels, by version of Kubernetes. Each check names the violating fields.
// Upstream: k8s.io/pod-security-admission/policy

import type { PodSpec } from "#api/generated/types/core-v1.ts";
import type { ObjectMeta } from "#api/meta.ts";
import type { LevelVersion } from "./levels.ts";
import {
  appArmorProfile,
  hostNamespaces,
  hostPathVolumes,
  restrictedVolumes,
  seccompAnnotations,
  sysctls,
} from "./pod-checks.ts";
import {
  allowPrivilegeEscalation,
  capabilitiesBaseline,
  capabilitiesRestricted,
  hostPorts,
  hostProbes,
  privileged,
  procMount,
  runAsNonRoot,
  runAsUser,
  seccompProfile,
  seccompProfileRequired,
  seLinuxOptions,
  windowsHostProcess,
} from "./security-context-checks.ts";

export interface CheckedPod {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
}

interface Violation {
  readonly reason: string;
  readonly detail: string;
}

export type Check = (pod: CheckedPod) => Violation | undefined;

interface VersionedCheck {
  readonly id: string;
  /** Variants of the check by their first minor version, ascending. */
  readonly since: readonly (readonly [minor: number, check: Check])[];
  /** The baseline check that this one replaces. */
  readonly overrides?: string;
}

const unlessWindows =
  (check: Check): Check =>
  (pod) =>
    pod.spec.os?.name === "windows" ? undefined : check(pod);

/** Root in a user namespace has no privileges on the node. */
const unlessOwnUsers =
  (check: Check): Check =>
  (pod) =>
    pod.spec.hostUsers === false ? undefined : check(pod);

const SYSCTLS_1_0 = [
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.tcp_syncookies",
  "net.ipv4.ping_group_range",
  "net.ipv4.ip_unprivileged_port_start",
];
const SYSCTLS_1_27 = [...SYSCTLS_1_0, "net.ipv4.ip_local_reserved_ports"];
const SYSCTLS_1_29 = [
  ...SYSCTLS_1_27,
  "net.ipv4.tcp_keepalive_time",
  "net.ipv4.tcp_fin_timeout",
  "net.ipv4.tcp_keepalive_intvl",
  "net.ipv4.tcp_keepalive_probes",
];
const SYSCTLS_1_32 = [...SYSCTLS_1_29, "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"];

const SELINUX_TYPES = ["", "container_t", "container_init_t", "container_kvm_t"];

/** Both lists are sorted by id, which is the order of the messages. */
const BASELINE: readonly VersionedCheck[] = [
  { id: "appArmorProfile", since: [[0, appArmorProfile]] },
  { id: "capabilities_baseline", since: [[0, capabilitiesBaseline]] },
  { id: "hostNamespaces", since: [[0, hostNamespaces]] },
  { id: "hostPathVolumes", since: [[0, hostPathVolumes]] },
  { id: "hostPorts", since: [[0, hostPorts]] },
  { id: "hostProbesAndHostLifecycle", since: [[34, hostProbes]] },
  { id: "privileged", since: [[0, privileged]] },
  {
    id: "procMount",
    since: [
      [0, procMount],
      [35, unlessOwnUsers(procMount)],
    ],
  },
  {
    id: "seLinuxOptions",
    since: [
      [0, seLinuxOptions(SELINUX_TYPES)],
      [31, seLinuxOptions([...SELINUX_TYPES, "container_engine_t"])],
    ],
  },
  {
    id: "seccompProfile_baseline",
    since: [
      [0, seccompAnnotations],
      [19, seccompProfile],
    ],
  },
  {
    id: "sysctls",
    since: [
      [0, sysctls(SYSCTLS_1_0)],
      [27, sysctls(SYSCTLS_1_27)],
      [29, sysctls(SYSCTLS_1_29)],
      [32, sysctls(SYSCTLS_1_32)],
    ],
  },
  { id: "windowsHostProcess", since: [[0, windowsHostProcess]] },
];

const RESTRICTED: readonly VersionedCheck[] = [
  {
    id: "allowPrivilegeEscalation",
    since: [
      [8, allowPrivilegeEscalation],
      [25, unlessWindows(allowPrivilegeEscalation)],
    ],
  },
  {
    id: "capabilities_restricted",
    since: [
      [22, capabilitiesRestricted],
      [25, unlessWindows(capabilitiesRestricted)],
    ],
    overrides: "capabilities_baseline",
  },
  { id: "procMount_restricted", since: [[35, procMount]], overrides: "procMount" },
  { id: "restrictedVolumes", since: [[0, restrictedVolumes]], overrides: "hostPathVolumes" },
  {
    id: "runAsNonRoot",
    since: [
      [0, runAsNonRoot],
      [35, unlessOwnUsers(runAsNonRoot)],
    ],
  },
  {
    id: "runAsUser",
    since: [
      [23, runAsUser],
      [35, unlessOwnUsers(runAsUser)],
    ],
  },
  {
    id: "seccompProfile_restricted",
    since: [
      [19, seccompProfileRequired],
      [25, unlessWindows(seccompProfileRequired)],
    ],
    overrides: "seccompProfile_baseline",
  },
];

/** The violations of a level by a pod, in the order of the messages. */
export function violationsOf({ level, version }: LevelVersion, pod: CheckedPod): readonly Violation[] {
  if (level === "privileged") return [];
  const minor = version === "latest" ? Number.POSITIVE_INFINITY : version;
  const checkOf = ({ since }: VersionedCheck): Check | undefined => since.findLast(([first]) => first <= minor)?.[1];
  const restricted = level === "restricted" ? RESTRICTED.filter((one) => checkOf(one) !== undefined) : [];
  const overridden = new Set(restricted.map(({ overrides }) => overrides));
  const checks = [...BASELINE.filter(({ id }) => !overridden.has(id)), ...restricted];
  return checks.flatMap((one) => checkOf(one)?.(pod) ?? []);
}

export const reasonsText = (violations: readonly Violation[]): string =>
  violations.map(({ reason }) => reason).join(", ");

export const detailsText = (violations: readonly Violation[]): string =>
  violations.map(({ reason, detail }) => (detail === "" ? reason : `${reason} (${detail})`)).join(", ");
