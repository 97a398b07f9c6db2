import { expect, it } from "vitest";
import { inMinutes } from "./durations.ts";
import { RunnerOutput } from "./runner-output.ts";

const bun = [
  "src/a.test.ts:",
  "(pass) one [1.00ms]",
  "(skip) two",
  "",
  "src/b.test.ts:",
  "(pass) three",
  "error: expect(received).toBe(expected)",
  "(fail) four [2.00ms]",
  "(pass) five",
  "",
  " 3 pass",
];
const vitest = [
  " ✓ |node| src/a.test.ts (12 tests) 938ms",
  "     ✓ slow test 766ms",
  " ❯ |node| src/b.test.ts (2 tests | 1 failed) 10ms",
  "   × bad 8ms",
  "   ✓ good 0ms",
  " ✓ src/c.test.ts (1 test) 1ms",
];

it("counts the results of bun test, and shows failures under their file", () => {
  const output = new RunnerOutput(true);
  expect(bun.flatMap((line) => output.take(line))).toEqual([
    "src/b.test.ts:",
    "error: expect(received).toBe(expected)",
    "(fail) four [2.00ms]",
    " 3 pass",
  ]);
  expect(output.counts).toEqual({ files: 2, tests: 5, failed: 1 });
});

it("counts the results of vitest, and shows failures", () => {
  const output = new RunnerOutput(true);
  expect(vitest.flatMap((line) => output.take(line))).toEqual([vitest[2], vitest[3]]);
  expect(output.counts).toEqual({ files: 3, tests: 15, failed: 1 });
});

it("shows everything when it is not terse", () => {
  const output = new RunnerOutput(false);
  expect(bun.flatMap((line) => output.take(line))).toEqual(bun);
});

it.each([
  [4400, "4 s"],
  [60_000, "1 min"],
  [125_000, "2 min 5 s"],
])("%d ms are %s", (ms, told) => {
  expect(inMinutes(ms)).toBe(told);
});
