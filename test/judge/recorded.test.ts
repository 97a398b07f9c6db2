// The judge without Go programs: the embedded server against the answers that the real kube-apiserver gave
// when they were recorded (tools/judge-record.ts).

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseExactJson } from "#api/json.ts";
import { stringifyJson } from "#base/json.ts";
import { differencesBetween, playCase } from "./case.ts";
import { teachCustomKind } from "./custom-kind.ts";
import { embeddedSubject, type Subject } from "./exchange.ts";
import { folderOfRecords, type Recording, suites } from "./suites.ts";

/** Watches, and reads of a state that is still to come. */
const WAITING = /watch|resourceVersion=900000000/;

describe("the recorded answers of the real kube-apiserver judge the embedded one", () => {
  for (const [suite, cases] of Object.entries(suites)) {
    const recording = parseExactJson(readFileSync(join(folderOfRecords, `${suite}.json`), "utf8")) as Recording;
    describe(suite, () => {
      let subject: Subject;
      let played: readonly Promise<readonly unknown[]>[];
      beforeAll(async () => {
        subject = embeddedSubject();
        await teachCustomKind(subject);
        // What waits for time to pass waits together, each in a namespace of its own; the rest goes one by one.
        let previous: Promise<unknown> = Promise.resolve();
        played = cases.map((judged, index) => {
          const play = (): Promise<readonly unknown[]> => playCase(judged, `${suite}-${index}`, subject);
          if (judged.steps.some(({ target }) => WAITING.test(target))) return play();
          const answers = previous.then(play, play);
          previous = answers;
          return answers;
        });
        await Promise.allSettled(played);
      }, 180_000);
      afterAll(() => subject.close());

      it("has a record of every case, and of no other", () => {
        expect(Object.keys(recording).sort()).toEqual(cases.map(({ name }) => name).sort());
      });
      for (const [index, judged] of cases.entries()) {
        it(judged.name, async () => {
          const answers = parseExactJson(stringifyJson(await played[index])) as unknown[];
          expect(differencesBetween(judged, answers, recording[judged.name] ?? [])).toEqual([]);
        });
      }
    });
  }
});
