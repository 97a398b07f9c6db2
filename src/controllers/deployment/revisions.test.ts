import { describe, expect, it } from "vitest";
import { Deployments, ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { stored } from "#api/testing.ts";
import type { Deployment, ReplicaSet } from "./model.ts";
import {
  annotatedReplicas,
  byRevision,
  lastRevision,
  maxRevision,
  newSetAnnotations,
  rollbackRevision,
} from "./revisions.ts";

const REVISION = "deployment.kubernetes.io/revision";
const HISTORY = "deployment.kubernetes.io/revision-history";

const set = (revision: string | undefined, name = "set"): ReplicaSet =>
  stored(ReplicaSets, {
    metadata: { name, namespace: "default", annotations: revision === undefined ? {} : { [REVISION]: revision } },
    spec: { selector: {} },
  });

const deployment = (annotations: Record<string, string> = {}): Deployment =>
  stored(Deployments, {
    metadata: { name: "web", namespace: "default", annotations },
    spec: { selector: {}, template: {} },
  });

describe("revisions", () => {
  it("deployment/4 the newest and the one before it; values that are not integers are skipped", () => {
    const sets = [set("3"), set("junk"), set(undefined), set("11"), set("7")];
    expect([maxRevision(sets), lastRevision(sets)]).toEqual([11, 7]);
    expect([maxRevision([]), lastRevision([set("4")])]).toEqual([0, 0]);
  });

  it("deployment/15 sorts by number, then by age and name", () => {
    const sets = [set("10", "a"), set("9", "b"), set(undefined, "d"), set(undefined, "c")];
    expect(sets.toSorted(byRevision).map(({ metadata }) => metadata.name)).toEqual(["c", "d", "b", "a"]);
  });

  it("deployment/4 copies the users' annotations, but not the controller's", () => {
    const own = { "kubectl.kubernetes.io/last-applied-configuration": "{}", "deprecated.deployment.rollback.to": "1" };
    const { annotations, isChanged } = newSetAnnotations({}, deployment({ team: "blue", ...own }), 1);
    expect([annotations, isChanged]).toEqual([{ team: "blue", [REVISION]: "1" }, true]);
  });

  it("deployment/4 raises a revision, never lowers it, and remembers the old one", () => {
    expect(newSetAnnotations({ [REVISION]: "2" }, deployment(), 5).annotations).toEqual({
      [REVISION]: "5",
      [HISTORY]: "2",
    });
    expect(newSetAnnotations({ [REVISION]: "5", [HISTORY]: "1,2" }, deployment(), 6).annotations[HISTORY]).toBe(
      "1,2,5",
    );
    expect(newSetAnnotations({ [REVISION]: "7" }, deployment(), 6)).toEqual({
      annotations: { [REVISION]: "7" },
      isChanged: false,
    });
  });

  it("deployment/4 leaves a revision alone that is no integer", () => {
    expect(newSetAnnotations({ [REVISION]: "mine" }, deployment({ team: "blue" }), 6).isChanged).toBe(false);
  });

  it("deployment/4 drops the oldest revisions of a history that is too long", () => {
    const long = Array.from({ length: 400 }, (_, i) => String(1000 + i)).join(","); // 1,999 characters
    const { annotations } = newSetAnnotations({ [REVISION]: "1400", [HISTORY]: long }, deployment(), 1401);
    expect(annotations[HISTORY]?.length).toBe(1999);
    expect(annotations[HISTORY]?.startsWith("1001,")).toBe(true);
    expect(annotations[HISTORY]?.endsWith(",1399,1400")).toBe(true);
  });

  it("deployment/10 reads sizes between 0 and 2^31-1", () => {
    const read = (text: string) =>
      annotatedReplicas(
        stored(ReplicaSets, {
          metadata: {
            name: "set",
            namespace: "default",
            annotations: { "deployment.kubernetes.io/desired-replicas": text },
          },
          spec: { selector: {} },
        }),
      );
    expect(["3", "0", "2147483647", "2147483648", "-1", "+1", "x"].map(read)).toEqual([3, 0, 2147483647, ...Array(4)]);
  });

  it("deployment/20 reads the request for a rollback", () => {
    const read = (text: string) => rollbackRevision(deployment({ "deprecated.deployment.rollback.to": text }));
    expect([read("0"), read("7"), read(""), read("x"), rollbackRevision(deployment())]).toEqual([0, 7, ...Array(3)]);
  });
});
