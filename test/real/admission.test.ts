// Admission, subresources of pods and tokens of service accounts, judged by the real kube-apiserver with
// all the plugins that the embedded one has.

import { accountCases } from "#test/judge/account-cases.ts";
import { admissionCases } from "#test/judge/admission-cases.ts";
import { podAdmissionCases } from "#test/judge/pod-admission-cases.ts";
import { podSubresourceCases } from "#test/judge/pod-subresource-cases.ts";
import { judgeEach, useJudgeStage } from "./judge-stage.ts";
import { describeReal } from "./suite.ts";

const cases = [...podSubresourceCases, ...accountCases, ...podAdmissionCases, ...admissionCases];

describeReal("the real kube-apiserver judges admission", () => {
  judgeEach(cases, "admission", useJudgeStage());
});
