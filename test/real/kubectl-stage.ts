// A terminal on each of both API servers: the real one, and the embedded one behind its HTTPS port. Both have the same
// files and the same administrator. No controllers run: the output depends only on the server.

import { join } from "node:path";
import { judgeFlags } from "#test/judge/judge-flags.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { startEmbeddedServer } from "./embedded-server.ts";
import { openTerminal, type Terminal, type TerminalOptions } from "./terminal.ts";

export interface KubectlStage {
  readonly embedded: Terminal;
  readonly real: Terminal;
  close(): Promise<void>;
}

/** Starts both servers and writes `files` by name into the folder of each. */
export async function startKubectlStage(files: Readonly<Record<string, string>>): Promise<KubectlStage> {
  const plane = await startControlPlane({ apiServerFlags: judgeFlags });
  const embedded = await startEmbeddedServer(plane.pki);
  const terminal = (name: string, server: string): Terminal =>
    openTerminal(terminalOptions(name, plane, server, files));
  return {
    real: terminal("real", plane.server),
    embedded: terminal("embedded", embedded.url),
    close: async () => {
      await embedded.close();
      await plane.stop();
    },
  };
}

function terminalOptions(
  name: string,
  plane: ControlPlane,
  server: string,
  files: Readonly<Record<string, string>>,
): TerminalOptions {
  const kubeconfig = plane.kubeconfigFor({ user: "test-admin", groups: ["system:masters"] }, server);
  return { name, home: join(plane.directory, name), server, kubeconfig, caFile: plane.pki.file("ca.crt"), files };
}
