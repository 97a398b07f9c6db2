// Both API servers, for the suites that compare the embedded one with the real one.

import { afterAll, beforeAll, expect, it } from "vitest";
import { type JudgeCase, judgeCase } from "#test/judge/case.ts";
import { embeddedSubject, realSubject, type Subject } from "#test/judge/exchange.ts";
import { flagsOf, type JudgeSettings, plainSettings } from "#test/judge/judge-flags.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";

export interface JudgeStage {
  readonly real: Subject;
  readonly embedded: Subject;
}

/**
 * Starts both servers before the tests of the calling suite and stops them afterwards; call the result inside tests.
 */
export function useJudgeStage(
  prepare?: (subject: Subject) => Promise<unknown>,
  settings: JudgeSettings = plainSettings,
): () => JudgeStage {
  let plane: ControlPlane;
  let stage: JudgeStage;
  beforeAll(async () => {
    plane = await startControlPlane({ apiServerFlags: flagsOf(settings) });
    stage = { real: await realSubject(plane), embedded: embeddedSubject(settings) };
    if (prepare) await Promise.all([prepare(stage.real), prepare(stage.embedded)]);
  }, 120_000);
  afterAll(async () => {
    stage.embedded.close();
    stage.real.close();
    await plane.stop();
  }, 60_000);
  return () => stage;
}

/** Makes a test for each case, in a separate namespace. */
export function judgeEach(cases: readonly JudgeCase[], namespacePrefix: string, stage: () => JudgeStage): void {
  for (const [index, judged] of cases.entries()) {
    it(judged.name, async () => {
      const { embedded, real } = stage();
      expect(await judgeCase(judged, `${namespacePrefix}-${index}`, embedded, real)).toEqual([]);
    }, 60_000);
  }
}
