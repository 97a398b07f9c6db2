// The generic protocol and the rules of the first kinds: every answer of the embedded server must be
// the one that the real kube-apiserver gives.

import { afterAll, beforeAll, expect, it } from "vitest";
import { judgeCase } from "#test/judge/case.ts";
import { teachCustomKind } from "#test/judge/custom-kind.ts";
import { embeddedSubject, realSubject, type Subject } from "#test/judge/exchange.ts";
import { judgeFlags } from "#test/judge/judge-flags.ts";
import { suites } from "#test/judge/suites.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { describeReal } from "./suite.ts";

const cases = ["generic", "kinds", "protocol", "details", "expiry"].flatMap((suite) => suites[suite] ?? []);

describeReal("the real kube-apiserver judges the embedded one", () => {
  let plane: ControlPlane;
  let real: Subject;
  let embedded: Subject;
  beforeAll(async () => {
    plane = await startControlPlane({ apiServerFlags: judgeFlags });
    real = await realSubject(plane);
    embedded = embeddedSubject();
    await Promise.all([teachCustomKind(real), teachCustomKind(embedded)]);
  }, 120_000);
  afterAll(async () => {
    embedded.close();
    real.close();
    await plane.stop();
  }, 60_000);

  for (const [index, judged] of cases.entries()) {
    it(judged.name, async () => {
      expect(await judgeCase(judged, `judge-${index}`, embedded, real)).toEqual([]);
    }, 60_000);
  }
});
