import { describe, expect, it } from "vitest";
import type { Logger } from "./log.ts";
import { noLog } from "./log.ts";
import { globMatcher, LogVerbosity } from "./log-verbosity.ts";
import { createLogger, type LogCaller, type LoggerOptions } from "./logger.ts";
import { testClock } from "./testing.ts";

function makeLog(options: Partial<LoggerOptions> = {}): { log: Logger; lines: string[]; severities: string[] } {
  const lines: string[] = [];
  const severities: string[] = [];
  const log = createLogger({
    clock: testClock(Date.UTC(2026, 10, 5, 9, 4, 3) + 7.0625),
    format: "text",
    verbosity: new LogVerbosity(),
    pid: 4242,
    caller: () => ({ file: "src/kit/worker.ts", line: 12 }),
    write: (line, severity) => {
      lines.push(line);
      severities.push(severity);
    },
    ...options,
  });
  return { log, lines, severities };
}

/** The line without its header. */
const textOf = (write: (log: Logger) => void): string => {
  const { log, lines } = makeLog();
  write(log);
  return lines.map((line) => line.slice(line.indexOf("] ") + 2)).join("");
};

describe("the text format", () => {
  it("has klog's header", () => {
    const { log, lines, severities } = makeLog();
    log.info("Started");
    log.error(new Error("broken"), "Failed");
    expect(lines).toEqual([
      'I1105 09:04:03.007063    4242 worker.ts:12] "Started"\n',
      'E1105 09:04:03.007063    4242 worker.ts:12] "Failed" err="broken"\n',
    ]);
    expect(severities).toEqual(["info", "error"]);
  });

  it("shows local time, a long pid, and ??? for an unknown caller", () => {
    const { log, lines } = makeLog({ pid: 12345678, utcOffsetMs: () => -12 * 3_600_000 });
    log.info("x");
    expect(lines[0]).toBe('I1104 21:04:03.007063 12345678 worker.ts:12] "x"\n');
    const lines2: string[] = [];
    const bare = createLogger({
      clock: testClock(0),
      format: "text",
      verbosity: new LogVerbosity(),
      write: (line) => lines2.push(line),
    });
    bare.info("x");
    bare.named("a").named("b").info("y");
    expect(lines2).toEqual([
      'I0101 00:00:00.000000       0 ???:1] "x"\n',
      'I0101 00:00:00.000000       0 ???:1] "y" logger="a.b"\n',
    ]);
  });

  it.each<[string, unknown, string]>([
    ["strings", 'a "quoted" \\ tab\t', '="a \\"quoted\\" \\\\ tab\\t"'],
    ["unprintable strings", "\u0000\u200b\u{e0001}é", '="\\x00\\u200b\\U000e0001é"'],
    ["numbers", 1.5, "=1.5"],
    ["booleans", true, "=true"],
    ["null", null, "=null"],
    ["undefined", undefined, "=null"],
    ["big integers", 2n ** 64n, "=18446744073709551616"],
    ["errors", new Error("no such thing"), '="no such thing"'],
    ["lists", ["a", 1], '=["a",1]'],
    ["structures, with what Go escapes", { a: "<b>&" }, '={"a":"\\u003cb\\u003e\\u0026"}'],
    ["names of objects", { namespace: "default", name: "web" }, '="default/web"'],
    ["names of cluster objects", { name: "node-1" }, '="node-1"'],
    ["lists of names", [{ namespace: "a", name: "b" }, { name: "c" }], '=["a/b","c"]'],
    ["what only looks like a name", { name: "x", namespace: "y", uid: "z" }, '={"name":"x","namespace":"y","uid":"z"}'],
    ["bytes", new Uint8Array([104, 105, 0xc3, 0xa9, 10]), '="hi\\u00e9\\n"'],
    ["bytes that are no text", new Uint8Array([104, 0xff]), '="h\\xff"'],
    ["lines", "one\ntwo\n", "=<\n\tone\n\ttwo\n >"],
    ["lines without an end", "one\ntwo", "=<\n\tone\n\ttwo\n >"],
  ])("prints %s as klog does", (_, value, text) => {
    expect(textOf((log) => log.info("m", { key: value }))).toBe(`"m" key${text}\n`);
  });

  it("quotes the message, survives cycles, and leaves out an error that is not there", () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    expect(textOf((log) => log.info("two\nlines", { cycle }))).toMatch(
      /^"two\\nlines" cycle="<internal error: .*>"\n$/s,
    );
    expect(textOf((log) => log.error(undefined, "m", { a: 1 }))).toBe('"m" a=1\n');
    expect(textOf((log) => log.error("text", "m"))).toBe('"m" err="text"\n');
  });

  it("orders error, name, inherited and own values; the last of different values wins, equal ones are shown once", () => {
    const write = (log: Logger): void => {
      const child = log.with({ a: 1, b: 2 }).named("job").with({ c: 3 }).named("sync");
      child.error(new Error("e"), "m", { d: 4 });
      child.info("m", { a: 1, b: 9 });
    };
    expect(textOf(write)).toBe('"m" err="e" logger="job.sync" a=1 b=2 c=3 d=4\n"m" logger="job.sync" a=1 c=3 b=9\n');
  });
});

describe("the JSON format", () => {
  const jsonOf = (write: (log: Logger) => void): string[] => {
    const { log, lines } = makeLog({ format: "json", verbosity: new LogVerbosity(5) });
    write(log);
    return lines;
  };

  it("writes the fields in zap's order", () => {
    const write = (log: Logger): void => {
      const child = log.named("job").with({ key: "ns/a" });
      child.v(4).info("Synced", { pod: { namespace: "ns", name: "a" }, took: 1.5 });
      child.error(new Error('"e"'), "Failed", { n: 1 });
      log.info("plain");
    };
    const ts = `"ts":${Date.UTC(2026, 10, 5, 9, 4, 3) + 7.0625}`;
    expect(jsonOf(write)).toEqual([
      `{${ts},"logger":"job","caller":"kit/worker.ts:12","msg":"Synced","key":"ns/a","v":4,"pod":{"name":"a","namespace":"ns"},"took":1.5}\n`,
      `{${ts},"logger":"job","caller":"kit/worker.ts:12","msg":"Failed","key":"ns/a","n":1,"err":"\\"e\\""}\n`,
      `{${ts},"caller":"kit/worker.ts:12","msg":"plain","v":0}\n`,
    ]);
  });

  it("always writes valid JSON", () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    const values = {
      text: 'a\b\f\\b\n"\u0001',
      bytes: new Uint8Array([1, 2]),
      big: 5n,
      error: new Error("e"),
      refs: [{ name: "n" }],
      nothing: undefined,
      html: "<&>",
      cycle,
    };
    const [line = ""] = jsonOf((log) => log.info("m", values));
    expect(JSON.parse(line)).toMatchObject({
      text: 'a\b\f\\b\n"\u0001',
      bytes: "AQI=",
      big: 5,
      error: "e",
      refs: [{ name: "n" }],
      nothing: null,
      html: "<&>",
    });
    expect(line).toContain('"text":"a\\u0008\\u000c\\\\b\\n\\"\\u0001"');
  });
});

describe("verbosity", () => {
  it("-v lets lines up to its level through, errors always, and can change at run time", () => {
    const verbosity = new LogVerbosity(2);
    const { log, lines } = makeLog({ verbosity });
    log.v(2).info("two");
    log.v(3).info("three");
    log.v(1).v(2).info("one and two");
    log.v(9).error(undefined, "error");
    expect([log.v(2).isEnabled, log.v(3).isEnabled]).toEqual([true, false]);
    verbosity.setLevel(3);
    log.v(3).info("three now");
    expect(lines.map((line) => line.split('"')[1])).toEqual(["two", "error", "three now"]);
    expect(verbosity.level).toBe(3);
  });

  it("machinery/1.7.r136 --vmodule raises the level of matching source files, not of names; the first match decides", () => {
    const modules = [
      { pattern: "worker", level: 1 },
      { pattern: "job*", level: 4 },
      { pattern: "job-x", level: 9 },
      { pattern: "zero", level: 0 },
    ];
    const verbosity = new LogVerbosity(0, modules);
    const loggerIn = (file: string): Logger => makeLog({ verbosity, caller: () => ({ file, line: 1 }) }).log;
    const levelOf = (log: Logger): number => [1, 2, 3, 4, 5, 6, 7, 8, 9].filter((n) => log.v(n).isEnabled).length;
    expect(levelOf(loggerIn("src/kit/worker.ts"))).toBe(1);
    expect(levelOf(loggerIn("other.ts"))).toBe(0);
    expect(levelOf(loggerIn("src/worker/other.ts"))).toBe(0);
    expect(levelOf(loggerIn("/x/job-x.ts"))).toBe(4);
    expect(levelOf(loggerIn("other.ts").named("job"))).toBe(0);
    expect(levelOf(loggerIn("zero.ts"))).toBe(0);
    expect(loggerIn("other.ts").isEnabled).toBe(true);
    verbosity.setModules([]);
    expect(levelOf(loggerIn("job.ts"))).toBe(0);
  });

  it("finds the caller only for lines that are written or that a pattern may enable", () => {
    let asked = 0;
    const caller = (): LogCaller => {
      asked++;
      return { file: "a.ts", line: 1 };
    };
    const verbosity = new LogVerbosity(1);
    const { log, lines } = makeLog({ verbosity, caller });
    log.v(2).info("not wanted");
    expect(asked).toBe(0);
    log.v(1).info("wanted");
    expect([asked, lines.length]).toEqual([1, 1]);
    verbosity.setModules([{ pattern: "b", level: 2 }]);
    log.v(2).info("perhaps wanted");
    expect([asked, lines.length]).toEqual([2, 1]);
  });

  it.each([
    ["a*c", ["ac", "abbc"], ["abd", "a/c"]],
    ["a?c", ["abc"], ["ac"]],
    ["[a-c]x", ["ax", "cx"], ["dx"]],
    ["[^a-c]x", ["dx"], ["ax"]],
    ["a\\*", ["a*"], ["ab"]],
    ["a.b+(c)", ["a.b+(c)"], ["axbc"]],
    ["[a", [], ["a", "[a"]],
    ["[z-a]", [], ["a"]],
    ["a\\", [], ["a"]],
  ])("glob %s", (pattern, good, bad) => {
    const matches = globMatcher(pattern);
    expect([good.filter(matches), bad.filter(matches)]).toEqual([good, []]);
  });

  it("noLog says nothing", () => {
    noLog.named("a").with({}).v(1).info("x");
    noLog.error(undefined, "x");
    expect(noLog.isEnabled).toBe(false);
  });
});
