// For tests only: a credential plugin as a kubeconfig names it.

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
