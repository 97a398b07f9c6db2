import { describe, expect, it } from "vitest";
import { ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { newControllerRef } from "#api/owner-refs.ts";
import type { StoredObject } from "#api/resource.ts";
import { ApiError } from "#api/status-error.ts";
import { stored } from "#api/testing.ts";
import { TransportError } from "#base/http.ts";
import { StaleCacheError } from "./consistency.ts";
import { DoubtfulCreates, isOutcomeUnknown } from "./doubtful-creates.ts";

const owner = stored(ReplicaSets, { metadata: { name: "web", uid: "1" } });

function pod(resourceVersion: string, uid = "1"): StoredObject {
  const controller = { ...newControllerRef(owner, ReplicaSets), uid };
  const metadata = { name: `pod-${resourceVersion}`, resourceVersion, ownerReferences: [controller] };
  return stored(Pods, { metadata });
}

function stage(...pods: readonly StoredObject[]) {
  const cache = { resource: Pods, lastStoreSyncResourceVersion: "10" };
  const doubts = new DoubtfulCreates(cache);
  let lists = 0;
  const settle = (): Promise<void> =>
    doubts.settle("ns/web", owner, async () => {
      lists++;
      return pods;
    });
  return { cache, doubts, settle, lists: () => lists };
}

const reset = new TransportError("reset", "reset");

describe("creates whose outcome is unknown", () => {
  it.each([
    ["a reset", reset, true],
    ["a timeout", new TransportError("timeout", ""), true],
    ["a server that gave up", new ApiError({ code: 504 }), true],
    ["a refused connection", new TransportError("refused", ""), false],
    ["a refusal", new ApiError({ code: 403 }), false],
    ["an error of our own", new Error("no labels"), false],
    ["a name that is not found", new TransportError("dns", "no such host"), false],
    ["a certificate that is not trusted", new TransportError("tls", "unknown authority"), false],
    ["an error that merely has a code", Object.assign(new Error("odd"), { code: 503 }), false],
    ["500", new ApiError({ code: 500 }), true],
  ])("are told from failures: %s", (_, error, unknown) => {
    expect(isOutcomeUnknown(error)).toBe(unknown);
  });

  it("block the owner until the cache has caught up with the server", async () => {
    const { cache, doubts, settle, lists } = stage(pod("9"), pod("12"), pod("99", "of another"));
    doubts.note("ns/web", reset);
    await expect(settle()).rejects.toThrow(StaleCacheError);
    cache.lastStoreSyncResourceVersion = "11";
    await expect(settle()).rejects.toThrow("read version: 11 is not as new as written version: 12");
    cache.lastStoreSyncResourceVersion = "12";
    await settle();
    await settle();
    expect(lists()).toBe(1);
  });

  it("do not block when they created nothing", async () => {
    const { doubts, settle } = stage(pod("9"));
    doubts.note("ns/web", reset);
    await settle();
  });

  it("cost nothing when there are none", async () => {
    const { doubts, settle, lists } = stage(pod("12"));
    await settle();
    doubts.note("ns/web", new ApiError({ code: 403 }));
    await settle();
    expect(lists()).toBe(0);
  });

  it("stay doubtful while the server cannot be reached, and are dropped without permission to list", async () => {
    const { doubts } = stage();
    doubts.note("ns/web", reset);
    const asking = (error: Error): Promise<void> => doubts.settle("ns/web", owner, () => Promise.reject(error));
    await expect(asking(reset)).rejects.toBe(reset);
    await expect(asking(reset)).rejects.toBe(reset);
    await asking(new ApiError({ code: 403, reason: "Forbidden" }));
    await asking(reset);
  });

  it("are forgotten with their owner", async () => {
    const { doubts, settle, lists } = stage(pod("12"));
    doubts.note("ns/web", reset);
    doubts.forget("ns/web");
    await settle();
    expect(lists()).toBe(0);
  });
});
