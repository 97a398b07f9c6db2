// Pod security checks of containers and security contexts.

import type { Container, EphemeralContainer, LifecycleHandler, Probe } from "#api/generated/types/core-v1.ts";
import type { Check } from "./checks.ts";
import { containersOf, containersText, namesOf, plural, quoted, settersText, sortedSet } from "./violation-words.ts";

type AnyContainer = Container | EphemeralContainer;

const CAPABILITIES = [
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "MKNOD",
  "NET_BIND_SERVICE",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
];

function addedBeyond(allowed: readonly string[], containers: readonly AnyContainer[]): string | undefined {
  const beyond = ({ securityContext }: AnyContainer): readonly string[] =>
    (securityContext?.capabilities?.add ?? []).filter((name) => !allowed.includes(name));
  const bad = containers.filter((one) => beyond(one).length > 0);
  if (bad.length === 0) return undefined;
  const names = quoted(sortedSet(bad.flatMap(beyond)));
  return `${containersText(namesOf(bad))} must not include ${names} in securityContext.capabilities.add`;
}

export const capabilitiesBaseline: Check = ({ spec }) => {
  const detail = addedBeyond(CAPABILITIES, containersOf(spec));
  return detail === undefined ? undefined : { reason: "non-default capabilities", detail };
};

export const capabilitiesRestricted: Check = ({ spec }) => {
  const containers = containersOf(spec);
  const keeping = containers.filter(({ securityContext }) => !securityContext?.capabilities?.drop?.includes("ALL"));
  const added = addedBeyond(["NET_BIND_SERVICE"], containers);
  const details = [
    ...(keeping.length > 0
      ? [`${containersText(namesOf(keeping))} must set securityContext.capabilities.drop=["ALL"]`]
      : []),
    ...(added === undefined ? [] : [added]),
  ];
  return details.length === 0 ? undefined : { reason: "unrestricted capabilities", detail: details.join("; ") };
};

export const allowPrivilegeEscalation: Check = ({ spec }) => {
  const bad = containersOf(spec).filter((one) => one.securityContext?.allowPrivilegeEscalation !== false);
  if (bad.length === 0) return undefined;
  return {
    reason: "allowPrivilegeEscalation != false",
    detail: `${containersText(namesOf(bad))} must set securityContext.allowPrivilegeEscalation=false`,
  };
};

export const privileged: Check = ({ spec }) => {
  const bad = containersOf(spec).filter(({ securityContext }) => securityContext?.privileged);
  if (bad.length === 0) return undefined;
  return {
    reason: "privileged",
    detail: `${containersText(namesOf(bad))} must not set securityContext.privileged=true`,
  };
};

export const hostPorts: Check = ({ spec }) => {
  const portsOf = ({ ports = [] }: AnyContainer): readonly string[] =>
    ports.flatMap(({ hostPort }) => (hostPort ? [String(hostPort)] : []));
  const bad = containersOf(spec).filter((one) => portsOf(one).length > 0);
  if (bad.length === 0) return undefined;
  const ports = sortedSet(bad.flatMap(portsOf));
  const [verb, noun] = [plural("uses", "use", bad.length), plural("hostPort", "hostPorts", ports.length)];
  return { reason: "hostPort", detail: `${containersText(namesOf(bad))} ${verb} ${noun} ${ports.join(", ")}` };
};

export const hostProbes: Check = ({ spec }) => {
  const hosts = (handler: Probe | LifecycleHandler | undefined): readonly string[] =>
    [handler?.httpGet?.host, handler?.tcpSocket?.host].filter((host) => host !== undefined && host !== "") as string[];
  const hostsOf = ({ livenessProbe, readinessProbe, startupProbe, lifecycle }: AnyContainer): readonly string[] =>
    [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop].flatMap(hosts);
  const bad = containersOf(spec).filter((one) => hostsOf(one).length > 0);
  if (bad.length === 0) return undefined;
  const names = sortedSet(namesOf(bad));
  const forbidden = sortedSet(bad.flatMap(hostsOf));
  const noun = plural("probe or lifecycle host", "probe or lifecycle hosts", forbidden.length);
  return {
    reason: "probe or lifecycle host",
    detail: `${containersText(names)} ${plural("uses", "use", names.length)} ${noun} ${quoted(forbidden)}`,
  };
};

export const procMount: Check = ({ spec }) => {
  const bad = containersOf(spec).filter((one) => (one.securityContext?.procMount ?? "Default") !== "Default");
  if (bad.length === 0) return undefined;
  const types = sortedSet(bad.map(({ securityContext }) => securityContext?.procMount ?? ""));
  return {
    reason: "procMount",
    detail: `${containersText(namesOf(bad))} must not set securityContext.procMount to ${quoted(types)}`,
  };
};

export const seLinuxOptions =
  (allowedTypes: readonly string[]): Check =>
  ({ spec }) => {
    const isBad = (context: AnyContainer["securityContext"]): boolean => {
      const { type = "", user, role } = context?.seLinuxOptions ?? {};
      return !allowedTypes.includes(type) || Boolean(user) || Boolean(role);
    };
    const isPod = isBad(spec.securityContext);
    const containers = containersOf(spec).filter(({ securityContext }) => isBad(securityContext));
    if (!isPod && containers.length === 0) return undefined;
    const options = [...(isPod ? [spec.securityContext] : []), ...containers.map((one) => one.securityContext)].map(
      (context) => context?.seLinuxOptions,
    );
    const types = sortedSet(options.map((one) => one?.type ?? "").filter((type) => !allowedTypes.includes(type)));
    const data = [
      ...(types.length > 0 ? [`${plural("type", "types", types.length)} ${quoted(types)}`] : []),
      ...(options.some((one) => one?.user) ? ["user may not be set"] : []),
      ...(options.some((one) => one?.role) ? ["role may not be set"] : []),
    ];
    const setters = settersText(isPod, namesOf(containers));
    return {
      reason: "seLinuxOptions",
      detail: `${setters} set forbidden securityContext.seLinuxOptions: ${data.join("; ")}`,
    };
  };

const SECCOMP_TYPES = ["Localhost", "RuntimeDefault"];

/** A profile must be one of two types, if it is set. */
export const seccompProfile: Check = ({ spec }) => {
  const badType = (context: AnyContainer["securityContext"]): string | undefined => {
    const profile = context?.seccompProfile;
    return profile === undefined || SECCOMP_TYPES.includes(profile.type ?? "") ? undefined : (profile.type ?? "");
  };
  const ofPod = badType(spec.securityContext);
  const bad = containersOf(spec).filter(({ securityContext }) => badType(securityContext) !== undefined);
  if (ofPod === undefined && bad.length === 0) return undefined;
  const types = [ofPod, ...bad.map(({ securityContext }) => badType(securityContext))];
  const setters = settersText(ofPod !== undefined, namesOf(bad));
  const values = quoted(sortedSet(types.filter((type) => type !== undefined)));
  return {
    reason: "seccompProfile",
    detail: `${setters} must not set securityContext.seccompProfile.type to ${values}`,
  };
};

/** A profile must also be set, on the pod or on every container. */
export const seccompProfileRequired: Check = (pod) => {
  const bad = seccompProfile(pod);
  if (bad !== undefined) return bad;
  if (pod.spec.securityContext?.seccompProfile !== undefined) return undefined;
  const without = containersOf(pod.spec).filter((one) => one.securityContext?.seccompProfile === undefined);
  if (without.length === 0) return undefined;
  const who = `pod or ${containersText(namesOf(without))}`;
  return {
    reason: "seccompProfile",
    detail: `${who} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  };
};

export const runAsNonRoot: Check = ({ spec }) => {
  const reason = "runAsNonRoot != true";
  const ofPod = spec.securityContext?.runAsNonRoot;
  const containers = containersOf(spec);
  const setting = containers.filter(({ securityContext }) => securityContext?.runAsNonRoot === false);
  if (ofPod === false || setting.length > 0) {
    const setters = settersText(ofPod === false, namesOf(setting));
    return { reason, detail: `${setters} must not set securityContext.runAsNonRoot=false` };
  }
  const without = containers.filter(({ securityContext }) => securityContext?.runAsNonRoot === undefined);
  if (ofPod === true || without.length === 0) return undefined;
  return {
    reason,
    detail: `pod or ${containersText(namesOf(without))} must set securityContext.runAsNonRoot=true`,
  };
};

export const runAsUser: Check = ({ spec }) => {
  const isPod = spec.securityContext?.runAsUser === 0;
  const bad = containersOf(spec).filter(({ securityContext }) => securityContext?.runAsUser === 0);
  if (!isPod && bad.length === 0) return undefined;
  return { reason: "runAsUser=0", detail: `${settersText(isPod, namesOf(bad))} must not set runAsUser=0` };
};

export const windowsHostProcess: Check = ({ spec }) => {
  const isPod = spec.securityContext?.windowsOptions?.hostProcess === true;
  const bad = containersOf(spec).filter(({ securityContext }) => securityContext?.windowsOptions?.hostProcess);
  if (!isPod && bad.length === 0) return undefined;
  return {
    reason: "hostProcess",
    detail: `${settersText(isPod, namesOf(bad))} must not set securityContext.windowsOptions.hostProcess=true`,
  };
};
