// Our daemon and the Go one as programs: run to their end with the same arguments, or started with the same flags.

import { spawn } from "node:child_process";
import { join } from "node:path";
import { binaryPath } from "#tools/control-plane-binaries.ts";
import type { Command } from "./processes.ts";

const root = join(import.meta.dirname, "../..");

/** The command of our daemon, from its sources. */
export const ourDaemon: Command = [
  process.versions.bun === undefined ? join(root, "node_modules/.bin/bun") : process.execPath,
  join(root, "src/cmd/kube-controller-manager.ts"),
];

export const goDaemon = (): Command => [binaryPath("kube-controller-manager")];

export type Side = "go" | "ours";
export const sides: readonly Side[] = ["go", "ours"];
export const daemonOf = (side: Side): Command => (side === "go" ? goDaemon() : ourDaemon);

/** A few cheap controllers, for tests of behaviour that all controllers share. */
export const sharedControllers: readonly string[] = [
  "replicaset-controller",
  "replicationcontroller-controller",
  "serviceaccount-controller",
  "root-ca-certificate-publisher-controller",
];

export interface Ending {
  /** The exit code, or the signal's name. */
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end. A program that does not end by itself is killed, and its code is "SIGKILL". */
export function runToEnd([file, ...rest]: Command, args: readonly string[], limitMs = 120_000): Promise<Ending> {
  return new Promise((resolve, reject) => {
    // Bun would create a home directory that does not exist.
    const env = { PATH: process.env.PATH ?? "", HOME: "/dev/null" };
    const child = spawn(file, [...rest, ...args], { env });
    const timer = setTimeout(() => child.kill("SIGKILL"), limitMs);
    const output = { stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output.stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output.stderr += text;
    });
    child.on("error", reject).on("close", (code, signal) => {
      clearTimeout(timer);
      resolve({ code: code ?? signal ?? -1, ...output });
    });
  });
}

/** The final error of a command: the text after "Error:", or the err of the last "command failed". */
export function finalError({ stderr }: Ending): string {
  const refused = /^Error: (.*)$/m.exec(stderr);
  if (refused !== null) return refused[1] ?? "";
  const failed = [...stderr.matchAll(/"command failed" err=(?:"((?:[^"\\]|\\.)*)"|<\n([\s\S]*?)\n >)/g)].at(-1);
  if (failed !== undefined) return failed[1] === undefined ? (failed[2] ?? "").trim() : unquoted(failed[1]);
  const panic = /^panic: (.*?)(?: \[recovered.*)?$/m.exec(stderr);
  return panic === null ? "" : `panic: ${panic[1]}`;
}

function unquoted(text: string): string {
  return JSON.parse(`"${text}"`) as string;
}
