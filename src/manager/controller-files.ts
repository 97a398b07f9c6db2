// What controllers are given out of the files that flags name. Files are read when a controller is built.
// Upstream: cmd/kube-controller-manager/app/core.go, certificates.go, serviceaccount.go.

import { errorMessage } from "#base/errors.ts";
import type { TokenSigner } from "#base/host.ts";
import type { ControllerSettings } from "./registry.ts";

/** --root-ca-file, or the CA that the client configuration holds. */
export function rootCa({ config, host }: ControllerSettings): string {
  const file = config.SAController.RootCAFile;
  if (file === "") return host.apiServerCa;
  return explained(`error parsing root-ca-file at ${file}`, () => {
    const pem = host.files.read(file);
    const problem = host.keys.certificatesProblem(pem);
    if (problem !== undefined) throw new Error(problem);
    return pem;
  });
}

/** Signs with --service-account-private-key-file; undefined without one. */
export function tokenSigner({ config, host }: ControllerSettings): TokenSigner | undefined {
  const file = config.SAController.ServiceAccountKeyFile;
  if (file === "") return undefined;
  const key = explained("error reading key for service account token controller", () =>
    host.keys.readPrivateKey(host.files.read(file)),
  );
  return explained("failed to build token generator", () => key.tokenSigner());
}

function explained<T>(what: string, step: () => T): T {
  try {
    return step();
  } catch (cause) {
    throw new Error(`${what}: ${errorMessage(cause)}`, { cause });
  }
}
