// OpenSSL keys and certificates behind the interface that controllers and the simulation use.

import { errorMessage } from "#base/errors.ts";
import type { Keys } from "#base/host.ts";
import { hmacSha256, isSignedBy, sha256 } from "../certificates/cryptography.ts";
import { certificatesProblem, checkPair, ServingFileError } from "../https-server/serving-files.ts";
import { jwtSigner, readPrivateKey } from "../tokens/jwt-signer.ts";

export const systemKeys: Keys = {
  readPrivateKey(pem) {
    const key = readPrivateKey(pem);
    return { tokenSigner: () => jwtSigner(key) };
  },
  certificatesProblem,
  pairProblem(certificatePem, keyPem) {
    try {
      checkPair(certificatePem, keyPem);
      return undefined;
    } catch (error) {
      if (error instanceof ServingFileError) return errorMessage(error);
      throw error;
    }
  },
  isSignedBy,
  sha256,
  hmacSha256,
  loadSigning: () => import("../certificates/certificate-signing.ts"),
};
