import { describe, expect, it } from "vitest";
import type { PersistentVolume, Volume } from "#api/generated/types/core-v1.ts";
import vectors from "#test/vectors/csi-translation.json" with { type: "json" };
import { translatedToCsi } from "./csi-translation.ts";

interface Vector {
  readonly volume?: Volume;
  readonly persistentVolume?: PersistentVolume;
  readonly namespace?: string;
  readonly name?: string;
  readonly spec?: unknown;
  readonly failed?: boolean;
}

describe("persistentvolume-attach-detach/3 translates in-tree volumes to CSI", () => {
  const all = vectors as readonly Vector[];

  it("as upstream does, wherever it does", () => {
    expect(all.length).toBeGreaterThan(700);
    for (const { volume, persistentVolume, namespace = "", name, spec, failed } of all) {
      const source = { ...(volume && { volume }), ...(persistentVolume && { persistentVolume }) };
      const translate = () => translatedToCsi({ ...source, isMigrated: false, isInline: false }, namespace);
      if (failed) {
        expect(translate, JSON.stringify(source)).toThrow();
        continue;
      }
      const found = translate();
      expect([source, found.persistentVolume?.metadata?.name, found.persistentVolume?.spec]).toEqual([
        source,
        name,
        spec,
      ]);
      expect([found.isMigrated, found.isInline]).toEqual([true, volume !== undefined]);
    }
  });

  it("and leaves other volumes as they are", () => {
    const spec = { volume: { name: "data", emptyDir: {} }, isMigrated: false, isInline: false };
    expect(translatedToCsi(spec, "team-a")).toBe(spec);
  });
});
