import { describe, expect, it } from "vitest";
import { ResourceClaims } from "#api/generated/resources/resource-v1.ts";
import { stored } from "#api/testing.ts";
import { testClock } from "#base/testing.ts";
import { IndexedStore } from "#informers/store.ts";
import { CreatedClaims } from "./created-claims.ts";
import type { Claim } from "./deps.ts";
import { BY_POD_OWNER, claimKeysByPodOwner } from "./indexes.ts";

function claim(name: string, uid = "pod-uid"): Claim {
  const owner = { apiVersion: "v1", kind: "Pod", name: "web", uid, controller: true };
  return stored(ResourceClaims, { metadata: { name, namespace: "default", ownerReferences: [owner] }, spec: {} });
}

function setUp() {
  const clock = testClock();
  const cache = new IndexedStore<Claim>();
  cache.addIndexers({ [BY_POD_OWNER]: claimKeysByPodOwner });
  const created = new CreatedClaims(clock, cache);
  const names = (): readonly string[] =>
    created.byIndex(BY_POD_OWNER, "pod-uid", claimKeysByPodOwner).map(({ metadata }) => metadata.name);
  return { clock, cache, created, names };
}

describe("resourceclaim/3 claims that the cache does not show yet", () => {
  it("are found by their pod, after those of the cache", () => {
    const { cache, created, names } = setUp();
    created.add(claim("new"));
    created.add(claim("of-another", "other-uid"));
    cache.set("default/old", claim("old"));
    expect(names()).toEqual(["old", "new"]);
  });

  it("are forgotten once the cache has shown them", () => {
    const { cache, created, names } = setUp();
    created.add(claim("new"));
    cache.set("default/new", claim("new"));
    expect(names()).toEqual(["new"]);
    cache.delete("default/new");
    expect(names()).toEqual([]);
  });

  it("are found for an hour, although they were deleted before they were looked for", async () => {
    const { clock, cache, created, names } = setUp();
    created.add(claim("new"));
    cache.set("default/new", claim("new"));
    cache.delete("default/new");
    await clock.advance(3_599_999);
    expect(names()).toEqual(["new"]);
    await clock.advance(1);
    expect(names()).toEqual([]);
  });

  it("are at most a hundred", () => {
    const { created, names } = setUp();
    for (let i = 0; i < 101; i++) created.add(claim(`claim-${i}`));
    expect(names()).toHaveLength(100);
    expect(names()).not.toContain("claim-0");
  });
});
