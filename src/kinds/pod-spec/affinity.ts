// Node and pod affinity. Upstream: pkg/apis/core/validation, validateAffinity

import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { isDns1123Label, isDns1123Subdomain, isLabelValue } from "#api/names.ts";
import { type Errors, labelSelector, name, type Path, qualifiedName } from "#kinds/parts/checks.ts";
import type { PodOptions } from "./pod-options.ts";
import { matchLabelKeys } from "./topology.ts";

const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

export function affinity(errors: Errors, value: core.Affinity, path: Path, opts: PodOptions): void {
  if (value.nodeAffinity) nodeAffinity(errors, value.nodeAffinity, path.child("nodeAffinity"), opts);
  for (const part of ["podAffinity", "podAntiAffinity"] as const) {
    if (value[part]) podAffinity(errors, value[part], path.child(part), opts);
  }
}

function nodeAffinity(errors: Errors, value: core.NodeAffinity, path: Path, opts: PodOptions): void {
  const required = value[REQUIRED];
  if (required) nodeSelector(errors, required, path.child(REQUIRED), opts.allowInvalidNodeAffinity);
  value[PREFERRED]?.forEach((term, i) => {
    const at = path.child(PREFERRED).index(i);
    weight(errors, term.weight, at);
    nodeSelectorTerm(errors, term.preference ?? {}, at.child("preference"), true);
  });
}

function weight(errors: Errors, value: number | undefined, path: Path): void {
  const number = value ?? 0;
  if (number <= 0 || number > 100) {
    errors.push(field.invalid(path.child("weight"), number, "must be in the range 1-100"));
  }
}

export function nodeSelector(
  errors: Errors,
  selector: core.NodeSelector,
  path: Path,
  allowInvalidValues: boolean,
): void {
  const nodeSelectorTerms = selector.nodeSelectorTerms ?? [];
  const termsPath = path.child("nodeSelectorTerms");
  if (nodeSelectorTerms.length === 0) {
    errors.push(field.required(termsPath, "must have at least one node selector term"));
  }
  nodeSelectorTerms.forEach((term, i) => {
    nodeSelectorTerm(errors, term, termsPath.index(i), allowInvalidValues);
  });
}

function nodeSelectorTerm(errors: Errors, term: core.NodeSelectorTerm, path: Path, allowInvalidValues: boolean): void {
  term.matchExpressions?.forEach((requirement, i) => {
    nodeRequirement(errors, requirement, path.child("matchExpressions").index(i), allowInvalidValues);
  });
  term.matchFields?.forEach((requirement, i) => {
    nodeField(errors, requirement, path.child("matchFields").index(i));
  });
}

function nodeRequirement(
  errors: Errors,
  { key = "", operator = "", values = [] }: core.NodeSelectorRequirement,
  path: Path,
  allowInvalidValues: boolean,
): void {
  const at = path.child("values");
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length === 0) errors.push(field.required(at, "must be specified when `operator` is 'In' or 'NotIn'"));
      break;
    case "Exists":
    case "DoesNotExist":
      if (values.length > 0) {
        errors.push(field.forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
      }
      break;
    case "Gt":
    case "Lt":
      if (values.length !== 1) {
        errors.push(field.required(at, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
      }
      break;
    default:
      errors.push(field.invalid(path.child("operator"), operator, "not a valid selector operator"));
  }
  qualifiedName(errors, key, path.child("key"));
  if (allowInvalidValues) return;
  values.forEach((value, i) => {
    name(errors, value, at.index(i), isLabelValue);
  });
}

function nodeField(
  errors: Errors,
  { key = "", operator = "", values = [] }: core.NodeSelectorRequirement,
  path: Path,
): void {
  if (operator !== "In" && operator !== "NotIn") {
    errors.push(field.invalid(path.child("operator"), operator, "not a valid selector operator"));
  } else if (values.length !== 1) {
    const detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    errors.push(field.required(path.child("values"), detail));
  }
  if (key !== "metadata.name") errors.push(field.invalid(path.child("key"), key, "not a valid field selector key"));
  else
    values.forEach((value, i) => {
      name(errors, value, path.child("values").index(i), isDns1123Subdomain);
    });
}

function podAffinity(errors: Errors, value: core.PodAffinity, path: Path, opts: PodOptions): void {
  value[REQUIRED]?.forEach((term, i) => {
    podAffinityTerm(errors, term, path.child(REQUIRED).index(i), opts);
  });
  value[PREFERRED]?.forEach((weighted, i) => {
    const at = path.child(PREFERRED).index(i);
    weight(errors, weighted.weight, at);
    podAffinityTerm(errors, weighted.podAffinityTerm ?? { topologyKey: "" }, at.child("podAffinityTerm"), opts);
  });
}

function podAffinityTerm(errors: Errors, term: core.PodAffinityTerm, path: Path, opts: PodOptions): void {
  labelSelector(errors, term.labelSelector, path.child("labelSelector"), opts.allowInvalidAffinitySelector);
  labelSelector(errors, term.namespaceSelector, path.child("namespaceSelector"), opts.allowInvalidAffinitySelector);
  for (const namespace of term.namespaces ?? []) name(errors, namespace, path.child("namespace"), isDns1123Label);
  matchLabelKeys(errors, term, path);
  if (!term.topologyKey) errors.push(field.required(path.child("topologyKey"), "can not be empty"));
  qualifiedName(errors, term.topologyKey ?? "", path.child("topologyKey"));
}
