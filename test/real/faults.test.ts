import { describe, expect, it } from "vitest";
import { splitForFault } from "./faults.ts";

describe("splitForFault", () => {
  const chunk = Buffer.from("one\ntwo\nfour\n");
  it.each([
    { linesLeft: 0, pass: "on", struck: true, left: 0 },
    { linesLeft: 1, pass: "one\ntw", struck: true, left: 0 },
    { linesLeft: 2, pass: "one\ntwo\nfo", struck: true, left: 0 },
    { linesLeft: 3, pass: "one\ntwo\nfour\n", struck: false, left: 0 },
    { linesLeft: 5, pass: "one\ntwo\nfour\n", struck: false, left: 2 },
  ])("lets $linesLeft lines and half of the next pass", ({ linesLeft, pass, struck, left }) => {
    const split = splitForFault(chunk, linesLeft);
    expect({ ...split, pass: split.pass.toString() }).toEqual({ pass, struck, linesLeft: left });
  });
});
