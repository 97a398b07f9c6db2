// The volume plugins for claims and volumes: host paths, which can be provisioned, deleted and recycled for tests on
// one machine, and NFS, which can be recycled. External provisioners do all other work.
// Upstream: pkg/volume/plugins.go; pkg/volume/hostpath; pkg/volume/nfs; cmd/kube-controller-manager/app/plugins.go.

import type { PersistentVolumeSpec, Pod, Volume as PodVolume } from "#api/generated/types/core-v1.ts";

export const HOST_PATH = "kubernetes.io/host-path";
const NFS = "kubernetes.io/nfs";

export interface RecyclerSettings {
  readonly template: Pod;
  readonly minimumTimeoutSeconds: number;
  readonly timeoutIncrementSeconds: number;
}

export interface PluginSettings {
  readonly hostPath: RecyclerSettings;
  readonly nfs: RecyclerSettings;
  /** --enable-hostpath-provisioner */
  readonly provisionsHostPaths: boolean;
}

export interface VolumePlugin {
  readonly name: string;
  readonly isProvisioner: boolean;
  readonly isDeleter: boolean;
  /** The source of a pod volume with the same data; undefined for volumes of other plugins. */
  sourceOf(spec: PersistentVolumeSpec): Omit<PodVolume, "name"> | undefined;
  recycler(settings: PluginSettings): RecyclerSettings;
}

const hostPath: VolumePlugin = {
  name: HOST_PATH,
  isProvisioner: true,
  isDeleter: true,
  sourceOf: ({ hostPath }) => (hostPath === undefined ? undefined : { hostPath: { path: hostPath.path } }),
  recycler: (settings) => settings.hostPath,
};

const nfs: VolumePlugin = {
  name: NFS,
  isProvisioner: false,
  isDeleter: false,
  sourceOf: ({ nfs }) => (nfs === undefined ? undefined : { nfs: { server: nfs.server, path: nfs.path } }),
  recycler: (settings) => settings.nfs,
};

const plugins: readonly VolumePlugin[] = [hostPath, nfs];

export function pluginOf(spec: PersistentVolumeSpec | undefined): VolumePlugin | undefined {
  return spec === undefined ? undefined : plugins.find((plugin) => plugin.sourceOf(spec) !== undefined);
}

/** The plugin that provisions, by name; a string says why there is none. */
export function provisionerNamed(name: string): VolumePlugin | string {
  const plugin = plugins.find((plugin) => plugin.name === name);
  if (plugin === undefined) return `no volume plugin matched name: ${name}`;
  return plugin.isProvisioner ? plugin : "no provisionable volume plugin matched";
}

export function deleterNamed(name: string): VolumePlugin | string {
  const plugin = plugins.find((plugin) => plugin.name === name);
  if (plugin === undefined) return `no volume plugin matched name: ${name}`;
  return plugin.isDeleter ? plugin : "no deletable volume plugin matched";
}

export function deleterOf(spec: PersistentVolumeSpec | undefined): VolumePlugin | string {
  const plugin = pluginOf(spec);
  if (plugin === undefined) return "no volume plugin matched";
  return plugin.isDeleter ? plugin : "no deletable volume plugin matched";
}
