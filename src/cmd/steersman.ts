// The steersman program: chooses the sub-command.

import "#platform/system/supported-runtime.ts";
import { argv, stderr, stdout } from "node:process";
import { errorMessage } from "#base/errors.ts";
import { FlagError } from "#manager/flags/flag-set.ts";
import { up } from "./up-command.ts";
import { kubernetesVersion, steersmanVersion } from "./version.ts";

const help = `Steersman ${steersmanVersion}: Kubernetes ${kubernetesVersion} controllers and a cluster in one process.

Usage:
  steersman up [flags]     run a whole cluster in this process

Flags:
  -h, --help      print this text; "steersman up --help" lists the flags of up
      --version   print the versions and exit
`;

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

/** The reader is gone, such as `head`; the disk of a log is full; the terminal is gone. */
const OUTPUT_LOST: ReadonlySet<string | undefined> = new Set(["EPIPE", "ENOSPC", "EDQUOT", "EIO"]);

// An output that cannot be written does not stop a cluster.
for (const stream of [stdout, stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (!OUTPUT_LOST.has(error.code)) throw error;
  });
}

main(argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    for (const line of errorMessage(error).split("\n")) stderr.write(`steersman: ${line}\n`);
    process.exit(1);
  },
);
