import { describe, expect, it } from "vitest";
import { FlagError, type FlagSection, flag, parseFlags } from "./flag-set.ts";
import { bool, duration, int32, level, multimap, string, stringMap, strings } from "./flag-types.ts";

const sections: readonly FlagSection[] = [
  {
    name: "all",
    flags: [
      flag("name", string, "x", ""),
      flag("count", int32, 1, ""),
      flag("on", bool, false, "", { shorthand: "o" }),
      flag("wait", duration, 0n, ""),
      flag("list", strings, ["*"], ""),
      flag("v", level, 0, "", { shorthand: "v" }),
      flag("old-one", bool, false, "", { deprecated: "use another" }),
      flag("gates", multimap, {}, ""),
      flag("map", stringMap, {}, ""),
      flag("help", bool, false, "", { shorthand: "h" }),
    ],
  },
];
const parse = (...args: string[]): ReturnType<typeof parseFlags> => parseFlags(sections, args);
const value = (name: string, ...args: string[]): unknown => parse(...args).values.get(name);

describe("flags as pflag reads them", () => {
  it.each([
    ["name", ["--name=a=b"], "a=b"],
    ["name", ["--name", "--count"], "--count"],
    ["name", ["--name="], ""],
    ["count", ["--count", "0x10"], 16],
    ["count", ["--count=010"], 8],
    ["count", ["--count=-1_0"], -10],
    ["on", ["--on"], true],
    ["on", ["--on=f"], false],
    ["on", ["-o"], true],
    ["v", ["-v3"], 3],
    ["v", ["-v=3"], 3],
    ["v", ["-v", "3"], 3],
    ["v", ["-ov3"], 3],
    ["wait", ["--wait=1m1.5s"], 61_500_000_000n],
    ["list", ["--list=a,b", "--list=c"], ["a", "b", "c"]],
    ["list", ['--list="a,b",c'], ["a,b", "c"]],
    ["list", ["--list="], []],
    ["gates", ["--gates=A=true,kube:B=false", "--gates=C=true"], { "": ["A=true", "C=true"], kube: ["B=false"] }],
    ["map", ["--map=m,l=a,b"], { "m,l": "a,b" }],
  ] as const)("machinery/1.1.3 reads %s from %j", (name, args, wanted) => {
    expect(value(name, ...args)).toEqual(wanted);
  });

  it("machinery/1.1.3 takes underscores for hyphens, and gives notice of deprecated flags as often as they are used", () => {
    const { values, notices } = parse("--old_one", "--old-one=false");
    expect(values.get("old-one")).toBe(false);
    expect(notices).toEqual(Array.from({ length: 2 }, () => "Flag --old-one has been deprecated, use another"));
  });

  it("machinery/1.1.2 keeps what is no flag, and all of it after --", () => {
    expect(parse("a", "--on", "-", "--", "--count", "").positional).toEqual(["a", "-", "--count", ""]);
  });

  it.each([
    [["--nope=1"], "unknown flag: --nope"],
    [["-x"], "unknown shorthand flag: 'x' in -x"],
    [["-ox"], "unknown shorthand flag: 'x' in -x"],
    [["---on"], "bad flag syntax: ---on"],
    [["--name"], "flag needs an argument: --name"],
    [["-v"], "flag needs an argument: 'v' in -v"],
    [["--count=x"], 'invalid argument "x" for "--count" flag: strconv.ParseInt: parsing "x": invalid syntax'],
    [["-vx"], 'invalid argument "x" for "-v, --v" flag: strconv.ParseUint: parsing "x": invalid syntax'],
    [["--wait=5"], 'invalid argument "5" for "--wait" flag: time: missing unit in duration "5"'],
  ] as const)("machinery/1.1.5 refuses %j", (args, problem) => {
    expect(() => parse(...args)).toThrow(new FlagError(problem));
  });

  it("changes nothing that was not given", () => {
    const { values, changed } = parse("--count=1");
    expect([...changed]).toEqual(["count"]);
    expect(values.get("list")).toEqual(["*"]);
  });
});
