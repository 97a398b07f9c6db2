// Storage versions. Upstream: pkg/registry/apiserverinternal/storageversion/strategy.go

import type * as internal from "#api/generated/types/internal-v1alpha1.ts";
import { isDns1035Label, isDns1123Subdomain } from "#api/names.ts";
import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { ageOf, firstThree, nameOf, orUnset, printer } from "#kinds/parts/printer.ts";
import { schemaOnly } from "#kinds/strategy.ts";

function storageVersionName(value: string): string[] {
  const dot = value.lastIndexOf(".");
  if (dot < 0) return ["name must be in the form of <group>.<resource>"];
  return [
    ...isDns1123Subdomain(value.slice(0, dot)).map((message) => `the group segment ${message}`),
    ...isDns1035Label(value.slice(dot + 1)).map((message) => `the resource segment ${message}`),
  ];
}

export const storageVersion: SchemaOnlyKind<internal.StorageVersion> = {
  key: "storageversions.internal.apiserver.k8s.io",
  strategy: schemaOnly({ allowUnconditionalUpdate: false, nameCheck: () => storageVersionName }),
  printer: printer<internal.StorageVersion>("Name|CommonEncodingVersion|StorageVersions|Age", (object, now) => [
    nameOf(object),
    orUnset(object.status?.commonEncodingVersion),
    firstThree((object.status?.storageVersions ?? []).map((v) => `${v.apiServerID ?? ""}=${v.encodingVersion ?? ""}`)),
    ageOf(object, now),
  ]),
};
