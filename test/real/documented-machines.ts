// Machines for the commands of docs/daemon.md: folders with kubeadm's files, a stand-in for kubelet, which runs the
// static pod of the manifest, and one for systemctl.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import { binaryPath } from "#tools/control-plane-binaries.ts";
import type { CommandOutcome, ControlPlane, RunningManager } from "./control-plane.ts";
import { goDaemon, ourDaemon } from "./daemon.ts";
import { shortLease } from "./leadership.ts";
import type { Command } from "./processes.ts";

const root = join(import.meta.dirname, "../..");
const MANIFEST = "manifests/kube-controller-manager.yaml";
const GO_IMAGE = "registry.k8s.io/kube-controller-manager:v1.36.4";

export interface Machine {
  /** Runs a shell command with /etc/kubernetes and port 10257 of this machine. */
  run(command: string): Promise<CommandOutcome>;
  stop(): Promise<void>;
}

/** A machine that kubeadm has set up, with the Go program. */
export async function kubeadmMachine(plane: ControlPlane, name: string): Promise<Machine> {
  const folder = kubernetesFolder(plane, name);
  const manifest = join(folder, MANIFEST);
  mkdirSync(dirname(manifest), { recursive: true });
  const swapped = readFileSync(join(root, "deploy/kube-controller-manager.yaml"), "utf8");
  writeFileSync(manifest, swapped.replace(/image: .*/, `image: ${GO_IMAGE}`));
  let seen = "";
  let pod: RunningManager | undefined;
  /** Acts as kubelet when the manifest has changed. */
  const follow = async (): Promise<void> => {
    const text = readFileSync(manifest, "utf8");
    if (text === seen) return;
    seen = text;
    await pod?.stop();
    const [container] = (parse(text) as StaticPod).spec.containers;
    const [, ...flags] = container?.command ?? [];
    const program = container?.image === GO_IMAGE ? goDaemon() : ourDaemon;
    pod = await startOn(plane, folder, program, flags);
  };
  await follow();
  return {
    async run(command) {
      const outcome = await runShell(plane, folder, pod?.url ?? "", command);
      await follow();
      return outcome;
    },
    stop: async () => void (await pod?.stop("SIGKILL")),
  };
}

/** A machine where systemd units run the programs: kube-controller-manager is the Go program. */
export async function systemdMachine(plane: ControlPlane, name: string): Promise<Machine> {
  const folder = kubernetesFolder(plane, name);
  const unit = readFileSync(join(root, "deploy/steersman.service"), "utf8");
  const start = (/^ExecStart=((?:.*\\\n)*.*)$/m.exec(unit)?.[1] ?? "").replaceAll("\\\n", " ").split(/\s+/);
  const flags = start.slice(1).filter((word) => word.startsWith("--"));
  const programs: Readonly<Record<string, Command>> = { steersman: ourDaemon, "kube-controller-manager": goDaemon() };
  const running = new Map<string, RunningManager>();
  const startUnit = async (service: string): Promise<void> => {
    const program = programs[service];
    if (program === undefined) throw new Error(`no unit ${service}`);
    running.set(service, await startOn(plane, folder, program, flags));
  };
  const stopUnit = async (service: string, signal?: NodeJS.Signals): Promise<void> => {
    await running.get(service)?.stop(signal);
    running.delete(service);
  };
  await startUnit("kube-controller-manager");
  return {
    async run(command) {
      const [, verb, service = ""] = /^systemctl (\S+) (\S+)$/.exec(command) ?? [];
      if (verb === "stop") await stopUnit(service);
      else if (verb === "start") await startUnit(service);
      else if (verb === "is-active") {
        return { code: 0, stdout: running.get(service)?.isRunning ? "active\n" : "inactive\n", stderr: "" };
      } else return runShell(plane, folder, [...running.values()].at(-1)?.url ?? "", command);
      return { code: 0, stdout: "", stderr: "" };
    },
    stop: async () => {
      for (const service of running.keys()) await stopUnit(service, "SIGKILL");
    },
  };
}

interface StaticPod {
  readonly spec: { readonly containers: readonly { readonly image: string; readonly command: readonly string[] }[] };
}

/** The files of /etc/kubernetes that manifests and commands name. */
function kubernetesFolder(plane: ControlPlane, name: string): string {
  const folder = join(plane.directory, name, "etc", "kubernetes");
  const pki = join(folder, "pki");
  mkdirSync(pki, { recursive: true });
  symlinkSync(plane.kubeconfigFor({ user: "system:kube-controller-manager" }), join(folder, "controller-manager.conf"));
  for (const file of ["ca.crt", "ca.key", "front-proxy-ca.crt"] as const)
    symlinkSync(plane.pki.file(file), join(pki, file));
  symlinkSync(plane.pki.file("service-account.key"), join(pki, "sa.key"));
  writeFileSync(join(pki, "apiserver-kubelet-client.crt"), plane.admin.certificatePem);
  writeFileSync(join(pki, "apiserver-kubelet-client.key"), plane.admin.keyPem, { mode: 0o600 });
  return folder;
}

/** Flags for the machine's files. The lease is shorter than the default, so that hand-overs take seconds. */
function startOn(
  plane: ControlPlane,
  folder: string,
  program: Command,
  flags: readonly string[],
): Promise<RunningManager> {
  const own = flags.map((flag) => flag.replace("/etc/kubernetes", folder));
  for (const file of own.flatMap((flag) => /=(\/.*)$/.exec(flag)?.[1] ?? [])) {
    if (!existsSync(file)) throw new Error(`${file} does not exist`);
  }
  return plane.startManager(program, { flags: [...own, ...shortLease.flags] });
}

function runShell(plane: ControlPlane, folder: string, url: string, command: string): Promise<CommandOutcome> {
  const here = command.replaceAll("/etc/kubernetes", folder).replaceAll("https://127.0.0.1:10257", url);
  const env = {
    PATH: `${dirname(binaryPath("kubectl"))}:${process.env.PATH ?? ""}`,
    HOME: plane.directory,
    KUBECONFIG: plane.adminKubeconfig,
  };
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/sh", ["-c", here], { cwd: plane.directory, env });
    const output = { stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output.stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output.stderr += text;
    });
    child.on("error", reject).on("close", (code) => resolve({ code: code ?? -1, ...output }));
  });
}
