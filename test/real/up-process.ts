// `steersman up` as a separate process, as users start it.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePorts, type ProcessScope, type Program, untilReady } from "./processes.ts";

const READY_MS = 60_000;

export interface UpProcess {
  readonly program: Program;
  readonly server: string;
  readonly kubeconfig: string;
  readonly caFile: string;
}

/** The kubeconfig that `steersman up` writes. */
interface Kubeconfig {
  readonly clusters: readonly [
    { readonly cluster: { readonly server: string; readonly "certificate-authority-data": string } },
  ];
}

/** Resolves when `up` reports ready. */
export async function startUp(scope: ProcessScope, nodes: number): Promise<UpProcess> {
  const state = join(scope.directory, "state");
  const steersman = join(import.meta.dirname, "../../src/cmd/steersman.ts");
  const [port = 0] = await freePorts(1);
  const program = scope.start({
    name: "up",
    command: [process.execPath, steersman, "up", `--port=${port}`, `--nodes=${nodes}`, `--state=${state}`],
  });
  await untilReady([program], READY_MS, async () => program.log().includes("Ctrl-C stops it"));
  const kubeconfig = join(state, "kubeconfig");
  const { cluster } = (JSON.parse(readFileSync(kubeconfig, "utf8")) as Kubeconfig).clusters[0];
  const caFile = join(state, "ca.crt");
  writeFileSync(caFile, Buffer.from(cluster["certificate-authority-data"], "base64"));
  return { program, server: cluster.server, kubeconfig, caFile };
}
