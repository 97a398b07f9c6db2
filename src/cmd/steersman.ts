// The steersman program: chooses the sub-command and prints what it does.

import { argv, stderr, stdout } from "node:process";
import { errorMessage } from "#base/errors.ts";
import { LogVerbosity } from "#base/log-verbosity.ts";
import { createLogger } from "#base/logger.ts";
import { FlagError, type FlagSection, flag, parseFlags } from "#manager/flags/flag-set.ts";
import { bool, int, level, string } from "#manager/flags/flag-types.ts";
import { printSections } from "#manager/flags/usage.ts";
import { unwrittenControllers } from "#manager/registry.ts";
import { systemClock } from "#platform/system-clock.ts";
import { type RunningCluster, startCluster } from "./up.ts";
import { kubernetesVersion, steersmanVersion } from "./version.ts";

const help = `Steersman ${steersmanVersion}: Kubernetes ${kubernetesVersion} controllers and a cluster in one process.

Usage:
  steersman up [flags]     run a whole cluster in this process

Flags:
  -h, --help      print this text; "steersman up --help" lists the flags of up
      --version   print the versions and exit
`;

const upFlags: readonly FlagSection[] = [
  {
    name: "cluster",
    flags: [
      flag("port", int, 7443, "Port of the API server on 127.0.0.1; 0 takes any free one."),
      flag("nodes", int, 1, "Simulated nodes."),
      flag("state", string, ".steersman", "Directory that the kubeconfig is written to."),
    ],
  },
  {
    name: "global",
    flags: [
      flag("v", level, 0, "Log verbosity.", { shorthand: "v" }),
      flag("help", bool, false, "Show this help.", { shorthand: "h" }),
    ],
  },
];

/** Errors only: somebody who tries a cluster wants to see theirs, not our lines. */
const QUIET = -1;

async function up(args: readonly string[]): Promise<number> {
  const { values, isHelpWanted, positional } = parseFlags(upFlags, args);
  if (isHelpWanted) {
    stdout.write(
      `Runs the API server, the controllers, a binder and simulated nodes in this process.\n\nUsage:\n  steersman up [flags]\n${printSections(upFlags, stdout.columns ?? 0)}`,
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
  });
  const cluster = await startCluster({
    port: values.get("port") as number,
    nodes: values.get("nodes") as number,
    directory: values.get("state") as string,
    log,
  });
  stdout.write(welcome(cluster));
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
  stdout.write("\nStopping.\n");
  await cluster.stop();
  return 0;
}

function welcome({ url, kubeconfig, controllers }: RunningCluster): string {
  return `Steersman ${steersmanVersion} runs a Kubernetes ${kubernetesVersion} cluster at ${url}

  export KUBECONFIG=${kubeconfig}

Controllers: ${controllers.join(", ")}
Not yet: ${unwrittenControllers().length} others; kubectl warns where one of them would be needed.

Try:
  kubectl get nodes
  kubectl create -f docs/examples/replicaset.yaml
  kubectl get pods -w

Ctrl-C stops it. Nothing is kept: the store is in memory.
`;
}

async function main(args: readonly string[]): Promise<number> {
  const [command, ...rest] = args;
  switch (command) {
    case "up":
      return up(rest);
    case "--version":
      stdout.write(`steersman ${steersmanVersion} (Kubernetes ${kubernetesVersion})\n`);
      return 0;
    case undefined:
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
