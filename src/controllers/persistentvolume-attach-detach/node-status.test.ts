import { expect, it } from "vitest";
import { Nodes } from "#api/generated/resources/core-v1.ts";
import { newNotFound } from "#api/status-error.ts";
import { stored } from "#api/testing.ts";
import { noLog } from "#base/log.ts";
import { neverAborted } from "#base/testing.ts";
import { ActualState } from "./actual-state.ts";
import { NodeStatusWriter } from "./node-status.ts";

type StoredNode = ReturnType<typeof node>;

const node = (resourceVersion: string, ...volumes: readonly string[]) =>
  stored(Nodes, {
    metadata: { name: "a", resourceVersion },
    status: { volumesAttached: volumes.map((name) => ({ name, devicePath: "" })) },
  });

function setUp(cached: StoredNode | undefined, answers: readonly (StoredNode | Error)[]) {
  const actual = new ActualState();
  const patches: unknown[] = [];
  const lister = { list: () => [], get: () => cached, require: () => node("1") };
  const patch = async (request: { readonly patch: unknown }): Promise<StoredNode> => {
    const answer = answers[patches.length];
    patches.push(request.patch);
    if (answer === undefined || answer instanceof Error) throw answer ?? new Error("too many patches");
    return answer;
  };
  return { actual, patches, writer: new NodeStatusWriter(actual, lister, { patch }, noLog) };
}

it("persistentvolume-attach-detach/15, persistentvolume-attach-detach/tests replaces the whole list, also by an equal one", async () => {
  const { actual, patches, writer } = setUp(node("1", "v"), [node("2", "v")]);
  actual.markAttached("v", undefined, "a");
  await writer.writeAll(neverAborted());
  await writer.writeAll(neverAborted());
  expect(patches).toEqual([{}]);
});

it("persistentvolume-attach-detach/traps takes a volume off the list although the cache has not seen it there", async () => {
  const { actual, patches, writer } = setUp(node("1"), [node("2", "v"), node("3")]);
  actual.markAttached("v", undefined, "a");
  await writer.writeAll(neverAborted());
  actual.retract("v", "a");
  expect(await writer.write("a", neverAborted())).toBe(true);
  expect(patches).toEqual([
    { status: { volumesAttached: [{ name: "v", devicePath: "" }] } },
    { status: { volumesAttached: null } },
  ]);
});

it("persistentvolume-attach-detach/10, persistentvolume-attach-detach/15 tries again after a failure", async () => {
  const { actual, patches, writer } = setUp(node("1"), [new Error("no"), node("2", "v")]);
  actual.markAttached("v", undefined, "a");
  expect(await writer.write("a", neverAborted())).toBe(false);
  expect(actual.staleNodes()).toEqual(["a"]);
  expect(await writer.write("a", neverAborted())).toBe(true);
  expect(patches).toHaveLength(2);
});

it.each([
  ["is not cached", undefined],
  ["is gone", node("1")],
])(
  "persistentvolume-attach-detach/10, persistentvolume-attach-detach/tests has done with a node that %s",
  async (_, cached) => {
    const { actual, writer } = setUp(cached, [newNotFound(Nodes, "a")]);
    actual.markAttached("v", undefined, "a");
    expect(await writer.write("a", neverAborted())).toBe(true);
    expect(actual.staleNodes()).toEqual([]);
  },
);
