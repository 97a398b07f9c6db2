// A terminal on a cluster: runs shell lines in a folder with files and the real kubectl.

import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { binaryPath } from "#tools/control-plane-binaries.ts";
import type { CommandOutcome } from "./control-plane.ts";

export interface Terminal {
  readonly name: string;
  /** host:port of the server. */
  readonly host: string;
  /** Runs one shell line in the folder of the files, with this default namespace. */
  run(line: string, namespace: string): Promise<CommandOutcome>;
}

export interface TerminalOptions {
  readonly name: string;
  /** The folder, which is created. */
  readonly home: string;
  /** URL of the API server. */
  readonly server: string;
  readonly kubeconfig: string;
  readonly caFile: string;
  /** By name. */
  readonly files: Readonly<Record<string, string>>;
}

/** Ends a line that does not end by itself, which is a failure. */
const LINE_LIMIT_MS = 180_000;

export function openTerminal({ name, home, server, kubeconfig, caFile, files }: TerminalOptions): Terminal {
  const programs = join(home, "bin");
  mkdirSync(programs, { recursive: true });
  symlinkSync(binaryPath("kubectl"), join(programs, "kubectl"));
  symlinkSync(caFile, join(home, "ca.crt"));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(home, file), text, { mode: 0o755 });
  // Garbage collection in the short-lived kubectl would be a fifth of the suite's cost.
  const env = { PATH: `${programs}:${process.env.PATH ?? ""}`, HOME: home, GOGC: "off", TZ: "UTC", SERVER: server };
  const configs = new Map<string, Promise<string>>();
  /** A kubeconfig for each namespace, so that lines need not name it. */
  const configOf = async (namespace: string): Promise<string> => {
    const file = join(home, `config-${namespace}`);
    copyFileSync(kubeconfig, file);
    const line = `KUBECONFIG=${file} kubectl config set-context --current --namespace=${namespace}`;
    const { code, stderr } = await runLine(line, home, env);
    if (code !== 0) throw new Error(stderr);
    return file;
  };
  return {
    name,
    host: server.replace("https://", ""),
    async run(line, namespace) {
      const config = configs.get(namespace) ?? configOf(namespace);
      configs.set(namespace, config);
      return await runLine(line, home, { ...env, KUBECONFIG: await config, NS: namespace });
    },
  };
}

function runLine(line: string, cwd: string, env: Record<string, string>): Promise<CommandOutcome> {
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/sh", ["-c", line], { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    const outcome = { stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      outcome.stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      outcome.stderr += text;
    });
    const timer = setTimeout(() => {
      reject(new Error(`does not end: ${line}\n${outcome.stdout}${outcome.stderr}`));
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    }, LINE_LIMIT_MS);
    child.on("error", reject).on("close", (code) => {
      clearTimeout(timer);
      resolve({ code: code ?? -1, ...outcome });
    });
  });
}
