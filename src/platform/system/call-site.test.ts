import { describe, expect, it } from "vitest";
import type { Logger } from "#base/log.ts";
import { LogVerbosity } from "#base/log-verbosity.ts";
import { createLogger } from "#base/logger.ts";
import { testClock } from "#base/testing.ts";
import { withoutRepeats } from "#manager/log-repeats.ts";
import { callSite } from "./call-site.ts";

const lines: string[] = [];
const verbosity = new LogVerbosity();
const clock = testClock(0);
const plain = createLogger({ clock, format: "text", verbosity, write: (line) => lines.push(line), caller: callSite });

/** The source line of the caller. */
function here(): number {
  return Number(/call-site\.test\.ts:(\d+)/.exec((new Error().stack ?? "").split("\n")[2] ?? "")?.[1]);
}

/** The call site in the last log line. */
function shown(): string {
  return / (\S+)\] /.exec(lines.at(-1) ?? "")?.[1] ?? "";
}

describe.each<[string, Logger]>([
  ["a logger", plain],
  ["a logger that does not repeat itself", withoutRepeats(plain, clock)],
  [
    "its children",
    withoutRepeats(plain.named("a").with({ b: 1 }), clock)
      .named("c")
      .with({ d: 2 }),
  ],
])("%s", (name, log) => {
  it("shows the file and line of the log call", async () => {
    const start = here();
    log.info("x");
    expect(shown()).toBe(`call-site.test.ts:${start + 1}`);
    log.error(new Error(name), "x");
    expect(shown()).toBe(`call-site.test.ts:${start + 3}`);
    await Promise.resolve();
    log.v(0).info("x");
    expect(shown()).toBe(`call-site.test.ts:${start + 6}`);
  });

  it("matches its file for --vmodule", () => {
    const enabled = (): number => [1, 2, 3].filter((level) => log.v(level).isEnabled).length;
    verbosity.setModules([{ pattern: "call-site.t*", level: 2 }]);
    expect(enabled()).toBe(2);
    verbosity.setModules([{ pattern: "logger", level: 2 }]);
    expect(enabled()).toBe(0);
    verbosity.setModules([]);
  });
});
