import { describe, expect, it } from "vitest";
import { migrated, migrating } from "./definition-status.ts";
import { failed, isYoung, type Migration, nextMigration, started, stopped, succeeded } from "./migrations.ts";

const NOW = Date.UTC(2026, 0, 2);

function migration(name: string, conditions: Readonly<Record<string, string>> = {}, second = 0): Migration {
  const creationTimestamp = `2026-01-01T00:00:0${second}Z`;
  return {
    metadata: { name, uid: name, resourceVersion: "1", creationTimestamp },
    spec: { resource: { group: "", resource: "secrets" } },
    status: {
      conditions: Object.entries(conditions).map(([type, status]) => ({
        type,
        status,
        reason: "Old",
        message: "old",
        lastTransitionTime: creationTimestamp,
      })),
    },
  };
}

const names = (migrations: readonly Migration[]): readonly string[] => migrations.map(({ metadata }) => metadata.name);

describe("storage-version-migrator/1 the next migration of a resource", () => {
  it.each([
    ["is the oldest that waits", [migration("b", {}, 2), migration("c", {}, 1)], [], "c"],
    ["is the first by name of equally old ones", [migration("b"), migration("a")], [], "a"],
    ["waits while one runs", [migration("a"), migration("b", { Running: "True" })], [], undefined],
    [
      "does not wait for one that has ended",
      [migration("a"), migration("b", { Running: "True", Succeeded: "True" })],
      ["b"],
      "a",
    ],
    [
      "is none that has ended",
      [migration("a", { Failed: "True" }), migration("b", { Succeeded: "True" })],
      [],
      undefined,
    ],
  ])("%s", (_, migrations, ended, next) => {
    const found = nextMigration(migrations);
    expect(names(found.ended)).toEqual(ended);
    expect(found.next?.metadata.name).toBe(next);
  });
});

describe("storage-version-migrator/9 a condition", () => {
  it("is set once", () => {
    const done = succeeded(migration("a"), NOW);
    expect(done.status?.conditions).toEqual([
      {
        type: "Succeeded",
        status: "True",
        reason: "StorageVersionMigrationSucceeded",
        message: "",
        lastTransitionTime: "2026-01-02T00:00:00Z",
      },
    ]);
    expect(succeeded(done, NOW + 60_000)).toBe(done);
    const off = migration("a", { Running: "False" });
    expect(started(off, NOW)).toBe(off);
    expect(failed(migration("a", { Failed: "Unknown" }), "why", NOW).status?.conditions).toHaveLength(2);
  });

  it("of running becomes False at its position", () => {
    const { status } = stopped(migration("a", { Running: "True", Succeeded: "True" }), NOW);
    expect(status?.conditions?.[0]).toEqual({
      type: "Running",
      status: "False",
      reason: "MigrationCompleted",
      message: "Migration completed",
      lastTransitionTime: "2026-01-02T00:00:00Z",
    });
    expect(status?.conditions?.[1]?.reason).toBe("Old");
  });
});

describe("storage-version-migrator/3 a definition", () => {
  const versions = [
    { name: "v1", served: true, storage: false },
    { name: "v2", served: true, storage: true },
  ];
  const definition = (observedGeneration?: number) => ({
    metadata: { name: "things.example.com", uid: "u", resourceVersion: "1", creationTimestamp: "", generation: 3 },
    spec: { group: "example.com", names: { kind: "Thing", plural: "things" }, scope: "Namespaced", versions },
    status: {
      conditions:
        observedGeneration === undefined
          ? []
          : [{ type: "StorageMigrating", status: "True", reason: "r", message: "", observedGeneration }],
    },
  });

  it.each([
    ["the same", 3, true, ["v2"], "The migration has succeeded and the stored versions have been updated"],
    [
      "changed",
      2,
      true,
      undefined,
      "The migration has succeeded but the stored versions have not been updated due to a generation mismatch",
    ],
    [
      "never marked",
      undefined,
      true,
      undefined,
      "The migration has succeeded but the stored versions have not been updated due to a generation mismatch",
    ],
    ["the same after a failure", 3, false, ["v2"], "The migration has failed"],
  ])("that is %s", (_, generation, isSuccess, stored, message) => {
    const status = migrated(definition(generation), isSuccess, NOW);
    expect(status.storedVersions).toEqual(stored);
    expect(status.conditions?.[0]).toMatchObject({ status: "False", message, observedGeneration: 3 });
  });

  it("names the migration that runs", () => {
    expect(migrating(definition(), "mine", NOW).conditions?.[0]?.message).toBe("Migration mine is running");
  });
});

it("storage-version-migrator/4 a migration is young for a minute", () => {
  const created = Date.UTC(2026, 0, 1);
  expect(isYoung(migration("a"), created + 59_999)).toBe(true);
  expect(isYoung(migration("a"), created + 60_000)).toBe(false);
});
