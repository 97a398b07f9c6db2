import { describe, expect, it } from "vitest";
import { formatTime } from "#api/time.ts";
import file from "#test/vectors/cleaner.json" with { type: "json" };
import { whyExpired } from "./expiry.ts";

const NOW = Date.UTC(2026, 0, 10);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const ago = (ms: number): string => formatTime(NOW - ms);
/** Of CN=web, from November 2026 to November 2046. */
const CERTIFICATE =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJNRENCNDZBREFnRUNBaFFmMWU1VHlQUVdTQlROdmFRSkFOK0JOODZocERBRkJnTXJaWEF3RGpFTU1Bb0cKQTFVRUF3d0RkMlZpTUI0WERUSTJNVEV4TmpFeE1EQTBOMW9YRFRRMk1URXhNVEV4TURBME4xb3dEakVNTUFvRwpBMVVFQXd3RGQyVmlNQ293QlFZREsyVndBeUVBcGFtZkNCK2EwRk92cjhoS1pIVnlwbFEyaWFWcGwxOUZYUmQxCjVpUk5vbW1qVXpCUk1CMEdBMVVkRGdRV0JCVFRhWFJhWUhXaCs5ZWRKTHlPaG15ajZQeUxXREFmQmdOVkhTTUUKR0RBV2dCVFRhWFJhWUhXaCs5ZWRKTHlPaG15ajZQeUxXREFQQmdOVkhSTUJBZjhFQlRBREFRSC9NQVVHQXl0bApjQU5CQU9jRFFQSlU5Y2JqK3ZTend5THc2b0s3d29BVk5ZZHA0NjB0MGJTZ2dNMjFaMVl4RVY5eGJsamY2NSt2CmRvZklCd3FyQzY4aDZDZkordVhEbk9pby9BYz0KLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo=";
/** With the alternative name URI::bad. */
const MALFORMED =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJRVENCOUtBREFnRUNBaFFVZEliZU5wZnhtMW9pTHlyUlhHMW14RDhab2pBRkJnTXJaWEF3RGpFTU1Bb0cKQTFVRUF3d0RkMlZpTUI0WERUSTJNVEV4T0RJd016STFNMW9YRFRRMk1URXhNekl3TXpJMU0xb3dEakVNTUFvRwpBMVVFQXd3RGQyVmlNQ293QlFZREsyVndBeUVBRnNraEQrWHZqeWFpelBDbnA4WFhmdFdhc2h4emN0L3dtWjZ0CkhKQWFRYVNqWkRCaU1CMEdBMVVkRGdRV0JCUWVnQTFTSEJEUmZza2tKM05VQXFFaVRzZGVuVEFmQmdOVkhTTUUKR0RBV2dCUWVnQTFTSEJEUmZza2tKM05VQXFFaVRzZGVuVEFQQmdOVkhSTUJBZjhFQlRBREFRSC9NQThHQTFVZApFUVFJTUFhR0JEcGlZV1F3QlFZREsyVndBMEVBSHZIZlhvdG8yUXdQLy9NYWhtbytmaHQycVVac2tLQnUxVEkxCkN4OHdzRTdkUGNSYjlkWFRtalJYNnV2UHpDTFljQ1k4SWcweCtpVEN6dC9sdkZJWkNBPT0KLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo=";
const spec = { request: "", signerName: "example.com/a" };

interface Case {
  readonly what: string;
  readonly created?: number;
  readonly conditions?: readonly (readonly [type: string, ageMs: number | undefined])[];
  readonly certificate?: string;
  readonly now?: number;
  readonly why?: string;
}

const approvedLong = "more than approvedExpiration duration old and approved";

describe("certificatesigningrequest-cleaner/tests a certificate signing request", () => {
  it.each<Case>([
    {
      what: "issued 61 minutes ago",
      conditions: [["Approved", 61 * MINUTE_MS]],
      certificate: CERTIFICATE,
      why: approvedLong,
    },
    { what: "issued an hour ago", conditions: [["Approved", HOUR_MS]], certificate: CERTIFICATE },
    {
      what: "denied 61 minutes ago",
      conditions: [["Denied", 61 * MINUTE_MS]],
      why: "deniedExpiration duration old and denied",
    },
    { what: "denied just now", conditions: [["Denied", 0]] },
    { what: "denied at no time", conditions: [["Denied", undefined]] },
    {
      what: "failed 61 minutes ago",
      conditions: [
        ["Approved", 61 * MINUTE_MS],
        ["Failed", 61 * MINUTE_MS],
      ],
      why: "deniedExpiration duration old and failed",
    },
    { what: "made 25 hours ago", created: 25 * HOUR_MS, why: "pendingExpiration duration old and unhandled" },
    { what: "made 23 hours ago", created: 23 * HOUR_MS },
    { what: "made 25 hours ago, with another condition", created: 25 * HOUR_MS, conditions: [["Custom", 0]] },
    { what: "approved 25 hours ago", conditions: [["Approved", 25 * HOUR_MS]], why: "approved but unissued" },
    { what: "approved 23 hours ago", conditions: [["Approved", 23 * HOUR_MS]] },
    {
      what: "whose certificate has expired",
      conditions: [["Approved", undefined]],
      certificate: CERTIFICATE,
      now: Date.UTC(2046, 10, 12),
      why: "the associated certificate is expired",
    },
    {
      what: "whose certificate is in force",
      conditions: [["Approved", undefined]],
      certificate: CERTIFICATE,
      now: Date.UTC(2046, 10, 11),
    },
    { what: "whose certificate cannot be read", conditions: [["Approved", undefined]], certificate: btoa("x") },
    {
      what: "whose expired certificate has a malformed name",
      conditions: [["Approved", undefined]],
      certificate: MALFORMED,
      now: Date.UTC(2100, 0, 1),
    },
  ])("certificatesigningrequest-cleaner/1 certificatesigningrequest-cleaner/2 $what: $why", (row) => {
    const { created = 0, conditions = [], certificate, now = NOW, why } = row;
    const request = {
      metadata: { creationTimestamp: ago(created) },
      spec,
      status: {
        ...(certificate === undefined ? {} : { certificate }),
        conditions: conditions.map(([type, ageMs]) => ({
          type,
          status: "True",
          ...(ageMs === undefined ? {} : { lastUpdateTime: ago(ageMs) }),
        })),
      },
    };
    const found = whyExpired(request, now);
    if (why === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(why);
  });
});

type Row = readonly [
  createdMinutes: number,
  conditions: readonly (readonly [type: string, ageMinutes: number | null])[],
  certificate: string | null,
  isDeleted: boolean,
];

it("certificatesigningrequest-cleaner/1, certificatesigningrequest-cleaner/2 deletes what upstream's controller deletes", () => {
  const rows = (file as unknown as { readonly requests: readonly Row[] }).requests;
  expect(rows.filter(([, , , isDeleted]) => isDeleted).length).toBeGreaterThan(100);
  for (const row of rows) {
    const [created, conditions, certificate, isDeleted] = row;
    const request = {
      metadata: { name: "csr", creationTimestamp: ago(created * MINUTE_MS) },
      spec,
      status: {
        conditions: conditions.map(([type, age]) => ({
          type,
          status: "True",
          ...(age !== null && { lastUpdateTime: ago(age * MINUTE_MS) }),
        })),
        ...(certificate !== null && { certificate }),
      },
    };
    expect([row, whyExpired(request, NOW) !== undefined]).toEqual([row, isDeleted]);
  }
});
