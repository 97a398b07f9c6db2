import { describe, expect, it } from "vitest";
import { failuresIn, faultsOfChange, namePattern, planProblems, planted } from "./planting.ts";

describe("planted faults", () => {
  it("cannot be planted where the text is missing or not unique", () => {
    const fault = { name: "x", file: "y.ts", find: "one", replace: "two", noticedBy: "z" };
    expect(planted("a one b", fault)).toBe("a two b");
    expect(() => planted("a b", fault)).toThrow('"x": y.ts has 0 places to plant it, not 1');
    expect(() => planted("one one", fault)).toThrow('"x": y.ts has 2 places to plant it, not 1');
  });

  it("are outdated where their text or their test is gone", () => {
    const fault = { name: "x", file: "y.ts", find: "one", replace: "two", noticedBy: "z" };
    const problems = (faults: readonly (typeof fault)[], text: string) =>
      planProblems(
        { suites: ["a.test.ts"], faults },
        () => text,
        (name) => name === "z",
      );
    expect(problems([fault], "a one")).toEqual([]);
    expect(problems([fault], "a two")).toEqual(['"x": y.ts has 0 places to plant it, not 1']);
    expect(problems([{ ...fault, replace: "one", noticedBy: "" }], "one")).toEqual([
      '"x": changes nothing',
      '"x": who notices it?',
    ]);
    expect(problems([{ ...fault, noticedBy: "y" }], "one")).toEqual(['"x": there is no test "y"']);
    expect(problems([], "")).toEqual(["has no faults"]);
    expect(
      planProblems(
        { faults: [fault] },
        () => "one",
        () => true,
      ),
    ).toEqual(["has suites and plays, or neither"]);
  });

  it("belong to a change of their file, of their plan or of a suite of it", () => {
    const fault = (file: string) => ({ name: file, file, find: "a", replace: "b", noticedBy: "c" });
    const plan = { suites: ["./test/a.test.ts", "src/a/"], faults: [fault("src/b/1.ts"), fault("src/b/2.ts")] };
    const of = (...changed: string[]) => faultsOfChange(plan, "test/planted-faults/p.ts", new Set(changed)).length;
    expect([of(), of("src/b/3.ts"), of("src/b/1.ts")]).toEqual([0, 0, 1]);
    expect([of("test/a.test.ts"), of("src/a/x.test.ts"), of("test/planted-faults/p.ts")]).toEqual([2, 2, 2]);
  });

  it("are checked only by the tests that they name", () => {
    const fault = (noticedBy: string) => ({ name: "x", file: "y.ts", find: "a", replace: "b", noticedBy });
    const pattern = new RegExp(namePattern([fault("order > younger first"), fault("takes 1.5 (or less)")]));
    const names = ["order younger first", "order older first", "x takes 1.5 (or less) y", "takes 125 (or less)"];
    expect(names.map((name) => pattern.test(name))).toEqual([true, false, true, false]);
  });

  it("names failed tests, but nothing for a file that does not load", () => {
    expect(failuresIn("(pass) a > b [1.00ms]\n(fail) a > c [12.34ms]\n(fail) a > d\n")).toEqual(["a > c", "a > d"]);
    expect(failuresIn("error: Cannot find module 'x'\n\n 0 pass\n 1 fail\n 1 error\n")).toEqual([]);
  });
});
