// The feature gates that the kube-controller-manager of v1.36.4 registers, in the form that
// #base/feature-gates.ts reads. Decoded on first use from generated/feature-gates.ts.

import { featureDependencies, featureStages } from "#api/generated/feature-gates.ts";
import { lazy } from "#api/lazy.ts";
import { assert } from "#base/assert.ts";
import type { FeatureStage, FeatureTable, PreRelease } from "#base/feature-gates.ts";

const preReleases: Readonly<Record<string, PreRelease>> = { A: "ALPHA", B: "BETA", G: "", D: "DEPRECATED" };
const stageCode = /^([\d.]+)([ABGD])([+-])(!?)(?:@([\d.]+))?$/;

export const featureGateTable: () => FeatureTable = lazy(() => {
  const gates: Record<string, readonly FeatureStage[]> = {};
  for (const [name, code] of Object.entries(JSON.parse(featureStages) as Record<string, string>)) {
    gates[name] = code.split(" ").map(decodeStage);
  }
  return { gates, dependencies: JSON.parse(featureDependencies) as Record<string, string[]> };
});

function decodeStage(code: string): FeatureStage {
  const match = stageCode.exec(code);
  assert(match !== null, `bad feature stage ${code}`);
  const [, version = "", letter = "", sign, lock, minCompatibilityVersion] = match;
  return {
    version,
    default: sign === "+",
    preRelease: preReleases[letter] as PreRelease,
    ...(lock && { lockToDefault: true }),
    ...(minCompatibilityVersion && { minCompatibilityVersion }),
  };
}
