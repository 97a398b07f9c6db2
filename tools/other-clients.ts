// The clients of `make clients`: Helm, built from its Go module, and Python's official client in a virtual environment,
// both in the cache of the real control plane. Existing ones are kept.

import { spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { binaryDirectory } from "./control-plane-binaries.ts";
import { type GoProgram, goProgramPath, installGoProgram } from "./go-program.ts";

const helm: GoProgram = { name: "helm-v4.3.1", module: "helm.sh/helm/v4/cmd/helm@v4.3.1" };
const pythonPackage = "kubernetes==37.0.2";
const environment = (): string => join(binaryDirectory(), `python-${pythonPackage.replace("==", "-")}`);

export const helmPath = (): string => goProgramPath(helm);
/** The interpreter that finds the package. */
export const pythonPath = (): string => join(environment(), "bin", "python");
/** Whether both clients are installed. */
export const areClientsThere = (): boolean => existsSync(helmPath()) && existsSync(pythonPath());

function say(line: string): void {
  process.stdout.write(`clients: ${line}\n`);
}

const works = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;

function missingPrograms(): readonly string[] {
  return [
    ...(works("python3", "-c", "import venv, ensurepip") ? [] : ["python3 with its modules venv and ensurepip"]),
    ...(existsSync(helmPath()) || works("go", "version") ? [] : ["Go 1.26 or newer, which builds Helm"]),
  ];
}

function installPython(): number {
  if (existsSync(pythonPath())) return 0;
  say(`installing ${pythonPackage} with pip`);
  const steps = [
    ["python3", "-m", "venv", environment()],
    [pythonPath(), "-m", "pip", "install", "--quiet", pythonPackage],
  ];
  for (const [command = "", ...args] of steps) {
    const status = spawnSync(command, args, { stdio: "inherit" }).status ?? 1;
    if (status === 0) continue;
    rmSync(environment(), { recursive: true, force: true });
    say(`${pythonPackage} cannot be installed: pip needs a package index that has it`);
    return status;
  }
  return 0;
}

function main(): number {
  const missing = missingPrograms();
  if (missing.length === 0) return installGoProgram(helm) || installPython();
  say(`this machine lacks ${missing.join(", and ")}. Nothing was played.`);
  return 1;
}

if (import.meta.main) process.exitCode = main();
