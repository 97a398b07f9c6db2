// Schemas for comparing pods: they identify quantities and maps.

import { lazy } from "#api/lazy.ts";
import type { Schema } from "#api/schema.ts";
import { schemaOfType } from "#api/schema-table.ts";

export const POD_SPEC: () => Schema | undefined = lazy(() => schemaOfType("core.v1", "PodSpec"));
export const CONTAINER: () => Schema | undefined = lazy(() => schemaOfType("core.v1", "Container"));
export const EPHEMERAL_CONTAINER: () => Schema | undefined = lazy(() => schemaOfType("core.v1", "EphemeralContainer"));
export const RESOURCES: () => Schema | undefined = lazy(() => schemaOfType("core.v1", "ResourceRequirements"));
export const POD_TEMPLATE: () => Schema | undefined = lazy(() => schemaOfType("core.v1", "PodTemplateSpec"));
export const STATEFUL_SET_SPEC: () => Schema | undefined = lazy(() => schemaOfType("apps.v1", "StatefulSetSpec"));
export const JOB_SPEC: () => Schema | undefined = lazy(() => schemaOfType("batch.v1", "JobSpec"));
export const CRON_JOB_SPEC: () => Schema | undefined = lazy(() => schemaOfType("batch.v1", "CronJobSpec"));
