// Metadata validation compared with upstream (tools/go/vectors-values).

import { describe, expect, it } from "vitest";
import { errorText, type FieldError, newPath } from "#api/field-error.ts";
import type { ObjectMeta } from "#api/meta.ts";
import { isDns1123Subdomain, isPathSegmentName } from "#api/names.ts";
import file from "#test/vectors/object-meta.json" with { type: "json" };
import { genericObjectMeta, genericObjectMetaUpdate, objectMeta, objectMetaUpdate } from "./metadata.ts";

type Row = readonly unknown[];
const { create = [], update = [] } = file as unknown as Readonly<Record<string, readonly Row[]>>;
const path = newPath("metadata");

function texts(check: (errors: FieldError[]) => void): string[] {
  const errors: FieldError[] = [];
  check(errors);
  return errors.map(errorText);
}

describe("object metadata", () => {
  it("is checked on create as upstream does", () => {
    expect(create.length).toBeGreaterThan(100);
    for (const [wire, namespaced, generic, core] of create) {
      const given = wire as ObjectMeta;
      const isBig = (given.annotations as unknown) === "BIG";
      const meta = isBig ? { ...given, annotations: { k: "v".repeat(256 * 1024) } } : given;
      const isNamespaced = namespaced as boolean;
      expect(texts((errors) => genericObjectMeta(errors, meta, isNamespaced, isPathSegmentName, path))).toEqual(
        generic as string[],
      );
      if (core === null) continue;
      expect(texts((errors) => objectMeta(errors, meta, isNamespaced, isDns1123Subdomain, path))).toEqual(
        core as string[],
      );
    }
  });

  it("is checked on update as upstream does", () => {
    for (const [meta, old, generic, core] of update as readonly [ObjectMeta, ObjectMeta, string[], string[]][]) {
      expect(texts((errors) => genericObjectMetaUpdate(errors, meta, old, path))).toEqual(generic);
      expect(texts((errors) => objectMetaUpdate(errors, meta, old, path))).toEqual([...generic, ...core]);
    }
  });
});
