// What users choose about the controllers and the API server of a cluster in one process.

import { featureGateTable } from "#api/feature-gate-table.ts";
import { FeatureGateError, FeatureGates } from "#base/feature-gates.ts";
import { canonicalSelection } from "#manager/controller-selection.ts";
import { type ComponentConfig, defaultConfig } from "#manager/options/config.ts";
import { selectionProblems } from "#manager/options/validate.ts";

export interface ClusterSettings {
  /** As --controllers of kube-controller-manager; absent: all that are on by default. */
  readonly controllers?: readonly string[];
  /** Of the API server and the controllers. */
  readonly featureGates?: Readonly<Record<string, boolean>>;
}

/** A setting names a controller or a feature gate that does not exist, or a gate cannot be changed. */
export class SettingError extends Error {
  override readonly name = "SettingError";
}

export interface ReadSettings {
  readonly config: ComponentConfig;
  readonly gates: FeatureGates;
}

export function readSettings({ controllers = ["*"], featureGates = {} }: ClusterSettings): ReadSettings {
  const problems = selectionProblems(controllers);
  if (problems.length > 0) throw new SettingError(`controllers: ${problems.join("; ")}`);
  const gates = new FeatureGates(featureGateTable(), "1.36");
  try {
    gates.setFromMap(featureGates);
  } catch (cause) {
    if (!(cause instanceof FeatureGateError)) throw cause;
    throw new SettingError(`feature gates: ${cause.message}`, { cause });
  }
  const Generic = { ...defaultConfig.Generic, Controllers: canonicalSelection(controllers) };
  return { config: { ...defaultConfig, Generic }, gates };
}
