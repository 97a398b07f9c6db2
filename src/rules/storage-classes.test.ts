import { expect, it } from "vitest";
import { StorageClasses } from "#api/generated/resources/storage-v1.ts";
import { stored } from "#api/testing.ts";
import { classOfClaim, defaultClass, namesClass } from "./storage-classes.ts";

const at = (name: string, creationTimestamp: string, annotations: Record<string, string>) =>
  stored(StorageClasses, { metadata: { name, creationTimestamp, annotations }, provisioner: "x" });

it("persistentvolume-binder/5 the default class is the newest, then the first by name", () => {
  const yes = { "storageclass.kubernetes.io/is-default-class": "true" };
  const beta = { "storageclass.beta.kubernetes.io/is-default-class": "true" };
  const old = at("a", "2026-01-01T00:00:00Z", yes);
  const second = at("c", "2026-01-02T00:00:00Z", yes);
  const first = at("b", "2026-01-02T00:00:00Z", beta);
  const no = at("z", "2026-01-03T00:00:00Z", { "storageclass.kubernetes.io/is-default-class": "True" });
  expect(defaultClass([no, old, second, first])?.metadata.name).toBe("b");
  expect(defaultClass([no])).toBeUndefined();
});

it("persistentvolume-binder/5 an empty class is a class, and the annotation comes first", () => {
  expect(namesClass({ spec: {} })).toBe(false);
  expect(namesClass({ spec: { storageClassName: "" } })).toBe(true);
  const annotations = { "volume.beta.kubernetes.io/storage-class": "old" };
  expect(classOfClaim({ metadata: { annotations }, spec: { storageClassName: "new" } })).toBe("old");
});
