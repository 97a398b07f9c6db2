import { expect, it } from "vitest";
import { formatTime } from "#api/time.ts";
import file from "#test/vectors/cleaner.json" with { type: "json" };
import { isExpired } from "./expiry.ts";

const NOW = Date.UTC(2026, 0, 10);

type Look = readonly [
  requests: readonly (readonly [uid: string, ageSeconds: number, condition: string | null, isTerminating: boolean])[],
  /** By name, each with the UID precondition of the deletion. */
  deleted: readonly (readonly [name: string, uid: string])[],
];

it("podcertificaterequest-cleaner/1, podcertificaterequest-cleaner/2 deletes what upstream's controller deletes, under the UID that it saw", () => {
  const looks = (file as unknown as { readonly podRequests: readonly Look[] }).podRequests;
  expect(looks.flatMap(([, deleted]) => deleted).length).toBeGreaterThan(100);
  for (const [requests, deleted] of looks) {
    // Conditions and a deletion in progress are ignored.
    const expired = requests.flatMap(([uid, ageSeconds], index) =>
      isExpired({ creationTimestamp: formatTime(NOW - ageSeconds * 1000) }, NOW) ? [[`pcr-${index}`, uid]] : [],
    );
    expect([requests, expired]).toEqual([requests, [...deleted]]);
  }
});
