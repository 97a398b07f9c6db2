import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const mustRun = ["check", "real-control-plane", "test"];

/** Runs .ci/run in a temporary folder, with a `make` that counts as the test says. */
describe(".ci/run", () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "steersman-ci-"));
    mkdirSync(join(directory, ".ci"));
    cpSync(join(import.meta.dirname, "..", ".ci", "run"), join(directory, ".ci", "run"));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  /** `targets` has the shell text that `make` runs for a target; other targets count one passed test. */
  function run(targets: Readonly<Record<string, string>>, { seconds = 78 * 60, pace = 100 } = {}) {
    const cases = Object.entries(targets).map(([target, does]) => `${target}) ${does} ;;`);
    const counts = 'echo "1 0 0" >>"$STEERSMAN_TEST_TOTALS"';
    writeFileSync(join(directory, "make"), `#!/bin/sh\ncase $1 in\n${cases.join("\n")}\n*) ${counts} ;;\nesac\n`);
    chmodSync(join(directory, "make"), 0o755);
    const limits = { STEERSMAN_CI_SECONDS: `${seconds}`, STEERSMAN_CI_PACE: `${pace}` };
    const env = { ...process.env, PATH: `${directory}:${process.env.PATH}`, ...limits };
    const { status, stdout } = spawnSync(join(directory, ".ci", "run"), { env, encoding: "utf8" });
    const lines = stdout.trimEnd().split("\n");
    const named = (word: string): readonly string[] =>
      lines.filter((line) => line.startsWith(word)).map((line) => line.replace(/^[A-Z=>: ]+ make (\S+).*/, "$1"));
    const [ran, leftOut, cutOff] = [named("==>"), named("LEFT OUT"), named("CUT OFF")];
    return { status, stdout, lines, last: lines.at(-1), ran, leftOut, cutOff };
  }

  it("adds up the counts of the targets", () => {
    const { status, last, ran, leftOut } = run({ test: 'echo "7 0 2" >>"$STEERSMAN_TEST_TOTALS"' });
    expect(status).toBe(0);
    expect(last).toBe(`${ran.length - 1 + 7} passed, 0 failed, 2 skipped`);
    expect(leftOut).toEqual([]);
  });

  it("plans suites that fit into 78 minutes on two idle cores", () => {
    const { lines } = run({});
    const seconds = lines.map((line) => Number(/^==> .* \(about (\d+) seconds/.exec(line)?.[1] ?? 0));
    expect(seconds.reduce((sum, each) => sum + each, 0)).toBeLessThan(78 * 60);
  });

  it("leaves out the longer suites when time is short, names them and counts them as skipped", () => {
    const all = run({}).ran;
    const { status, last, ran, leftOut } = run({}, { seconds: 30 });
    expect(status).toBe(0);
    expect(ran).toEqual(mustRun);
    expect([...ran, ...leftOut]).toEqual(all);
    expect(last).toBe(`${mustRun.length} passed, 0 failed, ${leftOut.length} skipped`);
  });

  it("gives suites with a time limit the time that the others leave", () => {
    const given = (seconds: number) =>
      /==> make test-faults ARGS=--seconds=(\d+)/.exec(run({}, { seconds }).stdout)?.[1] ?? "none";
    expect([given(78 * 60), given(600)]).toEqual(["480", "none"]);
    expect(Number(given(1990))).toBeLessThan(200);
  });

  it("cuts a longer suite off when the time is up: skipped, not failed", () => {
    const { status, cutOff, leftOut, last } = run({ "hand-over": "sleep 600" }, { seconds: 5, pace: 1 });
    expect({ status, cutOff }).toEqual({ status: 0, cutOff: ["hand-over"] });
    expect(leftOut).toContain("test-real");
    expect(last).toMatch(/ 0 failed, \d+ skipped$/);
  });

  it("a required step that hangs is a failure, and the total time is kept", () => {
    const { status, lines, leftOut } = run({ test: "sleep 600" }, { seconds: 3 });
    expect(status).toBe(1);
    expect(lines).toContainEqual(expect.stringMatching(/^FAILED: make test \(did not end within \d seconds\)$/));
    expect(leftOut).toContain("test-real");
    expect(lines.at(-1)).toMatch(/^2 passed, 1 failed, \d+ skipped$/);
  });

  it("repeats the failures at the end", () => {
    const named = "FAILED: a.test.ts: says 3 of 4";
    const { lines } = run({ test: `printf '5 2 0\\n${named}\\n' >>"$STEERSMAN_TEST_TOTALS"; exit 2` });
    expect(lines.slice(-3)).toEqual([named, "FAILED: make test", expect.stringMatching(/ 2 failed, 0 skipped$/)]);
  });

  it.each([
    ["that broke before it counted", "exit 2", [0, 1, 0]],
    ["with failed tests", 'echo "5 2 0" >>"$STEERSMAN_TEST_TOTALS"; exit 2', [5, 2, 0]],
    ["that skipped too much", 'echo "0 0 4" >>"$STEERSMAN_TEST_TOTALS"; exit 2', [0, 1, 4]],
  ] as const)("a step %s is a failure, and the others run", (_, does, [passed, failed, skipped]) => {
    const { status, last, ran, leftOut } = run(
      { ...Object.fromEntries(mustRun.map((name) => [name, "exit 0"])), "test-real": does },
      { seconds: 700 },
    );
    expect(status).toBe(1);
    expect(ran.slice(0, 4)).toEqual([...mustRun, "test-real"]);
    const others = ran.length - 4;
    expect(last).toBe(`${passed + others} passed, ${failed} failed, ${skipped + leftOut.length} skipped`);
  });

  it("a suite that is not binding yet is named, and its failures count as skipped", () => {
    const does = 'echo "5 2 0" >>"$STEERSMAN_TEST_TOTALS"; echo "FAILED: one" >>"$STEERSMAN_TEST_TOTALS"; exit 1';
    const { status, lines, last, ran } = run({ differential: does });
    expect(status).toBe(0);
    expect(lines).toContain("NOT BINDING YET: make differential ARGS=--only=c --seconds=600 failed");
    expect(lines).toContain("NOT BINDING YET: one");
    expect(last).toBe(`${ran.length - 1 + 5} passed, 0 failed, 2 skipped`);
  });
});
