// The registry rows of the built-in kinds: definitions from src/kinds with the versions of the generated resource
// table. Versions of one kind share a row; conversions.ts converts them if their fields differ.

import { goTypeOfKind } from "#api/go-layout.ts";
import { lazy } from "#api/lazy.ts";
import { apiVersionOf, type GroupVersionKind, type KubeObject } from "#api/object.ts";
import { type BuiltinResource, builtinResources } from "#api/resource-table.ts";
import { schemaOf } from "#api/schema-table.ts";
import { groupResourceText } from "#api/status-error.ts";
import { zeroObject } from "#api/struct-index.ts";
import { decodeTyped } from "#api/typed-decoding.ts";
import { assert } from "#base/assert.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";
import { builtinKind } from "#kinds/builtin-kinds.ts";
import type { KindServer } from "#kinds/hooks.ts";
import { defaultsOf, type Kind, warningOf } from "#kinds/kind.ts";
import type { JsonObject } from "#kinds/parts/defaulting.ts";
import type { KindStrategy } from "#kinds/strategy.ts";
import type { KindRow, KindVersion, Registry } from "../registry.ts";
import { posted } from "../subresources/posted.ts";
import { scaleSubresource } from "../subresources/scale.ts";
import type { SubresourceHandler } from "../subresources/subresource.ts";
import { conversionBetween } from "./conversions.ts";
import { fieldLabelsOf, fieldValuesOf } from "./field-labels.ts";
import { deletionCall, kindCall } from "./kind-server.ts";

export interface BuiltinOptions {
  readonly gates: FeatureGateReader;
  /** For the hooks of kinds. */
  readonly server: KindServer;
  /** Whether this version is served. Upstream serves stable versions by default. */
  isServed(resource: BuiltinResource): boolean;
}

export function registerBuiltinKinds(registry: Registry, options: BuiltinOptions): void {
  const rows = new Map<Kind, BuiltinResource[]>();
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

function rowOf(kind: Kind, versions: readonly BuiltinResource[], options: BuiltinOptions): KindRow {
  const [preferred] = versions;
  assert(preferred !== undefined, `${kind.key}: no version`);
  const stored: GroupVersionKind = { group: preferred.group, version: preferred.version, kind: preferred.kind };
  const { resource, singular, namespaced, shortNames, categories } = preferred;
  const { strategy, printer, ttlSeconds, indexedField, annotatedField } = kind;
  const selectableFields = fieldValuesOf(kind);
  return {
    table: kind.key,
    etcdDirectory: kind.etcdDirectory ?? resource,
    resource,
    singular,
    namespaced,
    shortNames,
    categories,
    versions: versions.map((each) => versionOf(kind, each, stored, options.gates)),
    stored,
    strategy: warning(strategy, kind.writeWarning),
    isCustom: false,
    returnsDeletedObject: kind.returnsDeletedObject ?? false,
    isStoredAsJson: kind.isStoredAsJson ?? false,
    isUncached: kind.isUncached ?? false,
    unprintedSubresources: kind.unprintedSubresources ?? [],
    ...(printer && { printer }),
    ...(ttlSeconds && { ttlSeconds }),
    ...(indexedField && { indexedField }),
    ...(annotatedField && { annotatedField }),
    ...(selectableFields && { selectableFields }),
    ...(kind.isHeld && { isHeld: kind.isHeld }),
    ...hookedParts(kind, options.server),
  };
}

/** Adds this warning to each create and update. */
function warning(strategy: KindStrategy, text: string | undefined): KindStrategy {
  if (text === undefined) return strategy;
  return {
    ...strategy,
    warningsOnCreate: (object, ctx) => [...(strategy.warningsOnCreate?.(object, ctx) ?? []), text],
    warningsOnUpdate: (object, old, ctx) => [...(strategy.warningsOnUpdate?.(object, old, ctx) ?? []), text],
  };
}

/** The parts of a row that come from the kind's hooks. */
function hookedParts(kind: Kind, server: KindServer): Pick<KindRow, "subresources"> & Partial<KindRow> {
  const {
    deletion,
    allocation,
    authorizeWrite,
    authorizeValid,
    afterDelete,
    answered,
    observed,
    posted: bodies = {},
    connected = {},
  } = kind.hooks?.(server) ?? {};
  const { scale, beforeDelete } = kind;
  const subresources = new Map<string, SubresourceHandler>();
  if (scale !== undefined) subresources.set("scale", scaleSubresource(scale));
  for (const [name, hook] of Object.entries(bodies)) subresources.set(name, posted(hook, hook.body));
  for (const [name, connect] of Object.entries(connected))
    subresources.set(name, (_core, call, signal) => connect(kindCall(call), signal));
  return {
    subresources,
    ...(answered && { virtual: posted(answered) }),
    ...(observed && { observed }),
    ...(allocation && { allocation }),
    ...(authorizeWrite && {
      authorizeWrite: (call, object, old, signal) => authorizeWrite(kindCall(call), object, old, signal),
    }),
    ...(authorizeValid && {
      authorizeValid: (call, object, old, signal) => authorizeValid(kindCall(call), object, old, signal),
    }),
    ...(afterDelete && { afterDelete }),
    ...(beforeDelete && { beforeDelete: (call, options) => beforeDelete(kindCall(call), options) }),
    ...(deletion && {
      deletion: (core, call, existing, options, signal) =>
        deletion(deletionCall(core, call, existing, options), signal),
    }),
  };
}

function versionOf(
  builtin: Kind,
  resource: BuiltinResource,
  stored: GroupVersionKind,
  gates: FeatureGateReader,
): KindVersion {
  const { group, version, kind } = resource;
  const gvk = { group, version, kind };
  const goType = goTypeOfKind(gvk);
  const conversion = conversionBetween(builtin, gvk, stored);
  const defaults = defaultsOf(builtin, version);
  const { afterDecoding } = builtin;
  const deprecationWarning = warningOf(builtin, version);
  return {
    ...gvk,
    listKind: `${kind}List`,
    verbs: resource.verbs,
    subresources: resource.subresources,
    storageVersionHash: resource.storageVersionHash,
    schema: () => schemaOf(gvk),
    decode(value, wording, before) {
      assert(goType !== undefined, `${apiVersionOf(gvk)} ${kind} has no Go type`);
      return afterDecoding === undefined
        ? decodeTyped(goType, value, wording, before)
        : afterDecoding(decodeTyped(goType, value, wording));
    },
    goType,
    zero: lazy(() => (goType === undefined ? {} : zeroObject(goType))),
    toStored: conversion.toStored,
    fromStored: conversion.fromStored,
    applyDefaults: (object, now) =>
      defaults === undefined ? object : (defaults(object as unknown as JsonObject, { now, gates }) as KubeObject),
    fieldLabels: fieldLabelsOf(builtin, gvk, resource.namespaced),
    ...(deprecationWarning && { deprecationWarning }),
  };
}
