// Kernel parameters of a pod. Upstream: pkg/apis/core/validation, validateSysctls; component-helpers node/util/sysctl

import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import type { Errors, Path } from "#kinds/parts/checks.ts";

const SEGMENT = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const NAME = `^(${SEGMENT}[\\./])*${SEGMENT}$`;
const nameRegex = new RegExp(NAME);
const LENGTH_MAX = 253;

const IPC_NAMES = new Set([
  "kernel.sem",
  "kernel.shmall",
  "kernel.shmmax",
  "kernel.shmmni",
  "kernel.shm_rmid_forced",
  "kernel.shm",
  "kernel.msgmax",
  "kernel.msgmnb",
  "kernel.msgmni",
  "kernel.msg",
]);

/** Dots and slashes both separate names. In the slash form the two swap roles. */
function normalize(name: string): string {
  const first = name.search(/[./]/);
  if (first < 0 || name[first] === ".") return name;
  return name.replace(/[./]/g, (char) => (char === "." ? "/" : "."));
}

function namespaceOf(sysctl: string): "ipc" | "net" | undefined {
  const name = normalize(sysctl).split("*", 1)[0] ?? "";
  if (IPC_NAMES.has(name) || name.startsWith("fs.mqueue.")) return "ipc";
  return name.startsWith("net.") ? "net" : undefined;
}

/** Why a sysctl of a host namespace may not be set; undefined if it may. */
export function hostSysctl(name: string, { hostNetwork, hostIPC }: core.PodSpec): string | undefined {
  const namespace = namespaceOf(name ?? "");
  if (hostNetwork && namespace === "net") return "may not be specified when 'hostNetwork' is true";
  if (hostIPC && namespace === "ipc") return "may not be specified when 'hostIPC' is true";
  return undefined;
}

export function sysctls(errors: Errors, spec: core.PodSpec, path: Path, allowHostSysctls: boolean): void {
  const seen = new Set<string>();
  spec.securityContext?.sysctls?.forEach(({ name = "" }, i) => {
    const at = path.index(i).child("name");
    if (name === "") errors.push(field.required(at, ""));
    else if (name.length > LENGTH_MAX || !nameRegex.test(name)) {
      errors.push(field.invalid(at, name, `must have at most ${LENGTH_MAX} characters and match regex ${NAME}`));
    } else if (seen.has(name)) errors.push(field.duplicate(at, name));
    const detail = allowHostSysctls ? undefined : hostSysctl(name, spec);
    if (detail !== undefined) errors.push(field.invalid(at, name, detail));
    seen.add(name);
  });
}
