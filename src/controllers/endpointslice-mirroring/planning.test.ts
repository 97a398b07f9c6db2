import { describe, expect, it } from "vitest";
import { Endpoints as EndpointsResource } from "#api/generated/resources/core-v1.ts";
import { EndpointSlices } from "#api/generated/resources/discovery-v1.ts";
import type { EndpointSubset } from "#api/generated/types/core-v1.ts";
import type { ObjectMeta } from "#api/meta.ts";
import { stored } from "#api/testing.ts";
import type { EndpointSlice, SliceDraft } from "#families/slices/model.ts";
import { recycled } from "#families/slices/writes.ts";
import { type Endpoints, isMirrored } from "./model.ts";
import { type MirrorPlan, planMirrors } from "./planning.ts";
import { wantedMirrors } from "./wanted-mirrors.ts";

const http = [{ name: "http", port: 80, protocol: "TCP" }];

function endpoints(subsets: readonly EndpointSubset[], more: ObjectMeta = {}): Endpoints {
  return stored(EndpointsResource, { metadata: { name: "web", ...more }, subsets });
}

function subset(ready: string, unready = "", ports: EndpointSubset["ports"] = http): EndpointSubset {
  const list = (text: string) => text.split(" ").flatMap((ip) => (ip === "" ? [] : [{ ip }]));
  return { addresses: list(ready), notReadyAddresses: list(unready), ports };
}

const plan = (object: Endpoints, slices: readonly EndpointSlice[] = [], max = 1000): MirrorPlan =>
  planMirrors(object, wantedMirrors(object, max).mirrors, slices, max);

/** The slice as the server would have stored it. */
function saved(draft: SliceDraft | undefined, name: string): EndpointSlice {
  if (draft === undefined) throw new Error("there is no slice");
  return stored(EndpointSlices, { ...draft, metadata: { ...draft.metadata, name } });
}

const textOf = ({ create, update, remove, right }: MirrorPlan): string => {
  const names = (list: readonly SliceDraft[]) => list.map(({ metadata }) => metadata.name ?? metadata.generateName);
  return `+${names(create)} ~${names(update)} -${names(remove)} =${names(right)}`;
};

describe("endpointslice-mirroring/tests, endpointslice-mirroring/5, endpointslice-mirroring/7 mirrors", () => {
  it("are left alone when they are right", () => {
    const object = endpoints([subset("10.1.0.1 10.1.0.2", "10.1.0.3")], {
      labels: { a: "b" },
      annotations: { c: "d" },
    });
    const first = plan(object);
    expect(textOf(first)).toBe("+web- ~ - =");
    expect(first).toMatchObject({ added: 3, updated: 0, removed: 0 });
    const slice = saved(first.create[0], "s1");
    expect(textOf(plan(object, [slice]))).toBe("+ ~ - =s1");
    expect(textOf(plan(endpoints([subset("10.1.0.1")], { labels: { a: "b" } }), [slice]))).toBe("+ ~s1 - =");
  });

  it.each<readonly [string, Endpoints, string, object]>([
    ["an address", endpoints([subset("10.1.0.1 10.1.0.2")]), "+ ~s1 - =", { added: 1, updated: 0, removed: 0 }],
    ["readiness", endpoints([subset("", "10.1.0.1")]), "+ ~s1 - =", { added: 0, updated: 1, removed: 0 }],
    ["another address", endpoints([subset("10.1.0.9")]), "+ ~s1 - =", { added: 1, updated: 0, removed: 1 }],
    ["a label", endpoints([subset("10.1.0.1")], { labels: { x: "y" } }), "+ ~s1 - =", { added: 0, removed: 0 }],
    ["an annotation", endpoints([subset("10.1.0.1")], { annotations: { x: "y" } }), "+ ~s1 - =", { updated: 0 }],
    ["the owner", endpoints([subset("10.1.0.1")], { uid: "successor" }), "+ ~s1 - =", { updated: 0 }],
    ["no address", endpoints([]), "+ ~ -s1 =", { removed: 0 }],
    ["other ports", endpoints([subset("10.1.0.1", "", [{ port: 81 }])]), "+web- ~ -s1 =", { added: 1 }],
    ["another family", endpoints([subset("2001:db8::1")]), "+web- ~ -s1 =", { added: 1, removed: 1 }],
    [
      "annotations that are not copied",
      endpoints([subset("10.1.0.1")], {
        annotations: {
          "endpoints.kubernetes.io/last-change-trigger-time": "2026-01-01T00:00:00Z",
          "kubectl.kubernetes.io/last-applied-configuration": "{}",
        },
      }),
      "+ ~ - =s1",
      { updated: 0 },
    ],
  ])("change with %s", (_, object, text, totals) => {
    const slice = saved(plan(endpoints([subset("10.1.0.1")])).create[0], "s1");
    const changed = plan(object, [slice]);
    expect(textOf(changed)).toBe(text);
    expect(changed).toMatchObject(totals);
  });

  it("endpointslice-mirroring/7 of several for one set of ports the first is kept", () => {
    const object = endpoints([subset("10.1.0.1")]);
    const [draft] = plan(object).create;
    expect(textOf(plan(object, [saved(draft, "s1"), saved(draft, "s2"), saved(draft, "s3")]))).toBe("+ ~ -s2,s3 =s1");
  });

  it("endpointslice-mirroring/traps are written with each sync when the Endpoints have the label of a manager", () => {
    const object = endpoints([subset("10.1.0.1")], { labels: { "endpointslice.kubernetes.io/managed-by": "me" } });
    expect(textOf(plan(object, [saved(plan(object).create[0], "s1")]))).toBe("+ ~s1 - =");
  });

  it("endpointslice-mirroring/10 take over names of their own address type only", () => {
    const slice = saved(plan(endpoints([subset("2001:db8::1")])).create[0], "six");
    const object = endpoints([subset("10.1.0.1 2001:db8::1", "", [{ port: 81 }])]);
    const { create, update, remove } = recycled(plan(object, [slice]));
    expect(create.map(({ addressType }) => addressType)).toEqual(["IPv4"]);
    expect(update.map(({ addressType, metadata }) => `${addressType} ${metadata.name}`)).toEqual(["IPv6 six"]);
    expect(remove).toEqual([]);
  });
});

describe("endpointslice-mirroring/6 addresses", () => {
  it("that are invalid or too many are counted and left out", () => {
    const object = endpoints([subset("10.1.0.1 10.1.0.2 not-an-ip", "10.1.0.4 10.1.0.5")]);
    const { invalid, skipped } = wantedMirrors(object, 3);
    expect({ invalid, skipped }).toEqual({ invalid: ["not-an-ip"], skipped: 2 });
    expect(plan(object, [], 3).create[0]?.endpoints?.map(({ addresses }) => addresses[0])).toEqual([
      "10.1.0.1",
      "10.1.0.2",
      "10.1.0.4",
    ]);
  });

  it("are written in their usual form", () => {
    const object = endpoints([subset("010.001.0.1 ::ffff:10.1.0.2 2001:DB8::0001")]);
    const written = plan(object).create.map(({ addressType, endpoints = [] }) => [
      addressType,
      endpoints.flatMap(({ addresses }) => addresses).toSorted(),
    ]);
    expect(written).toEqual([
      ["IPv4", ["10.1.0.1", "10.1.0.2"]],
      ["IPv6", ["2001:db8::1"]],
    ]);
  });
});

it.each([
  [{}, true],
  [{ labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } }, false],
  [{ labels: { "endpointslice.kubernetes.io/skip-mirror": "false" } }, true],
  [{ annotations: { "control-plane.alpha.kubernetes.io/leader": "" } }, false],
])("endpointslice-mirroring/1 Endpoints with %o are mirrored: %s", (metadata, expected) => {
  expect(isMirrored(endpoints([], metadata))).toBe(expected);
});
