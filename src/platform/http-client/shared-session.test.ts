import { expect, it } from "vitest";
import { SharedSession } from "./shared-session.ts";

it("offers the last session for a minute", () => {
  let nowMs = 5;
  const shared = new SharedSession(() => nowMs);
  const [first, second] = [new Uint8Array(1), new Uint8Array(2)];
  expect(shared.current).toBeUndefined();
  shared.keep(first);
  shared.keep(second);
  nowMs += 59_999;
  expect(shared.current).toBe(second);
  nowMs += 1;
  expect(shared.current).toBeUndefined();
  shared.keep(first);
  expect(shared.current).toBe(first);
});
