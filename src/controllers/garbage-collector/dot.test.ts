import { describe, expect, it } from "vitest";
import type { OwnerReference } from "#api/meta.ts";
import { connectedNodes, graphToDot } from "./dot.ts";
import type { GraphNode } from "./graph-node.ts";

function node(uid: string, ownerUids: readonly string[] = [], parts: Partial<GraphNode> = {}): GraphNode {
  const owners = ownerUids.map(
    (owner): OwnerReference => ({ apiVersion: "apps/v1", kind: "ReplicaSet", name: `set-${owner}`, uid: owner }),
  );
  return {
    identity: { apiVersion: "v1", kind: "Pod", namespace: "a", name: `pod-${uid}`, uid },
    dependents: new Set(),
    owners,
    isBeingDeleted: false,
    isDeletingDependents: false,
    isVirtual: false,
    ...parts,
  };
}

describe("the graph as text", () => {
  it("garbage-collector/27 is framed even when there is nothing to show", () => {
    expect(graphToDot([node("1")])).toBe("strict digraph full {\n}\n");
  });

  it("garbage-collector/27 shows an owner that is not in the graph once, and whole edges", () => {
    const text = graphToDot([node("2", ["9"], { isVirtual: true, isBeingDeleted: true }), node("1", ["9", "2"])]);
    expect(text.match(/^ {2}"\w+" \[$/gm)).toEqual(['  "1" [', '  "2" [', '  "9" [']);
    expect(text.match(/->.*/g)).toEqual(['-> "2";', '-> "9";', '-> "9";']);
    expect(text).toContain(
      '    label="uid=9\\nnamespace=\\nReplicaSet.v1.apps/set-9\\nmissingFromGraph\\n"\n    group="apps"\n',
    );
    expect(text).toContain('label="uid=2\\nnamespace=a\\nPod.v1/pod-2\\nbeingDeleted,virtual\\n"');
  });

  it("garbage-collector/27 of some objects is the part that owner references connect with them", () => {
    const child = node("1", ["2"]);
    const parent = node("2", [], { dependents: new Set([child]) });
    const others = [node("3", ["4"]), node("4")];
    const nodes = new Map([child, parent, ...others].map((one) => [one.identity.uid, one]));
    const uidsFrom = (...uids: readonly string[]): readonly string[] =>
      connectedNodes(uids, (uid) => nodes.get(uid))
        .map(({ identity }) => identity.uid)
        .toSorted();
    expect(uidsFrom("1")).toEqual(["1", "2"]);
    expect(uidsFrom("2")).toEqual(["1", "2"]);
    expect(uidsFrom("3", "2", "8")).toEqual(["1", "2", "3", "4"]);
    expect(uidsFrom("8")).toEqual([]);
  });
});
