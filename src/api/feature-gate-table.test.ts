import { describe, expect, it } from "vitest";
import { featureGateTable } from "#api/feature-gate-table.ts";
import { FeatureGates } from "#base/feature-gates.ts";
import help from "#test/vectors/feature-gates.json" with { type: "json" };

describe("feature gate table", () => {
  it("gives the lines of the Go manager's help: 148 gates, AllAlpha and AllBeta", () => {
    const gates = new FeatureGates(featureGateTable(), "1.36");
    expect(gates.helpLines()).toEqual(help as unknown as string[]);
    expect(help).toHaveLength(150);
  });

  it("contains stages of older versions, locks and dependencies", () => {
    const { gates, dependencies } = featureGateTable();
    expect(gates.JobPodReplacementPolicy).toEqual([
      { version: "1.28", default: false, preRelease: "ALPHA" },
      { version: "1.29", default: true, preRelease: "BETA" },
      { version: "1.34", default: true, preRelease: "", lockToDefault: true },
    ]);
    expect(Object.keys(gates).length).toBeGreaterThan(200);
    expect(Object.keys(dependencies ?? {}).length).toBeGreaterThan(10);
    for (const needed of Object.values(dependencies ?? {}).flat()) expect(gates[needed]).toBeDefined();
  });
});
