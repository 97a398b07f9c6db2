// The rules of the metrics flags. Upstream: k8s.io/component-base/metrics/api/v1, Validate.

import * as field from "#api/field-error.ts";
import { goQuote } from "#api/go-text.ts";
import type { MetricsOptions } from "./options.ts";

const METRIC_NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const LABEL = "[a-zA-Z_][a-zA-Z0-9_]*";
const metricName = new RegExp(`^${METRIC_NAME}$`);
const allowListKey = new RegExp(`^${METRIC_NAME},${LABEL}$`);

/** Hidden metrics can be shown again for one release after they were hidden. */
const SHOWABLE_VERSION = "1.35";

const root: field.FieldPath = field.newPath("metrics");

export function validateMetrics(options: MetricsOptions): string[] {
  const errors: field.FieldError[] = [];
  const { showHiddenForVersion, disabled, allowLabels, allowLabelsManifest } = options;
  if (showHiddenForVersion !== "" && showHiddenForVersion !== SHOWABLE_VERSION) {
    const detail = `must be omitted or have the value '${SHOWABLE_VERSION}'; only the previous minor version is allowed`;
    errors.push(field.invalid(root.child("showHiddenMetricsForVersion"), showHiddenForVersion, detail));
  }
  const badName = disabled.find((name) => !metricName.test(name));
  if (badName !== undefined) {
    const detail = `must be fully qualified metric names matching ${goQuote(`^${METRIC_NAME}$`)}, got ${goQuote(badName)}`;
    errors.push(field.invalid(root.child("disabledMetrics"), disabled, detail));
  }
  errors.push(...validateAllowList(allowLabels, root.child("allowListMapping")));
  if (Object.keys(allowLabels).length > 0 && allowLabelsManifest !== "") {
    errors.push(field.invalid(root, options, "cannot specify both allowListMapping and allowListMappingManifest"));
  }
  return errors.map(field.errorText);
}

/** Also used for the manifest file's content. */
export function validateAllowList(
  allowList: Readonly<Record<string, string>>,
  path: field.FieldPath,
): field.FieldError[] {
  if (Object.keys(allowList).every((key) => allowListKey.test(key))) return [];
  const detail = `must have keys with format \`metricName,labelName\` where metricName matches ${goQuote(METRIC_NAME)} and labelName matches ${goQuote(LABEL)}`;
  return [field.invalid(path, allowList, detail)];
}
