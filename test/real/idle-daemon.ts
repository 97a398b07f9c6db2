// Daemons that have no API server: they serve their port and wait for the lease for ever. Enough for all flags that
// concern the program itself.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ourDaemon, sharedControllers } from "./daemon.ts";
import { callHttps } from "./https.ts";
import { type Command, freePorts, openProcessScope, type ProcessScope, type Program } from "./processes.ts";
import { eventually, useForSuite } from "./suite.ts";

export interface IdleDaemon {
  readonly program: Program;
  readonly port: number;
  /** The text of a page. */
  page(path: string): Promise<string>;
  kill(): Promise<void>;
}

export interface IdleStart {
  /** Absent: a free one. */
  readonly port?: number;
  readonly command?: Command;
  /** Where it is asked whether it serves. */
  readonly host?: string;
  /** Its standard output goes here instead of into the program's log. */
  readonly stdout?: string;
}

class IdleDaemons {
  readonly #scope: ProcessScope;
  /** A server that nobody runs. */
  readonly kubeconfig: string;
  /** Everybody may read every page, on loopback. */
  readonly common: readonly string[];

  constructor(label: string) {
    this.#scope = openProcessScope(label);
    this.kubeconfig = this.file("kubeconfig", kubeconfigText("https://127.0.0.1:1", { token: "t" }));
    this.common = [
      `--kubeconfig=${this.kubeconfig}`,
      `--controllers=${sharedControllers.join(",")}`,
      "--authorization-always-allow-paths=/*",
      "--bind-address=127.0.0.1",
    ];
  }

  get directory(): string {
    return this.#scope.directory;
  }

  /** Writes a file that goes with the suite. */
  file(name: string, text: string): string {
    const path = join(this.#scope.directory, name);
    writeFileSync(path, text);
    return path;
  }

  /** Starts a program with nothing but these arguments. */
  launch(command: Command): Program {
    return this.#scope.start({ name: "daemon", command });
  }

  /** Resolves when it serves. */
  async start(flags: readonly string[], options: IdleStart = {}): Promise<IdleDaemon> {
    const { command = ourDaemon, host = "127.0.0.1", stdout } = options;
    const port = options.port ?? (await freePorts(1))[0] ?? 0;
    const whole: Command = [...command, ...this.common, `--secure-port=${port}`, ...flags];
    const parted: Command = ["/bin/sh", "-c", 'out=$1; shift; exec "$@" >"$out"', "sh", stdout ?? "", ...whole];
    const program = this.launch(stdout === undefined ? whole : parted);
    const page = async (path: string): Promise<string> =>
      (await callHttps({ url: `https://${host}:${port}${path}`, caPem: "", isInsecure: true })).text;
    await eventually(async () => {
      if (!program.isRunning) throw new Error(program.log());
      return await page("/healthz").catch(() => undefined);
    });
    return { program, port, page, kill: async () => void (await program.stop("SIGKILL")) };
  }

  close(): Promise<void> {
    return this.#scope.close();
  }
}

/** For the suite that calls it; call the result in tests. */
export function useIdleDaemons(label: string): () => IdleDaemons {
  return useForSuite(
    () => new IdleDaemons(label),
    (daemons) => daemons.close(),
  );
}

export function kubeconfigText(server: string, user: object, cluster: object = {}): string {
  return JSON.stringify({
    clusters: [{ name: "c", cluster: { server, ...cluster } }],
    users: [{ name: "u", user }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
}
