// The cases by which component-base tests versions, gates on the command line and logging options. This program has one
// component, "kube", so mappings between the versions of components have no counterpart.

import { describe, expect, it } from "vitest";
import { readCommandLine } from "../command.ts";
import { moduleLevels } from "../flags/flag-types.ts";
import { validateVersions } from "./component-versions.ts";

const read = (...args: readonly string[]) => {
  const verdict = readCommandLine(args, 0);
  if (verdict.kind === "run") return verdict.command;
  return { problem: verdict.kind === "fail" ? verdict.error : verdict.text };
};
const text = ({ major, minor }: { major: number; minor: number }): string => `${major}.${minor}`;

describe("machinery/8.r10 versions", () => {
  it.each([
    { flags: ["--emulated-version=kube=1.35", "--min-compatibility-version=kube=1.33"], versions: ["1.35", "1.33"] },
    { flags: ["--emulated-version=kube=v1.35", "--min-compatibility-version=kube=v1.33"], versions: ["1.35", "1.33"] },
    { flags: ["--emulated-version=1.35", "--min-compatibility-version=v1.33"], versions: ["1.35", "1.33"] },
    { flags: ["--emulated-version=1.35"], versions: ["1.35", "1.34"] },
    { flags: ["--emulated-version=1.33"], versions: ["1.33", "1.33"] },
    { flags: ["--min-compatibility-version=1.36"], versions: ["1.36", "1.36"] },
    { flags: [], versions: ["1.36", "1.35"] },
  ])("machinery/1.1.7 $flags: $versions", ({ flags, versions }) => {
    const command = read(...flags);
    if ("problem" in command) throw new Error(command.problem);
    const { emulation, minCompatibility } = command.versions;
    expect([text(emulation), text(minCompatibility)]).toEqual(versions);
    expect(validateVersions(command.versions)).toEqual([]);
  });

  it.each([
    {
      flags: ["--emulated-version=kube=1.34", "--emulated-version=kube=1.35"],
      problem: "duplicate version flag, kube=1.34 and kube=1.35",
    },
    {
      flags: ["--min-compatibility-version=kube=1.34", "--min-compatibility-version=kube=1.33"],
      problem: "duplicate version flag, kube=1.34 and kube=1.33",
    },
    {
      flags: ["--emulated-version=1.35", "--emulated-version=kube=1.35"],
      problem: "duplicate version flag, kube=1.35 and kube=1.35",
    },
    { flags: ["--emulated-version=kube=1.30.2"], problem: "patch version not allowed, got: kube=1.30.2" },
    { flags: ["--min-compatibility-version=kube=1.30.2"], problem: "patch version not allowed, got: kube=1.30.2" },
    { flags: ["--emulated-version=test3=1.31"], problem: "component not registered: test3" },
    { flags: ["--min-compatibility-version=test3=1.31"], problem: "component not registered: test3" },
    { flags: ["--emulated-version=kube=1.foo"], problem: 'illegal version string "1.foo"' },
    { flags: ["--min-compatibility-version=kube=1.foo"], problem: 'illegal version string "1.foo"' },
    { flags: ["--feature-gates=test3:WatchListClient=true"], problem: "component not registered: test3" },
    { flags: ["--feature-gates=kube:Nonsense=true"], problem: "unrecognized feature gate: Nonsense" },
    {
      flags: ["--feature-gates=kube:WatchListClient=false", "--feature-gates=WatchListClient=true"],
      problem: "set kube feature gates with default empty prefix or kube: prefix consistently, do not mix use",
    },
    {
      flags: ["--feature-gates=InOrderInformers=false"],
      problem: "cannot set feature gate InOrderInformers to false, feature is locked to true",
    },
  ])("machinery/1.6.r16 $flags: $problem", ({ flags, problem }) => {
    expect(read(...flags)).toEqual({ problem });
  });

  it.each([
    { what: "newer than the program", emulation: 37, minCompatibility: 35, count: 1 },
    { what: "compatible with what is newer", emulation: 34, minCompatibility: 35, count: 1 },
    { what: "in range", emulation: 34, minCompatibility: 33, count: 0 },
    { what: "too old", emulation: 32, minCompatibility: 32, count: 2 },
    { what: "compatible with what is too old", emulation: 34, minCompatibility: 32, count: 1 },
  ])("a version that is $what", ({ emulation, minCompatibility, count }) => {
    const at = (minor: number) => ({ major: 1, minor });
    expect(validateVersions({ emulation: at(emulation), minCompatibility: at(minCompatibility) })).toHaveLength(count);
  });

  it("gates of several flags add up, and the last word about one counts", () => {
    const command = read(
      "--feature-gates=WatchListClient=false,PodDeletionCost=false",
      "--feature-gates=WatchListClient=true",
    );
    if ("problem" in command) throw new Error(command.problem);
    expect(["WatchListClient", "PodDeletionCost"].map((gate) => command.gates.isEnabled(gate))).toEqual([true, false]);
  });
});

describe("machinery/8.r10 logging", () => {
  it.each([
    { given: "gopher*=1", value: [{ pattern: "gopher*", level: 1 }] },
    {
      given: "foo=1,bar=2",
      value: [
        { pattern: "foo", level: 1 },
        { pattern: "bar", level: 2 },
      ],
    },
    {
      given: "foo=1,bar=2,",
      value: [
        { pattern: "foo", level: 1 },
        { pattern: "bar", level: 2 },
      ],
      shown: "foo=1,bar=2",
    },
    { given: "validint32=2147483647", value: [{ pattern: "validint32", level: 2147483647 }] },
  ])("machinery/1.7.r136 --vmodule=$given", ({ given, value, shown = given }) => {
    const parsed = moduleLevels.parse(given, [], true);
    expect([parsed, moduleLevels.print(parsed)]).toEqual([value, shown]);
  });

  it.each([
    ["gopher*", '"gopher*" does not have the pattern=N format'],
    ["=1", '"=1" does not have the pattern=N format'],
    ["foo=-1", 'parsing verbosity in "foo=-1": strconv.ParseUint: parsing "-1": invalid syntax'],
    [
      "x=2147483648",
      'parsing verbosity in "x=2147483648": strconv.ParseUint: parsing "2147483648": value out of range',
    ],
  ])("machinery/1.7.r136 refuses --vmodule=%s", (given, problem) => {
    expect(() => moduleLevels.parse(given, [], true)).toThrow(problem);
  });

  it.each([
    { flags: ["-v=10", "--vmodule=gopher*=100"] },
    {
      flags: ["--logging-format=no-such-format"],
      problem: 'format: Invalid value: "no-such-format": Unsupported log format',
    },
    {
      flags: ["--logging-format=json", "--vmodule=foo=1"],
      problem: "vmodule: Forbidden: Only supported for text log format",
    },
    {
      flags: ["--log-json-split-stream", "--log-json-info-buffer-size=1024"],
      problem:
        "[options.json.splitStream: Forbidden: Feature LoggingAlphaOptions is disabled, options.json.infoBufferSize: Forbidden: Feature LoggingAlphaOptions is disabled]",
    },
    {
      flags: [
        "--log-json-split-stream",
        "--log-json-info-buffer-size=1024",
        "--feature-gates=LoggingAlphaOptions=true",
      ],
    },
    {
      flags: ["--log-flush-frequency=-1s"],
      problem: 'flushFrequency: Invalid value: "-1s": Must be greater than zero',
    },
  ])("machinery/1.6 $flags: $problem", ({ flags, problem }) => {
    const command = read(...flags);
    expect("problem" in command ? command.problem : undefined).toBe(problem);
  });
});
