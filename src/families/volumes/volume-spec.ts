// A volume as volume plugins see it: a volume of a pod, or the persistent volume behind its claim.
// Upstream: pkg/volume/plugins.go, Spec; pkg/volume/util, GetUniqueVolumeNameFromSpec, IsMultiAttachAllowed;
// GetVolumeName of pkg/volume/{csi,fc,iscsi,hostpath,nfs}.

import type {
  CSIPersistentVolumeSource,
  PersistentVolume,
  PersistentVolumeSpec,
  Volume,
} from "#api/generated/types/core-v1.ts";

export interface VolumeSpec {
  /** Of a volume in a pod that no CSI driver has taken over. */
  readonly volume?: Volume;
  readonly persistentVolume?: PersistentVolume;
  /** Translated from an in-tree source. */
  readonly isMigrated: boolean;
  /** Translated from a volume in a pod: there is no PersistentVolume object. */
  readonly isInline: boolean;
}

/** The plugins that kube-controller-manager links. FlexVolume, which it probes for, is left out. */
export type VolumePlugin =
  | "kubernetes.io/csi"
  | "kubernetes.io/fc"
  | "kubernetes.io/iscsi"
  | "kubernetes.io/host-path"
  | "kubernetes.io/nfs";

interface Plugin {
  readonly source: keyof PersistentVolumeSpec & keyof Volume;
  /** Attach and detach are its operations, if only as calls that do nothing. */
  readonly isAttachable: boolean;
  readonly supportsSELinuxMount?: boolean;
  /** The plugin's name of the volume; undefined where the source does not say enough. */
  name(spec: VolumeSpec): string | undefined;
}

const PLUGINS: Readonly<Record<VolumePlugin, Plugin>> = {
  "kubernetes.io/csi": {
    source: "csi",
    isAttachable: true,
    name: (spec) => {
      const source = csiSourceOf(spec);
      return source === undefined ? undefined : `${source.driver ?? ""}^${source.volumeHandle ?? ""}`;
    },
  },
  "kubernetes.io/fc": {
    source: "fc",
    isAttachable: true,
    supportsSELinuxMount: true,
    name: (spec) => {
      const { targetWWNs, lun, wwids } = sourceOf(spec, "fc") ?? {};
      if (targetWWNs && targetWWNs.length > 0 && lun !== undefined) return `[${targetWWNs.join(" ")}]:${lun}`;
      return wwids && wwids.length > 0 ? `[${wwids.join(" ")}]` : undefined;
    },
  },
  "kubernetes.io/iscsi": {
    source: "iscsi",
    isAttachable: true,
    supportsSELinuxMount: true,
    name: (spec) => {
      const { targetPortal = "", iqn = "", lun = 0 } = sourceOf(spec, "iscsi") ?? {};
      return `${targetPortal}:${iqn}:${lun}`;
    },
  },
  "kubernetes.io/host-path": {
    source: "hostPath",
    isAttachable: false,
    name: (spec) => sourceOf(spec, "hostPath")?.path,
  },
  "kubernetes.io/nfs": {
    source: "nfs",
    isAttachable: false,
    name: (spec) => `${sourceOf(spec, "nfs")?.server ?? ""}/${sourceOf(spec, "nfs")?.path ?? ""}`,
  },
};

const plugins = Object.entries(PLUGINS) as readonly (readonly [VolumePlugin, Plugin])[];

/** The plugin, if one of the linked ones can work on the volume. */
export function pluginOf(spec: VolumeSpec): VolumePlugin | undefined {
  return plugins.find(([, { source }]) => sourceOf(spec, source) !== undefined)?.[0];
}

export const isAttachablePlugin = (plugin: string): plugin is VolumePlugin =>
  plugins.some(([name, { isAttachable }]) => name === plugin && isAttachable);

/** Mounts with an SELinux context, whatever a driver says. */
export const alwaysMountsWithContext = (plugin: VolumePlugin): boolean => PLUGINS[plugin].supportsSELinuxMount === true;

/** Unique in the cluster: "<plugin>/<name>". Undefined where the source does not say enough. */
export function uniqueNameOf(plugin: VolumePlugin, spec: VolumeSpec): string | undefined {
  const name = PLUGINS[plugin].name(spec);
  return name === undefined || name === "" ? undefined : `${plugin}/${name}`;
}

/** The plugin and its name of the volume. The plugin has exactly one slash. */
export function splitUniqueName(uniqueName: string): { plugin: string; name: string } | undefined {
  const match = /^([^/]*\/[^/]*)\/(.*)$/s.exec(uniqueName);
  return match === null ? undefined : { plugin: match[1] ?? "", name: match[2] ?? "" };
}

/** The plugin as metrics name it: of CSI with the driver. */
export function qualifiedPluginName(plugin: string, spec: VolumeSpec | undefined): string {
  const driver = spec?.volume?.csi?.driver ?? spec?.persistentVolume?.spec?.csi?.driver;
  return driver === undefined ? plugin : `${plugin}:${driver}`;
}

export function csiSourceOf({ persistentVolume }: VolumeSpec): CSIPersistentVolumeSource | undefined {
  return persistentVolume?.spec?.csi;
}

/** The name that messages give the volume. */
export function specName({ volume, persistentVolume }: VolumeSpec): string {
  return volume?.name ?? persistentVolume?.metadata?.name ?? "";
}

/**
 * Whether several nodes may have the volume at a time. Where no mode says so, the driver decides: a volume whose source
 * is not known yet, one in a pod, one without access modes.
 */
export function isMultiAttachAllowed(spec: VolumeSpec | undefined): boolean {
  if (spec?.volume?.azureDisk !== undefined || spec?.volume?.cinder !== undefined) return false;
  const modes = spec?.persistentVolume?.spec?.accessModes ?? [];
  return modes.length === 0 || modes.some((mode) => mode === "ReadWriteMany" || mode === "ReadOnlyMany");
}

/** The volume belongs to a driver of the kind that this program does not run. */
export const isFlexVolume = (spec: VolumeSpec): boolean => sourceOf(spec, "flexVolume") !== undefined;

function sourceOf<K extends keyof PersistentVolumeSpec & keyof Volume>(
  { volume, persistentVolume }: VolumeSpec,
  source: K,
): (Volume[K] & PersistentVolumeSpec[K]) | undefined {
  return (volume?.[source] ?? persistentVolume?.spec?.[source]) as (Volume[K] & PersistentVolumeSpec[K]) | undefined;
}
