import { describe, expect, it } from "vitest";
import { missingHeadings, undeclaredNames, unpinned, untidiness, unverified } from "./tidy-rules.ts";

const head = "// What it is.\n";
const contract = `/** Keeps true: a. Requeues: b. Upstream: c. Deviations: none. */\n`;

describe("untidiness", () => {
  it.each([
    { path: "src/base/a.ts", text: head, complaint: undefined },
    { path: "src/base/a.ts", text: head + "x\n".repeat(500), complaint: "longer than 500 lines" },
    { path: "src/api/generated/a.ts", text: head + "x\n".repeat(500), complaint: undefined },
    { path: "src/manager/flag-table.ts", text: head + "x\n".repeat(500), complaint: undefined },
    { path: "src/base/a.ts", text: "export const a = 1;\n", complaint: "does not open with a comment" },
    { path: "src/base/a.test.ts", text: "it();\n", complaint: undefined },
    { path: "src/controllers/job/controller.ts", text: contract, complaint: undefined },
    { path: "src/controllers/job/controller.ts", text: contract.replace("Requeues", "Again"), complaint: "contract" },
    { path: "src/base/a.ts", text: `${head}open("/home/me/x");\n`, complaint: "path of some machine" },
    { path: "README.md", text: "Put it under /root/go.\n", complaint: "path of some machine" },
    { path: "src/base/a.ts", text: `${head}// TO${"DO"}: more\n`, complaint: "left-over" },
    { path: "src/base/a.test.ts", text: `it.${"only"}("x", f);\n`, complaint: "switches a test off" },
    { path: "src/base/a.test.ts", text: `describe.${"skip"}("x", f);\n`, complaint: "switches a test off" },
    { path: "src/kit/a.ts", text: `${head}onError: (error) => log.error(error, "x"),\n`, complaint: "tail position" },
    { path: "src/kit/a.ts", text: `${head}return this.#deps.log.v(4).info("x");\n`, complaint: "tail position" },
    { path: "src/kit/a.ts", text: `${head}const log = () => { log.v(4).info("x"); };\n`, complaint: undefined },
    { path: "src/base/index.ts", text: head, complaint: "barrel" },
  ])("$path: $complaint", ({ path, text, complaint }) => {
    const found = untidiness(path, text);
    expect(found.length).toBe(complaint === undefined ? 0 : 1);
    if (complaint !== undefined) expect(found[0]).toContain(complaint);
  });
});

describe("unpinned", () => {
  it("names every dependency with a range", () => {
    const problems = unpinned({ dependencies: { a: "1.2.3", b: "^1.0.0" }, devDependencies: { c: "latest" } });
    expect(problems.map((problem) => problem.split(" ")[1])).toEqual(["b", "c"]);
  });
});

describe("unverified", () => {
  it.each([
    [{ integrity: "sha512-x" }, 0],
    [{}, 1],
    [{ optional: true }, 1],
    [{ optional: true, os: ["linux"], cpu: ["x64"] }, 1],
    [{ optional: true, os: ["linux"], cpu: ["x64"], libc: ["glibc"] }, 1],
    [{ optional: true, os: ["linux"], cpu: ["x64"], libc: ["musl"] }, 0],
    [{ optional: true, os: ["darwin"], cpu: ["x64"] }, 0],
    [{ optional: true, cpu: ["arm64"] }, 0],
    [{ os: ["darwin"] }, 1],
  ])("%j: %d", (entry, count) => {
    expect(unverified({ "": {}, "node_modules/x": entry })).toHaveLength(count);
  });
});

describe("missingHeadings", () => {
  const other = "# A page\n\n## Nodes and `pods`\n\n```sh\n# no heading\n```\n";
  it.each([
    { link: "[x](other.md#nodes-and-pods)", isMissing: false },
    { link: "[x](other.md#nodes)", isMissing: true },
    { link: "[x](other.md#no-heading)", isMissing: true },
    { link: "[x](gone.md#nodes-and-pods)", isMissing: true },
    { link: "[x](#here)", isMissing: false },
    { link: "[x](#there)", isMissing: true },
    { link: "[x](https://example.com/#there)", isMissing: false },
  ])("$link: $isMissing", ({ link, isMissing }) => {
    const found = missingHeadings("docs/x.md", `## Here\n\n${link}`, (target) =>
      target === "other.md" ? other : undefined,
    );
    expect(found).toHaveLength(isMissing ? 1 : 0);
  });
});

describe("undeclaredNames", () => {
  const source = "export async function run<T>(): void {}\nexport class Elector {\n  healthProblem(): string {}\n}\n";
  it.each([
    { link: "[`run`](../src/a.ts)", isDeclared: true },
    { link: "[`healthProblem`](../src/a.ts)", isDeclared: true },
    { link: "[`runs`](../src/a.ts)", isDeclared: false },
    { link: "[`run`](../src/b.ts)", isDeclared: false },
    { link: "[a.ts](../src/a.ts)", isDeclared: true },
  ])("$link: $isDeclared", ({ link, isDeclared }) => {
    const found = undeclaredNames("docs/x.md", `See ${link}.`, (target) =>
      target === "../src/a.ts" ? source : undefined,
    );
    expect(found).toHaveLength(isDeclared ? 0 : 1);
  });
});
