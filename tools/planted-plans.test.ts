// A planted fault whose place is gone proves nothing, and `make planted-faults` runs seldom.

import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import type { FaultPlan } from "#test/planted-faults/fault.ts";

const files = globSync("test/planted-faults/*.ts").filter((file) => !file.endsWith("fault.ts"));

it.each(files)("every fault of %s has its one place", async (file) => {
  const { plan } = (await import(resolve(file))) as { plan: FaultPlan };
  const homeless = plan.faults.filter((fault) => readFileSync(fault.file, "utf8").split(fault.find).length !== 2);
  expect(homeless.map(({ name }) => name)).toEqual([]);
});
