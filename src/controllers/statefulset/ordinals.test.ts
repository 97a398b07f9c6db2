import { describe, expect, it } from "vitest";
import { StatefulSets } from "#api/generated/resources/apps-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { stored } from "#api/testing.ts";
import { REVISION_LABEL, type StatefulSet, type StoredPod } from "./model.ts";
import { parentAndOrdinal, partition } from "./ordinals.ts";
import { maxUnavailable, nextOutdated, outdatedWithin } from "./replicas.ts";

const setOf = (spec: Partial<NonNullable<StatefulSet["spec"]>>): StatefulSet =>
  stored(StatefulSets, { metadata: { name: "web" }, spec: { selector: {}, template: {}, ...spec } });
const podOf = (name: string, revision = "old", isReady = true): StoredPod =>
  stored(Pods, {
    metadata: { name, labels: { [REVISION_LABEL]: revision } },
    status: { phase: "Running", conditions: [{ type: "Ready", status: isReady ? "True" : "False" }] },
  });
const isUnavailable = (pod: { status?: StoredPod["status"] }): boolean =>
  pod.status?.conditions?.[0]?.status !== "True";
const names = (pods: readonly { metadata: { name: string } }[]): string[] => pods.map(({ metadata }) => metadata.name);

describe("ordinals", () => {
  it("statefulset/5 are the digits after the last dash, within an int32", () => {
    expect(parentAndOrdinal("web-7")).toEqual({ parent: "web", ordinal: 7 });
    expect(parentAndOrdinal("web-1-007")).toEqual({ parent: "web-1", ordinal: 7 });
    expect(parentAndOrdinal("web-2147483648")).toEqual({ parent: "web", ordinal: -1 });
    expect(parentAndOrdinal("web")).toEqual({ parent: "", ordinal: -1 });
  });

  it("statefulset/5 part pods into slots and condemned ones, highest first", () => {
    const set = setOf({ replicas: 2, ordinals: { start: 3 } });
    const pods = ["web-4", "web-1", "web-9", "web-10", "web-x"].map((name) => podOf(name));
    const { slots, condemned } = partition(set, pods);
    expect(slots.map((pod) => pod?.metadata.name)).toEqual([undefined, "web-4"]);
    expect(names(condemned)).toEqual(["web-10", "web-9", "web-1"]);
  });
});

describe("rolling updates", () => {
  const rule = { revision: "new", first: 1, isUnavailable };

  it("statefulset/12 take the highest outdated pod, unless one above it is unavailable", () => {
    const old = ["web-0", "web-1", "web-2"].map((name) => podOf(name));
    expect(names(nextOutdated(old, rule))).toEqual(["web-2"]);
    expect(names(nextOutdated([...old.slice(0, 2), podOf("web-2", "new")], rule))).toEqual(["web-1"]);
    expect(names(nextOutdated([...old.slice(0, 2), podOf("web-2", "new", false)], rule))).toEqual([]);
    expect(names(nextOutdated([podOf("web-0"), podOf("web-1", "new")], rule))).toEqual([]);
  });

  it("statefulset/13 take as many as may be unavailable besides those that are", () => {
    const pods = [podOf("web-0", "old", false), podOf("web-1"), podOf("web-2"), podOf("web-3", "new")];
    expect(names(outdatedWithin(pods, { ...rule, unavailableMax: 3 }))).toEqual(["web-2", "web-1"]);
    expect(names(outdatedWithin(pods, { ...rule, unavailableMax: 2 }))).toEqual(["web-2"]);
    expect(names(outdatedWithin(pods, { ...rule, unavailableMax: 1 }))).toEqual([]);
  });

  it("statefulset/13 round a share of the replicas down, but not to none", () => {
    const withMax = (value?: number | string) =>
      maxUnavailable(
        setOf({
          replicas: 5,
          updateStrategy: { rollingUpdate: value === undefined ? {} : { maxUnavailable: value } },
        }),
      );
    expect([undefined, 2, "50%", "10%"].map(withMax)).toEqual([1, 2, 2, 1]);
  });
});
