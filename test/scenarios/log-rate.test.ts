import { describe, expect, it } from "vitest";
import { linesPerSecond, logFigures } from "./log-rate.ts";

const line = (second: number, severity: string, text: string): string =>
  `${severity}1115 12:00:0${second}.000001       7 a.go:1] ${text}`;

describe("lines per second", () => {
  it.each([
    {
      what: "a failure of two kinds of objects",
      lines: [
        line(1, "E", '"Failed to watch" err="Get \\"https://127.0.0.1:1/api/v1/pods?a=1\\": refused" type="Pod"'),
        line(1, "E", '"Failed to watch" err="Get \\"https://127.0.0.1:2/apis/apps/v1/x\\": refused" type="ReplicaSet"'),
      ],
      counts: [2],
    },
    {
      what: "two failures of different reasons",
      lines: [line(1, "E", '"Failed to watch" err="refused"'), line(1, "E", '"Failed to watch" err="reset"')],
      counts: [1, 1],
    },
    {
      what: "lines that are no errors, with other numbers",
      lines: [line(1, "I", "attempt 1 of 5 after 20.5ms"), line(1, "I", "attempt 2 of 5 after 40ms")],
      counts: [2],
    },
    {
      what: "names with numbers in them",
      lines: [line(1, "I", 'FLAG: --mask-size-ipv4="0"'), line(1, "I", 'FLAG: --mask-size-ipv6="0"')],
      counts: [1, 1],
    },
    {
      what: "lines that are no errors, about other things",
      lines: [line(1, "I", '"Starting" controller="a"'), line(1, "I", '"Starting" controller="b"')],
      counts: [1, 1],
    },
    {
      what: "an error that is told as information",
      lines: [line(1, "I", '"retrying" key="a" err="refused"'), line(1, "I", '"retrying" key="b" err="refused"')],
      counts: [2],
    },
    { what: "the next second", lines: [line(1, "W", "gone"), line(2, "W", "gone")], counts: [1, 1] },
    { what: "what is no line of the log", lines: ["panic: x", ""], counts: [] },
  ])("counts $what", ({ lines, counts }) => {
    expect(linesPerSecond(lines.join("\n")).map(({ count }) => count)).toEqual(counts);
  });

  it("sums up", () => {
    const log = [line(1, "W", "gone"), line(1, "W", "gone"), line(2, "W", "back")].join("\n");
    expect(logFigures([log, log])).toEqual({ lines: 6, causes: 2, most: 2 });
  });
});
