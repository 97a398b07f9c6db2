import { describe, expect, it } from "vitest";
import { FeatureGates, type FeatureTable, parseFeatureGates } from "./feature-gates.ts";

const table: FeatureTable = {
  gates: {
    Young: [{ version: "1.36", default: false, preRelease: "ALPHA" }],
    Grown: [
      { version: "1.33", default: false, preRelease: "ALPHA" },
      { version: "1.35", default: true, preRelease: "BETA" },
      { version: "1.36", default: true, preRelease: "", lockToDefault: true },
    ],
    Beta: [{ version: "1.30", default: true, preRelease: "BETA" }],
    BetaOff: [{ version: "1.30", default: false, preRelease: "BETA" }],
    Old: [
      { version: "1.0", default: true, preRelease: "" },
      { version: "1.36", default: false, preRelease: "DEPRECATED" },
    ],
    Skewed: [
      { version: "1.36", default: false, preRelease: "BETA" },
      { version: "1.36", default: true, preRelease: "BETA", minCompatibilityVersion: "1.36" },
    ],
    Needy: [{ version: "1.36", default: false, preRelease: "ALPHA" }],
  },
  dependencies: { Needy: ["Young", "BetaOff"] },
};

const at = (version = "1.36"): FeatureGates => new FeatureGates(table, version);
const problemsOf = (gates: FeatureGates, values: Record<string, boolean>): string => {
  try {
    gates.setFromMap(values);
    return "";
  } catch (error) {
    return (error as Error).message;
  }
};

describe("FeatureGates", () => {
  it.each([
    ["1.36", { Young: false, Grown: true, Beta: true, Old: false }],
    ["1.35", { Grown: true, Old: true, Young: false }],
    ["1.33", { Grown: false }],
    ["1.32", { Grown: false }],
  ])("knows the defaults of version %s", (version, expected) => {
    const gates = at(version);
    for (const [name, value] of Object.entries(expected)) expect([name, gates.isEnabled(name)]).toEqual([name, value]);
  });

  it("machinery/1.6.r16 refuses invalid settings with upstream's messages", () => {
    expect(problemsOf(at(), { Unknown: true })).toBe("unrecognized feature gate: Unknown");
    expect(problemsOf(at(), { Grown: false })).toBe(
      "cannot set feature gate Grown to false, feature is locked to true",
    );
    expect(problemsOf(at(), { Needy: true, Young: true })).toBe(
      "Needy is enabled, but depends on features that are disabled: [BetaOff]",
    );
    expect(problemsOf(at("1.35"), { Young: true, Skewed: true })).toBe(
      "[cannot set feature gate Skewed to true, feature is PreAlpha at emulated version 1.35, min compatibility version 1.34, " +
        "cannot set feature gate Young to true, feature is PreAlpha at emulated version 1.35, min compatibility version 1.34]",
    );
    expect(problemsOf(at(), { Grown: true, Needy: true, Young: true, BetaOff: true })).toBe("");
  });

  it("sets all or nothing", () => {
    const gates = at();
    expect(problemsOf(gates, { Beta: false, Grown: false })).not.toBe("");
    expect(gates.isEnabled("Beta")).toBe(true);
  });

  it.each([
    [{ AllAlpha: true, Young: false, BetaOff: true }, { Young: false, Needy: false }, "depends"],
    [{ AllAlpha: true, BetaOff: true }, { Young: true, Needy: true, Beta: true }, ""],
    [{ AllBeta: false }, { Beta: false, Young: false, Grown: true }, ""],
    [{ AllBeta: true, Beta: false }, { Beta: false, BetaOff: true }, ""],
  ])("AllAlpha and AllBeta set what is not set by name: %j", (values, expected, problem) => {
    const gates = at();
    const message = problemsOf(gates, values as unknown as Record<string, boolean>);
    expect(message).toContain(problem);
    if (message !== "") return;
    for (const [name, value] of Object.entries(expected)) expect([name, gates.isEnabled(name)]).toEqual([name, value]);
  });

  it("validates again at another version", () => {
    const gates = at("1.35");
    expect(gates.isEnabled("Grown")).toBe(true);
    gates.setFromMap({ Grown: false });
    expect(gates.isEnabled("Grown")).toBe(false);
    expect(() => gates.setEmulatedVersion("1.36")).toThrow("locked to true");
    expect([gates.emulatedVersion, gates.isEnabled("Grown")]).toEqual(["1.35", false]);
    gates.setEmulatedVersion("1.33");
    expect([gates.validate(), gates.minCompatibilityVersion]).toEqual([[], "1.32"]);
  });

  it("takes the stage that the oldest peer allows", () => {
    expect(at().isEnabled("Skewed")).toBe(false);
    expect(new FeatureGates(table, "1.36", "1.36").isEnabled("Skewed")).toBe(true);
  });

  it("lists gates for help, metrics and flags", () => {
    const gates = at();
    expect(gates.helpLines()).toEqual([
      "AllAlpha=true|false (ALPHA - default=false)",
      "AllBeta=true|false (BETA - default=false)",
      "Beta=true|false (BETA - default=true)",
      "BetaOff=true|false (BETA - default=false)",
      "Needy=true|false (ALPHA - default=false)",
      "Skewed=true|false (BETA - default=false), or Skewed=true|false (BETA - default=true) if --min-compatibility-version>=1.36",
      "Young=true|false (ALPHA - default=false)",
    ]);
    expect(gates.all().map(({ name, stage }) => `${name} ${stage.preRelease}`)).toEqual([
      "AllAlpha ALPHA",
      "AllBeta BETA",
      "Beta BETA",
      "BetaOff BETA",
      "Grown ",
      "Needy ALPHA",
      "Old DEPRECATED",
      "Skewed BETA",
      "Young ALPHA",
    ]);
    gates.setFromMap({ Young: true, Beta: false });
    expect([`${gates}`, gates.isExplicitlySet("Young"), gates.isExplicitlySet("Needy")]).toEqual([
      "Beta=false,Young=true",
      true,
      false,
    ]);
  });

  it("refuses unknown names and broken tables loudly", () => {
    expect(() => at().isEnabled("Typo")).toThrow('feature "Typo" is not registered');
    expect(() => at().isEnabled("constructor")).toThrow("is not registered");
    expect(() => new FeatureGates({ gates: {}, dependencies: { A: ["B"] } }, "1.36")).toThrow(
      "unknown feature gate: A",
    );
  });

  it.each([
    ["A=true, B = 0,", { A: true, B: false }],
    ["", {}],
  ])("parses %j", (text, expected) => expect(parseFeatureGates(text)).toEqual(expected));

  it.each([
    ["A", "missing bool value for A"],
    ["A=yes", 'invalid value of A=yes, err: strconv.ParseBool: parsing "yes": invalid syntax'],
  ])("refuses %j", (text, message) => expect(() => parseFeatureGates(text)).toThrow(message));
});
