// Defaults of kinds with a pod template: the template, its labels, and rolling update parameters.
// Upstream: pkg/apis/{core,apps,batch}/v1/defaults.go

import { all, inner, isEmpty, isObject, type JsonObject, nil, type Rule, set, zero } from "#kinds/parts/defaulting.ts";
import { podTemplateDefaults } from "./pod-defaults.ts";

export const labelsOf = (object: unknown): JsonObject | undefined => {
  const labels = isObject(object) && isObject(object.metadata) ? object.metadata.labels : undefined;
  return isObject(labels) && !isEmpty(labels) ? labels : undefined;
};

/** Copies the template's labels to an object without labels. */
export const labelsFrom = (object: JsonObject, labels: JsonObject): JsonObject =>
  labelsOf(object) === undefined
    ? inner("metadata", (meta) => set(meta, "labels", labels))(object, NO_CONTEXT)
    : object;

// The rule of labelsFrom reads no context.
export const NO_CONTEXT = { now: 0 };

export const template: Rule = inner("template", podTemplateDefaults);

/** Defaults the parameters of a rolling update if the type is RollingUpdate. */
export const rolling = (values: Readonly<Record<string, unknown>>): Rule =>
  all(zero({ type: "RollingUpdate" }), (strategy, ctx) =>
    strategy.type === "RollingUpdate" ? inner("rollingUpdate", nil(values))(strategy, ctx) : strategy,
  );
