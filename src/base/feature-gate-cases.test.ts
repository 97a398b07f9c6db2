// The cases by which component-base tests its feature gates. Left out: gates and dependencies that are added late,
// overridden defaults and copies, because a table of gates never changes here.

import { describe, expect, it } from "vitest";
import { FeatureGates, type FeatureStage, type FeatureTable, parseFeatureGates } from "./feature-gates.ts";

const stage = (
  version: string,
  preRelease: FeatureStage["preRelease"],
  isOn = false,
  more: Partial<FeatureStage> = {},
): FeatureStage => ({
  version,
  preRelease,
  default: isOn,
  ...more,
});
const locked = { lockToDefault: true };
const from = (minCompatibilityVersion: string) => ({ minCompatibilityVersion });

/** Which of these gates are on after parsing the flag; or the problem. */
function outcome(gates: FeatureGates, text: string, names: readonly string[]): string[] | string {
  try {
    gates.setFromMap(parseFeatureGates(text));
  } catch (error) {
    return (error as Error).message;
  }
  return names.filter((name) => gates.isEnabled(name));
}

describe("machinery/8.r10 gates of one version", () => {
  const table: FeatureTable = {
    gates: {
      TestAlpha: [stage("0.0", "ALPHA")],
      TestBeta: [stage("0.0", "BETA")],
      TestDeprecated: [stage("0.0", "DEPRECATED")],
      TestLockedFalse: [stage("0.0", "", false, locked)],
      TestLockedTrue: [stage("0.0", "", true, locked)],
    },
  };
  const names = ["AllAlpha", "AllBeta", "TestAlpha", "TestBeta", "TestDeprecated", "TestLockedFalse"];
  it.each<[string, string[] | string]>([
    ["", []],
    ["TestDeprecated=true", ["TestDeprecated"]],
    ["TestLockedFalse=true", "cannot set feature gate TestLockedFalse to true, feature is locked to false"],
    ["TestLockedTrue=false", "cannot set feature gate TestLockedTrue to false, feature is locked to true"],
    ["TestLockedTrue=true,TestLockedFalse=false", []],
    ["fooBarBaz=true", "unrecognized feature gate: fooBarBaz"],
    ["AllAlpha=false", []],
    ["AllAlpha=true", ["AllAlpha", "TestAlpha"]],
    ["AllAlpha=banana", "invalid value of AllAlpha"],
    ["AllAlpha=false,TestAlpha=true", ["TestAlpha"]],
    ["TestAlpha=true,AllAlpha=false", ["TestAlpha"]],
    ["AllAlpha=true,TestAlpha=false", ["AllAlpha"]],
    ["TestAlpha=false,AllAlpha=true", ["AllAlpha"]],
    ["TestBeta=true,AllAlpha=false", ["TestBeta"]],
    ["AllBeta=false", []],
    ["AllBeta=true", ["AllBeta", "TestBeta"]],
    ["AllBeta=banana", "invalid value of AllBeta"],
    ["AllBeta=false,TestBeta=true", ["TestBeta"]],
    ["TestBeta=true,AllBeta=false", ["TestBeta"]],
    ["AllBeta=true,TestBeta=false", ["AllBeta"]],
    ["TestBeta=false,AllBeta=true", ["AllBeta"]],
    ["TestAlpha=true,AllBeta=false", ["TestAlpha"]],
    ["TestAlpha=true,TestBeta=true", ["TestAlpha", "TestBeta"]],
  ])("%j turns on %j", (text, expected) => {
    const found = outcome(new FeatureGates(table, "1.36"), text, names);
    if (typeof expected === "string") expect(found).toContain(expected);
    else expect(found).toEqual(expected);
  });

  it("a later value of one gate leaves the others", () => {
    const gates = new FeatureGates(table, "1.36");
    expect(outcome(gates, "TestAlpha=true,TestBeta=true", names)).toEqual(["TestAlpha", "TestBeta"]);
    expect(outcome(gates, "TestAlpha=false", names)).toEqual(["TestBeta"]);
    expect(gates.validate()).toEqual([]);
    expect([gates.isExplicitlySet("TestAlpha"), gates.isExplicitlySet("TestDeprecated")]).toEqual([true, false]);
  });

  it.each([
    [{ TestAlpha: false }, "TestAlpha=false"],
    [{ TestBeta: true, TestAlpha: false }, "TestAlpha=false,TestBeta=true"],
    [{ TestLockedTrue: true, TestBeta: true, TestAlpha: false }, "TestAlpha=false,TestBeta=true,TestLockedTrue=true"],
  ])("%j is printed as %s", (values, text) => {
    const gates = new FeatureGates(table, "1.36");
    gates.setFromMap(values);
    expect(String(gates)).toBe(text);
  });
});

describe("machinery/8.r10 gates through the versions", () => {
  const table: FeatureTable = {
    gates: {
      TestGA: [stage("1.27", "ALPHA"), stage("1.28", "BETA"), stage("1.29", "", true)],
      TestAlpha: [stage("1.29", "ALPHA")],
      TestBeta: [stage("1.28", "ALPHA"), stage("1.29", "BETA")],
      TestLockedFalse: [stage("1.28", ""), stage("1.29", "", false, locked)],
      TestAlphaNoVersion: [stage("0.0", "ALPHA")],
      TestBetaNoVersion: [stage("0.0", "BETA")],
      TestCompatibility: [
        stage("1.28", "BETA"),
        stage("1.28", "BETA", true, from("1.28")),
        stage("1.29", "", true, locked),
      ],
    },
  };
  const names = ["AllAlpha", "AllBeta", ...Object.keys(table.gates)];
  const early = "feature is PreAlpha at emulated version 1.28";
  it.each<[string, string[] | string]>([
    ["", []],
    ["TestLockedFalse=true", ["TestLockedFalse"]],
    ["fooBarBaz=true", "unrecognized feature gate: fooBarBaz"],
    ["AllAlpha=false", []],
    ["AllAlpha=true", ["AllAlpha", "TestBeta", "TestAlphaNoVersion"]],
    ["AllAlpha=false,TestAlpha=true,TestAlphaNoVersion=true", `cannot set feature gate TestAlpha to true, ${early}`],
    ["AllAlpha=false,TestAlphaNoVersion=true", ["TestAlphaNoVersion"]],
    ["AllAlpha=true,TestAlpha=false,TestAlphaNoVersion=false", `cannot set feature gate TestAlpha to false, ${early}`],
    ["AllAlpha=true,TestAlphaNoVersion=false", ["AllAlpha", "TestBeta"]],
    ["TestBeta=true,TestBetaNoVersion=true,TestGA=true,AllAlpha=false", ["TestGA", "TestBeta", "TestBetaNoVersion"]],
    ["AllBeta=false", []],
    ["AllBeta=true", ["AllBeta", "TestGA", "TestBetaNoVersion", "TestCompatibility"]],
    ["AllBeta=false,TestBeta=true,TestBetaNoVersion=true,TestGA=true", ["TestGA", "TestBeta", "TestBetaNoVersion"]],
    ["AllBeta=true,TestBetaNoVersion=false,TestBeta=false,TestGA=false", ["AllBeta", "TestCompatibility"]],
    ["TestBeta=false,TestBetaNoVersion=false,AllBeta=true", ["AllBeta", "TestGA", "TestCompatibility"]],
    ["TestAlpha=true,AllBeta=false", `cannot set feature gate TestAlpha to true, ${early}`],
    ["TestCompatibility=true", ["TestCompatibility"]],
  ])("at 1.28, %j turns on %j", (text, expected) => {
    const found = outcome(new FeatureGates(table, "1.28"), text, names);
    if (typeof expected === "string") expect(found).toContain(expected);
    else expect(found).toEqual(expected);
  });

  it("the set gates are validated again at another version", () => {
    const gates = new FeatureGates(table, "1.29");
    gates.setFromMap({ TestAlpha: true, TestBeta: true });
    expect(() => gates.setEmulatedVersion("1.28")).toThrow(early);
  });

  it("each version has its stage and its default", () => {
    const later: FeatureTable = {
      gates: {
        TestGA: [stage("1.25", "ALPHA", true), stage("1.27", "BETA", true), stage("1.29", "", true)],
        TestAlpha: [stage("1.29", "ALPHA")],
        TestBeta: [stage("1.26", "ALPHA"), stage("1.28", "BETA"), stage("1.29", "BETA", true)],
      },
    };
    const gates = new FeatureGates(later, "1.28");
    expect(
      ["TestGA", "TestAlpha", "TestBeta"].map((name) => [gates.isEnabled(name), gates.stage(name)?.version]),
    ).toEqual([
      [true, "1.27"],
      [false, undefined],
      [false, "1.28"],
    ]);
    expect(gates.all().map(({ name }) => name)).toEqual(["AllAlpha", "AllBeta", "TestBeta", "TestGA"]);
    expect(gates.stage("NonExist")).toBeUndefined();
  });

  it.each<[string, string | undefined, [string, FeatureStage["preRelease"]] | undefined]>([
    ["1.30", undefined, ["1.29", ""]],
    ["1.29", undefined, ["1.29", ""]],
    ["1.28", undefined, ["1.25", "BETA"]],
    ["1.26", undefined, ["1.25", "BETA"]],
    ["1.25", "1.25", ["1.25", "BETA"]],
    ["1.25", undefined, ["1.25", "ALPHA"]],
    ["1.24", undefined, undefined],
    ["1.26", "1.23", ["1.25", "ALPHA"]],
    ["1.29", "1.23", ["1.25", "ALPHA"]],
  ])("at %s, compatible with %s", (emulated, minCompatibility, expected) => {
    const stages = [
      stage("1.25", "ALPHA"),
      stage("1.25", "BETA", false, from("1.25")),
      stage("1.29", "", true, from("1.25")),
    ];
    const found = new FeatureGates({ gates: { A: stages } }, emulated, minCompatibility).stage("A");
    expect(found && [found.version, found.preRelease]).toEqual(expected);
  });
});

describe("machinery/8.r10 gates and the oldest peer", () => {
  const beta = (version: string) => [stage(version, "BETA"), stage(version, "BETA", true, from(version))];
  const table: FeatureTable = {
    gates: {
      TestCompatA: [stage("1.29", "ALPHA"), ...beta("1.30")],
      TestCompatB: beta("1.30"),
      TestCompatC: [...beta("1.28"), stage("1.30", "", true, locked)],
    },
  };
  const names = Object.keys(table.gates);
  const special = ["AllAlpha=true|false (ALPHA - default=false)", "AllBeta=true|false (BETA - default=false)"];
  const or = (name: string): string =>
    `${name}=true|false (BETA - default=false), or ${name}=true|false (BETA - default=true) if --min-compatibility-version>=1.30`;

  it("an old one keeps newer gates off, and help says until which version", () => {
    const gates = new FeatureGates(table, "1.30", "1.27");
    expect(names.filter((name) => gates.isEnabled(name))).toEqual([]);
    expect(gates.helpLines()).toEqual([
      ...special,
      or("TestCompatA"),
      or("TestCompatB"),
      "TestCompatC=true|false (BETA - default=false)",
    ]);
    gates.setFromMap({ TestCompatA: false, TestCompatB: true, TestCompatC: true });
    expect(names.filter((name) => gates.isEnabled(name))).toEqual(["TestCompatB", "TestCompatC"]);
  });

  it("a new one lets it be", () => {
    const gates = new FeatureGates(table, "1.30", "1.30");
    expect(names.filter((name) => gates.isEnabled(name))).toEqual(names);
    expect(gates.helpLines()).toEqual([
      ...special,
      ...["TestCompatA", "TestCompatB"].map((name) => `${name}=true|false (BETA - default=true)`),
    ]);
    gates.setFromMap({ TestCompatA: false, TestCompatB: false });
    expect(names.filter((name) => gates.isEnabled(name))).toEqual(["TestCompatC"]);
    expect(() => gates.setFromMap({ TestCompatC: false })).toThrow("locked to true");
  });

  it("help leaves out gates that are GA, deprecated or pre-alpha", () => {
    const gates = new FeatureGates(
      {
        gates: {
          TestGA: [stage("1.27", "BETA"), stage("1.28", "", true)],
          TestPreAlpha: [stage("1.29", "ALPHA")],
          TestAlpha: [stage("1.28", "ALPHA")],
          TestFastBeta: beta("1.28"),
          TestLatestFastBeta: beta("1.29"),
          TestDeprecated: [stage("1.26", "ALPHA"), stage("1.28", "DEPRECATED", true)],
        },
      },
      "1.28",
    );
    expect(gates.helpLines()).toEqual([
      ...special,
      "TestAlpha=true|false (ALPHA - default=false)",
      "TestFastBeta=true|false (BETA - default=false), or TestFastBeta=true|false (BETA - default=true) if --min-compatibility-version>=1.28",
    ]);
  });
});

describe("machinery/8.r10 gates that need others", () => {
  const alpha = [stage("0.0", "ALPHA")];
  const table: FeatureTable = {
    gates: { FeatureA: alpha, FeatureB: alpha, FeatureC: alpha, FeatureD: alpha },
    dependencies: { FeatureA: ["FeatureB", "FeatureC"], FeatureB: ["FeatureD"] },
  };
  it.each([
    ["FeatureA=true,FeatureB=true,FeatureC=true,FeatureD=true", undefined],
    [
      "FeatureA=true,FeatureB=false,FeatureC=true,FeatureD=true",
      "FeatureA is enabled, but depends on features that are disabled: [FeatureB]",
    ],
    [
      "FeatureA=true,FeatureB=true,FeatureC=false,FeatureD=true",
      "FeatureA is enabled, but depends on features that are disabled: [FeatureC]",
    ],
    [
      "FeatureA=true,FeatureB=false,FeatureC=false,FeatureD=true",
      "FeatureA is enabled, but depends on features that are disabled: [FeatureB FeatureC]",
    ],
    [
      "FeatureA=true,FeatureB=true,FeatureC=true,FeatureD=false",
      "FeatureB is enabled, but depends on features that are disabled: [FeatureD]",
    ],
    ["FeatureA=false,FeatureB=false,FeatureC=true,FeatureD=true", undefined],
    ["", undefined],
  ])("%j: %s", (text, problem) => {
    const found = outcome(new FeatureGates(table, "1.36"), text, []);
    expect(found).toEqual(problem ?? []);
  });
});
