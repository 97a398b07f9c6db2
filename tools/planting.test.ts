import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { type FaultPlan, planFolder } from "#test/planted-faults/fault.ts";
import { failuresIn, faultsOfChange, planted } from "./planting.ts";

const root = join(import.meta.dirname, "..");

describe("planted faults", () => {
  const files = globSync(join(root, planFolder, "*.ts")).filter((file) => basename(file) !== "fault.ts");

  it.each(files.map((file) => [basename(file), file]))("of %s still have a place in the program", async (_, file) => {
    const { plan } = (await import(file)) as { plan: FaultPlan };
    for (const fault of plan.faults) {
      const source = readFileSync(join(root, fault.file), "utf8");
      expect(planted(source, fault)).not.toBe(source);
      expect(fault.noticedBy).toBeTruthy();
      expect(plan.suites === undefined).toBe(fault.scenarios !== undefined);
    }
    expect(plan.faults.length).toBeGreaterThan(0);
  });

  it("cannot be planted where the text is missing or not alone", () => {
    const fault = { name: "x", file: "y.ts", find: "one", replace: "two", noticedBy: "z" };
    expect(planted("a one b", fault)).toBe("a two b");
    expect(() => planted("a b", fault)).toThrow('"x": y.ts has 0 places to plant it, not 1');
    expect(() => planted("one one", fault)).toThrow('"x": y.ts has 2 places to plant it, not 1');
  });

  it("belong to a change of their file, of their plan or of a suite of it", () => {
    const fault = (file: string) => ({ name: file, file, find: "a", replace: "b", noticedBy: "c" });
    const plan = { suites: ["./test/a.test.ts", "src/a/"], faults: [fault("src/b/1.ts"), fault("src/b/2.ts")] };
    const of = (...changed: string[]) => faultsOfChange(plan, "test/planted-faults/p.ts", new Set(changed)).length;
    expect([of(), of("src/b/3.ts"), of("src/b/1.ts")]).toEqual([0, 0, 1]);
    expect([of("test/a.test.ts"), of("src/a/x.test.ts"), of("test/planted-faults/p.ts")]).toEqual([2, 2, 2]);
  });

  it("names failed tests, and no reason where a file does not load", () => {
    expect(failuresIn("(pass) a > b [1.00ms]\n(fail) a > c [12.34ms]\n(fail) a > d\n")).toEqual(["a > c", "a > d"]);
    expect(failuresIn("error: Cannot find module 'x'\n\n 0 pass\n 1 fail\n 1 error\n")).toEqual([]);
  });

  it("names the places of differences", () => {
    const report = [
      "go: 2 scenarios in 3 s",
      "same  adopt: orphans (1 reads)",
      "DIFF  scale: 0, 5 (2 DIFFERENCES)",
      "      events › Created web",
      "        go       1",
      "        ours     2",
      "      could not be played: ours: no end",
    ];
    expect(failuresIn(report.join("\n"))).toEqual([
      "scale › events › Created web",
      "scale › could not be played: ours: no end",
    ]);
  });
});
