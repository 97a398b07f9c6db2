import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { kindsFile, kindsPage } from "./kinds.ts";

it("docs/kinds.md says which kinds have rules of their own: bun tools/kinds.ts", () => {
  expect(readFileSync(kindsFile, "utf8")).toBe(kindsPage());
});
