import { describe, expect, it } from "vitest";
import type { NodeSelectorRequirement } from "#api/generated/types/core-v1.ts";
import { allowsNode } from "./node-affinity.ts";

const node = { metadata: { name: "a", labels: { zone: "east", cores: "8" } } };
const required = (
  ...terms: { matchExpressions?: NodeSelectorRequirement[]; matchFields?: NodeSelectorRequirement[] }[]
) => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } },
});
const expression = (key: string, operator: string, ...values: string[]) =>
  allowsNode(required({ matchExpressions: [{ key, operator, values }] }), node);

describe("required node affinity", () => {
  it("needs all labels of the node selector", () => {
    expect(allowsNode({}, node)).toBe(true);
    expect(allowsNode({ nodeSelector: { zone: "east" } }, node)).toBe(true);
    expect(allowsNode({ nodeSelector: { zone: "east", disk: "ssd" } }, node)).toBe(false);
  });

  it("reads each operator, and matches nothing where it cannot", () => {
    const matching = [
      ["zone", "In", "west", "east"],
      ["zone", "NotIn", "west"],
      ["disk", "NotIn", "ssd"],
      ["zone", "Exists"],
      ["disk", "DoesNotExist"],
      ["cores", "Gt", "4"],
      ["cores", "Lt", "16"],
    ] as const;
    for (const [key, operator, ...values] of matching) expect(expression(key, operator, ...values)).toBe(true);
    const failing = [
      ["zone", "In"],
      ["zone", "NotIn", "east"],
      ["zone", "Exists", "east"],
      ["zone", "DoesNotExist"],
      ["cores", "Gt", "8"],
      ["cores", "Lt", "8"],
      ["zone", "Gt", "4"],
      ["cores", "Gt", "4", "5"],
      ["zone", "Like", "east"],
    ] as const;
    for (const [key, operator, ...values] of failing) expect(expression(key, operator, ...values)).toBe(false);
  });

  it("one term is enough, an empty one matches nothing, and fields name the node", () => {
    const name = (operator: string, ...values: string[]) => ({
      matchFields: [{ key: "metadata.name", operator, values }],
    });
    expect(allowsNode(required({}), node)).toBe(false);
    expect(allowsNode(required(), node)).toBe(false);
    expect(allowsNode(required({}, name("In", "a")), node)).toBe(true);
    expect(allowsNode(required(name("NotIn", "a")), node)).toBe(false);
    expect(allowsNode(required(name("In", "a", "b")), node)).toBe(false);
  });
});
