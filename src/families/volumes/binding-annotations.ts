// The annotations and finalizers by which binder, scheduler and provisioners talk about claims and volumes.
// Upstream: component-helpers/storage/volume/pv_helpers.go; pkg/volume/util.

/** On a claim: it has been bound once. A claim with it that loses its volume is lost. */
export const BIND_COMPLETED = "pv.kubernetes.io/bind-completed";
/** On either side: the binder made the connection, not a user. */
export const BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller";
/** On a claim: the node for which the scheduler wants a volume provisioned. */
export const SELECTED_NODE = "volume.kubernetes.io/selected-node";
/** On a volume: the plugin that provisioned it. */
export const PROVISIONED_BY = "pv.kubernetes.io/provisioned-by";
/** On either side: the CSI driver that does the work of the in-tree plugin. */
export const MIGRATED_TO = "pv.kubernetes.io/migrated-to";
/** On a claim: who is to provision a volume. */
export const PROVISIONER = "volume.kubernetes.io/storage-provisioner";
export const PROVISIONER_BETA = "volume.beta.kubernetes.io/storage-provisioner";
/** On a volume that a node still has to grow the file system of: the size before. */
export const PRE_RESIZE_CAPACITY = "volume.alpha.kubernetes.io/pre-resize-capacity";
/** On a volume: which provisioner of the program made it. */
export const CREATED_BY = "kubernetes.io/createdby";

/** On a volume: the secret that its deletion needs; external provisioners write empty ones. */
export const DELETION_SECRET_NAME = "volume.kubernetes.io/provisioner-deletion-secret-name";
export const DELETION_SECRET_NAMESPACE = "volume.kubernetes.io/provisioner-deletion-secret-namespace";

export const IN_TREE_FINALIZER = "kubernetes.io/pv-controller";
export const EXTERNAL_FINALIZER = "external-provisioner.volume.kubernetes.io/finalizer";

type Annotated = { readonly metadata: { readonly annotations?: Readonly<Record<string, string>> } };

export function hasAnnotation({ metadata }: Annotated, name: string): boolean {
  return metadata.annotations?.[name] !== undefined;
}

export function annotated<T extends Annotated>(object: T, annotations: Readonly<Record<string, string>>): T {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } } };
}

/** Without the annotation; without any, the object has no map of them. */
export function withoutAnnotation<T extends Annotated>(object: T, name: string): T {
  const { [name]: _, ...annotations } = object.metadata.annotations ?? {};
  const { annotations: _all, ...metadata } = object.metadata;
  const isEmpty = Object.keys(annotations).length === 0;
  return { ...object, metadata: isEmpty ? metadata : { ...metadata, annotations } };
}
