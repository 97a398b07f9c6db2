// The rows of the built-in kinds: what src/kinds says about each, with the versions of the generated resource table.
// Versions of one kind share a row and are converted by conversions.ts where their fields differ.

import { goTypeOfKind } from "#api/go-layout.ts";
import { apiVersionOf, type GroupVersionKind, type KubeObject } from "#api/object.ts";
import { type BuiltinResource, builtinResources } from "#api/resource-table.ts";
import { schemaOf } from "#api/schema-table.ts";
import { groupResourceText } from "#api/status-error.ts";
import { assert } from "#base/assert.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";
import { builtinKind } from "#kinds/builtin-kinds.ts";
import { type BuiltinKind, defaultsOf } from "#kinds/kind.ts";
import type { JsonObject } from "#kinds/parts/defaulting.ts";
import { zeroObject } from "../decoding/struct-index.ts";
import { decodeTyped } from "../decoding/typed-decoding.ts";
import type { KindRow, KindVersion, Registry } from "../registry.ts";
import { conversionBetween } from "./conversions.ts";
import { fieldLabelsOf, fieldValuesOf } from "./field-labels.ts";
import { hooksOf } from "./kind-hooks.ts";
import { schemaOnlyStrategy } from "./schema-only-strategy.ts";

export interface BuiltinOptions {
  readonly gates: FeatureGateReader;
  /** Serves this version? Upstream serves stable ones by default. */
  isServed(resource: BuiltinResource): boolean;
}

export function registerBuiltinKinds(registry: Registry, options: BuiltinOptions): void {
  const rows = new Map<BuiltinKind, BuiltinResource[]>();
  for (const resource of builtinResources()) {
    if (!options.isServed(resource)) continue;
    const kind = builtinKind(groupResourceText(resource));
    assert(kind !== undefined, `${groupResourceText(resource)} is not among the built-in kinds`);
    const versions = rows.get(kind);
    if (versions === undefined) rows.set(kind, [resource]);
    else versions.push(resource);
  }
  for (const [kind, versions] of rows) registry.set(rowOf(kind, versions, options));
}

function rowOf(kind: BuiltinKind, versions: readonly BuiltinResource[], { gates }: BuiltinOptions): KindRow {
  const [preferred] = versions;
  assert(preferred !== undefined, `${kind.key}: no version`);
  const stored: GroupVersionKind = { group: preferred.group, version: preferred.version, kind: preferred.kind };
  const { resource, singular, namespaced, shortNames, categories } = preferred;
  const { strategy, printer, ttlSeconds, indexedField } = kind;
  const selectableFields = fieldValuesOf(kind);
  return {
    table: kind.key,
    etcdDirectory: kind.etcdDirectory ?? resource,
    resource,
    singular,
    namespaced,
    shortNames,
    categories,
    versions: versions.map((each) => versionOf(kind, each, stored, gates)),
    stored,
    strategy: "isSchemaOnly" in strategy ? schemaOnlyStrategy(strategy, preferred) : strategy,
    isCustom: false,
    returnsDeletedObject: kind.returnsDeletedObject ?? false,
    isStoredAsJson: kind.isStoredAsJson ?? false,
    isUncached: kind.isUncached ?? false,
    unprintedSubresources: kind.unprintedSubresources ?? [],
    subresources: new Map(),
    ...(printer && { printer }),
    ...(ttlSeconds && { ttlSeconds }),
    ...(indexedField && { indexedField }),
    ...(selectableFields && { selectableFields }),
    ...hooksOf(kind.key),
  };
}

function versionOf(
  builtin: BuiltinKind,
  resource: BuiltinResource,
  stored: GroupVersionKind,
  gates: FeatureGateReader,
): KindVersion {
  const { group, version, kind } = resource;
  const gvk = { group, version, kind };
  const goType = goTypeOfKind(gvk);
  const conversion = conversionBetween(builtin, gvk, stored);
  const defaults = defaultsOf(builtin, version);
  const { deprecationWarning } = builtin;
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
    applyDefaults: (object, now) =>
      defaults === undefined ? object : (defaults(object as unknown as JsonObject, { now, gates }) as KubeObject),
    fieldLabels: fieldLabelsOf(builtin, gvk, resource.namespaced),
    ...(deprecationWarning && { deprecationWarning }),
  };
}
