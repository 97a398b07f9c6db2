// Defaults and columns shared by admission policies and their bindings.
// Upstream: pkg/apis/admissionregistration/{v1,v1beta1,v1alpha1}/defaults.go; pkg/printers/internalversion/printers.go

import type * as admission from "#api/generated/types/admissionregistration-v1.ts";
import { selectorGoText } from "#api/label-selector.ts";
import { all, at, each, inner, nil, type Rule } from "#kinds/parts/defaulting.ts";
import { ageOf, nameOf, type Printer, printer } from "#kinds/parts/printer.ts";
import { anyScope } from "./webhook-parts.ts";

const matchResources: Rule = all(
  nil({ matchPolicy: "Equivalent", namespaceSelector: {}, objectSelector: {} }),
  each("resourceRules", anyScope),
  each("excludeResourceRules", anyScope),
);

export const policyDefaults: Rule = inner(
  "spec",
  all(nil({ failurePolicy: "Fail" }), at("matchConstraints", matchResources)),
);

const stableBinding: Rule = inner("spec", at("matchResources", matchResources));

const alphaBinding: Rule = all(stableBinding, at("spec", at("paramRef", nil({ parameterNotFoundAction: "Deny" }))));

/** By version: v1alpha1 also defaults the action for a missing parameter. */
export const bindingDefaults: Readonly<Record<string, Rule>> = {
  v1: stableBinding,
  v1beta1: stableBinding,
  v1alpha1: alphaBinding,
};

export const paramKind = (kind: admission.ParamKind | undefined): string =>
  kind ? `${kind.apiVersion ?? ""}/${kind.kind ?? ""}` : "<unset>";

function paramRef(ref: admission.ParamRef | undefined): string {
  if (ref?.name) return `${ref.namespace || "*"}/${ref.name}`;
  return ref?.selector ? selectorGoText(ref.selector) : "<unset>";
}

export const bindingPrinter: Printer = printer<admission.ValidatingAdmissionPolicyBinding>(
  "Name|PolicyName|ParamRef|Age",
  (object, now) => [nameOf(object), object.spec?.policyName ?? "", paramRef(object.spec?.paramRef), ageOf(object, now)],
);
