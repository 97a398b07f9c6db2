// Security contexts of containers and pods. Upstream: pkg/apis/core/validation, ValidateSecurityContext,
// validatePodSpecSecurityContext

import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { byteLength } from "#api/go-text.ts";
import type { Int64 } from "#api/int64.ts";
import { isUserId } from "#api/names.ts";
import { type Errors, oneOf, type Path, requiredOneOf } from "#kinds/parts/checks.ts";
import { internalForm } from "#kinds/parts/internal-form.ts";
import { descendingPath } from "./file-paths.ts";
import type { PodOptions } from "./pod-options.ts";
import { sysctls } from "./sysctls.ts";
import { windowsOptions } from "./windows.ts";

const PROFILES = ["Localhost", "RuntimeDefault", "Unconfined"];

function id(errors: Errors, value: Int64 | undefined, path: Path): void {
  if (value === undefined) return;
  for (const message of isUserId(value)) errors.push(field.invalid(path, value, message));
}

// Deviation: privileged containers are always allowed, as with the API server's --allow-privileged=true.
export function securityContext(errors: Errors, sc: core.SecurityContext, path: Path, hostUsers: boolean): void {
  id(errors, sc.runAsUser, path.child("runAsUser"));
  id(errors, sc.runAsGroup, path.child("runAsGroup"));
  if (sc.procMount !== undefined) {
    oneOf(errors, sc.procMount, path.child("procMount"), ["Default", "Unmasked"]);
    if (hostUsers && sc.procMount === "Unmasked") {
      errors.push(field.invalid(path.child("procMount"), sc.procMount, "`hostUsers` must be false to use `Unmasked`"));
    }
  }
  if (sc.seccompProfile) seccompProfile(errors, sc.seccompProfile, path.child("seccompProfile"));
  if (sc.allowPrivilegeEscalation === false) {
    const refuse = (detail: string): void => {
      errors.push(field.invalid(path, internalForm("SecurityContext", sc), detail));
    };
    if (sc.privileged) refuse("cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
    for (const capability of sc.capabilities?.add ?? []) {
      if (capability !== "CAP_SYS_ADMIN") continue;
      refuse("cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN");
    }
  }
  if (sc.windowsOptions) windowsOptions(errors, sc.windowsOptions, path.child("windowsOptions"));
  if (sc.appArmorProfile) appArmorProfile(errors, sc.appArmorProfile, path.child("appArmorProfile"));
}

export function podSecurityContext(errors: Errors, spec: core.PodSpec, path: Path, opts: PodOptions): void {
  const sc = spec.securityContext ?? {};
  id(errors, sc.fsGroup, path.child("fsGroup"));
  id(errors, sc.runAsUser, path.child("runAsUser"));
  id(errors, sc.runAsGroup, path.child("runAsGroup"));
  sc.supplementalGroups?.forEach((group, i) => {
    id(errors, group, path.child("supplementalGroups").index(i));
  });
  if (spec.shareProcessNamespace && spec.hostPID) {
    const detail = "ShareProcessNamespace and HostPID cannot both be enabled";
    errors.push(field.invalid(path.child("shareProcessNamespace"), true, detail));
  }
  sysctls(errors, spec, path.child("sysctls"), opts.allowHostSysctls);
  if (sc.fsGroupChangePolicy !== undefined) {
    oneOf(errors, sc.fsGroupChangePolicy, path.child("fsGroupChangePolicy"), ["Always", "OnRootMismatch"]);
  }
  if (sc.seccompProfile) seccompProfile(errors, sc.seccompProfile, path.child("seccompProfile"));
  if (sc.windowsOptions) windowsOptions(errors, sc.windowsOptions, path.child("windowsOptions"));
  if (sc.appArmorProfile) appArmorProfile(errors, sc.appArmorProfile, path.child("appArmorProfile"));
  if (sc.supplementalGroupsPolicy !== undefined) {
    oneOf(errors, sc.supplementalGroupsPolicy, path.child("supplementalGroupsPolicy"), ["Merge", "Strict"]);
  }
  if (sc.seLinuxChangePolicy !== undefined) {
    const policies = opts.allowOnlyRecursiveSELinux ? ["Recursive"] : ["MountOption", "Recursive"];
    oneOf(errors, sc.seLinuxChangePolicy, path.child("seLinuxChangePolicy"), policies);
  }
}

function seccompProfile(errors: Errors, profile: core.SeccompProfile, path: Path): void {
  requiredOneOf(errors, profile.type, path.child("type"), PROFILES, "type is required when seccompProfile is set");
  const at = path.child("localhostProfile");
  if (profile.type !== "Localhost") {
    if (profile.localhostProfile === undefined) return;
    const value = internalForm("SeccompProfile", profile);
    errors.push(field.invalid(at, value, "can only be set when seccomp type is Localhost"));
  } else if (profile.localhostProfile === undefined) {
    errors.push(field.required(at, "must be set when seccomp type is Localhost"));
  } else descendingPath(errors, profile.localhostProfile, at);
}

const APP_ARMOR_PATH_BYTES_MAX = 4095;

function appArmorProfile(errors: Errors, { type, localhostProfile: local }: core.AppArmorProfile, path: Path): void {
  const at = path.child("localhostProfile");
  if (type === "Localhost") {
    const missing = "must be set when AppArmor type is Localhost";
    if (local === undefined) errors.push(field.required(at, missing));
    else {
      if (local.trim() !== local) errors.push(field.invalid(at, local, "must not be padded with whitespace"));
      else if (local === "") errors.push(field.required(at, missing));
      if (byteLength(local) > APP_ARMOR_PATH_BYTES_MAX) errors.push(field.tooLong(at, APP_ARMOR_PATH_BYTES_MAX));
    }
  } else if (type === "RuntimeDefault" || type === "Unconfined") {
    if (local !== undefined) errors.push(field.invalid(at, local, "can only be set when AppArmor type is Localhost"));
  } else {
    requiredOneOf(errors, type, path.child("type"), PROFILES, "type is required when appArmorProfile is set");
  }
}
