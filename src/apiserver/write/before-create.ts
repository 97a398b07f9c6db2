// Prepares and validates every new object: system fields, a generated name, the kind's strategy. Upstream:
// k8s.io/apiserver/pkg/registry/rest/create.go, BeforeCreate

import type { FieldError } from "#api/field-error.ts";
import { generateName, isPathSegmentName, isPathSegmentPrefix } from "#api/names.ts";
import { type KubeObject, parseApiVersion } from "#api/object.ts";
import { withMeta } from "#api/object-meta.ts";
import { newInvalid } from "#api/status-error.ts";
import { formatTime } from "#api/time.ts";
import type { KindStrategy, StrategyContext } from "#kinds/strategy.ts";
import type { ResourceCall, ServerCore } from "../core.ts";
import type { KindRow } from "../registry.ts";
import { addWarning } from "../request-context.ts";
import { matchNamespace } from "./namespace-match.ts";
import { validateObjectMeta } from "./object-meta-validation.ts";

const SYSTEM_FIELDS = [
  "creationTimestamp",
  "uid",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "selfLink",
] as const;

/** Removes fields that clients cannot set. Upstream: registry/rest/meta.go, WipeObjectMetaSystemFields */
export function wipeSystemFields(object: KubeObject): KubeObject {
  const { metadata } = object;
  if (metadata === undefined || !SYSTEM_FIELDS.some((name) => metadata[name] !== undefined)) return object;
  const { creationTimestamp, uid, deletionTimestamp, deletionGracePeriodSeconds, selfLink, ...kept } = metadata;
  return { ...object, metadata: kept };
}

export function fillSystemFields(core: ServerCore, call: ResourceCall, object: KubeObject): KubeObject {
  const { name = "", generateName: base = "" } = object.metadata ?? {};
  return withMeta(object, {
    ...(name === "" && base !== "" ? { name: generateName(core.rng.names, base) } : {}),
    creationTimestamp: formatTime(call.context.receivedMs),
    uid: core.rng.uids.uuid(),
  });
}

/** Throws a 422 with all errors. */
export function beforeCreate(call: ResourceCall, given: KubeObject, ctx: StrategyContext): KubeObject {
  const { context, endpoint } = call;
  const { strategy, namespaced } = endpoint.row;
  let object = matchNamespace(given, namespaced ? call.namespace : "");
  object = strategy.prepareForCreate(object, ctx);
  const kind = shownKind(endpoint.row, object);
  refuseIfAny(kind, object, strategy.validate(object, ctx));
  // After the kind's own checks, whose messages have more detail.
  refuseIfAny(kind, object, validateMeta(object, namespaced));
  for (const warning of strategy.warningsOnCreate?.(object, ctx) ?? []) addWarning(context, warning);
  return canonical(strategy, object);
}

/** The object's kind in a refusal: for custom resources the kind in the object itself. */
export function shownKind({ isCustom, stored }: KindRow, object: KubeObject): { group: string; kind: string } {
  if (!isCustom) return stored;
  const { group } = parseApiVersion(object.apiVersion ?? "");
  return { group, kind: object.kind ?? stored.kind };
}

export function canonical(strategy: KindStrategy, object: KubeObject): KubeObject {
  return strategy.canonicalize?.(object) ?? object;
}

export function validateMeta(object: KubeObject, namespaced: boolean): FieldError[] {
  return validateObjectMeta(object.metadata ?? {}, namespaced, (name, isPrefix) =>
    isPrefix ? isPathSegmentPrefix(name) : isPathSegmentName(name),
  );
}

export function refuseIfAny(
  kind: { group: string; kind: string },
  object: KubeObject,
  errors: readonly FieldError[],
): void {
  if (errors.length > 0) throw newInvalid(kind, object.metadata?.name ?? "", errors);
}
