// Resource claim templates. Upstream: pkg/registry/resource/resourceclaimtemplate/strategy.go

import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { at, type Rule } from "#kinds/parts/defaulting.ts";
import { nameAndAge } from "#kinds/parts/printer.ts";
import { schemaOnly } from "#kinds/strategy.ts";
import { claimSpecs } from "./request-defaults.ts";

const templateOf = (claimSpec: Rule): Rule => at("spec", at("spec", claimSpec));

export const resourceClaimTemplate: SchemaOnlyKind = {
  key: "resourceclaimtemplates.resource.k8s.io",
  strategy: schemaOnly(),
  defaults: {
    v1: templateOf(claimSpecs.v1),
    v1beta1: templateOf(claimSpecs.v1beta1),
    v1beta2: templateOf(claimSpecs.v1beta2),
  },
  printer: nameAndAge,
  returnsDeletedObject: true,
};
