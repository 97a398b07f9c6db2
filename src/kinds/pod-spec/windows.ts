// Fields that Windows pods may and may not set. Upstream: pkg/apis/core/validation, validateWindows, validateLinux,
// validateWindowsSecurityContextOptions, validateWindowsHostProcessPod

import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { byteLength } from "#api/go-text.ts";
import { isDns1123Subdomain } from "#api/names.ts";
import { type Errors, name, type Path } from "#kinds/parts/checks.ts";

type AnyContainer = core.Container | core.EphemeralContainer;

/** Visits init, regular and ephemeral containers with their paths. */
export function eachContainer(
  spec: core.PodSpec,
  path: Path,
  visit: (container: AnyContainer, path: Path) => void,
): void {
  for (const list of ["initContainers", "containers", "ephemeralContainers"] as const) {
    spec[list]?.forEach((container, i) => {
      visit(container, path.child(list).index(i));
    });
  }
}

const GMSA_BYTES_MAX = 64 * 1024;

export function windowsOptions(errors: Errors, options: core.WindowsSecurityContextOptions, path: Path): void {
  const { gmsaCredentialSpecName: specName, gmsaCredentialSpec: spec, runAsUserName } = options;
  if (specName !== undefined) name(errors, specName, path.child("gmsaCredentialSpecName"), isDns1123Subdomain);
  const at = path.child("gmsaCredentialSpec");
  if (spec === "") errors.push(field.invalid(at, spec, "gmsaCredentialSpec cannot be an empty string"));
  else if (spec !== undefined && byteLength(spec) > GMSA_BYTES_MAX) {
    errors.push(field.invalid(at, spec, "gmsaCredentialSpec size must be under 64 KiB"));
  }
  if (runAsUserName === undefined) return;
  for (const detail of userNameProblems(runAsUserName)) {
    errors.push(field.invalid(path.child("runAsUserName"), runAsUserName, detail));
  }
}

const LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";
const DNS_DOMAIN = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`);
const NETBIOS_DOMAIN = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/s;

function userNameProblems(value: string): string[] {
  if (value === "") return ["runAsUserName cannot be an empty string"];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\x00-\x1f\x7f]/.test(value)) return ["runAsUserName cannot contain control characters"];
  const parts = value.split("\\");
  if (parts.length > 2) return ["runAsUserName cannot contain more than one backslash"];
  const user = parts.at(-1) ?? "";
  const domain = parts.length === 2 ? parts[0] : undefined;
  const problems: string[] = [];
  if (byteLength(domain ?? "") >= 256) problems.push("runAsUserName's Domain length must be under 256 characters");
  if (domain !== undefined && !NETBIOS_DOMAIN.test(domain) && !DNS_DOMAIN.test(domain)) {
    problems.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  }
  if (user === "") problems.push("runAsUserName's User cannot be empty");
  else if (byteLength(user) > 104) problems.push("runAsUserName's User length must not be longer than 104 characters");
  if (/^[. ]+$/.test(user)) problems.push("runAsUserName's User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) {
    problems.push("runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]");
  }
  return problems;
}

export function hostProcess(errors: Errors, spec: core.PodSpec, path: Path): void {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess;
  let count = 0;
  let hostProcessCount = 0;
  eachContainer(spec, path, (container, at) => {
    count++;
    const own = container.securityContext?.windowsOptions?.hostProcess;
    if (ofPod !== undefined && own !== undefined && ofPod !== own) {
      const detail = `pod hostProcess value must be identical if both are specified, was ${ofPod}`;
      errors.push(field.invalid(at.child("securityContext", "windowsOptions", "hostProcess"), own, detail));
    }
    if (own ?? ofPod) hostProcessCount++;
  });
  if (hostProcessCount === 0) return;
  if (hostProcessCount !== count) {
    const detail = "If pod contains any hostProcess containers then all containers must be HostProcess containers";
    errors.push(field.invalid(path, "", detail));
  }
  if (!spec.hostNetwork) {
    const detail = "hostNetwork must be true if pod contains any hostProcess containers";
    errors.push(field.invalid(path.child("hostNetwork"), false, detail));
  }
}

export function linuxPod(errors: Errors, spec: core.PodSpec, path: Path): void {
  const detail = "windows options cannot be set for a linux pod";
  const check = (sc: core.PodSecurityContext | core.SecurityContext | undefined, at: Path): void => {
    if (sc?.windowsOptions) errors.push(field.forbidden(at.child("securityContext", "windowsOptions"), detail));
  };
  check(spec.securityContext, path);
  eachContainer(spec, path, (container, at) => check(container.securityContext, at));
}

const POD_FIELDS = [
  "appArmorProfile",
  "seLinuxOptions",
  "^hostUsers",
  "^hostPID",
  "^hostIPC",
  "seccompProfile",
  "fsGroup",
  "fsGroupChangePolicy",
  "sysctls",
  "^shareProcessNamespace",
  "runAsUser",
  "runAsGroup",
  "supplementalGroups",
  "supplementalGroupsPolicy",
  "seLinuxChangePolicy",
];
const CONTAINER_FIELDS = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "capabilities",
  "readOnlyRootFilesystem",
  "privileged",
  "allowPrivilegeEscalation",
  "procMount",
  "runAsUser",
  "runAsGroup",
];

/** A leading ^ marks fields of the spec itself. A flag counts if it is true, a list if it is not empty. */
export function windowsPod(errors: Errors, spec: core.PodSpec, path: Path): void {
  const detail = "cannot be set for a windows pod";
  const ofSpec = spec as unknown as Readonly<Record<string, unknown>>;
  const ofContext = (spec.securityContext ?? {}) as Readonly<Record<string, unknown>>;
  for (const marked of POD_FIELDS) {
    const isOfSpec = marked.startsWith("^");
    const name = isOfSpec ? marked.slice(1) : marked;
    const value = isOfSpec ? ofSpec[name] : ofContext[name];
    const isFlag = name === "hostPID" || name === "hostIPC";
    const isSet = isFlag
      ? value === true
      : name === "sysctls"
        ? Array.isArray(value) && value.length > 0
        : value !== undefined;
    if (isSet) errors.push(field.forbidden(isOfSpec ? path.child(name) : path.child("securityContext", name), detail));
  }
  eachContainer(spec, path, (container, at) => {
    const context = (container.securityContext ?? {}) as Readonly<Record<string, unknown>>;
    for (const name of CONTAINER_FIELDS) {
      if (context[name] !== undefined) errors.push(field.forbidden(at.child("securityContext", name), detail));
    }
  });
}
