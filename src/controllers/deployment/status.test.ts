import { describe, expect, it } from "vitest";
import { setCondition } from "./status.ts";

const [early, late] = ["2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"];
const now = Date.parse(late);
const times = { lastUpdateTime: early, lastTransitionTime: early };
const available = { type: "Available", status: "True", reason: "MinimumReplicasAvailable", message: "", ...times };
const progressing = { type: "Progressing", status: "True", reason: "ReplicaSetUpdated", message: "", ...times };

describe("the conditions of a Deployment", () => {
  it("deployment/18 stay as they are for the same status and reason", () => {
    const given = { type: "Progressing", status: "True", reason: "ReplicaSetUpdated", message: "other" };
    expect(setCondition([progressing, available], given, now)).toEqual([progressing, available]);
  });

  it("deployment/18 move to the end with another reason, and keep the transition time of the same status", () => {
    const given = { type: "Progressing", status: "True", reason: "NewReplicaSetAvailable", message: "" };
    const changed = { ...given, lastUpdateTime: late, lastTransitionTime: early };
    expect(setCondition([progressing, available], given, now)).toEqual([available, changed]);
  });

  it("deployment/18 have a new transition time with another status", () => {
    const given = { type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded", message: "" };
    const changed = { ...given, lastUpdateTime: late, lastTransitionTime: late };
    expect(setCondition([progressing, available], given, now)).toEqual([available, changed]);
  });
});
