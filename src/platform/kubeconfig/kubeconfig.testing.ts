// For tests only: an exec plugin for a kubeconfig, and temporary files.

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import type { ExecConfig } from "#client/kubeconfig.ts";

export const V1 = "client.authentication.k8s.io/v1";

export function execConfig(command: string, rest: Partial<ExecConfig> = {}): ExecConfig {
  return {
    command,
    args: [],
    env: [],
    apiVersion: V1,
    installHint: "",
    provideClusterInfo: false,
    interactiveMode: "Never",
    ...rest,
  };
}

export interface TemporaryFiles {
  readonly dir: string;
  /** Writes a file and returns its path. */
  file(name: string, content: string, mode?: number): string;
}

/** Files in a directory that is removed after the suite. */
export function temporaryFiles(): TemporaryFiles {
  const dir = mkdtempSync(join(tmpdir(), "kubeconfig-"));
  afterAll(() => rmSync(dir, { recursive: true }));
  return {
    dir,
    file(name, content, mode = 0o644) {
      const path = join(dir, name);
      writeFileSync(path, content);
      chmodSync(path, mode);
      return path;
    },
  };
}
