import { describe, expect, it } from "vitest";
import { Pods, Services } from "#api/generated/resources/core-v1.ts";
import type { PodSpec, PodStatus } from "#api/generated/types/core-v1.ts";
import type { ObjectMeta } from "#api/meta.ts";
import { objectKey } from "#api/object.ts";
import { stored } from "#api/testing.ts";
import { noMetrics } from "#base/metrics.ts";
import { testClock } from "#base/testing.ts";
import { createLister } from "#informers/lister.ts";
import { IndexedStore } from "#informers/store.ts";
import { KeyQueue } from "#kit/key-queue.ts";
import type { Pod, Service } from "./model.ts";
import { podTriggers } from "./pod-triggers.ts";

const service = (name: string, selector?: Readonly<Record<string, string>>, namespace = "ns"): Service =>
  stored(Services, { metadata: { name, namespace }, spec: selector === undefined ? {} : { selector } });

const services = [
  service("a", { app: "a" }),
  service("b", { app: "b" }),
  service("both", { tier: "front" }),
  service("elsewhere", { app: "a" }, "other"),
  service("bare"),
];

interface Change {
  readonly metadata?: ObjectMeta;
  readonly spec?: Partial<PodSpec>;
  readonly status?: PodStatus;
}

let version = 0;

function podOf({ metadata, spec, status }: Change): Pod {
  return stored(Pods, {
    metadata: { name: "pod", resourceVersion: String(++version), labels: { app: "a" }, ...metadata },
    spec: { containers: [], ...spec },
    status: { conditions: [{ type: "Ready", status: "False" }], ...status },
  });
}

/** The keys that the event queues. */
function queuedBy(event: (triggers: ReturnType<typeof podTriggers>) => void): readonly string[] {
  const keys: string[] = [];
  const trace = {
    queued: (_: string, key: string) => void keys.push(key),
    started: () => undefined,
    finished: () => undefined,
  };
  const queue = new KeyQueue({
    context: { clock: testClock(), metrics: noMetrics, trace },
    controller: "test",
    name: "",
  });
  const store = new IndexedStore<Service>();
  for (const each of services) store.set(objectKey(each), each);
  event(podTriggers({ lister: createLister(store, Services) }, queue, 0));
  return keys.toSorted();
}

const addresses = (...ips: readonly string[]): Change => ({ status: { podIPs: ips.map((ip) => ({ ip })) } });
const ending: Change = { metadata: { labels: { app: "a" }, deletionTimestamp: "2026-01-01T00:00:00Z" } };
const labels = (text: Readonly<Record<string, string>>): Change => ({ metadata: { labels: text } });

describe("endpoints/2, endpoints/tests, endpointslice/tests a pod", () => {
  it.each([
    [{ app: "a" }, ["ns/a"]],
    [{ app: "b", tier: "front" }, ["ns/b", "ns/both"]],
    [{ app: "c" }, []],
    [{}, []],
  ])("that comes or goes with labels %o concerns %o", (own, expected) => {
    expect(queuedBy((on) => on.onAdd?.(podOf(labels(own)), false))).toEqual(expected);
    expect(queuedBy((on) => on.onDelete?.(podOf(labels(own)), false))).toEqual(expected);
  });

  it.each<readonly [string, Change, Change, readonly string[]]>([
    ["is the same in all that counts", {}, {}, []],
    ["gets a node", {}, { spec: { nodeName: "node" } }, []],
    ["gets an annotation", {}, { metadata: { labels: { app: "a" }, annotations: { note: "new" } } }, []],
    ["gets an address", {}, addresses("10.1.0.1"), ["ns/a"]],
    ["changes its address", addresses("10.1.0.1"), addresses("10.1.0.2"), ["ns/a"]],
    ["gets an address of IPv6", {}, addresses("fd00::1"), ["ns/a"]],
    ["changes its address of IPv6", addresses("fd00::1"), addresses("fd00::2"), ["ns/a"]],
    ["gets a second address", addresses("10.1.0.1"), addresses("10.1.0.1", "fd00::1"), ["ns/a"]],
    ["changes its second address", addresses("10.1.0.1", "fd00::1"), addresses("10.1.0.1", "fd00::2"), ["ns/a"]],
    ["loses its second address", addresses("10.1.0.1", "fd00::1"), addresses("10.1.0.1"), ["ns/a"]],
    ["becomes ready", {}, { status: { conditions: [{ type: "Ready", status: "True" }] } }, ["ns/a"]],
    ["begins to end", {}, ending, ["ns/a"]],
    ["changes while it ends", ending, ending, ["ns/a"]],
    ["gets a label of one more Service", {}, labels({ app: "a", tier: "front" }), ["ns/both"]],
    ["gets a label of no Service", {}, labels({ app: "a", more: "yes" }), []],
    ["moves to another Service", {}, labels({ app: "b" }), ["ns/a", "ns/b"]],
    ["leaves its Service", {}, labels({}), ["ns/a"]],
    ["moves and ends", {}, { metadata: { ...ending.metadata, labels: { app: "b" } } }, ["ns/a", "ns/b"]],
    [
      "changes a label and its readiness",
      {},
      { ...labels({ app: "a", more: "yes" }), status: { conditions: [{ type: "Ready", status: "True" }] } },
      ["ns/a"],
    ],
    ["gets a host name", {}, { spec: { hostname: "first" } }, []],
  ])("that %s", (_, before, after, expected) => {
    expect(queuedBy((on) => on.onUpdate?.(podOf(before), podOf(after)))).toEqual(expected);
  });

  it("that is repeated queues nothing", () => {
    const pod = podOf(ending);
    expect(queuedBy((on) => on.onUpdate?.(pod, pod))).toEqual([]);
  });
});
