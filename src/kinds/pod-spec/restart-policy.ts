// Restart and resize policies of containers.
// Upstream: pkg/apis/core/validation, validateContainerRestartPolicy, validateInitContainerRestartPolicy, validateResizePolicy

import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { type Errors, oneOf, type Path, requiredOneOf } from "#kinds/parts/checks.ts";
import type { PodOptions } from "./pod-options.ts";

const POLICY_MISSING = "must specify restartPolicy when restart rules are used";

export function containerRestart(errors: Errors, container: core.Container, path: Path, opts: PodOptions): void {
  const { restartPolicy, restartPolicyRules: rules = [] } = container;
  if (restartPolicy === undefined) {
    if (rules.length === 0) return;
    errors.push(field.required(path.child("restartPolicy"), POLICY_MISSING));
  } else oneOf(errors, restartPolicy, path.child("restartPolicy"), ["Always", "Never", "OnFailure"]);
  if (rules.length > 20) errors.push(field.tooMany(path.child("restartPolicyRules"), rules.length, 20));
  const actions = opts.allowRestartAllContainers ? ["Restart", "RestartAllContainers"] : ["Restart"];
  rules.forEach(({ action, exitCodes }, i) => {
    const at = path.child("restartPolicyRules").index(i);
    oneOf(errors, action, at.child("action"), actions);
    if (!exitCodes) {
      errors.push(field.required(at.child("exitCodes"), "must be specified"));
      return;
    }
    oneOf(errors, exitCodes.operator, at.child("exitCodes", "operator"), ["In", "NotIn"]);
    const count = (exitCodes.values ?? []).length;
    if (count > 255) errors.push(field.tooMany(at.child("exitCodes", "values"), count, 255));
  });
}

export function initContainerRestart(errors: Errors, container: core.Container, path: Path, opts: PodOptions): void {
  const { restartPolicy, restartPolicyRules: rules = [] } = container;
  if (restartPolicy === undefined) {
    if (rules.length > 0) errors.push(field.required(path.child("restartPolicy"), POLICY_MISSING));
  } else if (!opts.allowRestartRules) {
    oneOf(errors, restartPolicy, path.child("restartPolicy"), ["Always"]);
  } else if (restartPolicy !== "Always" || opts.allowRestartAllContainers) {
    containerRestart(errors, container, path, opts);
  } else if (rules.length > 0) {
    const detail = "restartPolicyRules are not allowed for init containers with restart policy Always";
    errors.push(field.forbidden(path.child("restartPolicyRules"), detail));
  }
}

export function resizePolicies(
  errors: Errors,
  policies: readonly core.ContainerResizePolicy[],
  podRestartPolicy: string,
  path: Path,
): void {
  const seen = new Set<string>();
  policies.forEach(({ resourceName = "", restartPolicy = "" }, i) => {
    if (seen.has(resourceName)) errors.push(field.duplicate(path.index(i), resourceName));
    seen.add(resourceName);
    requiredOneOf(errors, resourceName, path, ["cpu", "memory"]);
    requiredOneOf(errors, restartPolicy, path, ["NotRequired", "RestartContainer"]);
    if (podRestartPolicy === "Never" && restartPolicy !== "NotRequired") {
      errors.push(field.invalid(path, restartPolicy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"));
    }
  });
}
