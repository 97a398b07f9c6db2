// Admission, pod subresources and service account tokens, compared with the real kube-apiserver with all plugins of the
// embedded one.

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
