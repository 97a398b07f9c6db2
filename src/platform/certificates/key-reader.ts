// Reads certificates and private keys for the rules about TLS secrets, and checks the signatures of requests.

import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import type { ApiServerOptions } from "#apiserver/create-api-server.ts";
import { isSignedBy } from "./cryptography.ts";

type KeyReader = NonNullable<ApiServerOptions["keyReader"]>;

const KEY_FORMATS = ["pkcs1", "pkcs8", "sec1"] as const;

export const keyReader: KeyReader = {
  certificateKey: (der) => attempt(() => identityOf(new X509Certificate(der).publicKey)),
  privateKey(der) {
    for (const type of KEY_FORMATS) {
      const read = attempt(() => createPrivateKey({ key: Buffer.from(der), format: "der", type }));
      if (read !== undefined) return identityOf(createPublicKey(read));
    }
    return undefined;
  },
  isSignedBy,
};

function identityOf(key: KeyObject): NonNullable<ReturnType<KeyReader["privateKey"]>> {
  return {
    type: key.asymmetricKeyType ?? "",
    identity: key.export({ type: "spki", format: "der" }).toString("base64"),
  };
}

/** Undefined if the input is not a readable key or certificate. The runtimes' errors differ, so they are dropped. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
