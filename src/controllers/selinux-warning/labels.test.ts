import { describe, expect, it } from "vitest";
import { labelOf, labelsConflict, mountedLabels } from "./labels.ts";

describe("selinux-warning/3, selinux-warning/tests makes labels of options", () => {
  it.each([
    [{}, ""],
    [{ level: "s0:c1,c2" }, ":::s0:c1,c2"],
    [{ user: "system_u", role: "object_r", type: "container_t", level: "s0" }, "system_u:object_r:container_t:s0"],
    [{ type: "container_t" }, "::container_t:"],
  ])("%j is %s", (options, label) => {
    expect(labelOf(options)).toBe(label);
  });
});

describe("selinux-warning/5, selinux-warning/tests compares labels", () => {
  it.each([
    ["", "", false],
    ["", ":::", false],
    ["", ":::s0:c1,c2", true],
    [":::s0:c1,c2", ":::s0:c1,c2", false],
    [":::s0:c1,c2", ":::s0:c98,c99", true],
    ["system_u:system_r:container_t:s0:c1,c2", ":::s0:c1,c2", false],
    ["system_u:system_r:container_t:s0:c1,c2", ":::s0:c98,c99", true],
    ["system_u:system_r:container_t:s0:c1,c2", "system_u:system_r:spc_t:s0:c1,c2", true],
    ["system_u:system_r:container_t:s0:c1,c2", "staff_u:system_r:container_t:s0:c1,c2", true],
    ["system_u:system_r:container_t:s0:c1,c2", "system_u:object_r:container_t:s0:c1,c2", true],
    ["system_u::container_t:s0", ":system_r::s0", false],
    ["system_u:system_r:container_t:s0", "system_u:system_r:container_t:", true],
  ])("%s and %s: %s", (a, b, isConflict) => {
    expect([labelsConflict(a, b), labelsConflict(b, a)]).toEqual([isConflict, isConflict]);
  });
});

it("selinux-warning/2, selinux-warning/tests finds the labels of mounts in all containers, the pod's own where a container has none", () => {
  const mounts = (...names: readonly string[]) => ({
    volumeMounts: names.map((name) => ({ name, mountPath: `/${name}` })),
  });
  const labels = mountedLabels({
    spec: {
      securityContext: { seLinuxOptions: { level: "pod" } },
      initContainers: [{ name: "i", ...mounts("a"), securityContext: { seLinuxOptions: { level: "init" } } }],
      containers: [{ name: "c", ...mounts("a", "b"), securityContext: { runAsUser: 1 } }, { name: "d" }],
      ephemeralContainers: [{ name: "e", ...mounts("b") }],
    },
  });
  expect([...labels].map(([name, found]) => [name, ...found])).toEqual([
    ["a", ":::init", ":::pod"],
    ["b", ":::pod"],
  ]);
  expect([...mountedLabels({ spec: { containers: [{ name: "c", ...mounts("a") }] } })]).toEqual([["a", new Set()]]);
});
