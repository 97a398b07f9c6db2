// The in-tree volume plugins that CSI drivers replace. In 1.36 the migration of all of them is permanent.
// Upstream: k8s.io/csi-translation-lib; pkg/volume/csimigration/plugin_manager.go.

import type { PersistentVolumeSpec, Volume } from "#api/generated/types/core-v1.ts";

interface MigratedPlugin {
  readonly plugin: string;
  readonly driver: string;
  /** The field of the source, in pod volumes and in persistent volumes. */
  readonly source: keyof PersistentVolumeSpec & keyof Volume;
}

const migratedPlugins: readonly MigratedPlugin[] = [
  { plugin: "kubernetes.io/gce-pd", driver: "pd.csi.storage.gke.io", source: "gcePersistentDisk" },
  { plugin: "kubernetes.io/aws-ebs", driver: "ebs.csi.aws.com", source: "awsElasticBlockStore" },
  { plugin: "kubernetes.io/cinder", driver: "cinder.csi.openstack.org", source: "cinder" },
  { plugin: "kubernetes.io/azure-disk", driver: "disk.csi.azure.com", source: "azureDisk" },
  { plugin: "kubernetes.io/azure-file", driver: "file.csi.azure.com", source: "azureFile" },
  { plugin: "kubernetes.io/vsphere-volume", driver: "csi.vsphere.vmware.com", source: "vsphereVolume" },
  { plugin: "kubernetes.io/portworx-volume", driver: "pxd.portworx.com", source: "portworxVolume" },
];

const driverByPlugin = new Map(migratedPlugins.map(({ plugin, driver }) => [plugin, driver]));

/** The CSI driver that replaces an in-tree plugin; undefined if the plugin is not migrated. */
export function driverOfPlugin(plugin: string): string | undefined {
  return driverByPlugin.get(plugin);
}

/** The migrated in-tree plugin that the source of a volume belongs to. */
export function migratedPluginOf(source: PersistentVolumeSpec | Volume): string | undefined {
  return migratedPlugins.find((migrated) => source[migrated.source as keyof typeof source] !== undefined)?.plugin;
}
