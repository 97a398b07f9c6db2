// The vectors record Go's verdict on the same certificates.
import { describe, expect, it } from "vitest";
import file from "#test/vectors/certificates.json" with { type: "json" };
import { certificateIdentifier } from "./certificate-content.ts";
import { chainProblem, chainsTo, type ParsedCertificate, parseCertificate } from "./client-chain.ts";

interface Vector {
  readonly name: string;
  readonly leaf: string;
  readonly intermediates: readonly string[];
  readonly roots: readonly string[];
  readonly now: string;
  readonly subject?: {
    readonly commonName: string;
    readonly organizations: readonly string[];
    readonly uids: readonly string[];
    readonly identifier: string;
  };
  readonly problem: string;
}

const vectors = file as readonly Vector[];
const parsed = (base64: string) => parseCertificate(Buffer.from(base64, "base64"));
const all = (list: readonly string[]): readonly ParsedCertificate[] => list.flatMap((base64) => parsed(base64) ?? []);
const DETAIL = ": DNS name";

describe("client certificates", () => {
  it.each(vectors)("$name", ({ leaf: der, intermediates, roots, now, subject, problem }) => {
    const leaf = parsed(der);
    if (leaf === undefined || subject === undefined) {
      expect([leaf, subject]).toEqual([undefined, undefined]);
      return;
    }
    expect({ ...leaf.content.subject, identifier: certificateIdentifier(leaf.content) }).toEqual(subject);
    const chains = chainsTo(all(roots), leaf, all(intermediates));
    expect(chainProblem(leaf, chains, Date.parse(now)) ?? "").toBe(problem.split(DETAIL)[0]);
  });

  it("checks a bounded number of signatures, even for many authorities with the same name", () => {
    const found = vectors.find(({ name }) => name === "through two intermediates, sent in disorder");
    const [leaf] = all([found?.leaf ?? ""]);
    const copies = Array.from({ length: 40 }, () => all(found?.intermediates ?? [])).flat();
    expect(leaf && chainsTo([], leaf, copies)).toEqual([]);
    expect(leaf && chainsTo(all(found?.roots ?? []), leaf, copies).length).toBeLessThanOrEqual(100);
  });
});
