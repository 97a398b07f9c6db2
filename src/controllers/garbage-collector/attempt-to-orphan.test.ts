import { describe, expect, it } from "vitest";
import { noLog } from "#base/log.ts";
import { neverAborted } from "#base/testing.ts";
import { AbsentOwners } from "./absent-owners.ts";
import { attemptToOrphan } from "./attempt-to-orphan.ts";
import type { Deps } from "./deps.ts";
import { type Answer, NOT_FOUND, node, stageApi } from "./testing.ts";

const signal = neverAborted();
const owner = node("owner", { dependents: new Set([node("a"), node("b")]) });
const held = { metadata: { name: "owner", uid: "uid-owner", resourceVersion: "7", finalizers: ["orphan"] } };
const released = { metadata: { name: "a" } };

async function orphan(answers: readonly Answer[]): Promise<{ result: string; requests: readonly string[] }> {
  const api = stageApi(answers);
  const deps: Deps = {
    log: noLog,
    objects: api.objects,
    graph: { get: () => undefined },
    absentOwners: new AbsentOwners(),
    reportAbsent: () => undefined,
    attemptToDelete: () => undefined,
  };
  const result = await attemptToOrphan(owner, deps, signal).then(
    ({ kind }) => kind,
    (error: unknown) => String(error),
  );
  return { result, requests: api.requests().map((request) => request.split(" ").slice(0, 2).join(" ")) };
}

describe("an attempt to orphan", () => {
  it("garbage-collector/21 releases the dependents at once, then the owner", async () => {
    const { result, requests } = await orphan([released, NOT_FOUND, held, released]);
    expect(result).toBe("done");
    expect(requests).toEqual(["PATCH a/pods/a", "PATCH a/pods/b", "GET a/pods/owner", "PATCH a/pods/owner"]);
  });

  it("garbage-collector/21, garbage-collector/tests keeps the owner when a dependent cannot be released, and says which", async () => {
    const { result, requests } = await orphan([released, { code: 403, reason: "Forbidden" }]);
    expect(requests).toEqual(["PATCH a/pods/a", "PATCH a/pods/b"]);
    expect(result).toBe(
      "Error: failed to orphan dependents of owner [v1/Pod, namespace: a, name: owner, uid: uid-owner], got errors: orphaning [v1/Pod, namespace: a, name: b, uid: uid-b] failed, Forbidden",
    );
  });
});
