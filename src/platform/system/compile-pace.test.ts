import { expect, it } from "vitest";
import { compileAtWill } from "./compile-pace.ts";

it("the runtime is told to compile as soon as it likes, where it can be told", () => {
  const told: number[] = [];
  compileAtWill({ Bun: { unsafe: { setJITPolicy: (reluctance) => void told.push(reluctance) } } });
  expect(told).toEqual([1]);
  compileAtWill({ Bun: { unsafe: {} } });
  compileAtWill({});
  compileAtWill();
});
