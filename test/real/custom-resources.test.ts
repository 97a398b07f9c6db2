// Definitions and their instances, judged by the real kube-apiserver: the same requests to both servers,
// equal answers.

import { afterAll, beforeAll, expect, it } from "vitest";
import { judgeCase } from "#test/judge/case.ts";
import { customResourceCases } from "#test/judge/custom-resource-cases.ts";
import { embeddedSubject, realSubject, type Subject } from "#test/judge/exchange.ts";
import { judgeFlags } from "#test/judge/judge-flags.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { describeReal } from "./suite.ts";

describeReal("the real kube-apiserver judges custom resources", () => {
  let plane: ControlPlane;
  let real: Subject;
  let embedded: Subject;
  beforeAll(async () => {
    plane = await startControlPlane({ apiServerFlags: judgeFlags });
    real = await realSubject(plane);
    embedded = embeddedSubject();
  }, 120_000);
  afterAll(async () => {
    embedded.close();
    real.close();
    await plane.stop();
  }, 60_000);

  for (const [index, judged] of customResourceCases.entries()) {
    it(judged.name, async () => {
      expect(await judgeCase(judged, `custom-${index}`, embedded, real)).toEqual([]);
    }, 60_000);
  }
});
