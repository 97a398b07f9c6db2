// Metrics about the program itself: its versions and feature gates.
// Upstream: component-base/metrics/prometheus/{version,feature}; component-base/compatibility/version; component-base/version.

import type { FeatureGates } from "#base/feature-gates.ts";
import type { Metrics } from "#base/metrics.ts";
import { type ComponentVersions, versionText } from "./options/component-versions.ts";

export interface BuildFacts {
  /** "v1.36.4", or the value of --version=. */
  readonly gitVersion: string;
  /** Compiler and runtime of the program, in the fields for Go's versions. */
  readonly runtimeVersion: string;
  readonly compiler: string;
  /** "linux/amd64". */
  readonly platform: string;
}

export function registerVersionMetrics(
  metrics: Metrics,
  build: BuildFacts,
  versions: ComponentVersions,
  gates: FeatureGates,
): void {
  const [, major = "", minor = ""] = /^v(\d+)\.(\d+)/.exec(build.gitVersion) ?? [];
  metrics
    .gauge({
      name: "kubernetes_build_info",
      help: "A metric with a constant '1' value labeled by major, minor, git version, git commit, git tree state, build date, Go version, and compiler from which Kubernetes was built, and platform on which it is running.",
      stability: "BETA",
      labels: [
        "major",
        "minor",
        "git_version",
        "git_commit",
        "git_tree_state",
        "build_date",
        "go_version",
        "compiler",
        "platform",
      ],
    })
    .set(1, [
      major,
      minor,
      build.gitVersion,
      "",
      "",
      "1970-01-01T00:00:00Z",
      build.runtimeVersion,
      build.compiler,
      build.platform,
    ]);
  metrics.gaugeFunc(
    {
      name: "kubernetes_feature_enabled",
      help: "This metric records the data about the stage and enablement of a k8s feature.",
      stability: "BETA",
      labels: ["name", "stage"],
    },
    () =>
      gates.all().map(({ name, stage, isEnabled }) => ({
        labelValues: [name, stage.preRelease],
        value: isEnabled ? 1 : 0,
      })),
  );
  metrics
    .gauge({
      name: "version_info",
      help: "Provides the compatibility version info of the component. The component label is the name of the component, usually kube, but is relevant for aggregated-apiservers.",
      stability: "ALPHA",
      labels: ["component", "binary", "emulation", "min_compat"],
    })
    .set(1, [
      "kube",
      build.gitVersion.replace(/^v/, ""),
      versionText(versions.emulation),
      versionText(versions.minCompatibility),
    ]);
}
