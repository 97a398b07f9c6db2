import { describe, expect, it } from "vitest";
import { PersistentVolumeClaims, PersistentVolumes } from "#api/generated/resources/core-v1.ts";
import { stored } from "#api/testing.ts";
import recorded from "#test/vectors/volumes.json" with { type: "json" };
import { bestVolume, type Claim, refuseAttributesClass, type Volume, whyUnsuitable } from "./claim-matching.ts";

const vectors = recorded as {
  /** A claim, volumes, and the names of the volumes that the claim may get. */
  readonly matches: readonly (readonly [string, readonly string[], string])[];
  /** A claim, a volume that it names, and why the two do not suit. */
  readonly suitability: readonly (readonly [string, string, string])[];
};

// The texts of tools/go/vectors-volumes.

const MODES: Readonly<Record<string, string>> = {
  o: "ReadWriteOnce",
  r: "ReadOnlyMany",
  x: "ReadWriteMany",
  p: "ReadWriteOncePod",
};
const PHASES: Readonly<Record<string, string>> = { A: "Available", B: "Bound", R: "Released", P: "Pending" };
const CLAIM_REFS: Readonly<Record<string, object>> = {
  n: { namespace: "ns", name: "data" },
  u: { namespace: "ns", name: "data", uid: "uid-data" },
  o: { namespace: "ns", name: "data", uid: "uid-old" },
  d: { namespace: "other", name: "data" },
};
const SELECTORS: Readonly<Record<string, object>> = {
  f: { matchLabels: { tier: "fast" } },
  n: { matchExpressions: [{ key: "tier", operator: "NotIn", values: ["slow"] }] },
  e: { matchExpressions: [{ key: "tier", operator: "Exists" }] },
};

const accessModes = (text: string): string[] => [...text].flatMap((letter) => MODES[letter] ?? []);
const annotations = (name: string): object =>
  name === "-" ? {} : { annotations: { "volume.beta.kubernetes.io/storage-class": name } };
const volumeMode = (text: string): object => (text === "" ? {} : { volumeMode: text === "b" ? "Block" : "Filesystem" });
const attributesClass = (text: string): object => (text === "" ? {} : { volumeAttributesClassName: text });

function volumeOf(text: string, index: number): Volume {
  const [size = "", modes = "", className = "", annotated = "", attributes = "", mode = "", ...rest] = text.split("|");
  const [phase = "", claim = "", deleted = "", tier = ""] = rest;
  return stored(PersistentVolumes, {
    metadata: {
      name: `v${index}`,
      ...annotations(annotated),
      ...(deleted === "" ? {} : { deletionTimestamp: "2026-01-01T00:00:00Z" }),
      ...(tier === "" ? {} : { labels: { tier } }),
    },
    spec: {
      capacity: { storage: size },
      accessModes: accessModes(modes),
      storageClassName: className,
      ...attributesClass(attributes),
      ...volumeMode(mode),
      ...(claim === "" ? {} : { claimRef: CLAIM_REFS[claim] ?? {} }),
    },
    status: { phase: PHASES[phase] ?? "" },
  });
}

function claimOf(text: string): { readonly claim: Claim; readonly isDelayed: boolean } {
  const [size = "", modes = "", className = "", annotated = "", attributes = "", mode = "", ...rest] = text.split("|");
  const [selector = "", delayed = ""] = rest;
  const claim = stored(PersistentVolumeClaims, {
    metadata: { name: "data", namespace: "ns", ...annotations(annotated) },
    spec: {
      resources: { requests: { storage: size } },
      accessModes: accessModes(modes),
      ...(className === "-" ? {} : { storageClassName: className }),
      ...attributesClass(attributes),
      ...volumeMode(mode),
      ...(selector === "" ? {} : { selector: SELECTORS[selector] ?? {} }),
    },
  });
  return { claim, isDelayed: delayed !== "" };
}

describe("persistentvolume-binder/4, persistentvolume-binder/tests the volume that a claim gets", () => {
  it("is one that upstream may choose, in 3,000 sets of volumes", () => {
    expect(vectors.matches).toHaveLength(3000);
    const wrong = vectors.matches.flatMap(([text, volumes, names]) => {
      const { claim, isDelayed } = claimOf(text);
      const name = bestVolume(claim, volumes.map(volumeOf), isDelayed)?.metadata.name ?? "";
      return names.split(" ").includes(name) ? [] : [{ text, volumes, names, name }];
    });
    expect(wrong).toEqual([]);
  });

  it("is the first by name where several fit equally well, in any order", () => {
    const volumes = ["1Gi|o|a|-|||A|||", "1Gi|o|a|-|||A|||", "1Gi|o|a|-|||A|||"].map(volumeOf);
    const { claim } = claimOf("1Gi|o|a|-||||");
    expect(bestVolume(claim, volumes.toReversed(), false)?.metadata.name).toBe("v0");
    const reserved = ["1Gi|o|a|-|||A|n||", "1Gi|o|a|-|||A|n||"].map(volumeOf);
    expect(bestVolume(claim, reserved.toReversed(), true)?.metadata.name).toBe("v0");
  });

  it("cannot be computed with an invalid selector", () => {
    const { claim } = claimOf("1Gi|o|a|-||||");
    const selector = { matchExpressions: [{ key: "tier", operator: "Near" }] };
    const odd = { ...claim, spec: { ...claim.spec, selector } };
    expect(() => bestVolume(odd, [volumeOf("1Gi|o|a|-|||A|||", 0)], false)).toThrow(
      'error creating internal label selector for claim: ns/data: "Near" is not a valid label selector operator',
    );
  });
});

it("persistentvolume-binder/7 reports in upstream's words why a volume does not fit the claim that names it", () => {
  const wrong = vectors.suitability.flatMap(([text, volume, problem]) => {
    const found = whyUnsuitable(volumeOf(volume, 0), claimOf(text).claim, true) ?? "";
    return found === problem ? [] : [{ text, volume, problem, found }];
  });
  expect(wrong).toEqual([]);
});

describe("persistentvolume-binder/4, persistentvolume-binder/7 without the gate VolumeAttributesClass", () => {
  const [plain, gold] = [claimOf("1Gi|o|a|-||||").claim, claimOf("1Gi|o|a|-|gold|||").claim];
  const [plainVolume, goldVolume] = [volumeOf("1Gi|o|a|-|||A|||", 0), volumeOf("1Gi|o|a|-|gold||A|||", 1)];

  it("an error says that a claim has a class, if a volume has its access modes", () => {
    const taken = volumeOf("1Gi|o|a|-|||B|d||", 2);
    for (const volume of [plainVolume, goldVolume, taken]) {
      expect(() => refuseAttributesClass(gold, [volume])).toThrow(
        "unsupported volumeAttributesClassName is set on claim ns/data when the feature-gate VolumeAttributesClass is disabled",
      );
    }
    refuseAttributesClass(gold, [volumeOf("1Gi|x|a|-|||A|||", 3)]);
    refuseAttributesClass(plain, [plainVolume, goldVolume]);
  });

  it("no volume with a class suits", () => {
    const why = "volumeAttributesClassName is not supported when the feature-gate VolumeAttributesClass is disabled";
    const pairs = [
      [gold, goldVolume],
      [gold, plainVolume],
      [plain, goldVolume],
    ] as const;
    for (const [claim, volume] of pairs) expect(whyUnsuitable(volume, claim, false)).toBe(why);
    expect(whyUnsuitable(plainVolume, plain, false)).toBeUndefined();
    expect(bestVolume(plain, [goldVolume], false)).toBeUndefined();
  });
});
