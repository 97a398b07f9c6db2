// Definitions and their instances: both servers must give equal answers to the same requests.

import { customResourceCases } from "#test/judge/custom-resource-cases.ts";
import { judgeEach, useJudgeStage } from "./judge-stage.ts";
import { describeReal } from "./suite.ts";

describeReal("the real kube-apiserver judges custom resources", () => {
  judgeEach(customResourceCases, "custom", useJudgeStage());
});
