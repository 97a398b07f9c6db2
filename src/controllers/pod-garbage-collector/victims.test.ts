import { describe, expect, it } from "vitest";
import type { Node, Pod } from "#api/generated/types/core-v1.ts";
import type { Stored } from "#api/resource.ts";
import { isOutOfService, isUnscheduledTerminating, surplusTerminated } from "./victims.ts";

/** Created one second apart. */
function pods(...phases: readonly string[]): readonly Stored<Pod>[] {
  return phases.map((text, index) => {
    const [phase = "", reason] = text.split(" ");
    const creationTimestamp = `2026-01-01T00:00:0${index}Z`;
    const metadata = {
      name: "abcdef".charAt(index),
      namespace: "ns",
      uid: "u",
      resourceVersion: "1",
      creationTimestamp,
    };
    return { metadata, status: { phase, ...(reason === undefined ? {} : { reason }) } };
  });
}

describe("pod-garbage-collector/tests pod-garbage-collector/1 the terminated pods to delete", () => {
  it.each([
    { what: "the oldest two of three", given: pods("Failed", "Succeeded", "Failed"), max: 1, names: ["a", "b"] },
    { what: "none that runs", given: pods("Running", "Succeeded", "Failed"), max: 1, names: ["b"] },
    { what: "one of two", given: pods("Failed", "Succeeded"), max: 1, names: ["a"] },
    { what: "none below the threshold", given: pods("Failed", "Succeeded"), max: 5, names: [] },
    { what: "none of the phases of life", given: pods("Pending", "Running", "Unknown"), max: 1, names: [] },
    { what: "evicted ones first", given: pods("Failed", "Succeeded", "Failed Evicted"), max: 1, names: ["c", "a"] },
    { what: "the evicted one alone", given: pods("Running", "Succeeded", "Failed Evicted"), max: 1, names: ["c"] },
    { what: "one without a phase", given: pods("", "Failed"), max: 1, names: ["a"] },
  ])("are $what", ({ given, max, names }) => {
    expect(surplusTerminated(given, max).map(({ metadata }) => metadata.name)).toEqual(names);
  });
});

describe("pod-garbage-collector/tests pod-garbage-collector/2 a node is out of service", () => {
  const taints = [{ key: "node.kubernetes.io/out-of-service", effect: "NoExecute" }];
  const node = (ready: string | undefined, spec: Node["spec"] = {}): Node => ({
    spec,
    status: { conditions: ready === undefined ? [] : [{ type: "Ready", status: ready }] },
  });
  it.each([
    { what: "when it is tainted and not ready", given: node("False", { taints }), is: true },
    { what: "when it is tainted and its state is unknown", given: node("Unknown", { taints }), is: true },
    { what: "when it is tainted and says nothing of being ready", given: node(undefined, { taints }), is: true },
    { what: "not while it is ready", given: node("True", { taints }), is: false },
    { what: "not without the taint", given: node("False"), is: false },
    {
      what: "not with another taint",
      given: node("False", { taints: [{ key: "a", effect: "NoExecute" }] }),
      is: false,
    },
  ])("$what", ({ given, is }) => {
    expect(isOutOfService(given)).toBe(is);
  });
});

describe("pod-garbage-collector/tests pod-garbage-collector/5 a pod is unscheduled and terminating", () => {
  it.each(["Failed", "Succeeded", "Running"])("in the phase %s", (phase) => {
    const [pod] = pods(phase);
    if (pod === undefined) throw new Error("no pod");
    const deletionTimestamp = "2026-01-01T00:01:00Z";
    const terminating = { ...pod, metadata: { ...pod.metadata, deletionTimestamp } };
    expect(isUnscheduledTerminating(terminating)).toBe(true);
    expect(isUnscheduledTerminating(pod)).toBe(false);
    expect(isUnscheduledTerminating({ ...terminating, spec: { containers: [], nodeName: "node" } })).toBe(false);
  });
});
