// The kube-controller-manager program: parses the command line and wires the manager.

import { argv, stderr, stdout } from "node:process";
import { kubernetesVersion, steersmanVersion } from "./version.ts";

const help = `Runs the controllers that keep a Kubernetes ${kubernetesVersion} cluster in its desired state.
Part of Steersman ${steersmanVersion}. This build answers --help and --version only.

Usage:
  kube-controller-manager [flags]

Flags:
  -h, --help      print this text
      --version   print the Kubernetes version and exit
`;

function main(args: readonly string[]): number {
  if (args.includes("--version")) stdout.write(`Kubernetes ${kubernetesVersion}\n`);
  else if (args.includes("--help") || args.includes("-h")) stdout.write(help);
  else {
    stderr.write("kube-controller-manager: this build answers --help and --version only\n");
    return 1;
  }
  return 0;
}

process.exitCode = main(argv.slice(2));
