// The rows of the built-in kinds, from the generated tables. Versions of one kind share a row and
// are converted by builtin/conversions.ts where their fields differ.

import { goTypeOfKind } from "#api/go-layout.ts";
import { apiVersionOf, type GroupVersionKind, type KubeObject } from "#api/object.ts";
import { type BuiltinResource, builtinResources } from "#api/resource-table.ts";
import { schemaOf } from "#api/schema-table.ts";
import { assert } from "#base/assert.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";
import { applyDefaults } from "#kinds/apply-defaults.ts";
import { builtinPrinters } from "#kinds/builtin-printers.ts";
import type { KindStrategy } from "#kinds/strategy.ts";
import { zeroObject } from "../decoding/struct-index.ts";
import { decodeTyped } from "../decoding/typed-decoding.ts";
import type { KindRow, KindVersion, Registry } from "../registry.ts";
import { conversionBetween } from "./conversions.ts";
import { fieldLabelsOf } from "./field-labels.ts";
import { genericStrategy } from "./generic-strategy.ts";
import { hooksOf } from "./kind-hooks.ts";

export interface BuiltinOptions {
  readonly gates: FeatureGateReader;
  /** Strategies by "resource.group"; kinds without one take the generic strategy. */
  readonly strategies: ReadonlyMap<string, KindStrategy>;
  /** Serves this version? Upstream serves stable ones by default. */
  isServed(resource: BuiltinResource): boolean;
}

export function registerBuiltinKinds(registry: Registry, options: BuiltinOptions): void {
  const rows = new Map<string, BuiltinResource[]>();
  for (const resource of builtinResources()) {
    if (!options.isServed(resource)) continue;
    const table = tableOf(resource);
    const versions = rows.get(table);
    if (versions === undefined) rows.set(table, [resource]);
    else versions.push(resource);
  }
  for (const [table, versions] of rows) registry.set(rowOf(table, versions, options));
}

/** Events of both groups are the same objects. */
function tableOf({ group, resource }: BuiltinResource): string {
  if (resource === "events") return "events";
  return group === "" ? resource : `${resource}.${group}`;
}

/** Upstream has a printer for it, and does not use it. */
const UNPRINTED = "csistoragecapacities.storage.k8s.io";

function rowOf(table: string, versions: readonly BuiltinResource[], options: BuiltinOptions): KindRow {
  const [preferred] = versions;
  assert(preferred !== undefined, `${table}: no version`);
  const { group, version, kind } = preferred;
  const stored: GroupVersionKind = { group, version, kind };
  const { resource, singular, namespaced, shortNames, categories } = preferred;
  const strategy = options.strategies.get(table) ?? genericStrategy(preferred);
  const printer = table === UNPRINTED ? undefined : builtinPrinters.get(table);
  return {
    table,
    resource,
    singular,
    namespaced,
    shortNames,
    categories,
    versions: versions.map((each) => versionOf(each, stored, options.gates)),
    stored,
    strategy,
    isCustom: false,
    returnsDeletedObject: false,
    subresources: new Map(),
    ...(printer === undefined ? {} : { printer }),
    ...hooksOf(table),
  };
}

function versionOf(resource: BuiltinResource, stored: GroupVersionKind, gates: FeatureGateReader): KindVersion {
  const { group, version, kind } = resource;
  const gvk = { group, version, kind };
  const goType = goTypeOfKind(gvk);
  const conversion = conversionBetween(gvk, stored);
  return {
    ...gvk,
    listKind: `${kind}List`,
    verbs: resource.verbs,
    subresources: resource.subresources,
    storageVersionHash: resource.storageVersionHash,
    schema: () => schemaOf(gvk),
    decode(value, wording, before) {
      assert(goType !== undefined, `${apiVersionOf(gvk)} ${kind} has no Go type`);
      return decodeTyped(goType, value, wording, before);
    },
    goType,
    zero: () => (goType === undefined ? {} : zeroObject(goType)),
    toStored: conversion.toStored,
    fromStored: conversion.fromStored,
    applyDefaults: (object: KubeObject, now) => applyDefaults(gvk, object, { now, gates }),
    fieldLabels: fieldLabelsOf(gvk),
    ...(DEPRECATED[`${apiVersionOf(gvk)} ${kind}`] ?? {}),
  };
}

const DEPRECATED: Readonly<Record<string, { readonly deprecationWarning: string }>> = {
  "v1 Endpoints": { deprecationWarning: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice" },
  "v1 ComponentStatus": { deprecationWarning: "v1 ComponentStatus is deprecated in v1.19+" },
};
