import { describe, expect, it } from "vitest";
import { LogVerbosity } from "./log-verbosity.ts";
import { createLogger } from "./logger.ts";
import { neverAborted, testClock } from "./testing.ts";
import { logCrash, UnhandledErrors } from "./unhandled-errors.ts";

function setUp() {
  const clock = testClock(0);
  const lines: string[] = [];
  const log = createLogger({
    clock,
    format: "text",
    verbosity: new LogVerbosity(),
    write: (line) => lines.push(line.replace(/^.*?\] /, "")),
  });
  return { clock, lines, log };
}

describe("unhandled errors", () => {
  it("machinery/5.9.3 are logged at once, and delay a caller with more than one in a millisecond", async () => {
    const { clock, lines, log } = setUp();
    const errors = new UnhandledErrors(clock);
    const finishedAt: number[] = [];
    const loop = async (): Promise<void> => {
      for (let i = 0; i < 5; i++) {
        await errors.report(new Error(`e${i}`), { log: log.named("job"), values: { key: "a" } }, neverAborted());
        finishedAt.push(clock.now());
      }
    };
    await clock.advance(10);
    const looping = loop();
    expect(lines).toEqual(['"Unhandled Error" err="e0" logger="job.UnhandledError" key="a"\n']);
    await clock.run("idle");
    await looping;
    expect(lines.length).toBe(5);
    expect(finishedAt).toEqual([10, 11, 11, 12, 12]);
  });

  it("machinery/5.9.3 a crash is logged and thrown on", async () => {
    const { lines, log } = setUp();
    expect(await logCrash(() => 1, log)).toBe(1);
    const broken = new Error("invariant");
    await expect(logCrash(() => Promise.reject(broken), log)).rejects.toBe(broken);
    expect(lines[0]).toMatch(/^"Observed a panic" panic="invariant" stacktrace=</);
  });
});
