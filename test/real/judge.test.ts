// The generic protocol and the rules of the first kinds: every answer of the embedded server must equal the real
// kube-apiserver's.

import { teachCustomKind } from "#test/judge/custom-kind.ts";
import { suites } from "#test/judge/suites.ts";
import { judgeEach, useJudgeStage } from "./judge-stage.ts";
import { describeReal } from "./suite.ts";

const cases = ["generic", "kinds", "access", "protocol", "server", "details", "services", "others", "expiry"].flatMap(
  (suite) => suites[suite] ?? [],
);

describeReal("the real kube-apiserver judges the embedded one", () => {
  judgeEach(cases, "judge", useJudgeStage(teachCustomKind));
});
