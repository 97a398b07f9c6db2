import { describe, expect, it } from "vitest";
import { PersistentVolumes } from "#api/generated/resources/core-v1.ts";
import { stored } from "#api/testing.ts";
import { concernsProtection } from "./protection.ts";

const FINALIZER = "kubernetes.io/pv-protection";
const deletionTimestamp = "2026-01-01T00:00:00Z";

describe("which objects protection concerns", () => {
  it.each([
    ["a living object without the finalizer", {}, true],
    ["a living object with it", { finalizers: [FINALIZER] }, false],
    ["a deleted object with it", { finalizers: ["other", FINALIZER], deletionTimestamp }, true],
    ["a deleted object without it", { finalizers: ["other"], deletionTimestamp }, false],
  ])("%s", (_, metadata, concerned) => {
    const volume = stored(PersistentVolumes, { metadata: { name: "disk", ...metadata } });
    expect(concernsProtection(volume, FINALIZER)).toBe(concerned);
  });
});
