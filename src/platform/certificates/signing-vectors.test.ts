// Valid and invalid certificate requests: the signed bytes, or the error (tools/go/vectors-signing).

import { X509Certificate } from "node:crypto";
import { describe, expect, it } from "vitest";
import { encodeBase64 } from "#api/base64.ts";
import { parseTime } from "#api/time.ts";
import { parseRequest } from "#api/x509/certificate-request.ts";
import { DER_SEQUENCE, derParts, derValue } from "#api/x509/der.ts";
import { errorMessage } from "#base/errors.ts";
import { seededRng } from "#base/seeded-rng.ts";
import { testClock } from "#base/testing.ts";
import { signers } from "#controllers/certificatesigningrequest-signing/signers.ts";
import { certificateFor } from "#controllers/certificatesigningrequest-signing/sync.ts";
import file from "#test/vectors/signing.json" with { type: "json" };
import { systemKeys } from "../system/system-keys.ts";
import { authority } from "./certificate-signing.ts";

interface Vectors {
  readonly now: string;
  readonly authorities: Readonly<Record<string, { readonly certificate: string; readonly key: string }>>;
  readonly vectors: readonly Vector[];
}

interface Vector {
  readonly authority: string;
  readonly signer: string;
  readonly request: string;
  readonly usages: readonly string[] | null;
  readonly expirationSeconds?: number;
  readonly refusal?: string;
  readonly error?: string;
  readonly signed?: string;
}

interface Outcome {
  readonly refusal?: string;
  readonly error?: string;
  readonly certificate?: Uint8Array;
}

const YEAR_MS = 365 * 24 * 3_600_000;
const { now, authorities, vectors } = file as Vectors;
const clock = testClock(parseTime(now));
const rng = seededRng(1);

function outcomeOf({ authority: name, signer: signerName, request, usages, expirationSeconds }: Vector): Outcome {
  const { certificate, key } = authorities[name] ?? { certificate: "", key: "" };
  const signer = Object.values(signers).find((each) => each.name === signerName);
  if (signer === undefined) throw new Error(`no signer ${signerName}`);
  try {
    const ca = authority(certificate, key);
    const content = parseRequest(btoa(request));
    const refusal = signer.problem(content, usages ?? []);
    if (refusal !== undefined) return { refusal };
    const spec = { usages: usages ?? [], ...(expirationSeconds === undefined ? {} : { expirationSeconds }) };
    const template = certificateFor(content, spec, ca.notAfter, { clock, rng, keys: systemKeys, durationMs: YEAR_MS });
    return { certificate: ca.sign(template) };
  } catch (error) {
    return { error: errorMessage(error) };
  }
}

/** The signed fields, without the serial number. */
function signedParts(certificate: Uint8Array): string {
  const [tbs] = derParts(derValue(certificate), DER_SEQUENCE);
  const parts = derParts(tbs, DER_SEQUENCE).filter((_, at) => at !== 1);
  return encodeBase64(Uint8Array.from(parts.flatMap(({ raw }) => [...raw])));
}

describe("certificatesigningrequest-signing/3 certificatesigningrequest-signing/7 certificatesigningrequest-signing/11 certificatesigningrequest-signing/13 certificatesigningrequest-signing/tests certificatesigningrequest-signing/traps requests", () => {
  it.each([...vectors.entries()])("request %i has the outcome that it has upstream", (_, vector) => {
    const { refusal, error, certificate } = outcomeOf(vector);
    expect(refusal).toBe(vector.refusal);
    // Deviation: errors about malformed DER have another text.
    if (vector.error?.startsWith("asn1: ")) expect(error).toBeDefined();
    else expect(error).toBe(vector.error);
    if (certificate === undefined) return;
    expect(signedParts(certificate)).toBe(vector.signed);
    const issuer = new X509Certificate(authorities[vector.authority]?.certificate ?? "");
    const x509 = new X509Certificate(certificate);
    expect([x509.verify(issuer.publicKey), x509.checkIssued(issuer)]).toEqual([true, true]);
  });

  it("include enough vectors of each outcome", () => {
    const count = (part: "signed" | "refusal" | "error"): number => vectors.filter((vector) => vector[part]).length;
    expect(vectors.length).toBeGreaterThanOrEqual(200);
    expect([count("signed") > 100, count("refusal") > 20, count("error") > 20]).toEqual([true, true, true]);
  });
});
