// A namespace of an embedded server under the virtual clock, with the steps of scenarios.

import type { World } from "#sim/world.ts";
import type { Scene } from "./stage.ts";
import { scene } from "./steps.ts";

/** In virtual time: longer than any back-off. */
const PATIENCE_MS = 300_000;
const LOOK_MS = 100;
const LAST_WORDS = 3000;

export function worldScene(world: World, namespace: string, log: () => string): Scene {
  return scene({
    namespace,
    run: (call) => world.do(call),
    now: () => world.clock.now(),
    pass: (ms) => world.advance(ms),
    until: untilIn(world, log),
  });
}

export function untilIn(world: World, log: () => string): Scene["until"] {
  const { clock } = world;
  return async (what, probe) => {
    const endMs = clock.monotonicMs() + PATIENCE_MS;
    for (;;) {
      const found = await probe();
      if (found !== undefined && found !== false) return found;
      if (clock.monotonicMs() >= endMs) {
        const words = log().slice(-LAST_WORDS);
        throw new Error(`not within ${PATIENCE_MS} virtual ms: ${what}\nThe manager's log:\n${words}`);
      }
      await world.advance(LOOK_MS);
    }
  };
}
