// Child processes that cannot outlive their starter, and a scratch folder that is removed with them. A watchdog shell
// reads a pipe from this process. When the pipe closes for any reason (kill -9 included), the watchdog kills the
// registered processes and removes the folder.

import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** The time between SIGTERM and SIGKILL. */
const stopGraceMs = 15_000;
const memoryBytesMin = 1 << 30;

// `+ 12` registers process 12, `- 12` removes it (another process may get its number).
const watchdogScript = `
trap '' HUP INT TERM
pids=
while read -r sign pid; do
  case $sign in
    +) pids="$pids $pid" ;;
    -) left=; for p in $pids; do [ "$p" = "$pid" ] || left="$left $p"; done; pids=$left ;;
  esac
done
[ -z "$pids" ] || kill -9 $pids 2>/dev/null
rm -rf "$1" || { sleep 1; rm -rf "$1"; }
`;

export interface Program {
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
  readonly isRunning: boolean;
  /** All output on stdout and stderr. */
  log(): string;
  /** "exit code 1" or "signal SIGTERM". */
  readonly ended: Promise<string>;
  /** SIGTERM by default; SIGKILL if the program does not end in time. */
  stop(signal?: NodeJS.Signals): Promise<string>;
}

/** A program and its arguments. */
export type Command = readonly [string, ...string[]];

export interface ProgramCommand {
  readonly name: string;
  readonly command: Command;
  readonly env?: Readonly<Record<string, string>>;
}

export interface ProcessScope {
  /** In memory if the system has a /dev/shm with room. */
  readonly directory: string;
  start(command: ProgramCommand): Program;
  /** Stops the running programs, last started first, and removes the folder. */
  close(): Promise<void>;
}

export function openProcessScope(label: string): ProcessScope {
  const directory = mkdtempSync(join(scratchRoot(), `${label}-`));
  const watchdog = spawn("/bin/sh", ["-c", watchdogScript, "watchdog", directory], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  watchdog.unref();
  const tell = (line: string): void => void watchdog.stdin.write(`${line}\n`);
  const running = new Set<Program>();
  let starts = 0;
  return {
    directory,
    start({ name, command: [file, ...args], env }) {
      const logFile = join(directory, `${name}.${++starts}.log`);
      const output = openSync(logFile, "a");
      const child = spawn(file, args, {
        cwd: directory,
        detached: true,
        env: { PATH: process.env.PATH ?? "", HOME: directory, ...env },
        stdio: ["ignore", output, output],
      });
      closeSync(output);
      if (child.pid === undefined) throw new Error(`cannot start ${file}`);
      child.unref();
      tell(`+ ${child.pid}`);
      const program = programOf(name, logFile, child, child.pid);
      running.add(program);
      void program.ended.then(() => {
        running.delete(program);
        tell(`- ${program.pid}`);
      });
      return program;
    },
    async close() {
      for (const program of [...running].reverse()) await program.stop();
      watchdog.stdin.end();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

// A container's /dev/shm may be as small as 64 MB, less than etcd's first log segment.
function scratchRoot(): string {
  const memory = "/dev/shm";
  if (!existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize >= memoryBytesMin ? memory : tmpdir();
}

function programOf(name: string, logFile: string, child: ChildProcess, pid: number): Program {
  const ended = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`));
    child.once("error", (error) => resolve(error.message));
  });
  return {
    name,
    pid,
    logFile,
    ended,
    get isRunning() {
      return child.exitCode === null && child.signalCode === null;
    },
    log: () => readFileSync(logFile, "utf8"),
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      const timer = setTimeout(() => child.kill("SIGKILL"), stopGraceMs);
      return await ended.finally(() => clearTimeout(timer));
    },
  };
}

/** Polls until the probe returns true. If one of the programs ends first, fails at once with the end of its log. */
export async function untilReady(
  programs: readonly [Program, ...Program[]],
  timeoutMs: number,
  probe: () => Promise<boolean>,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await probe())) {
    const dead = programs.find(({ isRunning }) => !isRunning);
    if (dead !== undefined) throw new Error(`${dead.name}: ${await dead.ended}; ${endOfLog(dead)}`);
    const [first] = programs;
    if (performance.now() > deadline)
      throw new Error(`${first.name}: not ready in ${timeoutMs} ms; ${endOfLog(first)}`);
    await sleep(25);
  }
}

function endOfLog(program: Program): string {
  return `${basename(program.logFile)} ends with:\n${program.log().split("\n").slice(-25).join("\n")}`;
}

/**
 * Below the ephemeral ports: outgoing connections could take one of those after it was found free. Also below the ports
 * of fault proxies, which listen again on the same port after an outage.
 */
const FIRST_PORT = 12_000;
const PORTS = 8_000;

/** Different ports of 127.0.0.1 that were free a moment ago. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = FIRST_PORT + randomInt(PORTS);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
