// Every stored kind in every version is also served in protobuf, with the same content as in JSON.

import { afterAll, describe, expect, it } from "vitest";
import { playCase } from "./case.ts";
import { embeddedSubject } from "./exchange.ts";
import { moreSettings } from "./judge-flags.ts";
import { protobufOf, type RowCase } from "./kind-row.ts";
import { suites } from "./suites.ts";

interface Seen {
  readonly status: number;
  readonly contentType: string;
  readonly body: { readonly kind?: string; readonly apiVersion?: string; readonly metadata?: object };
}

const cases = Object.values(suites).flat();
const rows = [...new Set(cases.flatMap((each) => ("row" in each ? [(each as RowCase).row] : [])))];

describe("machinery/7.1.r11 gives the same answers in protobuf as in JSON", () => {
  const subject = embeddedSubject(moreSettings);
  afterAll(() => subject.close());

  it.each(rows.map((row, index) => [row.label, row, index] as const))("%s", async (_label, row, index) => {
    const { length } = row.before ?? [];
    const answers = (await playCase(protobufOf(row), `proto-${index}`, subject)) as readonly Seen[];
    const [, asJson, asProtobuf, list] = answers.slice(length);
    expect([asProtobuf?.contentType, list?.contentType]).toEqual(Array(2).fill("application/vnd.kubernetes.protobuf"));
    const { kind, apiVersion, metadata } = asJson?.body ?? {};
    expect(asProtobuf?.body).toMatchObject({ kind, apiVersion, metadata });
    expect(list).toMatchObject({ status: 200, body: { kind: `${kind}List`, apiVersion } });
  });
});
