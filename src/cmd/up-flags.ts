// The command line of `steersman up`: its flags, their validation, and its help.

import { parseRuntimeConfig } from "#apiserver/builtin/runtime-config.ts";
import { FeatureGateError, parseFeatureGates } from "#base/feature-gates.ts";
import { type ClusterSettings, NODES_MAX, SettingError } from "#cluster/settings.ts";
import { FlagError, type FlagSection, flag, parseFlags } from "#manager/flags/flag-set.ts";
import { bool, float64, int, level, string, strings } from "#manager/flags/flag-types.ts";
import { printSections } from "#manager/flags/usage.ts";
import type { DataOptions } from "./cluster-state.ts";

export const DEFAULT_PORT = 7443;
const SPEED_MAX = 100_000;

const sections: readonly FlagSection[] = [
  {
    name: "cluster",
    flags: [
      flag("port", int, DEFAULT_PORT, "Port of the API server on 127.0.0.1; 0 takes any free one."),
      flag("nodes", int, 1, `Simulated nodes, 0 to ${NODES_MAX}.`),
      flag(
        "speed",
        float64,
        1,
        "Time in the cluster runs this many times faster than the machine's. If the machine cannot keep up, time runs slower; nothing is skipped.",
      ),
      flag(
        "controllers",
        strings,
        ["*"],
        'Controllers to run, as for kube-controller-manager: "*" is all that are on by default, "name" adds one, "-name" removes one.',
      ),
      flag(
        "feature-gates",
        strings,
        [],
        "Comma-separated Gate=true|false, for the API server and the controllers. The gates are those of Kubernetes v1.36.",
      ),
      flag(
        "runtime-config",
        strings,
        [],
        "Comma-separated group/version=true|false that turns API versions on or off; api/all, api/beta and api/alpha each select many versions.",
      ),
      flag(
        "enable-admission-plugins",
        strings,
        [],
        "Admission plugins to run besides those that are on by default: NodeRestriction, OwnerReferencesPermissionEnforcement.",
      ),
      flag("disable-admission-plugins", strings, [], "Admission plugins to disable that are on by default."),
      flag(
        "apply",
        strings,
        [],
        'Files with manifests to apply when the cluster is ready; repeatable. For a directory, its .yaml, .yml and .json files are applied; "-" is standard input.',
      ),
      flag(
        "stages",
        string,
        "",
        'File in YAML with rules for simulated pods and nodes: delays, crashes, probes, usage, outages; "-" is standard input.',
      ),
      flag(
        "state",
        string,
        "",
        `Directory for the kubeconfig. The default is the data directory, else .steersman, or .steersman/PORT for a port other than ${DEFAULT_PORT}.`,
      ),
    ],
  },
  {
    name: "data",
    flags: [
      flag(
        "data-dir",
        string,
        "",
        "Directory for the cluster's objects, keys and certificates. Without it everything is in memory and lost at the end.",
      ),
      flag(
        "data-sync",
        string,
        "full",
        'When a write is acknowledged: "full" when it is on the disk, "normal" when it survives the end of this process, though perhaps not a power failure.',
      ),
      flag("data-size-max", int, 0, "Largest size of the stored objects in MiB; writes beyond it fail. 0 is no limit."),
    ],
  },
  {
    name: "global",
    flags: [
      flag("quiet", bool, false, "Print only errors.", { shorthand: "q" }),
      flag(
        "v",
        level,
        0,
        "Log verbosity, on standard error; 0 logs only errors of the API server, 1 and higher also logs the controllers.",
        { shorthand: "v" },
      ),
      flag("help", bool, false, "Show this help.", { shorthand: "h" }),
    ],
  },
];

export interface UpFlags extends ClusterSettings {
  readonly port: number;
  readonly nodes: number;
  readonly speed: number;
  /** Paths of files and directories. */
  readonly apply: readonly string[];
  /** Path of a file; "": none. */
  readonly stages: string;
  /** "": not given. */
  readonly directory: string;
  readonly data?: DataOptions;
  readonly isQuiet: boolean;
  readonly verbosity: number;
  /** Runs beside the cluster, which ends with it. */
  readonly command?: readonly [file: string, ...args: string[]];
}

/** columns: the terminal's width; 0 where there is none. */
export function upHelp(columns: number): string {
  return `Runs a whole cluster in this process: API server, controllers, scheduler and simulated nodes.

Usage:
  steersman up [flags]                 until Ctrl-C
  steersman up [flags] -- COMMAND…     while COMMAND runs, with KUBECONFIG set; ends with its exit code

Examples:
  steersman up --nodes 3
  steersman up --apply crds/ --apply app.yaml
  steersman up --speed 60 --nodes 10
  steersman up --port 0 -- kubectl get nodes
${printSections(sections, columns)}`;
}

function parse(args: readonly string[]): ReturnType<typeof parseFlags> {
  try {
    return parseFlags(sections, args);
  } catch (cause) {
    if (!(cause instanceof FlagError)) throw cause;
    throw new FlagError(`${cause.message}; "steersman up --help" lists the flags`, { cause });
  }
}

/** Undefined: help was requested. */
export function readUpFlags(args: readonly string[]): UpFlags | undefined {
  const end = args.indexOf("--");
  const { values, changed, isHelpWanted, positional } = parse(end < 0 ? args : args.slice(0, end));
  if (isHelpWanted) return undefined;
  if (positional.length > 0) {
    throw new FlagError(
      `"steersman up" does not take any arguments, got ${JSON.stringify(positional)}; a command to run comes after "--"`,
    );
  }
  const [file, ...rest] = end < 0 ? [] : args.slice(end + 1);
  if (end >= 0 && file === undefined) throw new FlagError('a command must follow "--"');
  const dataDirectory = values.get("data-dir") as string;
  for (const name of ["data-sync", "data-size-max"]) {
    if (dataDirectory === "" && changed.has(name)) throw new FlagError(`--${name} needs --data-dir`);
  }
  const speed = values.get("speed") as number;
  if (!(speed >= 1 && speed <= SPEED_MAX)) throw new FlagError(`--speed is ${speed}; it can be 1 to ${SPEED_MAX}`);
  if (speed > 1 && dataDirectory !== "") {
    throw new FlagError("--speed and --data-dir exclude each other: the store would contain times in the future");
  }
  return {
    port: wholeNumber(values, "port", 65_535),
    nodes: wholeNumber(values, "nodes", NODES_MAX),
    speed,
    controllers: values.get("controllers") as readonly string[],
    featureGates: gatesOf(values.get("feature-gates") as readonly string[]),
    runtimeConfig: parseRuntimeConfig((values.get("runtime-config") as readonly string[]).join(",")),
    admissionPlugins: {
      enabled: values.get("enable-admission-plugins") as readonly string[],
      disabled: values.get("disable-admission-plugins") as readonly string[],
    },
    apply: values.get("apply") as readonly string[],
    stages: values.get("stages") as string,
    directory: (values.get("state") as string) || dataDirectory,
    ...(dataDirectory === "" ? {} : { data: dataOptions(dataDirectory, values) }),
    isQuiet: values.get("quiet") as boolean,
    verbosity: values.get("v") as number,
    ...(file === undefined ? {} : { command: [file, ...rest] }),
  };
}

const flagOf: Readonly<Record<keyof ClusterSettings, string>> = {
  controllers: "--controllers",
  featureGates: "--feature-gates",
  runtimeConfig: "--runtime-config",
  admissionPlugins: "--enable-admission-plugins, --disable-admission-plugins",
};

/** Names the flag of an invalid setting. */
export function asFlagError(error: unknown): unknown {
  return error instanceof SettingError
    ? new FlagError(`${flagOf[error.setting]}: ${error.problem}`, { cause: error })
    : error;
}

function gatesOf(words: readonly string[]): Readonly<Record<string, boolean>> {
  try {
    return parseFeatureGates(words.join(","));
  } catch (cause) {
    if (!(cause instanceof FeatureGateError)) throw cause;
    throw new FlagError(`--feature-gates: ${cause.message}`, { cause });
  }
}

function dataOptions(directory: string, values: ReadonlyMap<string, unknown>): DataOptions {
  const synchronous = values.get("data-sync") as string;
  if (synchronous !== "full" && synchronous !== "normal") {
    throw new FlagError(`--data-sync is ${JSON.stringify(synchronous)}; it can be "full" or "normal"`);
  }
  return { directory, synchronous, mebibytesMax: wholeNumber(values, "data-size-max", Number.MAX_SAFE_INTEGER) };
}

function wholeNumber(values: ReadonlyMap<string, unknown>, name: string, max: number): number {
  const value = values.get(name) as number;
  if (value < 0 || value > max) throw new FlagError(`--${name} is ${value}; it can be 0 to ${max}`);
  return value;
}
