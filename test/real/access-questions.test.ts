// Authorization on both API servers: 5,000 random questions over all bootstrap roles and 100 generated ones.

import { expect, it } from "vitest";
import { accessWorld, askAll } from "#test/judge/access-questions.ts";
import { embeddedSubject, realSubject } from "#test/judge/exchange.ts";
import { describeReal, useControlPlane } from "./suite.ts";

describeReal("access questions", () => {
  const plane = useControlPlane();

  it("machinery/7.5.r2 5,000 random access questions have the same answers on both servers", async () => {
    const world = accessWorld();
    const [real, embedded] = [await realSubject(plane()), embeddedSubject()];
    try {
      const [theirs, ours] = [await askAll(real, world), await askAll(embedded, world)];
      const differing = world.questions.filter((_, index) => theirs[index] !== ours[index]);
      expect(differing.map((question) => JSON.stringify(question))).toEqual([]);
      // Both answers must occur: equal answers prove little if all are the same.
      const allowed = [...theirs].filter((letter) => letter === "y").length;
      expect(allowed).toBeGreaterThan(1500);
      expect(allowed).toBeLessThan(3500);
    } finally {
      real.close();
      embedded.close();
    }
  }, 300_000);
});
