// A terminal on each of both API servers: the real one, and the embedded one behind its HTTPS port. A line is what a user
// would type into a shell; both have the same files in their folders and the same administrator. No controllers run:
// what kubectl prints is the server's doing.

import { spawn } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { judgeFlags } from "#test/judge/judge-flags.ts";
import { binaryPath } from "#tools/control-plane-binaries.ts";
import { type CommandOutcome, type ControlPlane, startControlPlane } from "./control-plane.ts";
import { startEmbeddedServer } from "./embedded-server.ts";

export interface Terminal {
  readonly name: "embedded" | "real";
  /** host:port of the server. */
  readonly host: string;
  /** Plays one line of shell in the folder of the files, with the namespace as the default one. */
  run(line: string, namespace: string): Promise<CommandOutcome>;
}

export interface KubectlStage {
  readonly embedded: Terminal;
  readonly real: Terminal;
  close(): Promise<void>;
}

/** A line that does not end by itself is a finding; this only ends it. */
const LINE_LIMIT_MS = 90_000;

/** Starts both; `files` are written by name into the folder of each. */
export async function startKubectlStage(files: Readonly<Record<string, string>>): Promise<KubectlStage> {
  const plane = await startControlPlane({ apiServerFlags: judgeFlags });
  const embedded = await startEmbeddedServer(plane.pki);
  return {
    real: openTerminal("real", plane, plane.server, files),
    embedded: openTerminal("embedded", plane, embedded.url, files),
    close: async () => {
      await embedded.close();
      await plane.stop();
    },
  };
}

function openTerminal(
  name: Terminal["name"],
  plane: ControlPlane,
  server: string,
  files: Readonly<Record<string, string>>,
): Terminal {
  const home = join(plane.directory, name);
  const programs = join(home, "bin");
  mkdirSync(programs, { recursive: true });
  symlinkSync(binaryPath("kubectl"), join(programs, "kubectl"));
  symlinkSync(plane.pki.file("ca.crt"), join(home, "ca.crt"));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(home, file), text, { mode: 0o755 });
  const kubeconfig = plane.kubeconfigFor({ user: "test-admin", groups: ["system:masters"] }, server);
  // kubectl is gone before its garbage matters: collecting it is a fifth of what the suite costs.
  const env = { PATH: `${programs}:${process.env.PATH ?? ""}`, HOME: home, GOGC: "off", TZ: "UTC", SERVER: server };
  const configs = new Map<string, Promise<string>>();
  /** A kubeconfig for each namespace, so that lines need not name it. */
  const configOf = async (namespace: string): Promise<string> => {
    const file = join(home, `config-${namespace}`);
    const line = `cp ${kubeconfig} ${file} && KUBECONFIG=${file} kubectl config set-context test --namespace=${namespace}`;
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
