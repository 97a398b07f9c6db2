import { expect, it } from "vitest";
import { FairTurns } from "./fair-turns.ts";

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
