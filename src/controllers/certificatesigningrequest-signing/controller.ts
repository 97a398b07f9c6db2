/**
 * Signs approved certificate signing requests for four signers, each with its certificate and key.
 *
 * Keeps true:  an approved request of a signer that has files carries a certificate, or the condition Failed when the
 *              signer's rules forbid it. The pair of files that is on disk now signs.
 * Requeues:    never; failures are retried with back-off from 200 ms to 1000 s.
 * Upstream:    pkg/controller/certificates/signer, pkg/controller/certificates/authority.
 * Deviations:  none.
 */

import { CertificateSigningRequests } from "#api/generated/resources/certificates-v1.ts";
import { whenAborted } from "#base/abort.ts";
import { errorMessage } from "#base/errors.ts";
import type { Keys } from "#base/host.ts";
import { workOnRequests } from "#families/certificates/request-workers.ts";
import { update } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import { type SignerKey, signers } from "./signers.ts";
import { type PairFiles, SigningPair } from "./signing-pair.ts";
import { signRequest } from "./sync.ts";

export interface SigningOptions {
  /** A signer without files does not sign. */
  readonly files: Readonly<Partial<Record<SignerKey, PairFiles>>>;
  readonly durationMs: number;
}

export const requestSigner: ControllerDescriptor<SigningOptions> = keyedController<SigningOptions>({
  name: "certificatesigningrequest-signing-controller",
  contract: {
    watches: [CertificateSigningRequests],
    reads: [],
    writes: [update(CertificateSigningRequests, "status")],
  },
  whyOff: ({ files }) =>
    Object.keys(files).length === 0
      ? "Skipping CSR signer controller because no csr cert/key was specified"
      : undefined,
  build(parts, { files, durationMs }) {
    const { log, context } = parts;
    const { clock } = context;
    const host = { ...context.host, keys: checkingOnce(context.host.keys) };
    const common = {
      clock,
      rng: context.rng.fork("certificate-serials"),
      keys: host.keys,
      requestsApi: parts.client.resource(CertificateSigningRequests),
      durationMs,
    };
    for (const [key, signer] of Object.entries(signers)) {
      const own = files[key as SignerKey];
      if (own === undefined) {
        const why =
          "Skipping CSR signer controller because specific files were specified for other signers and not this one";
        log.info(why, { controller: signer.name });
        continue;
      }
      const pair = openPair(signer.name, () => new SigningPair(own, host));
      const deps = { ...common, signer, pair };
      workOnRequests(parts, (request, signal) => signRequest(request, deps, signal));
      parts.fromStart(async (signal) => {
        using _following = pair.follow(log);
        await whenAborted(signal);
      });
    }
  },
});

function openPair(signerName: string, open: () => SigningPair): SigningPair {
  try {
    return open();
  } catch (cause) {
    throw new Error(`failed to init ${signerName} certificate controller: ${errorMessage(cause)}`, { cause });
  }
}

/** Usually all signers share a pair. Each reads it from its files, but checks it only if the texts differ. */
function checkingOnce(keys: Keys): Keys {
  let last: { readonly certificate: string; readonly key: string; readonly problem: string | undefined } | undefined;
  return {
    ...keys,
    pairProblem(certificate, key) {
      if (last?.certificate !== certificate || last.key !== key) {
        last = { certificate, key, problem: keys.pairProblem(certificate, key) };
      }
      return last.problem;
    },
  };
}
