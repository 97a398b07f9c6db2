import { describe, expect, it } from "vitest";
import type { AuditEvent } from "#test/real/audit-log.ts";
import { compare } from "./compare.ts";
import { normalise } from "./normalise.ts";
import type { Recording } from "./play.ts";
import { distinct, readItem } from "./reads.ts";
import { judge, printReport } from "./report.ts";
import type { Scenario } from "./scenario.ts";

const user = "system:serviceaccount:kube-system:replicaset-controller";

/** A run with one ReplicaSet and two pods, whose chance decisions all depend on the seed. */
function recording(
  seed: number,
  more: { pods?: object[]; writes?: AuditEvent[]; reads?: AuditEvent[] } = {},
): Recording {
  const namespace = `run-${seed}`;
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
    namespace,
    objects: [
      { apiVersion: "apps/v1", kind: "ReplicaSet", metadata: { name: "web", namespace, uid: uid(0) } },
      ...pods,
    ],
    events: [{ metadata: { name: `web.18a3f0c2b1d4e5f${seed}` }, message: `Created pod: web-bbbb${seed + 1}` }],
    phases: [[...(more.writes ?? [statusWrite(seed, { replicas: 2 })])]],
    reads: [more.reads ?? []],
    ended: new Set(),
    symbols: new Map(),
  } as unknown as Recording;
}

function statusWrite(seed: number, status: object, code = 200): AuditEvent {
  return {
    auditID: `${seed}`,
    stage: "ResponseComplete",
    verb: "update",
    requestURI: `/apis/apps/v1/namespaces/run-${seed}/replicasets/web/status`,
    user: { username: user },
    userAgent: `kube-controller-manager/v${seed}.0.0 (linux/amd64) kubernetes/abc${seed}/x`,
    objectRef: { resource: "replicasets", subresource: "status", namespace: `run-${seed}`, name: "web" },
    responseStatus: { code },
    requestObject: { metadata: { resourceVersion: `${seed}` }, status },
    requestReceivedTimestamp: "",
    stageTimestamp: "",
  };
}

/** A live read of the ReplicaSet. */
function liveRead(seed: number, query = ""): AuditEvent {
  const { subresource: _, ...objectRef } = statusWrite(seed, {}).objectRef ?? {};
  const requestURI = `/apis/apps/v1/namespaces/run-${seed}/replicasets/web${query}`;
  return { ...statusWrite(seed, {}), verb: "get", objectRef, requestURI };
}

const differences = (left: Recording, right: Recording) => compare(normalise(left).sections, normalise(right).sections);

const figures = { writes: 1, reads: 1, statusWrites: [3, 2, 4] };

describe("differential", () => {
  it("what chance and time decide does not count", () => {
    expect(differences(recording(3), recording(4))).toEqual([]);
  });

  it("a missing pod counts, although its name is chance", () => {
    const whole = recording(3);
    const short = recording(4);
    const found = differences(whole, { ...short, objects: short.objects.slice(0, 2) });
    expect(found.map(({ where, right }) => [where, right])).toEqual([["objects › Pod web-{?}", undefined]]);
  });

  it("pods with names of the scenario's own are told apart", () => {
    const left = { ...recording(3), symbols: new Map([["web-bbbb4", "first"]]) };
    const right = { ...recording(4), symbols: new Map([["web-cccc5", "first"]]) };
    const events = differences(left, right).filter(({ where }) => where.startsWith("events"));
    expect(events.map((difference) => [difference.left, difference.right])).toEqual([
      ["Created pod: web-{first}", "Created pod: web-{?}"],
    ]);
  });

  it("of consecutive status writes the last counts, conflicts do not", () => {
    const once = recording(3);
    const writes = [{ replicas: 1 }, { replicas: 2 }].map((status) => statusWrite(4, status));
    const often = recording(4, { writes: [...writes, statusWrite(4, { replicas: 9 }, 409)] });
    expect(differences(once, often)).toEqual([]);
    const wrong = recording(4, { writes: [statusWrite(4, { replicas: 3 })] });
    expect(differences(once, wrong)).toEqual([
      { where: "writes of phase 1 › replicasets web › 0.body.status.replicas", left: 2, right: 3 },
    ]);
  });

  it("managed fields in a body count, unless the object was read after a conflict", () => {
    const withHistory = (event: AuditEvent): AuditEvent => ({
      ...event,
      requestObject: { metadata: { resourceVersion: "1", managedFields: [{}] }, status: { replicas: 2 } },
    });
    const plain = recording(3);
    const careless = recording(4, { writes: [withHistory(statusWrite(4, {}))] });
    expect(differences(plain, careless).map(({ where }) => where)).toEqual([
      "writes of phase 1 › replicasets web › 0.body.metadata.managedFields",
    ]);
    const conflicting = recording(4, { writes: [statusWrite(4, {}, 409), withHistory(statusWrite(4, {}))] });
    expect(differences(plain, conflicting)).toEqual([]);
  });

  it("live reads count, each of them, unless a conflict provoked them", () => {
    const once = recording(3, { reads: [liveRead(3)] });
    expect(differences(once, recording(4, { reads: [liveRead(4)] }))).toEqual([]);
    const twice = differences(once, recording(4, { reads: [liveRead(4), liveRead(4)] }));
    expect(twice.map(({ where }) => where)).toEqual([
      "reads of phase 1 › get /apis/apps/v1/namespaces/{ns}/replicasets/web",
    ]);
    const writes = [statusWrite(4, {}, 409), statusWrite(4, { replicas: 2 })];
    expect(differences(once, recording(4, { writes, reads: [liveRead(4), liveRead(4)] }))).toEqual([]);
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

  it("statuses of objects that are ending are compared by their form", () => {
    const ended = new Set(["1 replicasets web"]);
    const words = (status: object) =>
      normalise({ ...recording(3, { writes: [statusWrite(3, status)] }), ended }).lastWords;
    expect(words({ replicas: 1 })).toEqual(words({ replicas: 2 }));
    expect(words({ replicas: 1 })).not.toEqual(words({ replicas: 1, readyReplicas: 1 }));
    expect(normalise({ ...recording(3), ended }).sections.find(({ name }) => name.startsWith("writes"))?.items).toEqual(
      [],
    );
  });

  it("tells how many status writes there were", () => {
    const writes = [statusWrite(3, {}), statusWrite(3, {}, 409), statusWrite(3, {})];
    expect(normalise(recording(3, { writes })).statusWrites).toBe(2);
  });

  it("a patch of another type counts", () => {
    const patch = (seed: number, type: string) => ({ ...statusWrite(seed, {}), auditID: `${seed}_${type}` });
    const left = recording(3, { writes: [patch(3, "merge-patch")] });
    const right = recording(4, { writes: [patch(4, "strategic-merge-patch")] });
    expect(differences(left, right).map(({ where }) => where)).toEqual([
      "writes of phase 1 › replicasets web › 0.patchType",
    ]);
  });

  it("a known difference is no failure, one that no longer occurs is", () => {
    const scenario: Scenario = { name: "scale", about: "", play: async () => {} };
    const difference = { where: "objects › Pod web › spec", left: 1, right: 2 };
    const known = { scenarios: /^scale$/, where: /spec$/, reason: "because" };
    const played = { scenario, errors: [], differences: [difference], controlDifferences: [], ...figures };
    expect(judge([played], []).isGood).toBe(false);
    expect(judge([played], [known]).isGood).toBe(true);
    const clean = { ...played, differences: [] };
    expect(judge([clean], [known]).isGood).toBe(false);
    expect(printReport([clean], judge([clean], [known]))).toContain("no longer occurs: because");
  });

  it("a control run that differs is a failure", () => {
    const scenario: Scenario = { name: "scale", about: "", play: async () => {} };
    const controlDifferences = [{ where: "events › x", left: 1, right: 2 }];
    const played = { scenario, errors: [], differences: [], controlDifferences, ...figures };
    expect(judge([played], []).isGood).toBe(false);
  });
});
