// Daemons without an API server: they serve their port and wait for the lease for ever. This is enough for all flags
// that concern the program itself.

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
  /** A free port unless given. */
  readonly port?: number;
  readonly command?: Command;
  /** The host of the readiness requests. */
  readonly host?: string;
  /** The file that receives standard output, instead of the program's log. */
  readonly stdout?: string;
}

class IdleDaemons {
  readonly #scope: ProcessScope;
  /** A kubeconfig for a server that does not run. */
  readonly kubeconfig: string;
  /** Every user may read every page, on loopback. */
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

  /** Writes a file that is removed with the suite. */
  file(name: string, text: string): string {
    const path = join(this.#scope.directory, name);
    writeFileSync(path, text);
    return path;
  }

  /** Starts a program with only these arguments. */
  launch(command: Command): Program {
    return this.#scope.start({ name: "daemon", command });
  }

  /** Resolves when the daemon serves. */
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

/** Creates the daemons for the calling suite; call the result inside tests. */
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
