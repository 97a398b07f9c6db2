// The kinds that are judged by a file of their own in kinds/, each a suite with its own recording.

import type { JudgeCase } from "./case.ts";
import { casesOf } from "./kind-row.ts";
import { podDisruptionBudgets } from "./kinds/pod-disruption-budgets.ts";

/** By the name of the recording. */
export const kindSuites: Readonly<Record<string, readonly JudgeCase[]>> = {
  poddisruptionbudgets: casesOf(podDisruptionBudgets),
};
