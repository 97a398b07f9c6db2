// Which plugins run, including plugins behind a feature gate.

import { describe, expect, it } from "vitest";
import { startTestServer } from "../testing.ts";
import { choosePlugins, PluginChoiceError } from "./default-plugins.ts";

const unasked = (): never => {
  throw new Error("nothing is asked");
};
const namesOf = (choice: Parameters<typeof choosePlugins>[0]): readonly string[] =>
  choosePlugins(choice)(unasked).map(({ name }) => name);

describe("the choice of plugins", () => {
  it("machinery/7.3.r15, machinery/7.3.r16 leaves out plugins that are off by default, unless they are enabled", () => {
    const off = ["NodeRestriction", "OwnerReferencesPermissionEnforcement"];
    expect(namesOf({}).filter((name) => off.includes(name))).toEqual([]);
    expect(namesOf({ enabled: off }).filter((name) => off.includes(name))).toEqual(off);
    expect(namesOf({ disabled: ["PodSecurity"] })).not.toContain("PodSecurity");
    expect(namesOf({})[0]).toBe("LimitRanger");
    expect(namesOf({}).at(-1)).toBe("ResourceQuota");
  });

  it("refuses unknown names, and contradictions", () => {
    expect(() => choosePlugins({ enabled: ["AlwaysDeny"] })).toThrow(PluginChoiceError);
    expect(() => choosePlugins({ enabled: ["Priority"], disabled: ["Priority"] })).toThrow("both enabled and disabled");
  });
});

describe("Jobs whose pods are scheduled as a gang", () => {
  const JOBS = "/apis/batch/v1/namespaces/default/jobs";
  const GROUPS = "/apis/scheduling.k8s.io/v1alpha2/namespaces/default/podgroups";
  const changed = { spec: { parallelism: 3 } };

  it.each([
    { gates: ["GenericWorkload"], policy: { gang: { minCount: 2 } }, status: 403 },
    { gates: ["GenericWorkload"], policy: { basic: {} }, status: 200 },
    { gates: [], policy: { gang: { minCount: 2 } }, status: 200 },
  ])("machinery/7.3.r14 keep their parallelism: with $gates and $policy a change answers $status", async (row) => {
    const on = new Set(row.gates);
    const { bytes } = startTestServer({
      admission: choosePlugins({ disabled: ["ServiceAccount"] }),
      // The groups are served in all of these cases.
      runtimeConfig: { "scheduling.k8s.io/v1alpha2": "true" },
      gates: { isEnabled: (gate) => on.has(gate) },
    });
    const template = { spec: { containers: [{ name: "a", image: "example/a:1" }], restartPolicy: "Never" } };
    const { body: job } = await bytes.post(JOBS, { metadata: { name: "a" }, spec: { parallelism: 2, template } });
    const owner = { apiVersion: "batch/v1", kind: "Job", name: "a", uid: job.metadata.uid, controller: true };
    await bytes.post(GROUPS, {
      metadata: { name: "g", ownerReferences: [owner] },
      spec: { schedulingPolicy: row.policy },
    });
    const answer = await bytes.patch(`${JOBS}/a`, "merge", changed);
    expect(answer.status).toBe(row.status);
    if (row.status === 200) return;
    expect(answer.body.message).toContain(
      'cannot change parallelism for a Job referencing gang-scheduled PodGroup "g"',
    );
  });
});
