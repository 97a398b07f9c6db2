// Translates in-tree volumes to the form of the CSI drivers that replace their plugins. The node affinity of a
// persistent volume is not translated, because no controller here reads it.
// Upstream: k8s.io/csi-translation-lib/plugins.

import type {
  CSIPersistentVolumeSource,
  PersistentVolume,
  PersistentVolumeSpec,
  SecretReference,
  Volume,
} from "#api/generated/types/core-v1.ts";
import { driverOfPlugin, migratedPluginOf } from "./migration.ts";
import type { VolumeSpec } from "./volume-spec.ts";

const UNSPECIFIED = "UNSPECIFIED";

/**
 * The volume as its CSI driver sees it; unchanged if no driver replaces its plugin. Throws if the source is invalid.
 */
export function translatedToCsi(spec: VolumeSpec, podNamespace: string): VolumeSpec {
  const { volume, persistentVolume } = spec;
  const plugin = migratedPluginOf(persistentVolume?.spec ?? volume ?? { name: "" });
  const driver = plugin === undefined ? undefined : driverOfPlugin(plugin);
  if (driver === undefined) return spec;
  if (persistentVolume !== undefined) {
    return { persistentVolume: translatedVolume(persistentVolume, driver), isMigrated: true, isInline: false };
  }
  const inline = inlineVolume(volume ?? { name: "" }, driver, podNamespace);
  return { persistentVolume: inline, isMigrated: true, isInline: true };
}

type Source = Omit<CSIPersistentVolumeSource, "driver">;

function translatedVolume(volume: PersistentVolume, driver: string): PersistentVolume {
  const spec = volume.spec ?? {};
  const csi = { driver, ...sourceOfVolume(volume, spec) };
  const accessModes = spec.gcePersistentDisk === undefined ? spec.accessModes : singleWriter(spec.accessModes);
  const { awsElasticBlockStore, gcePersistentDisk, azureDisk, azureFile, cinder, vsphereVolume, ...others } = spec;
  const { portworxVolume, ...rest } = others;
  return { ...volume, spec: { ...rest, ...(accessModes === undefined ? {} : { accessModes }), csi } };
}

function sourceOfVolume(volume: PersistentVolume, spec: PersistentVolumeSpec): Source {
  const { gcePersistentDisk: disk, azureFile: share, portworxVolume: portworx, cinder } = spec;
  if (disk !== undefined) {
    return gceSource(disk, gcePlace(volume.metadata?.labels ?? {}));
  }
  if (share !== undefined) {
    const namespace = share.secretNamespace ?? spec.claimRef?.namespace ?? "";
    if (namespace === "") {
      throw new Error("could not find a secret namespace in PersistentVolumeSource or ClaimRef");
    }
    const group = volume.metadata?.annotations?.["kubernetes.io/azure-file-resource-group"] ?? "";
    return azureFileSource(share, group, volume.metadata?.name ?? "", namespace);
  }
  if (portworx !== undefined) {
    const secret = portworxSecret(volume.metadata?.annotations ?? {});
    return {
      ...plainSource(portworx.volumeID, portworx.fsType),
      ...(secret === undefined
        ? {}
        : {
            controllerPublishSecretRef: secret,
            nodeStageSecretRef: secret,
            nodePublishSecretRef: secret,
            controllerExpandSecretRef: secret,
            nodeExpandSecretRef: secret,
          }),
    };
  }
  if (cinder !== undefined) return plainSource(cinder.volumeID, cinder.fsType, cinder.readOnly);
  return commonSource(spec);
}

/** Sources with the same meaning in pods and in persistent volumes. */
function commonSource(spec: PersistentVolumeSpec | Volume): Source {
  const { awsElasticBlockStore: ebs, azureDisk, vsphereVolume: vsphere } = spec;
  if (ebs !== undefined) {
    return {
      ...plainSource(ebsVolumeId(ebs.volumeID ?? ""), ebs.fsType, ebs.readOnly),
      volumeAttributes: { partition: String(ebs.partition ?? 0) },
    };
  }
  if (azureDisk !== undefined) {
    const { kind = "Managed", diskURI, cachingMode, fsType, readOnly } = azureDisk;
    if (kind.toLowerCase() !== "managed") throw new Error(`kind(${kind}) is not supported in csi migration`);
    return {
      ...plainSource(diskURI, fsType, readOnly),
      volumeAttributes: {
        kind: "Managed",
        ...(cachingMode === undefined ? {} : { cachingmode: cachingMode }),
        ...(fsType === undefined ? {} : { fstype: fsType }),
      },
    };
  }
  const { volumePath, fsType, storagePolicyName = "" } = vsphere ?? {};
  return {
    ...plainSource(volumePath, fsType),
    ...(storagePolicyName === "" ? {} : { volumeAttributes: { storagepolicyname: storagePolicyName } }),
  };
}

function inlineVolume(volume: Volume, driver: string, podNamespace: string): PersistentVolume {
  const { gcePersistentDisk: disk, azureFile: share, azureDisk, cinder, portworxVolume: portworx } = volume;
  const named = (source: Source, name: string, mode = "ReadWriteOnce"): PersistentVolume => ({
    metadata: { name },
    spec: { accessModes: [mode], csi: { driver, ...source }, volumeMode: "Filesystem" },
  });
  const readerOrWriter = (readOnly: boolean | undefined): string => (readOnly ? "ReadOnlyMany" : "ReadWriteOnce");
  if (disk !== undefined) {
    const source = gceSource(disk, `zones/${UNSPECIFIED}`);
    return named(source, `${driver}-${disk.pdName ?? ""}`, readerOrWriter(disk.readOnly));
  }
  if (share !== undefined) {
    const source = azureFileSource(share, "", volume.name ?? "", podNamespace === "" ? "default" : podNamespace);
    return named(source, source.volumeHandle ?? "", "ReadWriteMany");
  }
  if (cinder !== undefined) {
    const source = plainSource(cinder.volumeID, cinder.fsType, cinder.readOnly);
    return named(source, `${driver}-${source.volumeHandle}`);
  }
  if (portworx !== undefined) {
    const source = plainSource(portworx.volumeID, portworx.fsType);
    return named(source, `${driver}-${source.volumeHandle}`, readerOrWriter(portworx.readOnly));
  }
  const source = commonSource(volume);
  return named(source, azureDisk === undefined ? `${driver}-${source.volumeHandle}` : (source.volumeHandle ?? ""));
}

function plainSource(volumeHandle = "", fsType?: string, readOnly?: boolean): Source {
  return { volumeHandle, ...(fsType ? { fsType } : {}), ...(readOnly ? { readOnly } : {}) };
}

function gceSource(disk: NonNullable<Volume["gcePersistentDisk"]>, place: string): Source {
  return {
    ...plainSource(`projects/${UNSPECIFIED}/${place}/disks/${disk.pdName ?? ""}`, disk.fsType, disk.readOnly),
    volumeAttributes: { partition: disk.partition ? String(disk.partition) : "" },
  };
}

/** The zone, or the region of several zones, from the labels of a volume. */
function gcePlace(labels: Readonly<Record<string, string>>): string {
  const label = labels["failure-domain.beta.kubernetes.io/zone"] || labels["topology.kubernetes.io/zone"] || "";
  const zones = label.split("__");
  if (zones.length === 1) return `zones/${label || UNSPECIFIED}`;
  const regions = new Set(zones.map(gceRegion));
  if (regions.size !== 1) throw new Error("failed to get region from zones: multiple or no regions gotten from zones");
  return `regions/${[...regions][0]}`;
}

function gceRegion(zone: string): string {
  const parts = zone.split("-");
  if (parts.length === 3) return parts.slice(0, 2).join("-");
  const detail = `zone in unexpected format, expected: {locale}-{region}-{zone}, got: ${zone}`;
  throw new Error(`failed to get region from zones: ${detail}`);
}

/** The in-tree plugin never enforced access modes; the driver refuses modes with several writers. */
function singleWriter(modes: readonly string[] | undefined): string[] | undefined {
  if (modes === undefined) return undefined;
  const isReadOnly =
    modes.includes("ReadOnlyMany") && !modes.includes("ReadWriteOnce") && !modes.includes("ReadWriteMany");
  return [isReadOnly ? "ReadOnlyMany" : "ReadWriteOnce"];
}

function azureFileSource(
  { secretName = "", shareName = "", readOnly }: { secretName?: string; shareName?: string; readOnly?: boolean },
  resourceGroup: string,
  volumeName: string,
  namespace: string,
): Source {
  const account = /azure-storage-account-(.+)-secret/.exec(secretName)?.[1] ?? secretName;
  return {
    ...plainSource([resourceGroup, account, shareName, volumeName, namespace].join("#"), undefined, readOnly),
    volumeAttributes: { sharename: shareName },
    nodeStageSecretRef: { name: secretName, namespace },
  };
}

function portworxSecret(annotations: Readonly<Record<string, string>>): SecretReference | undefined {
  const name = annotations["openstorage.io/auth-secret-name"];
  const namespace = annotations["openstorage.io/auth-secret-namespace"];
  return name === undefined || namespace === undefined ? undefined : { name, namespace };
}

/** "vol-1" of "aws://zone/vol-1". */
function ebsVolumeId(id: string): string {
  if (!id.startsWith("aws://")) return id;
  const path = /^aws:\/\/[^/?#]*([^?#]*)/.exec(id)?.[1] ?? "";
  const volume = path.replaceAll(/^\/+|\/+$/g, "");
  if (/^vol-[^/]*$/.test(volume)) return volume;
  throw new Error(`failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume (${id})`);
}
