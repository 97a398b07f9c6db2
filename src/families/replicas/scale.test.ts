import { describe, expect, it } from "vitest";
import { planScale } from "./scale.ts";

describe("planScale", () => {
  const cases = [
    { have: 3, want: 3, plan: { kind: "none" } },
    { have: 1, want: 3, plan: { kind: "create", count: 2 } },
    { have: 3, want: 0, plan: { kind: "delete", count: 3 } },
    { have: 0, want: 2000, plan: { kind: "create", count: 500 } },
    { have: 2000, want: 1, plan: { kind: "delete", count: 500 } },
  ] as const;
  for (const { have, want, plan } of cases) {
    it(`replicaset/5 from ${have} to ${want}: ${plan.kind}`, () => {
      expect(planScale(have, want)).toEqual(plan);
    });
  }
});
