// What webhook configurations must be like. Upstream: pkg/apis/admissionregistration/validation/validation.go
//
// An update is checked only for rules that the old configuration satisfied.

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as admission from "#api/generated/types/admissionregistration-v1.ts";
import { isDns1035Label, isDns1123Subdomain } from "#api/names.ts";
import { type Errors, hasLabelSelectorErrors, labelSelector, name, oneOf, type Path } from "#kinds/parts/checks.ts";
import { genericObjectMeta } from "#kinds/parts/metadata.ts";
import {
  FAILURE_POLICIES,
  MATCH_POLICIES,
  matchConditions,
  REINVOCATION_POLICIES,
  ruleWithOperations,
} from "./match-rules.ts";
import { webhookService, webhookUrl } from "./webhook-url.ts";

type Webhook = admission.ValidatingWebhook & Pick<admission.MutatingWebhook, "reinvocationPolicy">;

interface WebhookConfiguration {
  readonly metadata?: admission.ValidatingWebhookConfiguration["metadata"];
  readonly webhooks?: readonly Webhook[];
}

const HARMLESS = ["None", "NoneOnDryRun"];
const SIDE_EFFECTS = ["None", "NoneOnDryRun", "Some", "Unknown"];
const REVIEW_VERSIONS = ["v1", "v1beta1"];
const TIMEOUT_SECONDS_MAX = 30;

interface Demands {
  readonly conditions: boolean;
  readonly noSideEffects: boolean;
  readonly reviewVersion: boolean;
  readonly uniqueNames: boolean;
  readonly selectorValues: boolean;
}

const ALL: Demands = {
  conditions: true,
  noSideEffects: true,
  reviewVersion: true,
  uniqueNames: true,
  selectorValues: true,
};

const isHarmless = ({ sideEffects }: Webhook): boolean => HARMLESS.includes(sideEffects);

function demandsAfter(old: readonly Webhook[], webhooks: readonly Webhook[]): Demands {
  const conditionsOf = (hooks: readonly Webhook[]): unknown => hooks.map((hook) => hook.matchConditions ?? []);
  return {
    conditions: !semanticEqual(conditionsOf(webhooks), conditionsOf(old)),
    noSideEffects: old.every(isHarmless),
    reviewVersion: old.every(
      ({ admissionReviewVersions: versions = [] }) =>
        versions.length === 0 || versions.some((version) => REVIEW_VERSIONS.includes(version)),
    ),
    uniqueNames: new Set(old.map((hook) => hook.name)).size === old.length,
    selectorValues: !old.some(
      (hook) => hasLabelSelectorErrors(hook.namespaceSelector) || hasLabelSelectorErrors(hook.objectSelector),
    ),
  };
}

export function validateWebhooks(
  { metadata = {}, webhooks = [] }: WebhookConfiguration,
  old?: WebhookConfiguration,
): Errors {
  const errors: Errors = [];
  genericObjectMeta(errors, metadata, false, isDns1123Subdomain, field.newPath("metadata"));
  const demands = old === undefined ? ALL : demandsAfter(old.webhooks ?? [], webhooks);
  const names = new Set<string>();
  webhooks.forEach((hook, i) => {
    const path = field.newPath("webhooks").index(i);
    webhook(errors, hook, demands, path);
    reviewVersions(errors, hook.admissionReviewVersions ?? [], demands, path.child("admissionReviewVersions"));
    if (!demands.uniqueNames || !hook.name) return;
    if (names.has(hook.name)) errors.push(field.duplicate(path.child("name"), hook.name));
    names.add(hook.name);
  });
  return errors;
}

function webhook(errors: Errors, hook: Webhook, demands: Demands, path: Path): void {
  fullyQualifiedName(errors, hook.name ?? "", path.child("name"));
  hook.rules?.forEach((rule, i) => {
    ruleWithOperations(errors, rule, path.child("rules").index(i));
  });
  const { failurePolicy, matchPolicy, sideEffects, timeoutSeconds, reinvocationPolicy } = hook;
  if (failurePolicy !== undefined) oneOf(errors, failurePolicy, path.child("failurePolicy"), FAILURE_POLICIES);
  if (matchPolicy !== undefined) oneOf(errors, matchPolicy, path.child("matchPolicy"), MATCH_POLICIES);
  const allowed = demands.noSideEffects ? HARMLESS : SIDE_EFFECTS;
  const at = path.child("sideEffects");
  // Go writes null for an absent value.
  if ((sideEffects ?? undefined) === undefined)
    errors.push(field.required(at, `must specify one of ${allowed.join(", ")}`));
  else oneOf(errors, sideEffects, at, allowed);
  if (timeoutSeconds !== undefined && (timeoutSeconds > TIMEOUT_SECONDS_MAX || timeoutSeconds < 1)) {
    const detail = `the timeout value must be between 1 and ${TIMEOUT_SECONDS_MAX} seconds`;
    errors.push(field.invalid(path.child("timeoutSeconds"), timeoutSeconds, detail));
  }
  for (const key of ["namespaceSelector", "objectSelector"] as const) {
    labelSelector(errors, hook[key], path.child(key), !demands.selectorValues);
  }
  if (reinvocationPolicy !== undefined) {
    oneOf(errors, reinvocationPolicy, path.child("reinvocationPolicy"), REINVOCATION_POLICIES);
  }
  clientConfig(errors, hook.clientConfig ?? {}, path.child("clientConfig"));
  if (demands.conditions) matchConditions(errors, hook.matchConditions ?? [], false, path.child("matchConditions"));
}

function clientConfig(errors: Errors, { url, service }: admission.WebhookClientConfig, path: Path): void {
  if ((url === undefined) === (service === undefined)) {
    errors.push(field.required(path, "exactly one of url or service is required"));
  } else if (url !== undefined) webhookUrl(errors, url, path.child("url"));
  else if (service !== undefined) webhookService(errors, service, path.child("service"));
}

function fullyQualifiedName(errors: Errors, value: string, path: Path): void {
  const problems = isDns1123Subdomain(value);
  if (value === "") errors.push(field.required(path, ""));
  else if (problems.length > 0) errors.push(field.invalid(path, value, problems.join(",")));
  else if (value.split(".").length < 3) {
    errors.push(field.invalid(path, value, "should be a domain with at least three segments separated by dots"));
  }
}

function reviewVersions(errors: Errors, versions: readonly string[], demands: Demands, path: Path): void {
  const accepted = REVIEW_VERSIONS.join(", ");
  if (versions.length === 0) {
    errors.push(field.required(path, `must specify one of ${accepted}`));
    return;
  }
  const seen = new Set<string>();
  versions.forEach((version, i) => {
    if (seen.has(version)) errors.push(field.invalid(path.index(i), version, "duplicate version"));
    else name(errors, version, path.index(i), isDns1035Label);
    seen.add(version);
  });
  if (demands.reviewVersion && !versions.some((version) => REVIEW_VERSIONS.includes(version))) {
    errors.push(field.invalid(path, versions, `must include at least one of ${accepted}`));
  }
}
