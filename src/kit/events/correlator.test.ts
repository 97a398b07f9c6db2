import { describe, expect, it } from "vitest";
import { formatTime } from "#api/time.ts";
import { testClock } from "#base/testing.ts";
import { type Correlated, EventCorrelator } from "./correlator.ts";
import type { NamedEvent } from "./recorder.ts";

const pod = (name = "my-pod", fieldPath = "spec.containers{mycontainer}") => ({
  kind: "Pod",
  name,
  namespace: "my-ns",
  uid: "C934D34AFB20242",
  apiVersion: "version",
  fieldPath,
});
const event = (reason: string, message: string, involvedObject = pod()): NamedEvent => ({
  metadata: { namespace: "my-ns", name: "" },
  reason,
  message,
  involvedObject,
  source: { component: "kubelet", host: "kublet.node1" },
  count: 1,
  type: "Normal",
});
const times = (count: number, make: (i: number) => NamedEvent): NamedEvent[] =>
  Array.from({ length: count }, (_, i) => make(i));

/** Correlates the events one after the other, at this interval; the server accepts every write. */
async function play(events: readonly NamedEvent[], intervalSeconds: number): Promise<Correlated[]> {
  const clock = testClock();
  const correlator = new EventCorrelator(clock);
  const results: Correlated[] = [];
  for (const [i, given] of events.entries()) {
    await clock.advance(intervalSeconds * 1000);
    const time = formatTime(clock.now());
    const metadata = { ...given.metadata, name: `event-${i}` };
    const stamped = { ...given, metadata, firstTimestamp: time, lastTimestamp: time };
    const result = correlator.correlate(stamped, () => `combined-${i}`);
    if (result.kind !== "drop") correlator.observeAnswer(result.event);
    results.push(result);
  }
  return results;
}

const similar = (i: number): NamedEvent =>
  event("similar", `similar message-${i}`, pod("my-pod", "spec.containers{c1}"));
const duplicate = event("duplicate", "me again");
const combined = "(combined from similar events): the last";
const last = event("similar", "the last", pod("my-pod", "spec.containers{c1}"));

describe("machinery/8.r7 events become few writes", () => {
  it.each([
    { what: "a single one is created", before: [], now: duplicate, count: 1, everySeconds: 5 },
    { what: "a repeat is counted", before: [duplicate], now: duplicate, count: 2, everySeconds: 5 },
    {
      what: "repeats are counted, however many, when they are slow",
      before: times(10, () => duplicate),
      now: duplicate,
      count: 11,
      everySeconds: 60,
    },
    {
      what: "many different ones are created",
      before: times(30, (i) => event(`reason-${i}`, `message-${i}`, pod(`pod-${i}`))),
      now: duplicate,
      count: 1,
      everySeconds: 5,
    },
    {
      what: "the tenth similar one is combined",
      before: times(9, similar),
      now: last,
      count: 1,
      message: combined,
      everySeconds: 5,
    },
    {
      what: "more similar ones raise the combined one's count",
      before: times(10, similar),
      now: last,
      count: 2,
      message: combined,
      everySeconds: 5,
    },
    {
      what: "the same about another container is another event",
      before: [event("similar", "the last", pod("my-pod", "spec.containers{c2}"))],
      now: last,
      count: 1,
      everySeconds: 5,
    },
    {
      what: "similar ones that are ten minutes apart are combined",
      before: times(9, similar),
      now: last,
      count: 1,
      message: combined,
      everySeconds: 600,
    },
    {
      what: "similar ones that are further apart are not",
      before: times(9, similar),
      now: last,
      count: 1,
      everySeconds: 601,
    },
  ])("machinery/5.8.3, machinery/5.8.4 $what", async ({ before, now, count, message, everySeconds }) => {
    const result = (await play([...before, now], everySeconds)).at(-1);
    if (result === undefined || result.kind === "drop") throw new Error("it was dropped");
    expect(result.kind).toBe(count > 1 ? "patch" : "create");
    expect([result.event.count, result.event.message]).toEqual([count, message ?? now.message]);
    expect(result.event.involvedObject).toEqual(now.involvedObject);
    expect(result.event.firstTimestamp === result.event.lastTimestamp).toBe(count === 1);
  });

  it("machinery/5.8.3 events beyond the limit are dropped", async () => {
    const results = await play(
      times(27, () => duplicate),
      1,
    );
    expect(results.map(({ kind }) => kind)).toEqual(["create", ...Array(24).fill("patch"), "drop", "drop"]);
  });

  it("machinery/5.8.6 another reason about the same object is cut off with the rest, another type or object is not", async () => {
    const flood = times(25, () => duplicate);
    const kindOf = async (more: NamedEvent): Promise<string | undefined> =>
      (await play([...flood, more], 0)).at(-1)?.kind;
    expect(await kindOf(event("other", "other"))).toBe("drop");
    expect(await kindOf({ ...duplicate, type: "Warning" })).toBe("create");
    expect(await kindOf(event("duplicate", "me again", pod("other")))).toBe("create");
  });

  it("machinery/5.8.4 only the message may differ among similar events", async () => {
    const differ: readonly NamedEvent[] = [
      event("other", "the last", pod("my-pod", "spec.containers{c1}")),
      { ...last, type: "Warning" },
      { ...last, source: { component: "kubelet", host: "other" } },
      { ...last, source: { component: "other", host: "kublet.node1" } },
      { ...last, reportingComponent: "x" },
      { ...last, reportingInstance: "x" },
      { ...last, involvedObject: { ...last.involvedObject, uid: "other" } },
      { ...last, involvedObject: { ...last.involvedObject, name: "other" } },
    ];
    for (const other of differ) {
      const result = (await play([...times(9, similar), other], 5)).at(-1);
      expect(result?.kind === "create" && result.event.message).toBe("the last");
    }
    const elsewhere = { ...last, involvedObject: { ...last.involvedObject, fieldPath: "spec.containers{c2}" } };
    const result = (await play([...times(9, similar), elsewhere], 5)).at(-1);
    expect(result?.kind === "create" && result.event.message).toBe(combined);
  });

  it("machinery/5.8.4 a combined event is in the same namespace; a known message is still counted separately", async () => {
    const results = await play([...times(10, similar), similar(5)], 5);
    const [tenth, again] = results.slice(9);
    expect(tenth).toMatchObject({ kind: "create", event: { metadata: { name: "combined-9", namespace: "my-ns" } } });
    expect(again).toMatchObject({ kind: "patch", event: { metadata: { name: "event-5" }, count: 2 } });
  });

  it("machinery/5.8.5 what the server made of an event is what the next repeat counts from", () => {
    const correlator = new EventCorrelator(testClock());
    const sent = {
      ...duplicate,
      metadata: { namespace: "my-ns", name: "ours" },
      firstTimestamp: "2026-01-01T00:00:00Z",
    };
    correlator.correlate(sent, () => "");
    correlator.observeAnswer({ ...sent, metadata: { namespace: "my-ns", name: "theirs" }, count: 7 });
    expect(correlator.correlate(sent, () => "")).toMatchObject({
      kind: "patch",
      event: { metadata: { name: "theirs" }, count: 8 },
      patch: { count: 8 },
    });
  });

  it("machinery/5.8.7 an event that is not among the last 4096 kinds counts as new", async () => {
    const others = (count: number): NamedEvent[] => times(count, (i) => event("a", "b", pod(`pod-${i}`)));
    const kindAfter = async (count: number): Promise<string | undefined> =>
      (await play([duplicate, ...others(count), duplicate], 0)).at(-1)?.kind;
    expect([await kindAfter(4095), await kindAfter(4096)]).toEqual(["patch", "create"]);
  });
});
