import { describe, expect, it } from "vitest";
import { ControllerRevisions, StatefulSets } from "#api/generated/resources/apps-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { stored } from "#api/testing.ts";
import { REVISION_LABEL, type StoredPod } from "./model.ts";
import { calculateStatus, isCreated } from "./status.ts";

const podOf = (name: string, phase?: string): StoredPod =>
  stored(Pods, {
    metadata: { name, labels: { [REVISION_LABEL]: "web-1" } },
    status: phase === undefined ? {} : { phase },
  });

describe("the status of a StatefulSet", () => {
  it("statefulset/7, statefulset/16 counts a pod as created once it has a phase", () => {
    const pods = [podOf("web-0", "Pending"), podOf("web-1"), podOf("web-2", "")];
    expect(pods.map(isCreated)).toEqual([true, false, false]);
    const set = stored(StatefulSets, { metadata: { name: "web" }, spec: { selector: {}, template: {} } });
    const revision = stored(ControllerRevisions, { metadata: { name: "web-1" }, revision: 1 });
    const status = calculateStatus(set, { current: revision, update: revision, collisionCount: 0 }, pods, 0);
    expect(status).toMatchObject({ replicas: 1, readyReplicas: 0, currentReplicas: 1, updatedReplicas: 1 });
  });
});
