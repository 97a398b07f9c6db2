// The judge without Go programs: compares the embedded server with recorded answers of the real kube-apiserver
// (tools/judge-record.ts).

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseExactJson } from "#api/json.ts";
import { stringifyJson } from "#base/json.ts";
import { hostTurn } from "#base/testing.ts";
import { differencesBetween, type JudgeCase, playCase } from "./case.ts";
import { teachCustomKind } from "./custom-kind.ts";
import { embeddedSubject, type Subject } from "./exchange.ts";
import { folderOfRecords, type Recording, settingsOf, suites } from "./suites.ts";

/** Watches, and reads of a future version. */
const WAITING = /watch|resourceVersion=900000000/;

interface PlayedSuite {
  readonly subject: Subject;
  /** The answers to each case. */
  readonly answers: readonly Promise<readonly unknown[]>[];
}

/**
 * Plays the cases on a server of the suite. Cases that wait for time to pass run together, each in a separate
 * namespace; the others run one by one.
 */
async function playSuite(suite: string, cases: readonly JudgeCase[]): Promise<PlayedSuite> {
  const subject = embeddedSubject(settingsOf(suite));
  await teachCustomKind(subject);
  let previous: Promise<unknown> = Promise.resolve();
  const answers = cases.map((judged, index) => {
    const play = async (): Promise<readonly unknown[]> => {
      // The embedded server answers without a turn of the event loop, and the waiting cases need time to pass.
      await hostTurn();
      return playCase(judged, `${suite}-${index}`, subject);
    };
    if (judged.steps.some(({ target }) => WAITING.test(target))) return play();
    const played = previous.then(play, play);
    previous = played;
    return played;
  });
  await Promise.allSettled(answers);
  return { subject, answers };
}

describe("machinery/7.2.r4 the recorded answers of the real kube-apiserver judge the embedded one", () => {
  let played: ReadonlyMap<string, PlayedSuite>;
  beforeAll(async () => {
    // The suites share nothing and mostly wait.
    const entries = Object.entries(suites).map(
      async ([suite, cases]) => [suite, await playSuite(suite, cases)] as const,
    );
    played = new Map(await Promise.all(entries));
  }, 600_000);
  afterAll(() => {
    for (const { subject } of played.values()) subject.close();
  });

  for (const [suite, cases] of Object.entries(suites)) {
    const recording = parseExactJson(readFileSync(join(folderOfRecords, `${suite}.json`), "utf8")) as Recording;
    describe(suite, () => {
      it("has a recording of every case and no other", () => {
        expect(Object.keys(recording).sort()).toEqual(cases.map(({ name }) => name).sort());
      });
      for (const [index, judged] of cases.entries()) {
        it(judged.name, async () => {
          const answers = parseExactJson(stringifyJson(await played.get(suite)?.answers[index])) as unknown[];
          expect(differencesBetween(judged, answers, recording[judged.name] ?? [])).toEqual([]);
        });
      }
    });
  }
});
