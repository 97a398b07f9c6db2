import { expect, it } from "vitest";
import { StatusLine, statusText } from "./status-line.ts";

it("counts nodes and pods by phase, and shows the time if it runs faster", () => {
  expect(statusText({ nodes: 1, pods: 0, phases: [] })).toBe("1 node | no pods");
  const phases = [
    ["Running", 10],
    ["Pending", 2],
  ] as const;
  const time = { now: new Date("2026-01-02T03:04:05.678Z"), speed: 60 };
  expect(statusText({ nodes: 3, pods: 12, phases }, time)).toBe(
    "3 nodes | 12 pods: 10 Running, 2 Pending | 2026-01-02T03:04:05Z, 60 times as fast",
  );
});

it("is cut to the terminal's width, makes room for other lines, and is removed at the end", () => {
  let written = "";
  const write = (text: string): void => {
    written += text;
  };
  {
    using line = new StatusLine({ write, columns: () => 8, text: () => "1 node | no pods" });
    line.above(() => write("a log line\n"));
  }
  const clear = "\r\u001b[K";
  expect(written).toBe(`${clear}1 node ${clear}a log line\n${clear}1 node ${clear}`);
});
