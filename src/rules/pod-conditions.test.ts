import { describe, expect, it } from "vitest";
import { containerShouldRestart, updatePodCondition } from "#rules/pod-conditions.ts";

describe("pod conditions", () => {
  const ready = { type: "Ready", status: "True", reason: "R" };
  it("are added with the time of the change", () => {
    expect(updatePodCondition({}, ready, 0)).toEqual<unknown>({
      conditions: [{ ...ready, lastProbeTime: null, lastTransitionTime: "1970-01-01T00:00:00Z" }],
    });
  });
  it("keep the transition time while the status stays, and the object while nothing changes", () => {
    const before = updatePodCondition({ phase: "Running" }, ready, 0);
    expect(updatePodCondition(before, ready, 60_000)).toBe(before);
    const reworded = updatePodCondition(before, { ...ready, reason: "Q" }, 60_000);
    expect(reworded.conditions?.[0]).toMatchObject({ reason: "Q", lastTransitionTime: "1970-01-01T00:00:00Z" });
    const flipped = updatePodCondition(before, { ...ready, status: "False" }, 60_000);
    expect(flipped.conditions?.[0]?.lastTransitionTime).toBe("1970-01-01T00:01:00Z");
    expect(flipped.phase).toBe("Running");
  });
});

describe("a container that exits", () => {
  const pod = (restartPolicy?: string) => ({
    containers: [],
    ...(restartPolicy === undefined ? {} : { restartPolicy }),
  });
  const rules = [{ action: "Restart", exitCodes: { operator: "In", values: [42] } }];
  it.each([
    [{ name: "c" }, pod("Always"), 0, true],
    [{ name: "c" }, pod(), 0, true],
    [{ name: "c" }, pod("OnFailure"), 0, false],
    [{ name: "c" }, pod("OnFailure"), 1, true],
    [{ name: "c" }, pod("Never"), 1, false],
    [{ name: "c", restartPolicy: "Always" }, pod("Never"), 1, true],
    [{ name: "c", restartPolicy: "Never", restartPolicyRules: rules }, pod("Always"), 42, true],
    [{ name: "c", restartPolicy: "Never", restartPolicyRules: rules }, pod("Always"), 41, false],
    [{ name: "c", restartPolicyRules: rules }, pod("Never"), 42, false],
  ])("%j in %j with code %i restarts: %j", (container, spec, exitCode, expected) => {
    expect(containerShouldRestart(container, spec, exitCode)).toBe(expected);
  });
});
