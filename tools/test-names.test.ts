import { describe, expect, it } from "vitest";
import { TestNames } from "./test-names.ts";

const sources: Readonly<Record<string, string>> = {
  "src/a/sync.test.ts": `import { sync } from "./sync.ts";
    describe("sync", () => {
      it("job/1 creates the missing pods", f);
      it.each([["surge", 3]])("job/2, job/3 has a %s of %d pods", f);
      it('says "no" to others', f);
      it("says \\"never\\"", f);
    });`,
  "test/scenarios/job/scenarios.test.ts": 'import { scenarios } from "./scenarios.ts";\nplay(scenarios);',
  "test/scenarios/job/scenarios.ts":
    'import { title } from "#test/stage/title.ts";\nimport { Jobs } from "#api/jobs.ts";\nexport const name = "job/4 ends its pods";',
  "test/stage/title.ts": `export const title = (name: string) => \`\${name}: killed\`;`,
};
const names = new TestNames((file) => {
  const text = sources[file];
  if (text === undefined) throw new Error(`reads ${file}`);
  return text;
});

describe("names of tests", () => {
  it.each([
    ["creates the missing pods", true],
    ["creates the missing", true],
    ["creates a missing pod", false],
    ["sync > job/1 creates the missing pods", true],
    ["queue > job/1 creates the missing pods", false],
    ["has a surge of 25 pods", true],
    ["has a depth of 3 pods", false],
    ['says "no" to others', true],
    ['says "never"', true],
    ["ends its pods", false],
  ])("has %j: %j", (part, isKnown) => {
    expect(names.has(part, ["src/a/sync.test.ts"])).toBe(isKnown);
  });

  it.each([
    ["ends its pods", true],
    ["ends its pods: killed", true],
    ["ends no pods: killed", false],
    ["ends its pods: behind", false],
  ])("are in imported modules of tests: %j: %j", (part, isKnown) => {
    expect(names.has(part, ["test/scenarios/job/scenarios.test.ts"])).toBe(isKnown);
  });
});
