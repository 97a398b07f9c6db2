import { describe, expect, it } from "vitest";
import type { Taint } from "#api/generated/types/core-v1.ts";
import { betaLabelChanges } from "./beta-labels.ts";
import { noScheduleChange, withoutTaints, withTaints } from "./condition-taints.ts";

const taint = (key: string, effect = "NoSchedule"): Taint => ({ key: `node.kubernetes.io/${key}`, effect });

describe("taints of conditions", () => {
  it("node-lifecycle/1 follow the conditions, and leave other keys and effects alone", () => {
    const conditions = [
      { type: "Ready", status: "Unknown" },
      { type: "DiskPressure", status: "True" },
      { type: "PIDPressure", status: "Unknown" },
      { type: "Other", status: "True" },
      { type: "constructor", status: "name" },
    ];
    const taints = [
      taint("not-ready"),
      taint("disk-pressure"),
      taint("unschedulable"),
      taint("not-ready", "NoExecute"),
      taint("memory-pressure", "NoExecute"),
      { key: "example.com/mine", effect: "NoSchedule" },
    ];
    expect(noScheduleChange({ spec: { taints }, status: { conditions } })).toEqual({
      add: [taint("unreachable")],
      remove: [taint("not-ready"), taint("unschedulable")],
    });
  });

  it("node-lifecycle/1 follow spec.unschedulable", () => {
    expect(noScheduleChange({ spec: { unschedulable: true } })).toEqual({ add: [taint("unschedulable")], remove: [] });
  });

  it("node-lifecycle/3 are replaced in their place, and removed by key and effect", () => {
    const list = [taint("a"), taint("b"), taint("a", "NoExecute")];
    const newer = { ...taint("b"), timeAdded: "2026-01-01T00:00:00Z" };
    expect(withTaints(list, [newer, taint("c")])).toEqual([list[0], newer, list[2], taint("c")]);
    expect(withoutTaints(list, [taint("a")])).toEqual([list[1], list[2]]);
    expect(withoutTaints(list, [taint("c")])).toBe(list);
  });
});

describe("beta labels", () => {
  it.each([
    [{}, {}],
    [{ "beta.kubernetes.io/os": "linux" }, {}],
    [{ "kubernetes.io/os": "linux" }, { "beta.kubernetes.io/os": "linux" }],
    [{ "kubernetes.io/arch": "arm64", "beta.kubernetes.io/arch": "amd64" }, { "beta.kubernetes.io/arch": "arm64" }],
    [{ "kubernetes.io/os": "linux", "beta.kubernetes.io/os": "linux" }, {}],
  ])("node-lifecycle/2 of %j change by %j", (labels, changes) => {
    expect(betaLabelChanges(labels as Record<string, string>)).toEqual(changes as Record<string, string>);
  });
});
