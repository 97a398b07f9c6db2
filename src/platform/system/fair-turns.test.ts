import { expect, it } from "vitest";
import { FairTurns } from "./fair-turns.ts";

it("lets the event loop take turns while waiting work continues", async () => {
  const turns = new FairTurns();
  let ticks = 0;
  const tick = (): void => {
    ticks++;
    next = setImmediate(tick);
  };
  let next = setImmediate(tick);
  const order: number[] = [];
  const work = async (index: number): Promise<void> => {
    for (let turn = turns.next(); turn !== undefined; turn = turns.next()) await turn;
    order.push(index);
    const endMs = performance.now() + 2;
    while (performance.now() < endMs);
  };
  const first = performance.now() + 6;
  while (performance.now() < first);
  await Promise.all(Array.from({ length: 50 }, (_, index) => work(index)));
  clearImmediate(next);
  // A turn is due after at most three of them.
  expect(ticks).toBeGreaterThanOrEqual(15);
  expect(order).toEqual(Array.from({ length: 50 }, (_, index) => index));
});

it("lets the event loop take turns while promises keep the process busy", async () => {
  const turns = new FairTurns();
  let ticks = 0;
  const ticking = setInterval(() => ticks++, 1);
  const endMs = performance.now() + 100;
  while (performance.now() < endMs) await (turns.next() ?? Promise.resolve());
  clearInterval(ticking);
  expect(ticks).toBeGreaterThan(0);
  await turns.settle();
  expect(turns.isPending).toBe(false);
});
