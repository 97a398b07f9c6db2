// The daemon with a replicaset controller that ignores its signal to stop: a separate program for tests.

import { argv } from "node:process";
import { readCommandLine } from "#manager/command.ts";
import { registeredControllers } from "#manager/registry.ts";
import { runDaemon } from "../../src/cmd/daemon/daemon.ts";

const STUCK = "replicaset-controller";

const verdict = readCommandLine(argv.slice(2), 0);
if (verdict.kind !== "run") throw new Error(`it does not run: ${verdict.kind}`);
await runDaemon(
  verdict.command,
  registeredControllers.map((controller) =>
    controller.name === STUCK
      ? { ...controller, build: () => Promise.resolve({ run: () => new Promise<never>(() => undefined) }) }
      : controller,
  ),
);
