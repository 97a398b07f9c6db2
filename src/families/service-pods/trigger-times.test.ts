import { describe, expect, it } from "vitest";
import { Pods, Services } from "#api/generated/resources/core-v1.ts";
import { stored } from "#api/testing.ts";
import { formatTime } from "#api/time.ts";
import { TriggerTimes } from "./trigger-times.ts";

const CREATED = Date.UTC(2026, 0, 1);
const at = (seconds: number): number => CREATED + seconds * 1000;
const service = stored(Services, { metadata: { name: "web", creationTimestamp: formatTime(CREATED) } });
const pod = (name: string, seconds: number) =>
  stored(Pods, {
    metadata: { name },
    status: { conditions: [{ type: "Ready", status: "True", lastTransitionTime: formatTime(at(seconds)) }] },
  });

describe("endpoints/trigger-time, endpointslice/13 the time of a change", () => {
  it("is the age of a Service that is new, then the earliest of what changed", () => {
    const times = new TriggerTimes();
    const next = (...pods: Parameters<TriggerTimes["next"]>[2]): number | undefined =>
      times.next("ns/web", service, pods);
    expect(next(pod("a", 5))).toBe(CREATED);
    expect(next(pod("a", 5))).toBeUndefined();
    expect(next(pod("a", 5), pod("b", 8), pod("c", 7))).toBe(at(7));
    expect(next(pod("a", 4), pod("b", 8), pod("c", 9))).toBe(at(9));
    expect(next()).toBeUndefined();
    expect(next(pod("a", 3))).toBe(at(3));
    times.forget("ns/web");
    expect(next(pod("a", 30))).toBe(CREATED);
  });
});
