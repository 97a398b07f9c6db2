import { expect, it } from "vitest";
import { readSettings } from "#cluster/settings.ts";
import { asFlagError, readUpFlags, upHelp } from "./up-flags.ts";

/** The error of `up` for a command line. */
function problemOf(...args: string[]): string {
  try {
    readSettings(readUpFlags(args) ?? {});
    return "";
  } catch (error) {
    return String((asFlagError(error) as Error).message);
  }
}

it.each([
  [["--port=70000"], "--port is 70000; it can be 0 to 65535"],
  [["--nodes=5001"], "--nodes is 5001; it can be 0 to 5000"],
  [["--data-size-max=5"], "--data-size-max needs --data-dir"],
  [["--data-dir=x", "--data-sync=never"], '--data-sync is "never"; it can be "full" or "normal"'],
  [["now"], '"steersman up" does not take any arguments, got ["now"]; a command to run comes after "--"'],
  [["--"], 'a command must follow "--"'],
  [["--speed=0.5"], "--speed is 0.5; it can be 1 to 100000"],
  [["--speed=NaN"], "--speed is NaN; it can be 1 to 100000"],
  [["--speed=60", "--data-dir=x"], "--speed and --data-dir exclude each other"],
  [["--controllers=*,-jobb"], '--controllers: "jobb" is not in the list of known controllers'],
  [["--feature-gates=Nonsense=true"], "--feature-gates: unrecognized feature gate: Nonsense"],
  [["--feature-gates=AllAlpha"], "--feature-gates: missing bool value for AllAlpha"],
  [["--runtime-config=api/beta=maybe"], "--runtime-config: invalid value api/beta=maybe"],
  [
    ["--enable-admission-plugins=Nonsense"],
    '--enable-admission-plugins, --disable-admission-plugins: "Nonsense" is not',
  ],
  [["--nodes=many"], 'invalid argument "many" for "--nodes" flag'],
  [["--nods=1"], 'unknown flag: --nods; "steersman up --help" lists the flags'],
])("refuses %j", (args, message) => {
  expect(problemOf(...args)).toContain(message);
});

it("parses its flags", () => {
  const lists = [
    "--controllers=*,-job",
    "--feature-gates=AllAlpha=false,WatchListClient=false",
    "--runtime-config=api/beta=true",
  ];
  const args = [
    "--nodes=3",
    "--speed=60",
    ...lists,
    "--apply=a.yaml",
    "--apply=b",
    "-q",
    "--",
    "kubectl",
    "get",
    "--",
    "x",
  ];
  expect(problemOf(...args)).toBe("");
  expect(readUpFlags(args)).toMatchObject({
    nodes: 3,
    speed: 60,
    controllers: ["*", "-job"],
    featureGates: { AllAlpha: false, WatchListClient: false },
    runtimeConfig: { "api/beta": "true" },
    apply: ["a.yaml", "b"],
    isQuiet: true,
    command: ["kubectl", "get", "--", "x"],
  });
  expect(readUpFlags(["--help"])).toBeUndefined();
  expect(upHelp(0)).toContain("steersman up --port 0 -- kubectl get nodes");
});
