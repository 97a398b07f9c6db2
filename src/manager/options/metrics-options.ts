// The metrics flags: their validation, and the registry options they produce.
// Upstream: k8s.io/component-base/metrics/api/v1, Validate, Apply.

import * as field from "#api/field-error.ts";
import { goQuote } from "#api/go-text.ts";
import type { MetricRegistryOptions } from "#base/metric-registry.ts";
import type { MetricsOptions } from "./options.ts";
import { KUBERNETES_VERSION } from "./version-flag.ts";

const METRIC_NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const LABEL = "[a-zA-Z_][a-zA-Z0-9_]*";
const metricName = new RegExp(`^${METRIC_NAME}$`);
const allowListKey = new RegExp(`^${METRIC_NAME},${LABEL}$`);

/** Hidden metrics can be shown again for one release after they were hidden. */
const SHOWABLE_VERSION = "1.35";

const root: field.FieldPath = field.newPath("metrics");

/** The content of the file of --allow-metric-labels-manifest, or why it cannot be used. */
export type Manifest =
  | { readonly lists: Readonly<Record<string, string>> }
  /** "failed to read allow list manifest: open x: no such file or directory" */
  | { readonly problem: string };

/** The registry options for valid flags. */
// Deviation: metrics are disabled whenever they are registered; upstream registers some before it reads its flags.
export function registryOptions(options: MetricsOptions, manifest: Manifest | undefined): MetricRegistryOptions {
  return {
    version: KUBERNETES_VERSION.slice(1),
    showsHidden: options.showHiddenForVersion !== "",
    disabled: options.disabled,
    allowedLabels: manifest !== undefined && "lists" in manifest ? manifest.lists : options.allowLabels,
  };
}

export function validateMetrics(options: MetricsOptions, manifest: Manifest | undefined): string[] {
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
  errors.push(...manifestErrors(allowLabelsManifest, manifest));
  if (Object.keys(allowLabels).length > 0 && allowLabelsManifest !== "") {
    errors.push(
      field.invalid(root, wireForm(options), "cannot specify both allowListMapping and allowListMappingManifest"),
    );
  }
  return errors.map(field.errorText);
}

function manifestErrors(path: string, manifest: Manifest | undefined): field.FieldError[] {
  const place = root.child("allowListMappingManifest");
  if (manifest === undefined) return [];
  if ("problem" in manifest) return [field.invalid(place, path, manifest.problem)];
  const problems = validateAllowList(manifest.lists, place).map(field.errorText);
  if (problems.length === 0) return [];
  return [field.invalid(place, path, `invalid allow list mapping in manifest: [${problems.join(" ")}]`)];
}

/** The configuration in the form of its API type. */
function wireForm(options: MetricsOptions): object {
  const { showHiddenForVersion, disabled, allowLabels, allowLabelsManifest } = options;
  return {
    ...(showHiddenForVersion === "" ? {} : { showHiddenMetricsForVersion: showHiddenForVersion }),
    ...(disabled.length === 0 ? {} : { disabledMetrics: disabled }),
    ...(Object.keys(allowLabels).length === 0 ? {} : { allowListMapping: allowLabels }),
    ...(allowLabelsManifest === "" ? {} : { allowListMappingManifest: allowLabelsManifest }),
  };
}

function validateAllowList(allowList: Readonly<Record<string, string>>, path: field.FieldPath): field.FieldError[] {
  if (Object.keys(allowList).every((key) => allowListKey.test(key))) return [];
  const detail = `must have keys with format \`metricName,labelName\` where metricName matches ${goQuote(METRIC_NAME)} and labelName matches ${goQuote(LABEL)}`;
  return [field.invalid(path, allowList, detail)];
}
