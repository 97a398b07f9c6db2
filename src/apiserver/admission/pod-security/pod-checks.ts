// Pod security checks of the whole pod: annotations, host namespaces, volumes and sysctls.

import type { Volume } from "#api/generated/types/core-v1.ts";
import { goQuote } from "#api/go-text.ts";
import type { Check, CheckedPod } from "./checks.ts";
import { containersOf, namesOf, plural, quoted, settersText, sortedSet } from "./violation-words.ts";

const APP_ARMOR_PREFIX = "container.apparmor.security.beta.kubernetes.io/";
const SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_PREFIX = "container.seccomp.security.alpha.kubernetes.io/";

const annotationText = (key: string, value: string): string => `${key}=${goQuote(value)}`;

export const appArmorProfile: Check = ({ metadata, spec }) => {
  const badType = (profile: { readonly type?: string } | undefined): string | undefined =>
    profile === undefined || ["RuntimeDefault", "Localhost"].includes(profile.type ?? "")
      ? undefined
      : (profile.type ?? "");
  const ofPod = badType(spec.securityContext?.appArmorProfile);
  const bad = containersOf(spec).filter((one) => badType(one.securityContext?.appArmorProfile) !== undefined);
  const types = [ofPod, ...bad.map((one) => badType(one.securityContext?.appArmorProfile))];
  const annotations = Object.entries(metadata.annotations ?? {})
    .filter(([key, value]) => key.startsWith(APP_ARMOR_PREFIX) && !isAppArmorValue(value))
    .map(([key, value]) => annotationText(key, value))
    .sort();
  const values = [...sortedSet(types.filter((type) => type !== undefined)), ...annotations];
  if (values.length === 0) return undefined;
  const setters = settersText(ofPod !== undefined, namesOf(bad));
  const annotated = annotations.length > 0 ? [plural("annotation", "annotations", annotations.length)] : [];
  return {
    reason: plural("forbidden AppArmor profile", "forbidden AppArmor profiles", values.length),
    detail: `${[...(setters === "" ? [] : [setters]), ...annotated].join(" and ")} must not set AppArmor profile type to ${quoted(values)}`,
  };
};

const isAppArmorValue = (value: string): boolean =>
  value === "" || value === "runtime/default" || value.startsWith("localhost/");

/** Annotations preceded the field. */
export const seccompAnnotations: Check = ({ metadata, spec }) => {
  const isAllowed = (value: string): boolean =>
    value === "runtime/default" || value === "docker/default" || value.startsWith("localhost/");
  const keys = [SECCOMP_POD, ...namesOf(containersOf(spec)).map((name) => SECCOMP_PREFIX + name)];
  const forbidden = sortedSet(
    keys.flatMap((key) => {
      const value = metadata.annotations?.[key];
      return value === undefined || isAllowed(value) ? [] : [annotationText(key, value)];
    }),
  );
  if (forbidden.length === 0) return undefined;
  const noun = plural("annotation", "annotations", forbidden.length);
  return { reason: "seccompProfile", detail: `forbidden ${noun} ${forbidden.join(", ")}` };
};

export const hostNamespaces: Check = ({ spec }) => {
  const used = (["hostNetwork", "hostPID", "hostIPC"] as const).filter((name) => spec[name]);
  if (used.length === 0) return undefined;
  return { reason: "host namespaces", detail: used.map((name) => `${name}=true`).join(", ") };
};

const volumesText = (names: readonly string[]): string =>
  `${plural("volume", "volumes", names.length)} ${quoted(names)}`;

export const hostPathVolumes: Check = ({ spec }) => {
  const bad = (spec.volumes ?? []).filter(({ hostPath }) => hostPath);
  return bad.length === 0 ? undefined : { reason: "hostPath volumes", detail: volumesText(namesOf(bad)) };
};

const UNRESTRICTED: readonly (keyof Volume)[] = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
];

/** In upstream's order: the first match names the volume. */
const RESTRICTED: readonly (keyof Volume)[] = [
  "hostPath",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "gitRepo",
  "nfs",
  "iscsi",
  "glusterfs",
  "rbd",
  "flexVolume",
  "cinder",
  "cephfs",
  "flocker",
  "fc",
  "azureFile",
  "vsphereVolume",
  "quobyte",
  "azureDisk",
  "photonPersistentDisk",
  "portworxVolume",
  "scaleIO",
  "storageos",
];

export const restrictedVolumes: Check = ({ spec }: CheckedPod) => {
  const bad = (spec.volumes ?? []).filter((volume) => !UNRESTRICTED.some((source) => volume[source]));
  if (bad.length === 0) return undefined;
  const types = sortedSet(bad.map((volume) => RESTRICTED.find((source) => volume[source]) ?? "unknown"));
  const noun = plural("restricted volume type", "restricted volume types", types.length);
  return {
    reason: "restricted volume types",
    detail: `${volumesText(namesOf(bad))} ${plural("uses", "use", bad.length)} ${noun} ${quoted(types)}`,
  };
};

export const sysctls =
  (allowed: readonly string[]): Check =>
  ({ spec }) => {
    const forbidden = namesOf(spec.securityContext?.sysctls ?? []).filter((name) => !allowed.includes(name));
    return forbidden.length === 0 ? undefined : { reason: "forbidden sysctls", detail: forbidden.join(", ") };
  };
