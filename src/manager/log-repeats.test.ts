import { describe, expect, it } from "vitest";
import { ApiError } from "#api/status-error.ts";
import { TransportError } from "#base/http.ts";
import type { Logger, LogValues } from "#base/log.ts";
import { noLog } from "#base/log.ts";
import { testClock } from "#base/testing.ts";
import { withoutRepeats } from "./log-repeats.ts";

function recording(): { log: Logger; lines: string[] } {
  const lines: string[] = [];
  const log: Logger = {
    ...noLog,
    isEnabled: true,
    error: (err, message, values: LogValues = {}) => lines.push(`${message}: ${String(err)} ${JSON.stringify(values)}`),
    info: (message) => lines.push(message),
    v: () => log,
    with: () => log,
    named: () => log,
  };
  return { log, lines };
}

const refused = (path: string): TransportError => new TransportError("refused", `GET ${path}: refused`);
const status = (code: number, key: string): ApiError => new ApiError({ code, message: `${key} failed` });

describe("a log without repeats", () => {
  it("says one cause once a second, whatever was asked, and counts what it left out", async () => {
    const clock = testClock();
    const { log, lines } = recording();
    const limited = withoutRepeats(log, clock);
    for (let i = 0; i < 100; i++) {
      limited.error(refused(`/pods/${i}`), "sync failed", { key: `pod-${i}` });
      await clock.advance(20);
    }
    expect(lines).toEqual([
      'sync failed: TransportError: GET /pods/0: refused {"key":"pod-0"}',
      'sync failed: TransportError: GET /pods/50: refused {"key":"pod-50","omitted":49}',
    ]);
  });

  it.each([
    ["an overloaded server", status(429, "a"), status(429, "b"), 1],
    ["a broken server", status(503, "a"), status(503, "b"), 1],
    ["two refusals with a reason each", status(403, "a"), status(403, "b"), 2],
    ["the same refusal again", status(403, "a"), status(403, "a"), 1],
    ["versions that differ", new Error("read version: 7 is old"), new Error("read version: 9 is old"), 1],
    ["different causes", refused("/a"), status(503, "a"), 2],
  ])("knows causes: %s", (_, first, second, count) => {
    const { log, lines } = recording();
    const limited = withoutRepeats(log, testClock());
    limited.error(first, "sync failed");
    limited.error(second, "sync failed");
    expect(lines).toHaveLength(count);
  });

  it("knows that one cause strikes many, and that errors are also told as information", () => {
    const { log, lines } = recording();
    const limited = withoutRepeats(log, testClock());
    for (const key of ["a", "b", "c"]) {
      limited.error(status(403, "quota"), "sync failed", { key });
      limited.info("retrying", { key, err: refused(`/${key}`) });
      limited.info("working", { key });
    }
    expect(lines).toEqual([
      'sync failed: ApiError: quota failed {"key":"a"}',
      "retrying",
      "working",
      "working",
      "working",
    ]);
  });

  it("lets other messages, other loggers and lines that are no errors pass", () => {
    const { log, lines } = recording();
    const limited = withoutRepeats(log, testClock());
    limited.error(refused("/a"), "sync failed");
    limited.error(refused("/a"), "watch failed");
    limited.named("a").error(refused("/a"), "sync failed");
    limited.named("b").error(refused("/a"), "sync failed");
    limited.with({ x: 1 }).error(refused("/a"), "sync failed");
    limited.info("x");
    limited.v(2).info("x");
    expect(lines).toHaveLength(6);
  });
});
