import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

/** .ci/run in a folder of its own, with a `make` that counts as it is told. */
describe(".ci/run", () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "steersman-ci-"));
    mkdirSync(join(directory, ".ci"));
    cpSync(join(import.meta.dirname, "..", ".ci", "run"), join(directory, ".ci", "run"));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  /** `targets` are what `make` does for a target, as shell text; others count one passed test. */
  function run(targets: Readonly<Record<string, string>>, minutes = 60) {
    const cases = Object.entries(targets).map(([target, does]) => `${target}) ${does} ;;`);
    const counts = 'echo "1 0 0" >>"$STEERSMAN_TEST_TOTALS"';
    writeFileSync(join(directory, "make"), `#!/bin/sh\ncase $1 in\n${cases.join("\n")}\n*) ${counts} ;;\nesac\n`);
    chmodSync(join(directory, "make"), 0o755);
    const env = { ...process.env, PATH: `${directory}:${process.env.PATH}`, STEERSMAN_CI_MINUTES: `${minutes}` };
    const { status, stdout } = spawnSync(join(directory, ".ci", "run"), { env, encoding: "utf8" });
    const lines = stdout.trimEnd().split("\n");
    const named = (word: string): readonly string[] =>
      lines.filter((line) => line.startsWith(word)).map((line) => line.replace(/^\S+ (OUT: )?make (\S+).*/, "$2"));
    return { status, lines, last: lines.at(-1), ran: named("==>"), leftOut: named("LEFT") };
  }

  it("sums what the targets count", () => {
    const { status, last, ran, leftOut } = run({ test: 'echo "7 0 2" >>"$STEERSMAN_TEST_TOTALS"' });
    expect(status).toBe(0);
    expect(last).toBe(`${ran.length - 1 + 7} passed, 0 failed, 2 skipped`);
    expect(leftOut).toEqual([]);
  });

  it("without time leaves out the longer suites, names them and counts them as skipped", () => {
    const all = run({}).ran;
    const { status, last, ran, leftOut } = run({}, 0);
    expect(status).toBe(0);
    expect(ran).toEqual(["check", "real-control-plane", "test", "test-real"]);
    expect([...ran, ...leftOut]).toEqual(all);
    expect(last).toBe(`4 passed, 0 failed, ${leftOut.length} skipped`);
  });

  it("repeats at the end what failed", () => {
    const named = "FAILED: a.test.ts: says 3 of 4";
    const { lines } = run({ test: `printf '5 2 0\\n${named}\\n' >>"$STEERSMAN_TEST_TOTALS"; exit 2` });
    expect(lines.slice(-3)).toEqual([named, "FAILED: make test", expect.stringMatching(/ 2 failed, 0 skipped$/)]);
  });

  it.each([
    ["that broke before it counted", "exit 2", [0, 1, 0]],
    ["with failed tests", 'echo "5 2 0" >>"$STEERSMAN_TEST_TOTALS"; exit 2', [5, 2, 0]],
    ["that skipped too much", 'echo "0 0 4" >>"$STEERSMAN_TEST_TOTALS"; exit 2', [0, 1, 4]],
  ] as const)("a step %s is a failure, and the others run", (_, does, [passed, failed, skipped]) => {
    const silent = Object.fromEntries(["check", "real-control-plane", "test"].map((target) => [target, "exit 0"]));
    const { status, last, ran, leftOut } = run({ ...silent, "test-real": does }, 0);
    expect(status).toBe(1);
    expect(ran).toHaveLength(4);
    expect(last).toBe(`${passed} passed, ${failed} failed, ${skipped + leftOut.length} skipped`);
  });
});
