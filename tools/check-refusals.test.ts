// `make check` refuses violations of the architecture. The gates run in a copy of the checkout that contains
// violations.

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const copy = mkdtempSync(join(tmpdir(), "steersman-refusals-"));

function git(...args: string[]): string {
  return spawnSync("git", args, { encoding: "utf8" }).stdout;
}

beforeAll(() => {
  const files = git("ls-files", "--cached", "--others", "--exclude-standard").split("\n");
  for (const file of files) {
    if (file === "" || !existsSync(file)) continue;
    mkdirSync(join(copy, dirname(file)), { recursive: true });
    cpSync(file, join(copy, file), { preserveTimestamps: true });
  }
  symlinkSync(resolve("node_modules"), join(copy, "node_modules"));
  // The compiler's build state is valid for the copy too, and saves a full build.
  if (existsSync(".tsout")) cpSync(".tsout", join(copy, ".tsout"), { recursive: true, preserveTimestamps: true });
  git("init", "--quiet", copy);
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** Writes the offending files, runs one gate, on the given paths if any, and removes the files again. */
function check(
  gate: string,
  offences: Readonly<Record<string, string>>,
  paths: readonly string[] = [],
): { status: number | null; output: string } {
  const before = Object.keys(offences).map((file) => {
    const path = join(copy, file);
    return { path, text: existsSync(path) ? readFileSync(path) : undefined };
  });
  for (const [file, text] of Object.entries(offences)) {
    mkdirSync(join(copy, dirname(file)), { recursive: true });
    writeFileSync(join(copy, file), text);
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, ["tools/check.ts", gate, "--", ...paths], {
    cwd: copy,
    encoding: "utf8",
  });
  for (const { path, text } of before) text === undefined ? rmSync(path) : writeFileSync(path, text);
  return { status, output: stdout + stderr };
}

describe("make check refuses", () => {
  describe("violations that the compiler finds", () => {
    const head = `import { ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { TokenReviews } from "#api/generated/resources/authentication-v1.ts";
import { Nodes, Pods } from "#api/generated/resources/core-v1.ts";
import type { Pod, Secret } from "#api/generated/types/core-v1.ts";
import type { Draft, NamespacedObject, ObjectOf, Resource, Stored } from "#api/resource.ts";
import type { Client } from "#client/client.ts";
import type { InformerFactory } from "#informers/informer.ts";
import { referenceTo } from "#kit/events/recorder.ts";

declare const client: Client;
declare const informers: InformerFactory;
declare const pod: Stored<Pod>;
`;
    const accepted = [
      "export const general: Resource = Pods;",
      "export const plain = (stored: ObjectOf<typeof Pods>): Pod => stored;",
      'export const draft: Draft<Stored<Pod>> = { metadata: { generateName: "web-" } };',
      'export const name: string | undefined = informers.informer(Pods).lister.get("ns/web")?.metadata.name;',
      "export const update: unknown = (signal: AbortSignal) => client.resource(Pods).update({ object: pod }, signal);",
      "export const reference: unknown = referenceTo(pod, Pods);",
    ];
    const refused = [
      "export const secrets: unknown = informers.informer<Stored<Secret>>(Pods);",
      "export const reviews: unknown = informers.informer(TokenReviews);",
      'export const named: unknown = informers.informer({ group: "", version: "v1", resource: "pods" });',
      "export const pods: Resource<Stored<Pod>> = Pods as Resource;",
      'export const literal: Resource<Stored<Pod>> = { group: "", version: "v1", resource: "pods", kind: "Pod", scope: "Namespaced" };',
      "export const inNamespace = (node: ObjectOf<typeof Nodes>): NamespacedObject => node;",
      "export const nameless: Draft<Stored<Pod>> = { metadata: {} };",
      'export const mistaken: Draft<Stored<Pod>> = { kind: "Secret", metadata: { name: "web" } };',
      "export const other: unknown = (signal: AbortSignal) => client.resource(ReplicaSets).update({ object: pod }, signal);",
      "export const wrong: unknown = referenceTo(pod, ReplicaSets);",
    ];
    let compiled: ReturnType<typeof check>;
    beforeAll(() => {
      const offences = {
        "src/api/target-1.ts": "export const one = 1;\n",
        "src/api/target-2.ts": "export type Two = 2;\n",
        "src/kit/target-3.ts": "export const three = 3;\n",
        "src/base/offence-1.ts": 'import { one } from "#api/target-1.ts";\nexport const f: unknown = one;\n',
        "src/base/offence-2.ts": 'import type { Two } from "../api/target-2.ts";\nexport type F = Two;\n',
        "src/apiserver/offence-3.ts": 'import { three } from "#kit/target-3.ts";\nexport const f: unknown = three;\n',
        "src/workqueue/offence-4.ts": "setTimeout(() => {}, 1);\nexport {};\n",
        "src/api/offence-5.ts": 'void fetch("https://example.com");\nexport {};\n',
        "src/rules/offence-6.ts": 'import { env } from "node:process";\nexport const f: unknown = env;\n',
        "src/kit/offence.ts": `${head}${[...accepted, ...refused].join("\n")}\n`,
      };
      compiled = check("types", offences, ["src/kit", "src/apiserver"]);
    });

    it("an upward import, also of a type, and host globals in a deterministic layer", () => {
      const { status, output } = compiled;
      expect(status).toBe(1);
      expect(output).toMatch(/src\/base\/offence-1\.ts\S* error TS6307/);
      expect(output).toMatch(/src\/base\/offence-2\.ts\S* error TS6307/);
      expect(output).toMatch(/src\/apiserver\/offence-3\.ts\S* error TS6307/);
      expect(output).toMatch(/src\/workqueue\/offence-4\.ts\S* error TS2304: Cannot find name 'setTimeout'/);
      expect(output).toMatch(/src\/api\/offence-5\.ts\S* error TS2304: Cannot find name 'fetch'/);
      expect(output).toMatch(/src\/rules\/offence-6\.ts\S* error TS/);
    });

    it("objects of another kind than a resource handle's", () => {
      const lines = new Set(
        Array.from(compiled.output.matchAll(/src\/kit\/offence\.ts\D(\d+)\S* error TS2/g), ([, line]) => Number(line)),
      );
      const first = head.split("\n").length + accepted.length;
      expect([...lines]).toEqual(refused.map((_, index) => first + index));
    });
  });

  describe("violations that the linter finds", () => {
    const expressions = [
      "Date.now()",
      "new Date()",
      "Math.random()",
      "Temporal.Now.instant()",
      '"a".localeCompare("b")',
      "new Intl.NumberFormat()",
      'import("./clock.ts")',
      "[1].map(Date.now)",
    ];
    const host = expressions.map((expression, line) => `export const f${line}: unknown = ${expression};\n`).join("");
    const importing = (from: string): string => `import { a } from "${from}";\n\nexport const f: unknown = a;\n`;
    let linted: ReturnType<typeof check>;
    beforeAll(() => {
      const offences = {
        "src/base/offence.ts": host,
        "src/controllers/job/offence.ts": importing("#controllers/replicaset/controller.ts"),
        "src/controllers/job/no-offence.ts": importing("#families/replicas/engine.ts"),
      };
      linted = check("lint", offences, ["src/base", "src/controllers/job"]);
    });

    it("time, randomness, the locale and dynamic imports in a deterministic layer", () => {
      expect(linted.status).toBe(1);
      expressions.forEach((_, index) => {
        expect(linted.output).toMatch(new RegExp(`src/base/offence\\.ts:${index + 1}:\\d+ plugin`));
      });
    });

    it("an import from another controller, but not from a family", () => {
      expect(linted.output).toContain("src/controllers/job/offence.ts:1");
      expect(linted.output).not.toContain("no-offence.ts");
    });
  });

  it("a promise that is not awaited", () => {
    const code = "async function g(): Promise<void> {}\nexport function f(): void {\n  g();\n}\n";
    const { status, output } = check("promises", { "src/base/offence.ts": code }, ["src/base"]);
    expect(status).toBe(1);
    expect(output).toContain("src/base/offence.ts:3");
  });

  it("a done parity row without a test, a vanished row, and a test with an unknown id", () => {
    const page = readFileSync(join(copy, "docs/parity/cloud.md"), "utf8");
    const untested = page.replace("**service-lb/1** (planned)", "**service-lb/1** (done)");
    const vanished = untested.replace(/- \*\*service-lb\/2\*\* .*\n/, "");
    const { status, output } = check("parity", {
      "docs/parity/cloud.md": vanished,
      "src/base/offence.test.ts": `it("service-lb/999 is ${"unknown"}", () => {});\n`,
    });
    expect(status).toBe(1);
    expect(output).toContain("service-lb/1: is done, but no test carries it");
    expect(output).toContain("docs/parity/cloud.md: has 34 rows, docs/parity.md says 35");
    expect(output).toContain("service-lb/999: src/base/offence.test.ts carries it, but it does not exist");
  });

  it("a controller without its contract", () => {
    const { status, output } = check("tidy", { "src/controllers/offence/controller.ts": "// Nothing.\n" });
    expect(status).toBe(1);
    expect(output).toContain("src/controllers/offence/controller.ts: lacks a label");
  });

  it("a file without an importer", () => {
    const { status, output } = check("dead-code", { "src/base/offence.ts": "// Dead.\nexport const f = 1;\n" });
    expect(status).toBe(1);
    expect(output).toContain("src/base/offence.ts");
  });
});
