// Descriptions of the metadata fields for `kubectl explain`. The texts are not upstream's.

export const METADATA_TYPE = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

export const metadataDescriptions: Readonly<Record<string, string>> = {
  annotations: "Annotations are texts by key that tools and people attach to the object. They cannot be selected by.",
  creationTimestamp: "CreationTimestamp is a timestamp of the moment at which the server created the object.",
  deletionGracePeriodSeconds: "DeletionGracePeriodSeconds is the time between the deletion's request and its end.",
  deletionTimestamp:
    "DeletionTimestamp is set while the object is being deleted; it is when its time of grace is over.",
  finalizers: "Finalizers keep the object until each of them has been removed.",
  generateName: "GenerateName begins the name of an object that is created without one.",
  generation: "Generation counts the changes of what is wanted of the object.",
  labels: "Labels are short texts by key that objects are selected by.",
  managedFields: "ManagedFields says who wrote which fields last, for server-side apply.",
  name: "Name is unique among the objects of the kind in a namespace.",
  namespace: "Namespace is where the object lives; objects of the cluster's scope have none.",
  ownerReferences: "OwnerReferences name the objects without which this one is collected.",
  resourceVersion: "ResourceVersion changes with each write; an update that names an older one is refused.",
  selfLink: "SelfLink is not filled any more.",
  uid: "UID tells this object from all others of the same name before and after it.",
};
