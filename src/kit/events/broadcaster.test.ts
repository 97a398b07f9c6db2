import { describe, expect, it } from "vitest";
import { ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import type { ObjectReference } from "#api/generated/types/core-v1.ts";
import { ApiError } from "#api/status-error.ts";
import { stored } from "#api/testing.ts";
import { TransportError } from "#base/http.ts";
import { type Logger, noLog } from "#base/log.ts";
import { seededRng } from "#base/seeded-rng.ts";
import { testClock } from "#base/testing.ts";
import { DecodeError, InvalidRequest } from "#client/errors.ts";
import { EventBroadcaster } from "./broadcaster.ts";
import { type NamedEvent, referenceTo } from "./recorder.ts";

const about = referenceTo(
  stored(ReplicaSets, { metadata: { name: "web", uid: "u1", resourceVersion: "7" } }),
  ReplicaSets,
);

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

type Sent = { verb: "create" | "patch"; event: NamedEvent; patch?: object };

function setUp(options: { failWith?: () => unknown; asStored?: (event: NamedEvent) => NamedEvent; log?: Logger } = {}) {
  const clock = testClock();
  const sent: Sent[] = [];
  const lines: Record<string, unknown>[] = [];
  const log: Logger = {
    ...noLog,
    info: (message, values = {}) => void lines.push({ ...values, message, said: values.message }),
    v: () => log,
  };
  const answer = async (call: Sent): Promise<NamedEvent> => {
    sent.push(call);
    const failure = options.failWith?.();
    if (failure !== undefined) throw failure;
    return options.asStored?.(call.event) ?? call.event;
  };
  const broadcaster = new EventBroadcaster(
    {
      clock,
      rng: seededRng(1),
      log: options.log ?? log,
      sink: {
        create: (event) => answer({ verb: "create", event }),
        patch: (event, patch) => answer({ verb: "patch", event, patch }),
      },
    },
    { logLevel: 0 },
  );
  const stop = new AbortController();
  const running = broadcaster.run(stop.signal);
  const recorder = broadcaster.recorder("replicaset-controller");
  const end = (): Promise<void> => {
    stop.abort();
    return running;
  };
  return { clock, sent, lines, recorder, options, stop: end };
}

describe("event broadcaster", () => {
  it("machinery/5.8.1 sets source, reason and times", async () => {
    const { clock, sent, recorder, stop } = setUp();
    recorder.event(about, "Normal", "SuccessfulCreate", "Created pod: web-1");
    await clock.advance(0);
    const { metadata, ...event } = sent[0]?.event ?? ({} as NamedEvent);
    expect(metadata.namespace).toBe("ns");
    expect(metadata.name).toMatch(/^web\.[0-9a-f]{16}$/);
    expect(event).toEqual({
      involvedObject: {
        apiVersion: "apps/v1",
        kind: "ReplicaSet",
        namespace: "ns",
        name: "web",
        uid: "u1",
        resourceVersion: "7",
      },
      reason: "SuccessfulCreate",
      message: "Created pod: web-1",
      source: { component: "replicaset-controller" },
      firstTimestamp: "2026-01-01T00:00:00Z",
      lastTimestamp: "2026-01-01T00:00:00Z",
      count: 1,
      type: "Normal",
      reportingComponent: "replicaset-controller",
      reportingInstance: "",
    });
    await stop();
  });

  it("machinery/5.8.1 events about cluster-scoped objects go to default; odd names get a UUID", async () => {
    const { clock, sent, recorder, stop } = setUp();
    recorder.event({ kind: "Node", name: "Odd_Name" }, "Normal", "A", "a");
    await clock.advance(0);
    expect(sent[0]?.event.metadata.namespace).toBe("default");
    expect(sent[0]?.event.metadata.name).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    await stop();
  });

  it("machinery/5.8.5 a repeat raises the count of the first event by a patch", async () => {
    const { clock, sent, recorder, stop } = setUp();
    recorder.event(about, "Normal", "A", "same");
    await clock.advance(3000);
    recorder.event(about, "Normal", "A", "same");
    await clock.advance(0);
    expect(sent.map(({ verb }) => verb)).toEqual(["create", "patch"]);
    expect(sent[1]?.event.metadata.name).toBe(sent[0]?.event.metadata.name ?? "");
    expect(sent[1]?.patch).toEqual({ count: 2, lastTimestamp: "2026-01-01T00:00:03Z", message: "same" });
    await stop();
  });

  it("machinery/5.8.5 a repeat counts on from what the server answered", async () => {
    const { clock, sent, recorder, stop } = setUp({
      asStored: (event) => ({ ...event, count: (event.count ?? 0) + 5 }),
    });
    for (let i = 0; i < 3; i++) recorder.event(about, "Normal", "A", "same");
    await clock.advance(0);
    expect(sent.slice(1).map(({ patch }) => (patch as { count: number }).count)).toEqual([7, 13]);
    await stop();
  });

  it("machinery/5.8.5 a repeat of a deleted event is created again", async () => {
    const world = setUp();
    world.recorder.event(about, "Normal", "A", "same");
    await world.clock.advance(0);
    let isFirst = true;
    world.options.failWith = () => {
      const failure = isFirst ? new ApiError({ code: 404, reason: "NotFound" }) : undefined;
      isFirst = false;
      return failure;
    };
    world.recorder.event(about, "Normal", "A", "same");
    await world.clock.advance(0);
    expect(world.sent.map(({ verb }) => verb)).toEqual(["create", "patch", "create"]);
    expect(world.sent[2]?.event.count).toBe(2);
    await world.stop();
  });

  it("machinery/5.8.5 a repeat that is refused otherwise is not created again", async () => {
    const world = setUp();
    world.recorder.event(about, "Normal", "A", "same");
    await world.clock.advance(0);
    world.options.failWith = () => new ApiError({ code: 403, reason: "Forbidden" });
    world.recorder.event(about, "Normal", "A", "same");
    await world.clock.advance(60_000);
    expect(world.sent.map(({ verb }) => verb)).toEqual(["create", "patch"]);
    await world.stop();
  });

  it("machinery/5.8.1 no two events of one moment have one name", async () => {
    const { clock, sent, recorder, stop } = setUp();
    for (const message of ["a", "b", "c"]) recorder.event(about, "Normal", "A", message);
    await clock.advance(0);
    expect(new Set(sent.map(({ event }) => event.metadata.name)).size).toBe(3);
    await stop();
  });

  it("machinery/5.8.4 the tenth distinct message is combined, then patched", async () => {
    const { clock, sent, recorder, stop } = setUp();
    for (let i = 1; i <= 11; i++) recorder.event(about, "Normal", "A", `message ${i}`);
    await clock.advance(0);
    expect(sent.slice(0, 9).every(({ verb }) => verb === "create")).toBe(true);
    expect(sent[9]?.event.message).toBe("(combined from similar events): message 10");
    expect(sent[9]?.event.reportingComponent).toBeUndefined();
    expect(sent[10]?.verb).toBe("patch");
    expect(sent[10]?.patch).toMatchObject({ count: 2, message: "(combined from similar events): message 11" });
    await stop();
  });

  it("machinery/5.8.6 after 25 events a source is throttled, but counting continues", async () => {
    const { clock, sent, recorder, stop } = setUp();
    for (let i = 0; i < 30; i++) recorder.event(about, "Normal", "A", "same");
    await clock.advance(0);
    expect(sent.length).toBe(25);
    await clock.advance(300_000);
    recorder.event(about, "Normal", "A", "same");
    await clock.advance(0);
    expect(sent[25]?.patch).toMatchObject({ count: 31 });
    await stop();
  });

  it("machinery/5.8.8 retries transport errors twelve times, API errors never", async () => {
    const world = setUp({ failWith: () => new TransportError("refused", "no") });
    world.recorder.event(about, "Normal", "A", "a");
    await world.clock.advance(200_000);
    expect(world.sent.length).toBe(12);
    world.options.failWith = () => new ApiError({ code: 403, reason: "Forbidden" });
    world.recorder.event(about, "Normal", "B", "b");
    await world.clock.advance(200_000);
    expect(world.sent.length).toBe(13);
    await world.stop();
  });

  it("machinery/5.8.8 waits for less than ten seconds before the second try, and for ten before each other", async () => {
    const tries: number[] = [];
    const world = setUp({
      failWith: () => {
        tries.push(world.clock.monotonicMs());
        return new TransportError("reset", "lost");
      },
    });
    world.recorder.event(about, "Normal", "A", "a");
    await world.clock.advance(120_000);
    const waits = tries.slice(1).map((at, i) => at - (tries[i] ?? 0));
    const [first = 0, ...others] = waits;
    expect([first > 0 && first < 10_000, new Set(others)]).toEqual([true, new Set([10_000])]);
    const random = seededRng(1).float() * 10_000;
    expect(Math.abs(first - random)).toBeLessThan(1);
    await world.stop();
  });

  it.each([
    { what: "one that is there already", reason: "AlreadyExists", causes: [], level: 5 },
    { what: "one of a namespace that is ending", reason: "Forbidden", causes: ["NamespaceTerminating"], level: 5 },
    { what: "any other", reason: "Forbidden", causes: [], level: "error" },
  ])("machinery/5.8.8 the server's refusal of $what is logged at $level", async ({ reason, causes, level }) => {
    const said: unknown[] = [];
    const refused = "Server rejected event (will not retry!)";
    const at = (level: number): Logger => ({
      ...noLog,
      v: at,
      info: (message) => message === refused && said.push(level),
      error: (_, message) => message === refused && said.push("error"),
    });
    const details = { causes: causes.map((cause) => ({ reason: cause })) };
    const world = setUp({ failWith: () => new ApiError({ code: 403, reason, details }), log: at(0) });
    world.recorder.event(about, "Normal", "A", "a");
    await world.clock.advance(0);
    expect(said).toEqual([level]);
    await world.stop();
  });

  it("machinery/5.8.2 never blocks: beyond a thousand queued events they are dropped", async () => {
    const { clock, sent, recorder, stop } = setUp();
    for (let i = 0; i < 1500; i++) recorder.event({ ...about, name: `o${i}` }, "Normal", "A", "a");
    await clock.advance(0);
    expect(sent.length).toBe(1000);
    await stop();
  });

  it("machinery/8.r7, machinery/5.8.5 the same event about the same object is counted, regardless of events in between", async () => {
    const { clock, sent, lines, recorder, stop } = setUp();
    const on = (uid: string, fieldPath?: string): ObjectReference => ({
      kind: "Pod",
      namespace: "baz",
      name: "foo",
      uid,
      apiVersion: "v1",
      ...(fieldPath === undefined ? {} : { fieldPath }),
    });
    const third = on("bar", "spec.containers[2]");
    const fourth = on("differentUid", "spec.containers[3]");
    const steps: readonly [ObjectReference, string, string, "create" | "patch", number][] = [
      [third, "Started", "some verbose message: 1", "create", 1],
      [on("bar"), "Killed", "some other verbose message: 1", "create", 1],
      [third, "Started", "some verbose message: 1", "patch", 2],
      [fourth, "Started", "some verbose message: 1", "create", 1],
      [third, "Started", "some verbose message: 1", "patch", 3],
      [fourth, "Stopped", "some verbose message: 1", "create", 1],
      [fourth, "Stopped", "some verbose message: 1", "patch", 2],
    ];
    for (const [involved, reason, message, verb, count] of steps) {
      await clock.advance(1000);
      recorder.event(involved, "Normal", reason, message);
      await clock.advance(0);
      const last = sent.at(-1);
      expect([last?.verb, last?.event.count]).toEqual([verb, count]);
      expect(last?.event).toMatchObject({ involvedObject: involved, reason, message, type: "Normal" });
      expect([last?.event.metadata.namespace, last?.event.metadata.name]).toEqual([
        "baz",
        expect.stringMatching(/^foo\./),
      ]);
      expect(lines.at(-1)).toEqual({
        message: "Event occurred",
        object: { namespace: "baz", name: "foo" },
        fieldPath: involved.fieldPath ?? "",
        kind: "Pod",
        apiVersion: "v1",
        type: "Normal",
        reason,
        said: message,
      });
    }
    await stop();
  });

  it.each([
    { what: "a request that cannot be made", error: new InvalidRequest("no"), times: 1000, tries: 1 },
    { what: "an answer of the server", error: new ApiError({}), times: 1000, tries: 1 },
    { what: "an answer that makes no sense", error: new DecodeError("no"), times: 1000, tries: 12 },
    { what: "anything else", error: new Error("a weird error"), times: 1000, tries: 12 },
    { what: "anything else that passes", error: new Error("a weird error"), times: 1, tries: 2 },
  ])("machinery/8.r7, machinery/5.8.8 $what: tried $tries times", async ({ error, times, tries }) => {
    let failures = 0;
    const { clock, sent, recorder, stop } = setUp({ failWith: () => (failures++ < times ? error : undefined) });
    recorder.event(about, "Normal", "A", "a");
    await clock.advance(200_000);
    expect(sent).toHaveLength(tries);
    await stop();
  });

  it("machinery/8.r7, machinery/5.8.9 a slow server delays the next event, and nothing else", async () => {
    const world = setUp({ failWith: () => new TransportError("refused", "no") });
    for (let i = 0; i < 3; i++) world.recorder.event({ ...about, name: `o${i}` }, "Normal", "A", "a");
    await world.clock.advance(5);
    expect([world.sent.length, world.lines.length]).toEqual([1, 3]);
    delete world.options.failWith;
    await world.clock.advance(10_000);
    expect(world.sent.map(({ event }) => event.involvedObject.name)).toEqual(["o0", "o0", "o1", "o2"]);
    await world.stop();
  });

  it("machinery/8.r7 a thousand events that each fail four times are all written", async () => {
    const tries = new Map<string, number>();
    const world = setUp({
      failWith: () => {
        const name = world.sent.at(-1)?.event.involvedObject.name ?? "";
        tries.set(name, (tries.get(name) ?? 0) + 1);
        return (tries.get(name) ?? 0) < 5 ? new Error("no") : undefined;
      },
    });
    for (let i = 0; i < 1000; i++)
      world.recorder.event({ ...about, name: `foo-${i}` }, "Normal", `Reason-${i}`, `${i}`);
    await world.clock.advance(1000 * 40_000);
    expect(world.sent).toHaveLength(5000);
    expect([tries.size, new Set(tries.values())]).toEqual([1000, new Set([5])]);
    await world.stop();
  });

  it("machinery/8.r7, machinery/1.3.8 gives up at once on what it is trying when it is stopped, and takes nothing more", async () => {
    const world = setUp({ failWith: () => new TransportError("refused", "no") });
    world.recorder.event(about, "Normal", "A", "a");
    await world.clock.advance(0);
    await world.stop();
    world.recorder.event(about, "Normal", "B", "b");
    await world.clock.advance(200_000);
    expect(world.sent).toHaveLength(1);
  });

  it("machinery/8.r7 another broadcaster does not know the events that this one has sent", async () => {
    for (const world of [setUp(), setUp()]) {
      world.recorder.event(about, "Normal", "A", "a");
      await world.clock.advance(0);
      expect(world.sent.map(({ verb }) => verb)).toEqual(["create"]);
      await world.stop();
    }
  });

  it.each([
    { name: "test-pod", becomes: /^test-pod\.[0-9a-f]+$/ },
    { name: "x".repeat(300), becomes: UUID },
    { name: "test.POD", becomes: UUID },
    { name: "test.pod/invalid!chars?", becomes: UUID },
    { name: "--test.pod/invalid!chars?", becomes: UUID },
  ])("machinery/8.r7, machinery/5.8.1 an event about $name gets a name that can be one", async ({ name, becomes }) => {
    const { clock, sent, recorder, stop } = setUp();
    recorder.event({ kind: "Pod", namespace: "a", name }, "Normal", "A", "a");
    await clock.advance(0);
    expect(sent[0]?.event.metadata.name).toMatch(becomes);
    await stop();
  });
});
