// `steersman up` in a separate process, as the benchmarks measure it.

import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "#client/client.ts";
import { createClient } from "#client/create-client.ts";
import { loadClientConfig } from "#platform/kubeconfig/kubeconfig.ts";
import { createTransport } from "#platform/kubeconfig/kubeconfig-transport.ts";
import { systemClock } from "#platform/system/system-clock.ts";

/** The end of the welcome of `up`. */
const READY = "Ctrl-C";

export interface UpProcess extends ProcessCost {
  /** From the start of the process until it reports ready. */
  readonly readyMs: number;
  client(): Promise<Client>;
  stop(): Promise<void>;
}

export interface ProcessCost {
  readonly pid: number;
  /** The CPU time of all current threads. */
  cpuMs(): number;
  /** The CPU time of the first thread, which runs the program's own code. */
  mainCpuMs(): number;
  /** The first thread's wait for a processor; almost zero on an idle machine. */
  waitedMs(): number;
  /** A figure of /proc/<pid>/status, in MB. */
  megabytes(name: "VmRSS" | "VmHWM"): number;
}

/** The program that the benchmark's arguments name, or the one of this checkout. */
export function steersmanCommand(): readonly string[] {
  const given = process.argv.slice(2);
  return given.length > 0 ? given : [process.execPath, "src/cmd/steersman.ts"];
}

export async function startUp(
  flags: readonly string[],
  command: readonly string[] = steersmanCommand(),
): Promise<UpProcess> {
  const [file = "", ...args] = command;
  const directory = mkdtempSync(join(tmpdir(), "bench-up-"));
  const startedMs = performance.now();
  const child = spawn(file, [...args, "up", "--port=0", `--state=${directory}`, ...flags], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGTERM");
      await new Promise((resolve) => child.once("close", resolve));
    }
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    await new Promise<void>((resolve, reject) => {
      child.stdout.on("data", (chunk: Buffer) => {
        if (String(chunk).includes(READY)) resolve();
      });
      child.on("error", reject);
      child.on("close", () => reject(new Error("the cluster ended")));
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    readyMs: performance.now() - startedMs,
    ...processCost(child.pid ?? 0),
    stop,
    async client() {
      const config = await loadClientConfig({ path: join(directory, "kubeconfig") });
      const transport = await createTransport(config, { clock: systemClock });
      return createClient({ transport, clock: systemClock, userAgent: "bench" });
    },
  };
}

/** The cost of another process, from Linux's /proc. */
export function processCost(pid: number): ProcessCost {
  const read = (path: string): string => readFileSync(`/proc/${pid}/${path}`, "utf8");
  // Nanoseconds on a processor, and nanoseconds waiting for one.
  const schedule = (thread: string | number): readonly number[] =>
    read(`task/${thread}/schedstat`).split(" ").map(Number);
  return {
    pid,
    cpuMs: () => readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + (schedule(thread)[0] ?? 0) / 1e6, 0),
    mainCpuMs: () => (schedule(pid)[0] ?? 0) / 1e6,
    waitedMs: () => (schedule(pid)[1] ?? 0) / 1e6,
    megabytes: (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(read("status"))?.[1]) / 1024,
  };
}

export const tell = (text: string): void => void process.stdout.write(`${text}\n`);
