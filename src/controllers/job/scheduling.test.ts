import { expect, it } from "vitest";
import { Jobs } from "#api/generated/resources/batch-v1.ts";
import type { ObjectOf } from "#api/resource.ts";
import { stored } from "#api/testing.ts";
import { podGroupName, workloadName } from "./scheduling.ts";

const job = (name: string, uid: string): ObjectOf<typeof Jobs> => stored(Jobs, { metadata: { name, uid } });

it("job/22 names Workloads by the hash of the Job's UID, as upstream does", () => {
  expect(workloadName(job("sum", "0f3e-abc"))).toBe("sum-7f4fdd5d64");
  expect(workloadName(job("sum", "11111111-2222-4333-8444-555555555555"))).toBe("sum-598f75f884");
  expect(workloadName(job("s".repeat(253), "0f3e-abc"))).toBe(`${"s".repeat(242)}-7f4fdd5d64`);
});

it("job/22 names PodGroups by their Workload and template, and shares the room where both are long", () => {
  expect(podGroupName("web-abc", "web-pgt-0")).toBe("web-abc-web-pgt-0-767dfd5fbf");
  const [longA, longB] = ["a".repeat(200), "b".repeat(200)];
  const lengths = (workload: string, template: string): readonly number[] =>
    podGroupName(workload, template)
      .split("-")
      .map((part) => part.length);
  const hash = lengths(longA, longB).at(-1) ?? 0;
  expect(lengths(longA, longB)).toEqual([Math.ceil((251 - hash) / 2), Math.floor((251 - hash) / 2), hash]);
  expect(lengths("a", longB).slice(0, 2)).toEqual([1, 200]);
  expect(podGroupName(longA, "b".repeat(60))).toHaveLength(253);
  expect(lengths(longA, "b".repeat(60))[1]).toBe(60);
});
