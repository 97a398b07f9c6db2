// Pod templates. Upstream: pkg/registry/core/podtemplate/strategy.go

import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { lazy } from "#api/lazy.ts";
import { schemaOfType } from "#api/schema-table.ts";
import type { Kind } from "#kinds/kind.ts";
import { inner } from "#kinds/parts/defaulting.ts";
import { countChange, firstGeneration, put } from "#kinds/parts/preparing.ts";
import { containerCells, formatLabels, nameOf, printer } from "#kinds/parts/printer.ts";
import { podSpecAliases } from "#kinds/pod-spec/aliases.ts";
import { withoutDisabled } from "#kinds/pod-spec/disabled-fields.ts";
import { podTemplateDefaults } from "#kinds/pod-spec/pod-defaults.ts";
import { podWarnings } from "#kinds/pod-spec/pod-warnings.ts";
import { isCounted, optionsOf } from "#kinds/pod-spec/template-rules.ts";
import { kindStrategy } from "#kinds/strategy.ts";
import { validatePodTemplate, validatePodTemplateUpdate } from "./pod-validation.ts";

const TEMPLATE_SPEC = lazy(() => schemaOfType("core.v1", "PodTemplateSpec"));

const strategy = kindStrategy<core.PodTemplate>({
  prepareForCreate: (object, { gates }) =>
    firstGeneration(put(object, "template", withoutDisabled(object.template ?? {}, undefined, gates))),
  validate: (object, ctx) => validatePodTemplate(object, optionsOf(ctx)),
  warningsOnCreate: ({ template }, ctx) => podWarnings(template ?? {}, field.newPath("template"), ctx.gates),
  warningsOnUpdate: (object, old, ctx) =>
    isCounted(object, old) ? podWarnings(object.template ?? {}, field.newPath("template"), ctx.gates) : [],
  prepareForUpdate(object, old, { gates }) {
    const template = withoutDisabled(object.template ?? {}, old.template ?? {}, gates);
    return countChange(put(object, "template", template), old, "template", TEMPLATE_SPEC());
  },
  validateUpdate: (object, old, ctx) => validatePodTemplateUpdate(object, old, optionsOf(ctx, old.template)),
});

export const podTemplate: Kind<core.PodTemplate> = {
  key: "podtemplates",
  strategy,
  defaults: inner("template", podTemplateDefaults),
  fillAliases: podSpecAliases(["template", "spec"]),
  printer: printer<core.PodTemplate>("Name|Containers|Images|Pod Labels", ({ template, ...rest }) => [
    nameOf(rest),
    ...containerCells(template?.spec?.containers),
    formatLabels(template?.metadata?.labels),
  ]),
  returnsDeletedObject: true,
};
