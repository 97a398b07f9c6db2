// The steersman program: chooses the sub-command.

import { argv, stderr, stdout } from "node:process";
import { kubernetesVersion, steersmanVersion } from "./version.ts";

/** Each comes with the part that it starts; until then it says so. */
const planned: Readonly<Record<string, string>> = {
  up: "run a whole cluster in one process",
  plan: "show what a change would do to a live cluster, without doing it",
  why: "show the chain of causes behind an object",
};

const help = `Steersman ${steersmanVersion}: Kubernetes ${kubernetesVersion} controllers, a cluster in one process, a simulator.

Usage:
  steersman [command]

Commands (none is built in yet):
${Object.entries(planned)
  .map(([name, purpose]) => `  ${name.padEnd(11)} ${purpose}`)
  .join("\n")}

Flags:
  -h, --help      print this text
      --version   print the versions and exit
`;

function main(args: readonly string[]): number {
  const [command] = args;
  if (command === "--version") stdout.write(`steersman ${steersmanVersion} (Kubernetes ${kubernetesVersion})\n`);
  else if (command === undefined || command === "--help" || command === "-h") stdout.write(help);
  else {
    const isPlanned = Object.hasOwn(planned, command);
    stderr.write(`steersman: ${isPlanned ? `"${command}" is not built in yet` : `unknown command "${command}"`}\n`);
    return 1;
  }
  return 0;
}

process.exitCode = main(argv.slice(2));
