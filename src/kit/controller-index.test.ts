import { describe, expect, it } from "vitest";
import type { OwnerReference } from "#api/meta.ts";
import { objectKey } from "#api/object.ts";
import { stored } from "#api/testing.ts";
import { Things } from "#informers/testing.ts";
import { stageInformer } from "#informers/testing-stage.ts";
import { addControllerIndex, ownedAndOrphans } from "./controller-index.ts";

const owner = stored(Things, { metadata: { namespace: "ns1", name: "owner", uid: "abc" } });

/** Objects with these owner references, as a list returns them. */
async function found(objects: Readonly<Record<string, Partial<OwnerReference> | undefined>>): Promise<string[]> {
  const { informer, server, clock, stop } = stageInformer();
  addControllerIndex(informer);
  addControllerIndex(informer); // The second caller finds the index there.
  for (const [key, change] of Object.entries(objects)) {
    const [namespace = "", name = ""] = key.split("/");
    const thing = server.put(name, 0, namespace);
    if (change === undefined) continue;
    const reference = { apiVersion: "v1", kind: "Thing", name: "owner", uid: "abc", controller: true, ...change };
    server.objects.set(key, { ...thing, metadata: { ...thing.metadata, ownerReferences: [reference] } });
  }
  const ended = informer.run(stop.signal);
  await clock.advance(1_000);
  const names = ownedAndOrphans(informer, owner, Things).map(objectKey);
  stop.abort();
  await clock.advance(1_000);
  await ended;
  return names;
}

describe("objects by their controller", () => {
  it("workloads/S17 finds those of one owner, by kind, name and UID", async () => {
    expect(await found({ "ns1/a": {}, "ns1/b": { uid: "def" }, "ns1/c": {} })).toEqual(["ns1/a", "ns1/c"]);
    expect(await found({ "ns1/a": { kind: "Other" }, "ns1/b": { name: "other" }, "ns2/c": {} })).toEqual([]);
  });

  it("finds the orphans of its namespace after them", async () => {
    expect(await found({ "ns1/a": undefined, "ns2/b": undefined, "ns1/c": {} })).toEqual(["ns1/c", "ns1/a"]);
    expect(await found({ "ns1/a": { controller: false } })).toEqual(["ns1/a"]);
  });
});
