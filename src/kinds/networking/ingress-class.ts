// Ingress classes. Upstream: pkg/registry/networking/ingressclass/strategy.go; pkg/apis/networking/v1/defaults.go

import type * as networking from "#api/generated/types/networking-v1.ts";
import type { EpochMs } from "#base/clock.ts";
import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { at, nil } from "#kinds/parts/defaulting.ts";
import { ageOf, defaultMark, nameOf, printer } from "#kinds/parts/printer.ts";
import { schemaOnly } from "#kinds/strategy.ts";

function ingressClassCells(object: networking.IngressClass, now: EpochMs): unknown[] {
  const { controller = "", parameters } = object.spec ?? {};
  const group = parameters?.apiGroup === undefined ? "" : `.${parameters.apiGroup}`;
  const mark = defaultMark(object, "ingressclass.kubernetes.io/is-default-class");
  const shown = parameters ? `${parameters.kind ?? ""}${group}/${parameters.name ?? ""}` : "<none>";
  return [nameOf(object) + mark, controller, shown, ageOf(object, now)];
}

export const ingressClass: SchemaOnlyKind<networking.IngressClass> = {
  key: "ingressclasses.networking.k8s.io",
  strategy: schemaOnly({ countsGeneration: true }),
  defaults: at("spec", at("parameters", nil({ scope: "Cluster" }))),
  printer: printer("Name|Controller|Parameters|Age", ingressClassCells),
};
