// Runs a test runner and prints a line of progress at least every ten seconds. A runner that hangs is killed, together
// with the processes that it started (test/real/processes.ts).

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { inMinutes } from "./durations.ts";
import { RunnerOutput } from "./runner-output.ts";

/** Less than ten seconds even when this process waits for a core. */
const progressIntervalMs = 8000;

export interface RunnerCall {
  /** The name in progress lines: `Bun`. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The number of its test files; 0 if the runner prints its own progress. */
  readonly files: number;
  readonly expectedMs: number;
  /** Kills a runner that hangs: many times the normal duration. */
  readonly limitMs: number;
  /** Whether passed tests are only counted, not shown. */
  readonly isTerse: boolean;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Whether the run is green, and its duration. */
export async function followRunner(call: RunnerCall): Promise<{ readonly isGreen: boolean; readonly tookMs: number }> {
  const startedMs = performance.now();
  const elapsedMs = (): number => performance.now() - startedMs;
  const output = new RunnerOutput(call.isTerse);
  say(`==> ${[call.command, ...call.args].join(" ")}`);
  const runner = spawn(call.command, call.args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NO_COLOR: "1", ...call.env },
  });
  const limit = setTimeout(() => {
    say(`FAILED: ${call.name} did not end within ${inMinutes(call.limitMs)}`);
    runner.kill("SIGKILL");
  }, call.limitMs);
  const progress = setInterval(() => {
    const { files, tests, failed } = output.counts;
    const done = call.files === 0 ? "" : `: ${files} of ${call.files} files, ${tests} tests, ${failed} failed`;
    say(`... ${call.name}: ${inMinutes(elapsedMs())} of about ${inMinutes(call.expectedMs)}${done}`);
  }, progressIntervalMs);
  const show = async (stream: Readable): Promise<void> => {
    for await (const line of createInterface({ input: stream })) for (const shown of output.take(line)) say(shown);
  };
  try {
    const ended = new Promise<number | null>((resolve, reject) => runner.on("error", reject).on("close", resolve));
    const [status] = await Promise.all([ended, show(runner.stdout), show(runner.stderr)]);
    return { isGreen: status === 0, tookMs: elapsedMs() };
  } catch (error) {
    say(`FAILED: ${error}`);
    return { isGreen: false, tookMs: elapsedMs() };
  } finally {
    clearTimeout(limit);
    clearInterval(progress);
  }
}
