// The host that the programs run on: the operating system's files, OpenSSL's keys and the runtime's time zones.

import { mkdirSync, rmSync } from "node:fs";
import type { Host } from "#base/host.ts";
import type { ClientConfig } from "#client/kubeconfig.ts";
import { readFileAsGo, systemErrorText, watchFiles } from "../https-server/serving-files.ts";
import { systemKeys } from "./system-keys.ts";
import { systemTimeZones } from "./time-zones.ts";

type TrustedCa = Pick<ClientConfig, "certificateAuthority" | "certificateAuthorityData">;

/** client: the program's client configuration. As upstream, a CA that it names by file is not read. */
export function systemHost(client: TrustedCa): Host {
  return {
    files: { read: (path) => readFileAsGo(path), makeDirectory, removeAll, watch: watchFiles },
    keys: systemKeys,
    timeZones: systemTimeZones(),
    apiServerCa: client.certificateAuthorityData ?? "",
  };
}

function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o750 });
  } catch (cause) {
    throw new Error(`mkdir ${path}: ${systemErrorText(cause)}`, { cause });
  }
}

function removeAll(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch (cause) {
    throw new Error(`unlinkat ${path}: ${systemErrorText(cause)}`, { cause });
  }
}
