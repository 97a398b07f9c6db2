import { describe, expect, it } from "vitest";
import { expanded, isExpandedOnNode, nextStep, pendingOnNodes, resizing } from "./expansion.ts";

const claim = (wanted: string, state?: string, begun?: string) => ({
  spec: { resources: { requests: { storage: wanted } } },
  status: {
    capacity: { storage: "1Gi" },
    ...(begun === undefined ? {} : { allocatedResources: { storage: begun } }),
    ...(state === undefined ? {} : { allocatedResourceStatuses: { storage: state } }),
  },
});
const volume = (storage: string) => ({ spec: { capacity: { storage } } });

describe("persistentvolume-expander/5 the next step", () => {
  it.each([
    // The volume is smaller than the request.
    ["1Gi", undefined, undefined, "2Gi"],
    ["1Gi", "ControllerResizeInProgress", "3Gi", "3Gi"],
    ["1Gi", "NodeResizePending", "3Gi", "3Gi"],
    ["1Gi", "NodeResizeInProgress", "3Gi", "3Gi"],
    ["1Gi", "NodeResizeInfeasible", "3Gi", "3Gi"],
    ["1Gi", "ControllerResizeInfeasible", "3Gi", "2Gi"],
    ["1Gi", "ControllerResizeInProgress", undefined, "2Gi"],
    ["1Gi", "OtherState", "3Gi", "2Gi"],
    // The volume already has that size.
    ["3Gi", "NodeResizePending", "3Gi", "wait"],
    ["3Gi", "NodeResizeInProgress", "3Gi", "wait"],
    ["3Gi", "NodeResizeInfeasible", "3Gi", "request-node-expansion"],
    ["3Gi", "ControllerResizeInProgress", "3Gi", "3Gi"],
    ["3Gi", "ControllerResizeInfeasible", "3Gi", "3Gi"],
    ["3Gi", undefined, "3Gi", "3Gi"],
    ["3Gi", undefined, undefined, "2Gi"],
    ["3Gi", "OtherState", "3Gi", "2Gi"],
  ])("of a volume of %s for a wish of 2Gi in state %s with %s begun: %s", (size, state, begun, answer) => {
    const step = nextStep(claim("2Gi", state, begun), volume(size));
    expect(step.kind === "expand" ? step.size : step.kind).toBe(answer);
  });

  it("is over when the claim has what it wants and what its volume has", () => {
    expect(isExpandedOnNode(claim("1Gi"), volume("1Gi"))).toBe(true);
    expect(isExpandedOnNode(claim("2Gi"), volume("1Gi"))).toBe(false);
    expect(isExpandedOnNode(claim("1Gi"), volume("2Gi"))).toBe(false);
  });
});

describe("persistentvolume-expander/5 the status of the claim", () => {
  const other = { type: "Other", status: "True" };
  const error = { type: "NodeResizeError", status: "True" };
  const old = { type: "Resizing", status: "True", lastTransitionTime: "2020-01-01T00:00:00Z" };

  it("says that it is resized, without older news of that", () => {
    const status = resizing({ conditions: [error, other, old] }, "2Gi", 0);
    expect(status.conditions).toEqual([other, old]);
    expect(status.allocatedResources).toEqual({ storage: "2Gi" });
    expect(status.allocatedResourceStatuses).toEqual({ storage: "ControllerResizeInProgress" });
    const again = resizing({ conditions: [{ ...old, status: "False" }] }, "2Gi", 0);
    expect(again.conditions?.[0]).toMatchObject({ status: "True", lastTransitionTime: "1970-01-01T00:00:00Z" });
  });

  it("sets the condition that nodes must continue, beside the older conditions", () => {
    const { conditions, allocatedResourceStatuses } = pendingOnNodes({ conditions: [old, other] }, 0);
    expect(conditions?.map(({ type }) => type)).toEqual(["Resizing", "Other", "FileSystemResizePending"]);
    expect(allocatedResourceStatuses).toEqual({ storage: "NodeResizePending" });
  });

  it("says nothing once it is over", () => {
    const begun = resizing({ capacity: { storage: "1Gi" } }, "2Gi", 0);
    expect(expanded(begun, "2Gi")).toEqual({ capacity: { storage: "2Gi" }, allocatedResources: { storage: "2Gi" } });
    const more = { allocatedResourceStatuses: { storage: "x", "example.com/y": "z" }, conditions: [old, other] };
    expect(expanded(more, "2Gi")).toEqual({
      allocatedResourceStatuses: { "example.com/y": "z" },
      capacity: { storage: "2Gi" },
      conditions: [other],
    });
  });
});
