// The annotations and finalizers on claims and volumes through which binder, scheduler and provisioners communicate.
// Upstream: component-helpers/storage/volume/pv_helpers.go; pkg/volume/util.

/** On a claim: it has been bound once. If such a claim loses its volume, its phase is Lost. */
export const BIND_COMPLETED = "pv.kubernetes.io/bind-completed";
/** On a claim or a volume: the binder made the connection, not a user. */
export const BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller";
/** On a claim: the node for which the scheduler wants a volume provisioned. */
export const SELECTED_NODE = "volume.kubernetes.io/selected-node";
/** On a volume: the plugin that provisioned it. */
export const PROVISIONED_BY = "pv.kubernetes.io/provisioned-by";
/** On a claim or a volume: the CSI driver that replaces the in-tree plugin. */
export const MIGRATED_TO = "pv.kubernetes.io/migrated-to";
/** On a claim: the provisioner that must provision a volume. */
export const PROVISIONER = "volume.kubernetes.io/storage-provisioner";
export const PROVISIONER_BETA = "volume.beta.kubernetes.io/storage-provisioner";
/** On a volume whose file system a node still has to grow: the capacity before. */
export const PRE_RESIZE_CAPACITY = "volume.alpha.kubernetes.io/pre-resize-capacity";
/** On a volume: the internal provisioner that created it. */
export const CREATED_BY = "kubernetes.io/createdby";

/** On a volume: the secret that its deletion needs; external provisioners write empty values. */
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

/** The object without the annotation. If it was the last one, the object has no annotations map. */
export function withoutAnnotation<T extends Annotated>(object: T, name: string): T {
  const { [name]: _, ...annotations } = object.metadata.annotations ?? {};
  const { annotations: _all, ...metadata } = object.metadata;
  const isEmpty = Object.keys(annotations).length === 0;
  return { ...object, metadata: isEmpty ? metadata : { ...metadata, annotations } };
}
