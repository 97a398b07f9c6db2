// Fields without an owner, because they identify the object or are set by the server.
// Upstream: k8s.io/apimachinery pkg/util/managedfields/internal/stripmeta.go

import { type FieldSet, setOf } from "./field-set.ts";

const metadata = [
  "name",
  "namespace",
  "creationTimestamp",
  "selfLink",
  "uid",
  "clusterName",
  "generation",
  "managedFields",
  "resourceVersion",
];

export const stripSet: FieldSet = setOf(
  ["f:apiVersion"],
  ["f:kind"],
  ["f:metadata"],
  ...metadata.map((name) => ["f:metadata", `f:${name}`]),
);
