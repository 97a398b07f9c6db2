// The user's settings for the controllers and the API server of a cluster in one process.

import { featureGateTable } from "#api/feature-gate-table.ts";
import { choosePlugins, type PluginChoice, PluginChoiceError } from "#apiserver/admission/default-plugins.ts";
import { type RuntimeConfig, RuntimeConfigError, servedResources } from "#apiserver/builtin/runtime-config.ts";
import { FeatureGateError, FeatureGates } from "#base/feature-gates.ts";
import { canonicalSelection } from "#manager/controller-selection.ts";
import { type ComponentConfig, defaultConfig } from "#manager/options/config.ts";
import { selectionProblems } from "#manager/options/validate.ts";

/** Kubernetes supports clusters of up to 5,000 nodes. */
export const NODES_MAX = 5_000;

export interface ClusterSettings {
  /** Like --controllers of kube-controller-manager; absent: all that are on by default. */
  readonly controllers?: readonly string[];
  /** For the API server and the controllers. */
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /** Like --runtime-config of kube-apiserver, by key: { "api/beta": "true" }. */
  readonly runtimeConfig?: RuntimeConfig;
  /** Like --enable-admission-plugins and --disable-admission-plugins of kube-apiserver. */
  readonly admissionPlugins?: PluginChoice;
}

/** A setting with an unknown name or an invalid value. */
export class SettingError extends Error {
  override readonly name = "SettingError";
  readonly setting: keyof ClusterSettings;
  readonly problem: string;
  constructor(setting: keyof ClusterSettings, problem: string, options?: { cause?: unknown }) {
    super(`${setting}: ${problem}`, options);
    this.setting = setting;
    this.problem = problem;
  }
}

export interface ReadSettings {
  readonly config: ComponentConfig;
  readonly gates: FeatureGates;
  readonly runtimeConfig: RuntimeConfig;
  readonly admissionPlugins: PluginChoice;
}

export function readSettings(settings: ClusterSettings): ReadSettings {
  const { controllers = ["*"], featureGates = {}, runtimeConfig = {}, admissionPlugins = {} } = settings;
  const problems = selectionProblems(controllers);
  if (problems.length > 0) throw new SettingError("controllers", problems.join("; "));
  const gates = new FeatureGates(featureGateTable(), "1.36");
  try {
    gates.setFromMap(featureGates);
  } catch (cause) {
    if (!(cause instanceof FeatureGateError)) throw cause;
    throw new SettingError("featureGates", cause.message, { cause });
  }
  try {
    servedResources(runtimeConfig, gates);
  } catch (cause) {
    if (!(cause instanceof RuntimeConfigError)) throw cause;
    throw new SettingError("runtimeConfig", cause.message, { cause });
  }
  try {
    choosePlugins(admissionPlugins);
  } catch (cause) {
    if (!(cause instanceof PluginChoiceError)) throw cause;
    throw new SettingError("admissionPlugins", cause.message, { cause });
  }
  const Generic = { ...defaultConfig.Generic, Controllers: canonicalSelection(controllers) };
  return { config: { ...defaultConfig, Generic }, gates, runtimeConfig, admissionPlugins };
}
