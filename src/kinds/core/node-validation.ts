// Nodes. Upstream: pkg/apis/core/validation, ValidateNode, ValidateNodeUpdate

import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { goQuote } from "#api/go-text.ts";
import { parseExactJson } from "#api/json.ts";
import { isConfigMapKey, isDns1123Label, isDns1123Subdomain } from "#api/names.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";
import { type Errors, legacyCidr, type Path, positive, requiredName } from "#kinds/parts/checks.ts";
import { internalForm } from "#kinds/parts/internal-form.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { amount, type WireAmounts } from "#kinds/parts/quantities.ts";
import { resourceQuantity } from "#kinds/parts/resources.ts";
import { taints } from "#kinds/pod-spec/tolerations.ts";
import { isDualStack, parseSloppyCidr } from "#rules/ip.ts";

const METADATA = field.newPath("metadata");
const SPEC = field.newPath("spec");
const STATUS = field.newPath("status");
const FEATURE_NAME = /^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z][a-zA-Z0-9]*)*$/;
const TAINTS_ANNOTATION = "scheduler.alpha.kubernetes.io/taints";

export function validateNode(node: core.Node, gates: FeatureGateReader): field.FieldError[] {
  const errors: Errors = [];
  const { spec = {}, status = {} } = node;
  objectMeta(errors, node.metadata ?? {}, false, isDns1123Subdomain, METADATA);
  annotatedTaints(errors, node);
  taints(errors, spec.taints ?? [], METADATA.child("taints"));
  resources(errors, status);
  const swap = status.nodeInfo?.swap?.capacity;
  if (swap !== undefined) positive(errors, swap, METADATA.child("nodeSwapStatus", "capacity"));
  declaredFeatures(errors, status.declaredFeatures ?? [], STATUS.child("declaredFeatures"));
  podCidrs(errors, spec.podCIDRs ?? [], SPEC.child("podCIDRs"), gates.isEnabled("StrictIPCIDRValidation"));
  return errors;
}

function annotatedTaints(errors: Errors, node: core.Node): void {
  const text = node.metadata?.annotations?.[TAINTS_ANNOTATION];
  if (!text) return;
  const path = METADATA.child("annotations");
  let list: unknown;
  try {
    list = parseExactJson(text);
  } catch (error) {
    errors.push(field.invalid(path, TAINTS_ANNOTATION, error instanceof Error ? error.message : String(error)));
    return;
  }
  if (Array.isArray(list)) taints(errors, list as core.Taint[], path.child(TAINTS_ANNOTATION));
}

function resources(errors: Errors, status: core.NodeStatus): void {
  for (const part of ["capacity", "allocatable"] as const) {
    const map: WireAmounts = status[part] ?? {};
    for (const [resource, text] of Object.entries(map)) {
      resourceQuantity(errors, resource, amount(text), STATUS.child(part, resource));
    }
  }
}

function declaredFeatures(errors: Errors, list: readonly string[], path: Path): void {
  list.forEach((feature, i) => {
    const problem = featureNameProblem(feature);
    if (problem)
      errors.push(field.invalid(path.index(i), feature, `invalid feature name ${goQuote(feature)}: ${problem}`));
    const next = list[i + 1];
    if (next === undefined) return;
    if (feature === next) errors.push(field.duplicate(path.index(i + 1), next));
    else if (feature > next) errors.push(field.invalid(path.index(i + 1), next, "list must be sorted alphabetically"));
  });
}

function featureNameProblem(feature: string): string | undefined {
  if (feature.length > 253) return "must be no more than 253 characters";
  if (FEATURE_NAME.test(feature)) return undefined;
  return "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes";
}

function podCidrs(errors: Errors, list: readonly string[], path: Path, isStrict: boolean): void {
  list.forEach((cidr, i) => {
    legacyCidr(errors, cidr, path.index(i), isStrict);
  });
  if (list.length < 2) return;
  const parsed = list.map(parseSloppyCidr);
  const unparsed = parsed.indexOf(undefined);
  if (unparsed >= 0) {
    const cause = `invalid CIDR[${unparsed}]: <nil> (invalid CIDR address: ${list[unparsed]})`;
    errors.push(field.internalError(path, `invalid PodCIDRs. failed to check with dual stack with error:${cause}`));
  }
  if (unparsed < 0 && isDualStack(parsed.map((cidr) => cidr?.family)) && list.length <= 2) return;
  errors.push(field.invalid(path, list, "may specify no more than one CIDR for each IP family"));
}

export function validateNodeUpdate(node: core.Node, old: core.Node): field.FieldError[] {
  const errors: Errors = [];
  const { spec = {}, status = {} } = node;
  objectMetaUpdate(errors, node.metadata ?? {}, old.metadata ?? {}, METADATA);
  annotatedTaints(errors, node);
  resources(errors, status);
  declaredFeatures(errors, status.declaredFeatures ?? [], STATUS.child("declaredFeatures"));
  addresses(errors, status.addresses ?? []);
  fixedOnceSet(errors, spec, old.spec ?? {});
  if (spec.configSource) configSource(errors, spec.configSource, SPEC.child("configSource"), false);
  for (const part of ["assigned", "active", "lastKnownGood"] as const) {
    const source = status.config?.[part];
    if (source) configSource(errors, source, STATUS.child("config", part), true);
  }
  taints(errors, spec.taints ?? [], METADATA.child("taints"));
  if ((spec.externalID ?? "") !== (old.spec?.externalID ?? "")) {
    errors.push(field.forbidden(SPEC.child("externalID"), "may not be updated"));
  }
  return errors;
}

function addresses(errors: Errors, list: readonly core.NodeAddress[]): void {
  const seen = new Set<string>();
  list.forEach((address, i) => {
    const key = JSON.stringify([address.type, address.address]);
    if (seen.has(key)) {
      errors.push(field.duplicate(STATUS.child("addresses").index(i), internalForm("NodeAddress", address)));
    }
    seen.add(key);
  });
}

function fixedOnceSet(errors: Errors, spec: core.NodeSpec, old: core.NodeSpec): void {
  const [cidrs, oldCidrs] = [spec.podCIDRs ?? [], old.podCIDRs ?? []];
  const detail = (part: string): string => `node updates may not change ${part} except from "" to valid`;
  if (oldCidrs.length > 0) {
    const changed = oldCidrs.length !== cidrs.length ? 1 : oldCidrs.filter((cidr, i) => cidr !== cidrs[i]).length;
    for (let i = 0; i < changed; i++) errors.push(field.forbidden(SPEC.child("podCIDRs"), detail("podCIDR")));
  }
  if (old.providerID && old.providerID !== spec.providerID) {
    errors.push(field.forbidden(SPEC.child("providerID"), detail("providerID")));
  }
}

function configSource(errors: Errors, source: core.NodeConfigSource, path: Path, isStatus: boolean): void {
  const { configMap } = source;
  if (!configMap) {
    const value = internalForm("NodeConfigSource", source);
    errors.push(field.invalid(path, value, "exactly one reference subfield must be non-nil"));
    return;
  }
  const at = path.child("configMap");
  for (const part of ["uid", "resourceVersion"] as const) {
    const isSet = Boolean(configMap[part]);
    if (isStatus && !isSet) errors.push(field.required(at.child(part), ""));
    if (!isStatus && isSet) errors.push(field.forbidden(at.child(part), `${part} must not be set in spec`));
  }
  requiredName(errors, configMap.namespace, at.child("namespace"), isDns1123Label);
  requiredName(errors, configMap.name, at.child("name"), isDns1123Subdomain);
  requiredName(errors, configMap.kubeletConfigKey, at.child("kubeletConfigKey"), isConfigMapKey);
}
