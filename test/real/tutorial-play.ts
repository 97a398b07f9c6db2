// Plays a page of documentation: runs the commands after "$ " in its `console` blocks, one after the other, in a shell
// with the real kubectl and with `steersman`. A command that starts a cluster runs until the next one does. The output
// is compared with the page, or written into it.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binaryPath } from "#tools/control-plane-binaries.ts";

const root = join(import.meta.dirname, "../..");
const LIMIT_MS = 180_000;

export interface PlayedCommand {
  readonly command: string;
  /** The output on the page. */
  readonly told: string;
  readonly printed: string;
}

const block = /^```console\n([\s\S]*?)^```$/gm;

interface Step {
  readonly command: string;
  readonly told: string;
}

function stepsOf(content: string): readonly Step[] {
  return content
    .split(/^\$ /m)
    .filter((part) => part.trim() !== "")
    .map((part) => {
      const end = part.indexOf("\n");
      return { command: part.slice(0, end), told: part.slice(end + 1) };
    });
}

/** Whether the command starts a cluster, which runs during the next commands. */
const isCluster = (command: string): boolean => /^(steersman|make) up\b(?!.* -- )/.test(command);

export class Shell implements AsyncDisposable {
  readonly #directory = mkdtempSync(join(tmpdir(), "tutorial-"));
  #cluster: ChildProcess | undefined;

  constructor() {
    const bin = join(this.#directory, "bin");
    mkdirSync(bin);
    symlinkSync(binaryPath("kubectl"), join(bin, "kubectl"));
    const program = `#!/bin/sh\nexec "${process.execPath}" "${root}/src/cmd/steersman.ts" "$@"\n`;
    writeFileSync(join(bin, "steersman"), program);
    chmodSync(join(bin, "steersman"), 0o755);
    cpSync(join(root, "examples/tutorial"), this.#directory, { recursive: true });
  }

  get #env(): NodeJS.ProcessEnv {
    const PATH = `${join(this.#directory, "bin")}:${process.env.PATH}`;
    return { ...process.env, PATH, KUBECONFIG: join(this.#directory, "state/kubeconfig"), HOME: this.#directory };
  }

  /** Resolves to the output on both streams. */
  async run(command: string): Promise<string> {
    return isCluster(command) ? this.#start(command) : this.#once(command);
  }

  #once(command: string): string {
    const options = { cwd: this.#directory, env: this.#env, encoding: "utf8", timeout: LIMIT_MS } as const;
    return spawnSync("bash", ["-c", `{ ${command}\n} 2>&1`], options).stdout;
  }

  /** Reads up to the line that says how to stop the cluster. */
  async #start(command: string): Promise<string> {
    await this.#stop();
    const args = /^make up(?: ARGS="(.*)")?$/.exec(command)?.[1] ?? command.replace(/^(steersman|make) up/, "");
    const flags = ["up", "--port=0", `--state=${join(this.#directory, "state")}`, ...args.split(" ").filter(Boolean)];
    const child = spawn("steersman", flags, { cwd: this.#directory, env: this.#env });
    this.#cluster = child;
    let printed = "";
    await new Promise<void>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream?.on("data", (chunk: Buffer) => {
          printed += chunk;
          if (/^Ctrl-C stops it.*\n/m.test(printed)) resolve();
        });
      }
      child.on("error", reject).on("close", () => reject(new Error(`${command} ended: ${printed}`)));
    });
    return printed
      .replaceAll(`${this.#directory}/state`, "~/steersman/.steersman")
      .replace(/127\.0\.0\.1:\d+/, "127.0.0.1:7443");
  }

  async #stop(): Promise<void> {
    const child = this.#cluster;
    if (child === undefined || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once("close", resolve));
    child.removeAllListeners("close").once("close", () => undefined);
    child.kill("SIGINT");
    await Promise.race([ended, new Promise((resolve) => child.once("exit", resolve))]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** Plays the page, and calls back after each command. */
export async function play(page: string, onCommand: (played: PlayedCommand) => void): Promise<void> {
  await using shell = new Shell();
  for (const [, content = ""] of page.matchAll(block)) {
    for (const { command, told } of stepsOf(content)) {
      onCommand({ command, told: told.trimEnd(), printed: (await shell.run(command)).trimEnd() });
    }
  }
}

/** The page with the new output of its commands. */
export function recorded(page: string, played: readonly PlayedCommand[]): string {
  let index = 0;
  return page.replaceAll(block, (_, content: string) => {
    const steps = stepsOf(content).map(({ command }) => {
      const { printed = "" } = played[index++] ?? {};
      return `$ ${command}\n${printed === "" ? "" : `${printed}\n`}`;
    });
    return `\`\`\`console\n${steps.join("")}\`\`\``;
  });
}

/**
 * Removes the differences of two plays: ages, times, generated names, addresses and nodes. Sorts the lines, because
 * names determine their order.
 */
export function comparable(text: string): readonly string[] {
  return text
    .replaceAll(/\b\d+ ms\b/g, "<time> ms")
    .replaceAll(/(^|\s|\()((\d+[dhms])+)(?=\s|$|\))/gm, "$1<age>")
    .replaceAll(/(-[0-9a-f]{8,10})-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, "$1-<drawn>")
    .replaceAll(/\bdb-\d|\bnode-\d\b/g, (name) => (name.startsWith("node") ? "<node>" : name))
    .replaceAll(/\b10\.\d+\.\d+\.\d+\b/g, "<address>")
    .split("\n")
    .map((line) => line.trimEnd().replaceAll(/ {2,}/g, "  "))
    .sort();
}
