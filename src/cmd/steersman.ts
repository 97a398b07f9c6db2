// The steersman program: chooses the sub-command and prints what it does.

import "#platform/system/supported-runtime.ts";
import { argv, stderr, stdout } from "node:process";
import { errorMessage } from "#base/errors.ts";
import { LogVerbosity } from "#base/log-verbosity.ts";
import { createLogger } from "#base/logger.ts";
import { FlagError, type FlagSection, flag, parseFlags } from "#manager/flags/flag-set.ts";
import { bool, int, level, string } from "#manager/flags/flag-types.ts";
import { printSections } from "#manager/flags/usage.ts";
import { callSite } from "#platform/system/call-site.ts";
import { systemClock } from "#platform/system/system-clock.ts";
import type { DataOptions } from "./cluster-state.ts";
import { DEFAULT_PORT, type RunningCluster, startCluster } from "./up.ts";
import { kubernetesVersion, steersmanVersion } from "./version.ts";

const help = `Steersman ${steersmanVersion}: Kubernetes ${kubernetesVersion} controllers and a cluster in one process.

Usage:
  steersman up [flags]     run a whole cluster in this process

Flags:
  -h, --help      print this text; "steersman up --help" lists the flags of up
      --version   print the versions and exit
`;

/** Kubernetes is made for clusters of up to 5,000 nodes. */
const NODES_MAX = 5_000;

const upFlags: readonly FlagSection[] = [
  {
    name: "cluster",
    flags: [
      flag("port", int, DEFAULT_PORT, "Port of the API server on 127.0.0.1; 0 takes any free one."),
      flag("nodes", int, 1, `Simulated nodes, 0 to ${NODES_MAX}.`),
      flag(
        "state",
        string,
        "",
        `Directory that the kubeconfig is written to. Without it the data directory, else .steersman, or .steersman/PORT for a port other than ${DEFAULT_PORT}.`,
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
        "Directory that keeps the cluster: its objects, keys and certificates. Without it everything is in memory and gone at the end.",
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
      flag("v", level, 0, "Log verbosity, on standard error; 0 logs errors only.", { shorthand: "v" }),
      flag("help", bool, false, "Show this help.", { shorthand: "h" }),
    ],
  },
];

/** Errors only: somebody who tries a cluster wants to see theirs, not our lines. */
const QUIET = -1;

async function up(args: readonly string[]): Promise<number> {
  const { values, changed, isHelpWanted, positional } = parseFlags(upFlags, args);
  if (isHelpWanted) {
    stdout.write(
      `Runs the API server, the controllers, the scheduler and simulated nodes in this process.\n\nUsage:\n  steersman up [flags]\n${printSections(upFlags, stdout.columns ?? 0)}`,
    );
    return 0;
  }
  if (positional.length > 0)
    throw new FlagError(`"steersman up" does not take any arguments, got ${JSON.stringify(positional)}`);
  const verbosity = values.get("v") as number;
  const log = createLogger({
    clock: systemClock,
    format: "text",
    verbosity: new LogVerbosity(verbosity === 0 ? QUIET : verbosity),
    write: (line) => stderr.write(line),
    pid: process.pid,
    caller: callSite,
  });
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
  const dataDirectory = values.get("data-dir") as string;
  const directory = (values.get("state") as string) || dataDirectory;
  for (const name of ["data-sync", "data-size-max"]) {
    if (dataDirectory === "" && changed.has(name)) throw new FlagError(`--${name} needs --data-dir`);
  }
  const cluster = await startCluster({
    port: wholeNumber(values, "port", 65_535),
    nodes: wholeNumber(values, "nodes", NODES_MAX),
    ...(directory === "" ? {} : { directory }),
    ...(dataDirectory === "" ? {} : { data: dataOptions(dataDirectory, values) }),
    log,
  });
  stdout.write(welcome(cluster, dataDirectory));
  await Promise.race([stopped, cluster.ended]);
  stdout.write("\nStopping.\n");
  await cluster.stop();
  return 0;
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

function welcome({ url, kubeconfig, controllers, otherManager }: RunningCluster, dataDirectory: string): string {
  const kept =
    dataDirectory === "" ? "Nothing is kept: the store is in memory." : `Everything is kept in ${dataDirectory}.`;
  return `Steersman ${steersmanVersion} runs a Kubernetes ${kubernetesVersion} cluster at ${url}
Ready after ${Math.round(performance.now())} ms.

  export KUBECONFIG=${kubeconfig}

Controllers: ${controllers.join(", ")}
${otherManager === undefined ? "" : `They wait: ${otherManager} holds the Lease kube-system/kube-controller-manager.\n`}
Try:
  kubectl get nodes
  kubectl run web --image=nginx
  kubectl get pods -w

Ctrl-C stops it. ${kept}
`;
}

async function main(args: readonly string[]): Promise<number> {
  const [command, ...rest] = args;
  switch (command) {
    case "up":
      return up(rest);
    case "version":
    case "--version":
      stdout.write(`steersman ${steersmanVersion} (Kubernetes ${kubernetesVersion})\n`);
      return 0;
    case undefined:
    case "help":
    case "--help":
    case "-h":
      stdout.write(help);
      return 0;
    default:
      throw new FlagError(`unknown command "${command}"; "steersman --help" lists them`);
  }
}

main(argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    stderr.write(`steersman: ${errorMessage(error)}\n`);
    process.exit(1);
  },
);
