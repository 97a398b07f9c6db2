import { expect, it } from "vitest";
import { ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import type { ObjectOf } from "#api/resource.ts";
import { stored } from "#api/testing.ts";
import { neverAborted } from "#base/testing.ts";
import { updateStatus } from "./status-write.ts";

type Owner = ObjectOf<typeof ReplicaSets>;
const old = stored(ReplicaSets, { metadata: { name: "web" } });
const live: Owner = { ...old, metadata: { ...old.metadata, resourceVersion: "7" } };

/** An API whose first `failures` writes fail. */
function apiThatFails(failures: number) {
  const writes: string[] = [];
  return {
    writes,
    get: async () => live,
    updateStatus: async ({ object }: { object: Owner }) => {
      writes.push(`${object.metadata.resourceVersion}: ${object.status?.replicas}`);
      if (writes.length <= failures) throw new Error("refused");
      return object;
    },
  };
}

it("writes on the cached object, and once more on the live one", async () => {
  const api = apiThatFails(1);
  const written = await updateStatus(api, old, { replicas: 3 }, neverAborted());
  expect(written).toEqual({ ...live, status: { replicas: 3 } });
  expect(api.writes).toEqual(["1: 3", "7: 3"]);
});

it("leaves a second failure to its caller", async () => {
  const api = apiThatFails(2);
  await expect(updateStatus(api, old, { replicas: 3 }, neverAborted())).rejects.toThrow("refused");
  expect(api.writes).toHaveLength(2);
});
