// Dry runs of every stored kind in every version store nothing, as upstream's test/integration/dryrun checks.

import { afterAll, describe, expect, it } from "vitest";
import { playCase } from "./case.ts";
import { embeddedSubject } from "./exchange.ts";
import { moreSettings } from "./judge-flags.ts";
import { dryRunOf, type RowCase } from "./kind-row.ts";
import { suites } from "./suites.ts";

interface Seen {
  readonly status: number;
  readonly body: unknown;
}

const cases = Object.values(suites).flat();
const rows = [...new Set(cases.flatMap((each) => ("row" in each ? [(each as RowCase).row] : [])))];

describe("machinery/8.r11 a dry run answers like the real request, and stores nothing", () => {
  const subject = embeddedSubject(moreSettings);
  afterAll(() => subject.close());

  it.each(rows.map((row, index) => [row.label, row, index] as const))("%s", async (_label, row, index) => {
    const { length } = row.before ?? [];
    const answers = (await playCase(dryRunOf(row), `dry-${index}`, subject)) as readonly Seen[];
    const [tried, missing, created, before, patched, applied, deleted] = answers.slice(length);
    const after = answers.at(-3);
    expect([tried, missing, created].map((answer) => answer?.status)).toEqual([201, 404, 201]);
    expect([patched, applied, deleted].map((answer) => answer?.status)).toEqual([200, 200, 200]);
    expect(after?.body).toEqual(before?.body);
  });
});
