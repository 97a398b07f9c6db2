// Prepares and validates every changed object before it is stored.
// Upstream: k8s.io/apiserver/pkg/registry/rest/update.go, BeforeUpdate

import type { KubeObject } from "#api/object.ts";
import { withMeta } from "#api/object-meta.ts";
import type { StrategyContext, UpdateStrategy, WriteAccess } from "#kinds/strategy.ts";
import type { ResourceCall } from "../core.ts";
import { addWarning } from "../request-context.ts";
import { canonical, refuseIfAny, shownKind, validateMeta } from "./before-create.ts";
import { matchNamespace } from "./namespace-match.ts";
import { validateObjectMetaUpdate } from "./object-meta-validation.ts";

/** `rules`: of the main resource or of a subresource. Throws a 422 with all errors. */
export async function beforeUpdate(
  call: ResourceCall,
  given: KubeObject,
  old: KubeObject,
  rules: UpdateStrategy,
  ctx: StrategyContext,
  access: WriteAccess,
): Promise<KubeObject> {
  const { row } = call.endpoint;
  const oldMeta = old.metadata ?? {};
  let object = matchNamespace(given, row.namespaced ? call.namespace : "");
  if (object.metadata?.generation !== oldMeta.generation) object = withMeta(object, { generation: oldMeta.generation });
  object = rules.prepareForUpdate(object, old, ctx);
  object = keepSystemFields(object, old);
  const errors = validateMeta(object, row.namespaced);
  errors.push(...validateObjectMetaUpdate(object.metadata ?? {}, oldMeta));
  if (rules.authorizeUpdate !== undefined) errors.push(...(await rules.authorizeUpdate(object, old, access, ctx)));
  errors.push(...rules.validateUpdate(object, old, ctx));
  refuseIfAny(shownKind(row, given), object, errors);
  for (const warning of rules.warningsOnUpdate?.(object, old, ctx) ?? []) addWarning(call.context, warning);
  return canonical(row.strategy, object);
}

/** An update may omit these fields, and cannot undo a deletion. */
function keepSystemFields(object: KubeObject, old: KubeObject): KubeObject {
  const meta = object.metadata ?? {};
  const oldMeta = old.metadata ?? {};
  const isKept =
    (meta.uid ?? "") !== "" &&
    meta.creationTimestamp === oldMeta.creationTimestamp &&
    meta.deletionTimestamp === oldMeta.deletionTimestamp &&
    meta.deletionGracePeriodSeconds === oldMeta.deletionGracePeriodSeconds;
  if (isKept) return object;
  return withMeta(object, {
    uid: meta.uid || oldMeta.uid,
    creationTimestamp: oldMeta.creationTimestamp ?? meta.creationTimestamp,
    deletionTimestamp: oldMeta.deletionTimestamp ?? meta.deletionTimestamp,
    deletionGracePeriodSeconds: meta.deletionGracePeriodSeconds ?? oldMeta.deletionGracePeriodSeconds,
  });
}
