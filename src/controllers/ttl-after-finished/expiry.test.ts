import { describe, expect, it } from "vitest";
import { Jobs } from "#api/generated/resources/batch-v1.ts";
import { stored } from "#api/testing.ts";
import { expiryOf, needsCleanUp } from "./expiry.ts";

const at = "2026-01-01T00:00:10Z";
const complete = { type: "Complete", status: "True", lastTransitionTime: at };
const failed = { type: "Failed", status: "True", lastTransitionTime: "2026-01-01T00:00:20Z" };

const job = (ttlSecondsAfterFinished: number | undefined, conditions: readonly object[], more: object = {}) =>
  stored(Jobs, {
    metadata: { name: "sum", namespace: "default", ...more },
    spec: { template: {}, ...(ttlSecondsAfterFinished === undefined ? {} : { ttlSecondsAfterFinished }) },
    status: { conditions: conditions as [] },
  });

describe("the expiry of a finished Job", () => {
  it.each([
    ["without a TTL", job(undefined, [complete]), false],
    ["not finished", job(5, [{ ...complete, status: "False" }]), false],
    ["complete", job(5, [complete]), true],
    ["failed, with a TTL of none", job(0, [failed]), true],
    ["being deleted", job(5, [complete], { deletionTimestamp: at }), false],
  ])("ttl-after-finished/1 concerns a Job that is %s: %#", (_, given, expected) => {
    expect(needsCleanUp(given)).toBe(expected);
  });

  it("ttl-after-finished/2 counts from the first condition that is true", () => {
    const { finishedAt, expiresAt } = expiryOf(job(5, [{ type: "Suspended", status: "True" }, failed, complete]));
    expect([finishedAt, expiresAt]).toEqual([Date.UTC(2026, 0, 1, 0, 0, 20), Date.UTC(2026, 0, 1, 0, 0, 25)]);
  });

  it("ttl-after-finished/2 refuses a condition without a time", () => {
    const message = "unable to find the time when the Job default/sum finished";
    expect(() => expiryOf(job(5, [{ type: "Complete", status: "True" }]))).toThrow(message);
  });
});
