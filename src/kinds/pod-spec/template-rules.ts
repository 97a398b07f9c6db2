// Parts of strategies for kinds with a pod template: options, disabled fields, warnings, generations.
// Upstream: pkg/api/pod/util.go; pkg/registry/apps/*/strategy.go

import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { isDns1123Label } from "#api/names.ts";
import type { KubeObject } from "#api/object.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";
import type { StrategyContext } from "#kinds/strategy.ts";
import { withoutDisabled } from "./disabled-fields.ts";
import { type PodOptions, podOptions, type TemplateLike } from "./pod-options.ts";
import { podWarnings } from "./pod-warnings.ts";

export const optionsOf = (ctx: StrategyContext, old?: TemplateLike): PodOptions => podOptions(ctx.gates, old, false);

interface WithTemplate extends KubeObject {
  readonly spec?: { readonly template?: core.PodTemplateSpec };
}

export function withoutDisabledTemplate<T extends WithTemplate>(
  object: T,
  old: T | undefined,
  gates: FeatureGateReader,
): T {
  const template = object.spec?.template;
  if (template === undefined) return object;
  const kept = withoutDisabled(template, old?.spec?.template, gates);
  return kept === template ? object : { ...object, spec: { ...object.spec, template: kept } };
}

/** Names of pods start with the controller's name, and hostnames are pod names. */
export function nameWarnings(object: KubeObject): string[] {
  const messages = isDns1123Label(object.metadata?.name ?? "");
  if (messages.length === 0) return [];
  const advice =
    "this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended";
  return [`metadata.name: ${advice}: [${messages.join(" ")}]`];
}

export const templateWarnings = (template: core.PodTemplateSpec | undefined, { gates }: StrategyContext): string[] =>
  podWarnings(template ?? {}, field.newPath("spec", "template"), gates);

/** Whether the update changed what the generation counts. */
export const isCounted = (object: KubeObject, old: KubeObject): boolean =>
  (object.metadata?.generation ?? 0) !== (old.metadata?.generation ?? 0);
