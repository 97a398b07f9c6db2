// The host that the programs run on: the operating system's files, OpenSSL's keys and the runtime's time zones.

import type { Host } from "#base/host.ts";
import type { ClientConfig } from "#client/kubeconfig.ts";
import { certificatesProblem, readFileAsGo, watchFiles } from "../https-server/serving-files.ts";
import { jwtSigner, readPrivateKey } from "../tokens/jwt-signer.ts";
import { systemTimeZones } from "./time-zones.ts";

type TrustedCa = Pick<ClientConfig, "certificateAuthority" | "certificateAuthorityData">;

/** client: the program's client configuration. A CA that it names by a file is not read, as upstream. */
export function systemHost(client: TrustedCa): Host {
  return {
    files: { read: (path) => readFileAsGo(path), watch: watchFiles },
    keys: {
      readPrivateKey(pem) {
        const key = readPrivateKey(pem);
        return { tokenSigner: () => jwtSigner(key) };
      },
      certificatesProblem,
    },
    timeZones: systemTimeZones(),
    apiServerCa: client.certificateAuthorityData ?? "",
  };
}
