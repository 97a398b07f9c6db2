// The cost limits of rules of custom resources: the embedded server must estimate costs as the real one does.

import { expect, it } from "vitest";
import { seededRng } from "#base/seeded-rng.ts";
import type { Subject } from "#test/judge/exchange.ts";
import { ruleCostCases } from "#test/judge/rule-cost-cases.ts";
import { RuleMaker } from "#test/judge/rule-random.ts";
import { judgeEach, useJudgeStage } from "./judge-stage.ts";
import { describeReal } from "./suite.ts";

const RANDOM_DEFINITIONS = 80;

function randomDefinition(seed: string): object {
  const schema = new RuleMaker(seededRng(seed)).root();
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "randoms.costs.example" },
    spec: {
      group: "costs.example",
      scope: "Namespaced",
      names: { plural: "randoms", kind: "Random" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: schema } } },
        },
      ],
    },
  };
}

interface Verdict {
  readonly details?: { readonly causes?: readonly { readonly field: string; readonly message: string }[] };
}

/** Sorts the errors: upstream visits properties in random order and lists the most expensive ones in that order. */
async function verdictOf(subject: Subject, definition: object): Promise<readonly unknown[]> {
  const target = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All";
  const { status, body } = await subject.ask({ method: "POST", target, body: definition });
  const texts = ((body as Verdict).details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`);
  const plain = texts.filter((text) => !text.includes("contributed to estimated rule cost total"));
  return [status, ...plain.map((text) => text.replace(/selfType\d*/g, "selfType")).sort()];
}

describeReal("the real kube-apiserver judges the cost of rules", () => {
  const stage = useJudgeStage();
  judgeEach(ruleCostCases, "costs", stage);

  it("machinery/7.2.r8 the cost of random rules", async () => {
    const { embedded, real } = stage();
    let refused = 0;
    for (let i = 0; i < RANDOM_DEFINITIONS; i++) {
      const definition = randomDefinition(`rule costs ${i}`);
      const [ours, theirs] = [await verdictOf(embedded, definition), await verdictOf(real, definition)];
      if (JSON.stringify(ours) !== JSON.stringify(theirs)) {
        expect({ definition, verdict: ours }).toEqual({ definition, verdict: theirs });
      }
      if (theirs[0] === 422) refused++;
    }
    // Some definitions must be too expensive, but not all.
    expect(refused).toBeGreaterThan(RANDOM_DEFINITIONS / 10);
    expect(refused).toBeLessThan(RANDOM_DEFINITIONS * 0.9);
  }, 120_000);
});
