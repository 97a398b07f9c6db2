import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { kindsFile, kindsPage } from "./kinds.ts";

it("docs/kinds.md lists the built-in kinds: bun tools/kinds.ts", () => {
  expect(readFileSync(kindsFile, "utf8")).toBe(kindsPage());
});
