// Replaces Go's whole manager with ours, and back: a populated cluster goes from the Go manager to ours and from ours
// to the Go manager, repeatedly, with work in progress and faults in between. The control is the same cluster with the
// same work and faults, where the Go manager takes over from the Go manager.

import { beforeAll, expect, it } from "vitest";
import type { Side } from "#test/real/daemon.ts";
import { describeReal } from "#test/real/suite.ts";
import { stateDifferences } from "./cluster-state.ts";
import {
  countDifferences,
  createdAgain,
  createdIn,
  deletedTwice,
  deletedTwiceByGo,
  evictedAnew,
  forbidden,
  writesOutOfTurn,
} from "./judge.ts";
import { endingOf, type HandOver, live } from "./story.ts";

/** One round is from Go to ours and back. */
const ROUNDS = Number(process.env.ROUNDS || 10);
const STEPS = ROUNDS * 2;
const LIMIT_MS = (5 + ROUNDS * 8) * 60_000;
const OBJECTS = 2000;
const KINDS = 30;

/** The writes that a manager repeats without effect when it takes over; Go's does so too. */
function repeats(handOver: HandOver): string {
  const byGo = deletedTwiceByGo(handOver);
  const counts = [
    `${createdAgain(handOver).length} creates of what was there`,
    `${evictedAnew(handOver)} pods evicted anew`,
    `${byGo.length} objects deleted again by Go`,
  ];
  return [...counts, ...byGo.slice(0, 3)].join(", ");
}

describeReal("swapping the whole manager", () => {
  let control: readonly HandOver[];
  let swapped: readonly HandOver[];
  beforeAll(async () => {
    const tell = (line: string): void => void process.stdout.write(line);
    const leaders = (other: Side): readonly Side[] =>
      Array.from({ length: STEPS + 1 }, (_, index) => (index % 2 === 0 ? "go" : other));
    [control, swapped] = await Promise.all([
      live("control", leaders("go"), tell),
      live("swapped", leaders("ours"), tell),
    ]);
    for (const [index, handOver] of swapped.entries()) {
      const other = control[index];
      if (other !== undefined) tell(`hand-over ${index + 1}: ${repeats(handOver)}; in the control ${repeats(other)}\n`);
    }
  }, LIMIT_MS);

  it("the cluster is populated", () => {
    expect(swapped[0]?.state.objects).toBeGreaterThanOrEqual(OBJECTS);
    expect(swapped[0]?.state.kinds).toBeGreaterThanOrEqual(KINDS);
  });

  const steps = Array.from({ length: STEPS }, (_, step) => ({
    number: step + 1,
    to: step % 2 === 0 ? "ours" : "go",
    ending: endingOf(step),
    both: () => {
      const [mine, other] = [swapped[step], control[step]];
      if (mine === undefined || other === undefined) throw new Error("the hand-over was not reached");
      return { mine, other };
    },
  }));

  it.each(steps)("machinery/3.1.5 hand-over $number to $to ($ending): one leader writes at a time", ({ both }) => {
    expect(writesOutOfTurn(both().mine)).toEqual([]);
    expect(forbidden(both().mine)).toEqual([]);
  });

  it.each(steps)("hand-over $number to $to ($ending): nothing is created or deleted twice", ({ both }) => {
    const { mine, other } = both();
    expect(mine.replaced).toEqual(other.replaced);
    expect(countDifferences(other.born, mine.born)).toEqual([]);
    expect(countDifferences(other.died, mine.died)).toEqual([]);
    expect(countDifferences(createdIn(other), createdIn(mine))).toEqual([]);
    expect(deletedTwice(mine)).toEqual([]);
  });

  it.each(steps)(
    "hand-over $number to $to ($ending): the cluster converges to what Go alone makes of it",
    ({ both }) => {
      const { mine, other } = both();
      expect(stateDifferences(other.state, mine.state)).toEqual([]);
    },
  );
});
