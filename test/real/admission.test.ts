// Admission, subresources of pods and tokens of service accounts, judged by the real kube-apiserver with
// all the plugins that the embedded one has.

import { afterAll, beforeAll, expect, it } from "vitest";
import { accountCases } from "#test/judge/account-cases.ts";
import { admissionCases } from "#test/judge/admission-cases.ts";
import { judgeCase } from "#test/judge/case.ts";
import { embeddedSubject, realSubject, type Subject } from "#test/judge/exchange.ts";
import { judgeFlags } from "#test/judge/judge-flags.ts";
import { podAdmissionCases } from "#test/judge/pod-admission-cases.ts";
import { podSubresourceCases } from "#test/judge/pod-subresource-cases.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { describeReal } from "./suite.ts";

describeReal("the real kube-apiserver judges admission", () => {
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

  for (const [index, judged] of [
    ...podSubresourceCases,
    ...accountCases,
    ...podAdmissionCases,
    ...admissionCases,
  ].entries()) {
    it(judged.name, async () => {
      expect(await judgeCase(judged, `admission-${index}`, embedded, real)).toEqual([]);
    }, 60_000);
  }
});
