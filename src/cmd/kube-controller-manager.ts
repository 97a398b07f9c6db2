// The kube-controller-manager program: parses the command line and carries it out.

import "#platform/system/supported-runtime.ts";
import { argv, stdout } from "node:process";
import { LogVerbosity } from "#base/log-verbosity.ts";
import { createLogger } from "#base/logger.ts";
import { readCommandLine } from "#manager/command.ts";
import { callSite } from "#platform/system/call-site.ts";
import { writeAll } from "#platform/system/log-output.ts";
import { systemClock } from "#platform/system/system-clock.ts";
import { runDaemon } from "./daemon/daemon.ts";

const STDOUT = 1;
const STDERR = 2;

async function main(args: readonly string[]): Promise<number> {
  // Logs before the flags have set up logging.
  const log = createLogger({
    clock: systemClock,
    format: "text",
    verbosity: new LogVerbosity(),
    write: (line) => writeAll(STDERR, line),
    pid: process.pid,
    caller: callSite,
  });
  const verdict = readCommandLine(args, stdout.isTTY ? stdout.columns : 0, log);
  for (const notice of verdict.notices) writeAll(STDERR, `${notice}\n`);
  switch (verdict.kind) {
    case "print":
      writeAll(STDOUT, verdict.text);
      return 0;
    case "refuse":
      writeAll(STDERR, verdict.text);
      return 1;
    case "fail":
      log.error(new Error(verdict.error), "command failed");
      return 1;
    case "run":
      return runDaemon(verdict.command);
  }
}

main(argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    writeAll(STDERR, `panic: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(2);
  },
);
