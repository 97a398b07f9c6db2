import { expect, it } from "vitest";
import { compileAtWill } from "./compile-pace.ts";

it("sets the runtime's default compile threshold, if it has one", () => {
  const told: number[] = [];
  compileAtWill({ Bun: { unsafe: { setJITPolicy: (reluctance) => void told.push(reluctance) } } });
  expect(told).toEqual([1]);
  compileAtWill({ Bun: { unsafe: {} } });
  compileAtWill({});
  compileAtWill();
});
