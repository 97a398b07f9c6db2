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
  /** Set for a volume in a pod that is not migrated to CSI. */
  readonly volume?: Volume;
  readonly persistentVolume?: PersistentVolume;
  /** Translated from an in-tree source. */
  readonly isMigrated: boolean;
  /** Translated from a volume in a pod: there is no PersistentVolume object. */
  readonly isInline: boolean;
}

/** The plugins that kube-controller-manager links. FlexVolume, which upstream probes for, is left out. */
export type VolumePlugin =
  | "kubernetes.io/csi"
  | "kubernetes.io/fc"
  | "kubernetes.io/iscsi"
  | "kubernetes.io/host-path"
  | "kubernetes.io/nfs";

interface Plugin {
  readonly source: keyof PersistentVolumeSpec & keyof Volume;
  /** The plugin has attach and detach operations, even if they do nothing. */
  readonly isAttachable: boolean;
  readonly supportsSELinuxMount?: boolean;
  /** The plugin's name for the volume; undefined if the source has too little information. */
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

/** Unique in the cluster: "<plugin>/<name>". Undefined if the source has too little information. */
export function uniqueNameOf(plugin: VolumePlugin, spec: VolumeSpec): string | undefined {
  const name = PLUGINS[plugin].name(spec);
  return name === undefined || name === "" ? undefined : `${plugin}/${name}`;
}

/** Splits a unique name. The plugin part has exactly one slash. */
export function splitUniqueName(uniqueName: string): { plugin: string; name: string } | undefined {
  const match = /^([^/]*\/[^/]*)\/(.*)$/s.exec(uniqueName);
  return match === null ? undefined : { plugin: match[1] ?? "", name: match[2] ?? "" };
}

/** The plugin's name in metrics: for CSI it includes the driver. */
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
 * Whether several nodes may attach the volume at the same time. The driver decides if the source is unknown, if the
 * volume is defined in a pod, or if it has no access modes.
 */
export function isMultiAttachAllowed(spec: VolumeSpec | undefined): boolean {
  if (spec?.volume?.azureDisk !== undefined || spec?.volume?.cinder !== undefined) return false;
  const modes = spec?.persistentVolume?.spec?.accessModes ?? [];
  return modes.length === 0 || modes.some((mode) => mode === "ReadWriteMany" || mode === "ReadOnlyMany");
}

/** The volume uses FlexVolume, which this program does not run. */
export const isFlexVolume = (spec: VolumeSpec): boolean => sourceOf(spec, "flexVolume") !== undefined;

function sourceOf<K extends keyof PersistentVolumeSpec & keyof Volume>(
  { volume, persistentVolume }: VolumeSpec,
  source: K,
): (Volume[K] & PersistentVolumeSpec[K]) | undefined {
  return (volume?.[source] ?? persistentVolume?.spec?.[source]) as (Volume[K] & PersistentVolumeSpec[K]) | undefined;
}
