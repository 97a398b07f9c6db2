import { describe, expect, it } from "vitest";
import type { AuditEvent } from "#test/real/audit-log.ts";
import { compare } from "./compare.ts";
import { normalise, type Traces } from "./normalise.ts";
import { distinct, readItem } from "./reads.ts";
import { withEventsOnce } from "./repeated-events.ts";
import { type Scenario, withoutChance } from "./scenario.ts";

const user = "system:serviceaccount:kube-system:replicaset-controller";

/** A play with one ReplicaSet and two pods. All random values derive from the seed. */
function played(seed: number, more: { pods?: object[]; writes?: AuditEvent[]; reads?: AuditEvent[] } = {}): Traces {
  const namespace = `play000${seed}`;
  const uid = (n: number): string => `${seed}0000000-0000-4000-8000-00000000000${n}`;
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: uid(0), controller: true };
  const pod = (n: number, suffix: string) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: `web-${suffix}`,
      generateName: "web-",
      namespace,
      uid: uid(n),
      resourceVersion: `${seed}${n}`,
      creationTimestamp: `2026-01-0${seed}T00:00:00Z`,
      ownerReferences: [owner],
    },
  });
  const pods = more.pods ?? [pod(1, `bbbb${seed + 1}`), pod(2, `cccc${seed + 1}`)];
  return {
    tag: namespace,
    objects: [
      { apiVersion: "apps/v1", kind: "ReplicaSet", metadata: { name: "web", namespace, uid: uid(0) } },
      ...pods,
    ],
    events: [{ metadata: { name: `web.18a3f0c2b1d4e5f${seed}` }, message: `Created pod: web-bbbb${seed + 1}` }],
    phases: [[...(more.writes ?? [statusWrite(seed, { replicas: 2 })]), ...(more.reads ?? [])]],
    repeated: new Set(),
    symbols: new Map(),
    written: new Map(),
  } as unknown as Traces;
}

function statusWrite(seed: number, status: object, code = 200): AuditEvent {
  return {
    auditID: `${seed}`,
    stage: "ResponseComplete",
    verb: "update",
    requestURI: `/apis/apps/v1/namespaces/play000${seed}/replicasets/web/status`,
    user: { username: user },
    userAgent: `kube-controller-manager/v${seed}.0.0 (linux/amd64) kubernetes/abc${seed}/x`,
    objectRef: { resource: "replicasets", subresource: "status", namespace: `play000${seed}`, name: "web" },
    responseStatus: { code, ...(code === 409 ? { reason: "Conflict" } : {}) },
    requestObject: { metadata: { resourceVersion: `${seed}`, generation: 1 }, status },
    requestReceivedTimestamp: "",
    stageTimestamp: "",
  };
}

/** A live read of the ReplicaSet. */
function liveRead(seed: number, query = ""): AuditEvent {
  const { subresource: _, ...objectRef } = statusWrite(seed, {}).objectRef ?? {};
  const requestURI = `/apis/apps/v1/namespaces/play000${seed}/replicasets/web${query}`;
  return { ...statusWrite(seed, {}), verb: "get", objectRef, requestURI };
}

const differences = (left: Traces, right: Traces) => compare(normalise(left), normalise(right));

describe("differential", () => {
  it("values that chance and time decide do not count", () => {
    expect(differences(played(3), played(4))).toEqual([]);
  });

  it("a missing pod counts, although its name is chance", () => {
    const whole = played(3);
    const short = played(4);
    const found = differences(whole, { ...short, objects: short.objects.slice(0, 2) });
    expect(found.map(({ where, right }) => [where, right])).toEqual([["objects › Pod web-{?}", undefined]]);
  });

  it("pods with symbolic names are distinguished", () => {
    const left = { ...played(3), symbols: new Map([["web-bbbb4", "first"]]) };
    const right = { ...played(4), symbols: new Map([["web-cccc5", "first"]]) };
    const events = differences(left, right).filter(({ where }) => where.startsWith("events"));
    expect(events.map((difference) => [difference.left, difference.right])).toEqual([
      ["Created pod: web-{first}", "Created pod: web-{?}"],
    ]);
  });

  it("of consecutive status writes the last counts, conflicts do not", () => {
    const once = played(3);
    const writes = [{ replicas: 1 }, { replicas: 2 }].map((status) => statusWrite(4, status));
    const often = played(4, { writes: [...writes, statusWrite(4, { replicas: 9 }, 409)] });
    expect(differences(once, often)).toEqual([]);
    const wrong = played(4, { writes: [statusWrite(4, { replicas: 3 })] });
    expect(differences(once, wrong)).toEqual([
      {
        where: "writes of phase 1 › replicaset-controller: {play} replicasets web › 0.body.status.replicas",
        left: 2,
        right: 3,
      },
    ]);
  });

  it("managed fields in a body count, unless the object was read after a conflict", () => {
    const withHistory = (event: AuditEvent): AuditEvent => ({
      ...event,
      requestObject: {
        metadata: { resourceVersion: "1", generation: 1, managedFields: [{}] },
        status: { replicas: 2 },
      },
    });
    const plain = played(3);
    const careless = played(4, { writes: [withHistory(statusWrite(4, {}))] });
    expect(differences(plain, careless).map(({ where }) => where)).toEqual([
      "writes of phase 1 › replicaset-controller: {play} replicasets web › 0.body.metadata.managedFields",
    ]);
    const conflicting = played(4, { writes: [statusWrite(4, {}, 409), withHistory(statusWrite(4, {}))] });
    expect(differences(plain, conflicting)).toEqual([]);
  });

  it("live reads count, each of them, unless a conflict provoked them", () => {
    const once = played(3, { reads: [liveRead(3)] });
    expect(differences(once, played(4, { reads: [liveRead(4)] }))).toEqual([]);
    const twice = differences(once, played(4, { reads: [liveRead(4), liveRead(4)] }));
    expect(twice.map(({ where }) => where)).toEqual([
      "reads of phase 1 › get /apis/apps/v1/namespaces/{play}/replicasets/web",
    ]);
    const writes = [statusWrite(4, {}, 409), statusWrite(4, { replicas: 2 })];
    expect(differences(once, played(4, { writes, reads: [liveRead(4), liveRead(4)] }))).toEqual([]);
    const before = played(4, { writes: [liveRead(4), ...writes] });
    expect(differences(once, before)).toEqual([]);
  });

  it("a live read before an equal patch does not count again, and counts without the patch", () => {
    const patch = (seed: number): AuditEvent => ({ ...statusWrite(seed, {}), verb: "patch", requestObject: { a: 1 } });
    const adopt = (seed: number) => [liveRead(seed), patch(seed)];
    const once = played(3, { writes: adopt(3) });
    expect(differences(once, played(4, { writes: [...adopt(4), ...adopt(4)] }))).toEqual([]);
    expect(differences(once, played(4, { writes: [...adopt(4), liveRead(4)] }))).toHaveLength(1);
    expect(differences(once, played(4, { writes: [patch(4), liveRead(4), patch(4)] }))).toEqual([]);
    expect(differences(once, played(4, { writes: [patch(4), patch(4)] }))).toHaveLength(1);
  });

  it("the hash of an OpenAPI document is chance, no other hash is", () => {
    const hashed = (seed: number, hash: string): Traces => played(seed, { reads: [liveRead(seed, `?hash=${hash}`)] });
    expect(differences(hashed(3, "A1".repeat(64)), hashed(4, "B2".repeat(64)))).toEqual([]);
    expect(differences(hashed(3, "a"), hashed(4, "b"))).toHaveLength(1);
  });

  it("parameters of reads count, versions and times do not", () => {
    const items = (query: string) => distinct([readItem(liveRead(3, query)), readItem(liveRead(3, query))]);
    const asked = (left: string, right: string) =>
      compare([{ name: "reads", items: items(left) }], [{ name: "reads", items: items(right) }]);
    expect(
      asked("?watch=true&resourceVersion=7&timeoutSeconds=300", "?timeoutSeconds=4&resourceVersion=9&watch=true"),
    ).toEqual([]);
    expect(asked("?resourceVersion=0", "?resourceVersion=9")).toHaveLength(1);
    expect(asked("?timeoutSeconds=4", "")).toHaveLength(1);
    expect(asked("?labelSelector=a", "?labelSelector=b")).toHaveLength(1);
  });

  it("a name that is taken is not a conflict", () => {
    const taken = { ...statusWrite(4, { replicas: 2 }), responseStatus: { code: 409, reason: "AlreadyExists" } };
    const found = differences(played(3), played(4, { writes: [statusWrite(4, { replicas: 2 }), taken] }));
    expect(found.map(({ where }) => where)).toEqual([
      "writes of phase 1 › replicaset-controller: {play} replicasets web › 1",
    ]);
  });

  it("a status that the server refused counts, even if a later one replaces it", () => {
    const writes = [statusWrite(4, { replicas: 9 }, 422), statusWrite(4, { replicas: 2 })];
    expect(differences(played(3), played(4, { writes }))).not.toEqual([]);
  });

  it("the form of a time counts, and so do versions with a meaning", () => {
    const at = (seed: number, time: string) => played(seed, { writes: [statusWrite(seed, { time })] });
    expect(differences(at(3, "2026-01-01T00:00:00Z"), at(4, "2027-02-03T04:05:06Z"))).toEqual([]);
    expect(differences(at(3, "2026-01-01T00:00:00Z"), at(4, "2026-01-01T00:00:00.000001Z"))).toHaveLength(1);
    const version = (seed: number, resourceVersion: string) =>
      played(seed, { writes: [{ ...statusWrite(seed, {}), requestObject: { metadata: { resourceVersion } } }] });
    expect(differences(version(3, "7"), version(4, "8"))).toEqual([]);
    expect(differences(version(3, "7"), version(4, ""))).toHaveLength(1);
  });

  it("reads that are repeated count once", () => {
    const repeated = new Set(["1 replicasets web"]);
    const often = { ...played(4, { reads: [liveRead(4), liveRead(4)] }), repeated };
    expect(differences({ ...played(3, { reads: [liveRead(3)] }), repeated }, often)).toEqual([]);
    expect(differences({ ...played(3), repeated }, often)).toHaveLength(1);
  });

  it.each([
    ["no count is negative", [{ replicas: 2, terminatingReplicas: -1 }]],
    ["a ready pod is a replica", [{ replicas: 2, readyReplicas: 3 }]],
    ["an available pod is ready", [{ replicas: 2, availableReplicas: 1 }]],
    ["a pod that is fully labelled is a replica", [{ replicas: 2, fullyLabeledReplicas: 3 }]],
    ["no generation is observed before it is there", [{ observedGeneration: 2 }]],
    ["the observed generation never goes back", [{ observedGeneration: 1 }, { observedGeneration: 0 }]],
  ])("a status that a later one replaces keeps the rules: %s", (rule, statuses) => {
    const writes = [...statuses, { replicas: 2 }].map((status) => statusWrite(4, { observedGeneration: 1, ...status }));
    const last = statusWrite(4, { observedGeneration: 1, replicas: 2 });
    const found = differences(
      played(3, { writes: [statusWrite(3, { observedGeneration: 1, replicas: 2 })] }),
      played(4, { writes: [...writes, last] }),
    );
    expect(found.map(({ right }) => (right as { rule: string }).rule)).toContain(rule);
    expect(new Set(found.map(({ where }) => where))).toEqual(new Set(["broken rules of statuses › replicasets web"]));
  });

  it("a patch of another type counts", () => {
    const patch = (seed: number, type: string) => ({ ...statusWrite(seed, {}), auditID: `${seed}_${type}` });
    const left = played(3, { writes: [patch(3, "merge-patch")] });
    const right = played(4, { writes: [patch(4, "strategic-merge-patch")] });
    expect(differences(left, right).map(({ where }) => where)).toEqual([
      "writes of phase 1 › replicaset-controller: {play} replicasets web › 0.patchType",
    ]);
  });

  it("Events count over the whole play, whatever the phase in which they were written", () => {
    const event = (seed: number): AuditEvent => ({
      ...statusWrite(seed, {}),
      verb: "create",
      requestURI: `/api/v1/namespaces/play000${seed}/events`,
      objectRef: { resource: "events", namespace: `play000${seed}`, name: `web.18a3f0c2b1d4e5f${seed}` },
      requestObject: { message: "Created pod" },
    });
    const early = { ...played(3), phases: [[event(3)], []] };
    expect(differences(early, { ...played(4), phases: [[], [event(4)]] })).toEqual([]);
    expect(differences(early, { ...played(4), phases: [[], []] }).map(({ where }) => where)).toEqual([
      "writes of Events › replicaset-controller: {play} events web.{?}",
    ]);
  });

  it("an Event that a controller repeats counts once, whatever its count", () => {
    const event = (...messages: string[]) => ({
      label: "events web.{?}",
      value: messages.map((message) => ({ body: { reason: "Failed", message } })),
    });
    const told = (count: number) => ({ label: "FailedGetScale web.{?}", value: { message: "none", count } });
    const sections = (events: ReturnType<typeof event>[], count: number) => [
      { name: "writes of Events", items: events },
      { name: "events", items: [told(count)] },
    ];
    const [often, once] = [
      sections([event("a", "a"), event("a"), event("b")], 3),
      sections([event("a"), event("b")], 1),
    ];
    const scenario = (repeatsEvents?: string) => ({ repeatsEvents }) as unknown as Scenario;
    const compared = (right: typeof often, given: Scenario) =>
      compare(withEventsOnce(often, given), withEventsOnce(right, given)).map(({ where }) => where);
    expect(compared(once, scenario("it looks each second"))).toEqual([]);
    expect(compared(once, scenario())).not.toEqual([]);
    expect(compared(sections([event("a"), event("c")], 1), scenario("it looks each second"))).toEqual([
      "writes of Events › events web.{?} Failed › 0.body.message",
    ]);
  });

  it("differences that a scenario leaves to chance do not count", () => {
    const scenario = { chance: [{ where: /spec$/, reason: "because" }] } as unknown as Scenario;
    const found = ["objects › Pod web › spec", "objects › Pod web › status"].map((where) => ({ where }));
    expect(withoutChance(found, scenario)).toEqual([{ where: "objects › Pod web › status" }]);
    const some = {
      chance: [{ where: /reason$/, texts: /^(Created|Updated)$/, reason: "because" }],
    } as unknown as Scenario;
    const right = { where: "conditions.0.reason", left: "Created", right: "Updated" };
    const wrong = { ...right, right: "Failed" };
    expect(withoutChance([right, wrong], some)).toEqual([wrong]);
  });
});
