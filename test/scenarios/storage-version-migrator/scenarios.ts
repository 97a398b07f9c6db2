// Migrations rewrite all objects of a resource. Each play migrates a custom resource that no other play has. A cache
// learns the latest resource version from an event: after the controller has recorded the version, the scenario writes
// one more object.

import { expect } from "vitest";
import { CustomResourceDefinitions } from "#api/generated/resources/apiextensions-v1.ts";
import { StorageVersionMigrations } from "#api/generated/resources/storagemigration-v1beta1.ts";
import type { StorageVersionMigration } from "#api/generated/types/storagemigration-v1beta1.ts";
import type { Resource, StoredObject } from "#api/resource.ts";
import { define, definitionName } from "#test/stage/custom-resources.ts";
import { type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";

const condition = ({ status }: StorageVersionMigration, type: string) =>
  status?.conditions?.find((found) => found.type === type);
const isTrue = (migration: StorageVersionMigration, type: string): boolean =>
  condition(migration, type)?.status === "True";

async function startMigration(
  stage: Stage,
  { group, resource }: Pick<Resource<StoredObject>, "group" | "resource">,
  base = "migration",
): Promise<string> {
  const name = stage.name(base);
  await stage.of(StorageVersionMigrations).create({ metadata: { name }, spec: { resource: { group, resource } } });
  return name;
}

/** After the version is recorded, causes an event that advances the caches to it. */
async function letCachesFollow(
  stage: Stage,
  things: Resource<StoredObject>,
  migration: string,
  later = "later",
): Promise<void> {
  await stage.of(StorageVersionMigrations).until(migration, ({ status }) => (status?.resourceVersion ?? "") !== "");
  await stage.of(things).create({ metadata: { name: later } });
}

const untilFinished = (stage: Stage, name: string): Promise<StorageVersionMigration> =>
  stage
    .of(StorageVersionMigrations)
    .until(name, (found) => isTrue(found, "Succeeded") && condition(found, "Running")?.status === "False");

async function thingsOf(stage: Stage, names: readonly string[]): Promise<Resource<StoredObject>> {
  const things = await define(stage, "Thing");
  // The garbage collector discovers new kinds every 30 seconds; then it deletes objects without an owner.
  const owner = { apiVersion: "v1", kind: "ConfigMap", name: "gone", uid: "7b2f9f0c-0d6f-4d0c-9d0f-0a1b2c3d4e5f" };
  await stage.of(things).create({ metadata: { name: "orphan", ownerReferences: [owner] } });
  await stage.of(things).untilGone("orphan");
  for (const name of names) await stage.of(things).create({ metadata: { name } });
  await stage.settle();
  return things;
}

export const scenarios: readonly Scenario[] = scenariosOf(
  "storage-version-migrator-controller",
  { cast: "clean-up", profile: "alpha", polls: true },
  [
    {
      name: "storage-version-migrator/1, storage-version-migrator/5, storage-version-migrator/7, storage-version-migrator/8 writes every object that was there when the migration began",
      async play(stage) {
        const things = await thingsOf(stage, ["a", "b", "c"]);
        const name = await startMigration(stage, things);
        await letCachesFollow(stage, things, name);
        const migration = await untilFinished(stage, name);
        expect(condition(migration, "Succeeded")).toMatchObject({
          reason: "StorageVersionMigrationSucceeded",
          message: "",
        });
        expect(condition(migration, "Running")).toMatchObject({
          status: "False",
          reason: "MigrationCompleted",
          message: "Migration completed",
        });
        await stage.settle();
        await stage.calm(async () => {
          const writes = (await stage.writes()).filter(
            ({ verb, resource }) => verb === "patch" && resource === things.resource,
          );
          expect(writes.map(({ name }) => name).toSorted()).toEqual(["a", "b", "c"]);
        });
      },
    },
    {
      name: "storage-version-migrator/2, storage-version-migrator/3 tells of it in the definition, and leaves one stored version",
      async play(stage) {
        const things = await thingsOf(stage, ["a"]);
        const definitions = stage.of(CustomResourceDefinitions);
        const definition = definitionName(things);
        await definitions.patch(definition, { status: { storedVersions: ["v1", "v0"] } }, { subresource: "status" });
        const name = await startMigration(stage, things);
        const migrating = (status: string) =>
          definitions.until(
            definition,
            (found) =>
              found.status?.conditions?.some((known) => known.type === "StorageMigrating" && known.status === status) ??
              false,
          );
        await migrating("True");
        await letCachesFollow(stage, things, name);
        const { status } = await migrating("False");
        expect(status?.storedVersions).toEqual(["v1"]);
        expect(status?.conditions?.find(({ type }) => type === "StorageMigrating")).toMatchObject({
          reason: "MigrationSucceeded",
          message: "The migration has succeeded and the stored versions have been updated",
        });
        await untilFinished(stage, name);
      },
    },
    {
      name: "storage-version-migrator/3 keeps the stored versions of a definition that changed meanwhile",
      exceptions: [
        {
          where: /end state › CustomResourceDefinition .* › status\.(conditions\.\d+\.message|storedVersions)/,
          reason: "finishCRDMigration: done a second time, it finds the generation that it has written itself",
        },
      ],
      async play(stage) {
        const things = await thingsOf(stage, ["a"]);
        const definitions = stage.of(CustomResourceDefinitions);
        const definition = definitionName(things);
        await definitions.update(definition, (found) => {
          const [v1] = found.spec.versions;
          if (v1 === undefined) throw new Error(`${definition} has no version`);
          return { ...found, spec: { ...found.spec, versions: [v1, { ...v1, name: "v0", storage: false }] } };
        });
        await definitions.patch(definition, { status: { storedVersions: ["v1", "v0"] } }, { subresource: "status" });
        await stage.settle();
        stage.hold(things);
        const name = await startMigration(stage, things);
        await stage.of(StorageVersionMigrations).until(name, ({ status }) => (status?.resourceVersion ?? "") !== "");
        await definitions.patch(definition, { spec: { names: { shortNames: ["th"] } } });
        stage.release(things);
        await stage.of(things).create({ metadata: { name: "later" } });
        await untilFinished(stage, name);
        await stage.calm(async () => {
          const { status } = await definitions.get(definition);
          expect(status?.storedVersions).toEqual(["v1", "v0"]);
          expect(status?.conditions?.find(({ type }) => type === "StorageMigrating")?.message).toBe(
            "The migration has succeeded but the stored versions have not been updated due to a generation mismatch",
          );
        });
      },
    },
    {
      name: "storage-version-migrator/1 runs two migrations of one resource one after the other",
      async play(stage) {
        const things = await thingsOf(stage, ["a"]);
        stage.hold(things);
        const first = await startMigration(stage, things, "first");
        await stage.of(StorageVersionMigrations).until(first, (found) => isTrue(found, "Running"));
        const second = await startMigration(stage, things, "second");
        await stage.settle();
        await stage.calm(async () => {
          expect(condition(await stage.of(StorageVersionMigrations).get(second), "Running")).toBeUndefined();
        });
        stage.release(things);
        await letCachesFollow(stage, things, first, "later-1");
        await untilFinished(stage, first);
        await letCachesFollow(stage, things, second, "later-2");
        await untilFinished(stage, second);
      },
    },
    {
      name: "storage-version-migrator/1 runs a migration when the running one is deleted",
      async play(stage) {
        const things = await thingsOf(stage, ["a"]);
        const first = await startMigration(stage, things, "first");
        await stage.of(StorageVersionMigrations).until(first, (found) => isTrue(found, "Running"));
        await stage.settle();
        const second = await startMigration(stage, things, "second");
        await stage.settle();
        await stage.of(StorageVersionMigrations).delete(first);
        await stage.of(StorageVersionMigrations).until(second, (found) => isTrue(found, "Running"));
        await letCachesFollow(stage, things, second);
        await untilFinished(stage, second);
      },
    },
    {
      name: "storage-version-migrator/4, storage-version-migrator/8 fails for a resource that cannot be patched",
      async play(stage) {
        const name = await startMigration(stage, { group: "", resource: "componentstatuses" });
        const migrations = stage.of(StorageVersionMigrations);
        const migration = await migrations.until(name, (found) => condition(found, "Running")?.status === "False");
        expect(condition(migration, "Failed")).toMatchObject({
          status: "True",
          reason: "StorageVersionMigrationFailed",
          message:
            'resource "/v1, Resource=componentstatuses" does not support discovery operations: [update patch list]',
        });
      },
    },
    {
      name: "storage-version-migrator/4 fails for a resource that does not appear within a minute",
      slow: true,
      async play(stage) {
        const name = await startMigration(stage, { group: "example.com", resource: "nothings" });
        await stage.pass(50_000);
        await stage.calm(async () => {
          expect(condition(await stage.of(StorageVersionMigrations).get(name), "Failed")).toBeUndefined();
        });
        const migrations = stage.of(StorageVersionMigrations);
        const migration = await migrations.until(name, (found) => isTrue(found, "Failed"));
        expect(condition(migration, "Failed")?.message).toBe("resource does not exist in discovery");
      },
    },
    {
      name: "storage-version-migrator/9 leaves a migration that has ended",
      async play(stage) {
        const name = stage.name("migration");
        const migrations = stage.of(StorageVersionMigrations);
        await stage.restart(async () => {
          await migrations.create({ metadata: { name }, spec: { resource: { group: "", resource: "secrets" } } });
          const ended = {
            type: "Failed",
            status: "True",
            reason: "Over",
            message: "",
            lastTransitionTime: "2026-01-02T03:04:05Z",
          };
          await migrations.patch(name, { status: { conditions: [ended] } }, { subresource: "status" });
        });
        await stage.settle();
        const { status } = await migrations.get(name);
        expect(status?.conditions?.map(({ type }) => type)).toEqual(["Failed"]);
      },
      alone: true,
    },
  ],
);
