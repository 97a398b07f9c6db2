// Descriptions of the metadata fields for `kubectl explain`. The texts are not upstream's.

export const METADATA_TYPE = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

export const metadataDescriptions: Readonly<Record<string, string>> = {
  annotations: "Annotations are values by key that tools and people attach to the object. Selectors cannot use them.",
  creationTimestamp: "CreationTimestamp is the time at which the server created the object.",
  deletionGracePeriodSeconds:
    "DeletionGracePeriodSeconds is the time between the request for deletion and the removal of the object.",
  deletionTimestamp: "DeletionTimestamp is set while the object is being deleted; it is the end of the grace period.",
  finalizers: "Finalizers keep a deleted object until each of them has been removed.",
  generateName: "GenerateName is the prefix of the generated name of an object that is created without a name.",
  generation: "Generation counts the changes of the desired state of the object.",
  labels: "Labels are short values by key. Selectors find objects by their labels.",
  managedFields: "ManagedFields lists the owners of fields, for server-side apply.",
  name: "Name is unique among the objects of the kind in a namespace.",
  namespace: "Namespace is the namespace of the object; cluster-scoped objects have none.",
  ownerReferences: "OwnerReferences name the owners of the object. Without them it is garbage-collected.",
  resourceVersion: "ResourceVersion changes with each write; an update that names an older one is refused.",
  selfLink: "SelfLink is deprecated and no longer set.",
  uid: "UID distinguishes this object from earlier and later objects with the same name.",
};
