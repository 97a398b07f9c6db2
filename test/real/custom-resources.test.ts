// Definitions and their instances, judged by the real kube-apiserver: the same requests to both servers,
// equal answers.

import { customResourceCases } from "#test/judge/custom-resource-cases.ts";
import { judgeEach, useJudgeStage } from "./judge-stage.ts";
import { describeReal } from "./suite.ts";

describeReal("the real kube-apiserver judges custom resources", () => {
  judgeEach(customResourceCases, "custom", useJudgeStage());
});
