import { describe, expect, it } from "vitest";
import { featureGateTable } from "#api/feature-gate-table.ts";
import { FeatureGates } from "#base/feature-gates.ts";
import { applyVersionsAndGates, validateVersions } from "./component-versions.ts";
import { validateLogs } from "./log-options.ts";
import { defaultOptions, type Options } from "./options.ts";

const newGates = (): FeatureGates => new FeatureGates(featureGateTable(), "1.36");
const apply = (options: Partial<Options>, gates = newGates()): ReturnType<typeof applyVersionsAndGates> =>
  applyVersionsAndGates({ ...defaultOptions, ...options }, gates);

describe("versions and gates", () => {
  it("machinery/1.1.7 judges gates at the version that is emulated", () => {
    const gates = newGates();
    const versions = apply({ emulatedVersions: ["kube=1.34"], featureGates: { kube: ["AllAlpha=true"] } }, gates);
    expect(versions).toEqual({ emulation: { major: 1, minor: 34 }, minCompatibility: { major: 1, minor: 33 } });
    expect(gates.emulatedVersion).toBe("1.34");
    expect(apply({ emulatedVersions: ["1.33"], featureGates: { "": ["DRAResourcePoolStatus=true"] } })).toMatchObject({
      problem: expect.stringContaining("PreAlpha at emulated version 1.33"),
    });
  });

  it.each([
    [{ emulatedVersions: ["x"] }, 'could not parse "x" as version'],
    [{ emulatedVersions: ["1"] }, 'illegal version string "1"'],
    [{ emulatedVersions: ["01.2"] }, 'illegal zero-prefixed version component "01" in "01.2"'],
    [{ emulatedVersions: ["1.36.4"] }, "patch version not allowed, got: kube=1.36.4"],
    [{ emulatedVersions: ["1.35", "kube=1.34"] }, "duplicate version flag, kube=1.35 and kube=1.34"],
    [{ minCompatibilityVersions: ["other=1.35"] }, "component not registered: other"],
    [{ featureGates: { other: ["A=true"] } }, "component not registered: other"],
    [
      { featureGates: { "": ["AllAlpha=false"], kube: ["AllBeta=true"] } },
      "set kube feature gates with default empty prefix or kube: prefix consistently, do not mix use",
    ],
    [{ featureGates: { "": ["Nonsense=true"] } }, "unrecognized feature gate: Nonsense"],
  ] as const)("machinery/1.6.r16 refuses %j", (options, problem) => {
    expect(apply(options)).toEqual({ problem });
  });

  it("refuses versions out of range, all at once", () => {
    const found = apply({ emulatedVersions: ["1.20"] });
    expect("problem" in found ? [] : validateVersions(found)).toEqual([
      "emulation version 1.20 is not between [1.33, 1.36.0]",
      "minCompatibilityVersion version 1.33 is not between [1.33, 1.20]",
    ]);
  });
});

describe("logging options", () => {
  const problems = (logs: Partial<Options["logs"]>, gates = newGates()): readonly string[] =>
    validateLogs({ ...defaultOptions.logs, ...logs }, gates);

  it("accepts the defaults, and alpha options behind their gate", () => {
    expect(problems({})).toEqual([]);
    const gates = newGates();
    gates.setFromMap({ LoggingAlphaOptions: true });
    expect(problems({ textSplitStream: true, jsonInfoBufferSize: "1Ki" }, gates)).toEqual([]);
  });

  it("refuses the rest, all at once", () => {
    const modules = [{ pattern: "a", level: 1 }];
    expect(problems({ format: "xml", flushFrequency: 0n, moduleLevels: modules, jsonSplitStream: true })).toEqual([
      'flushFrequency: Invalid value: "0s": Must be greater than zero',
      'format: Invalid value: "xml": Unsupported log format',
      "vmodule: Forbidden: Only supported for text log format",
      "options.json.splitStream: Forbidden: Feature LoggingAlphaOptions is disabled",
    ]);
  });
});
