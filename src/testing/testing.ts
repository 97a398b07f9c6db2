// The entry point of "steersman/testing": a cluster for tests, the handles of resources for its client, and the
// predicates for its errors.

export * from "#api/generated/resources/admissionregistration-v1.ts";
export * from "#api/generated/resources/apiextensions-v1.ts";
export * from "#api/generated/resources/apiregistration-v1.ts";
export * from "#api/generated/resources/apps-v1.ts";
export * from "#api/generated/resources/autoscaling-v2.ts";
export * from "#api/generated/resources/batch-v1.ts";
export * from "#api/generated/resources/certificates-v1.ts";
export * from "#api/generated/resources/coordination-v1.ts";
export * from "#api/generated/resources/core-v1.ts";
export * from "#api/generated/resources/discovery-v1.ts";
export * from "#api/generated/resources/flowcontrol-v1.ts";
export * from "#api/generated/resources/networking-v1.ts";
export * from "#api/generated/resources/node-v1.ts";
export * from "#api/generated/resources/policy-v1.ts";
export * from "#api/generated/resources/rbac-v1.ts";
export * from "#api/generated/resources/resource-v1.ts";
export * from "#api/generated/resources/scheduling-v1.ts";
export * from "#api/generated/resources/storage-v1.ts";
export type { WatchEvent } from "#api/object.ts";
export {
  type Applied,
  type Draft,
  type ObjectOf,
  type Resource,
  resourceHandle,
  type Stored,
  type StoredCluster,
  type StoredObject,
} from "#api/resource.ts";
export { ApiError, isAlreadyExists, isConflict, isForbidden, isInvalid, isNotFound } from "#api/status-error.ts";
export type { UserInfo } from "#api/user-info.ts";
export type { NodeStage, PodStage, StagesSpec } from "#nodes/stages.ts";
export type { ResourceCalls, TestingClient } from "./client.ts";
export {
  type RealCluster,
  type RealClusterOptions,
  startCluster,
  type TestCluster,
  type VirtualCluster,
  type VirtualClusterOptions,
} from "./start-cluster.ts";
