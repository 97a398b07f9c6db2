import { describe, expect, it } from "vitest";
import { ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import type { PodTemplateSpec } from "#api/generated/types/core-v1.ts";
import { newControllerRef } from "#api/owner-refs.ts";
import type { ObjectOf } from "#api/resource.ts";
import { ApiError, isNotFound } from "#api/status-error.ts";
import { stored } from "#api/testing.ts";
import { neverAborted, testClock } from "#base/testing.ts";
import { createClient } from "#client/create-client.ts";
import { jsonResponse, type Responder, scriptedTransport } from "#client/testing.ts";
import { createPodControl, type PodControl, podFromTemplate } from "./pod-control.ts";

const owner = stored(ReplicaSets, { metadata: { name: "web", uid: "u1" } });
const spec = { containers: [{ name: "main", image: "example/web:1" }] };
const template: PodTemplateSpec = { metadata: { labels: { app: "web" } }, spec };
const signal = neverAborted();

const refusal = (code: number, reason: string, causes: readonly object[] = []): Responder => {
  const status = { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message: `it is ${reason}` };
  return () => jsonResponse({ ...status, details: { causes } }, code);
};

interface World {
  readonly control: PodControl<ObjectOf<typeof ReplicaSets>>;
  readonly events: string[];
  /** Owner, UID, resource and version of each write. */
  readonly written: string[];
  /** The requests that the server received: "DELETE /api/v1/…" and the body. */
  sent(): readonly { readonly request: string; readonly body: unknown }[];
}

function setUp(...answers: readonly Responder[]): World {
  const transport = scriptedTransport(...answers);
  const client = createClient({ transport, clock: testClock(), userAgent: "test" });
  const events: string[] = [];
  const written: string[] = [];
  return {
    events,
    written,
    control: createPodControl({
      pods: client.resource(Pods),
      recorder: {
        event: (about, type, reason, message) =>
          events.push(`${about.kind} ${about.name}: ${type} ${reason} ${message}`),
      },
      ownerResource: ReplicaSets,
      consistency: {
        wroteAt: (key, uid, { resource }, version) => written.push(`${key} ${uid} ${resource} ${version}`),
      },
    }),
    sent: () =>
      transport.requests.map(({ method, path, body }) => ({
        request: `${method} ${path}`,
        body: body?.kind === "bytes" ? JSON.parse(new TextDecoder().decode(body.bytes)) : undefined,
      })),
  };
}

const controller = newControllerRef(owner, ReplicaSets);

describe("a pod from a template", () => {
  it("workloads/S10 takes labels, annotations, finalizers and spec, and belongs to the owner alone", () => {
    const metadata = {
      name: "dropped",
      namespace: "dropped",
      labels: { app: "web" },
      annotations: { note: "1" },
      finalizers: ["example.com/hold"],
      ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "dropped", uid: "u9" }],
    };
    expect(podFromTemplate({ owner, template: { metadata, spec } }, ReplicaSets)).toEqual({
      metadata: {
        generateName: "web-",
        labels: { app: "web" },
        annotations: { note: "1" },
        finalizers: ["example.com/hold"],
        ownerReferences: [controller],
      },
      spec,
    });
  });

  const names = [
    { name: "web", prefix: "web-" },
    { name: "web.v1", prefix: "web.v1-" },
    { name: "a".repeat(252), prefix: `${"a".repeat(252)}-` },
    { name: "a".repeat(253), prefix: `${"a".repeat(253)}-` },
    { name: "a".repeat(254), prefix: "a".repeat(254) },
    { name: "Web_1", prefix: "Web_1" },
  ];
  for (const { name, prefix } of names) {
    it(`workloads/S10 is named after ${name.length > 20 ? `a name of ${name.length} characters` : name}`, () => {
      const pod = podFromTemplate({ owner: stored(ReplicaSets, { metadata: { name } }), template }, ReplicaSets);
      expect(pod.metadata.generateName).toBe(prefix);
    });
  }

  it("workloads/S10 is named as asked", () => {
    const pod = podFromTemplate({ owner, template, generateName: "web-3-" }, ReplicaSets);
    expect(pod.metadata.generateName).toBe("web-3-");
  });

  it("workloads/S10 is not asked for without labels", async () => {
    const { control, events, sent } = setUp();
    await expect(control.createPod({ owner, template: { spec } }, signal)).rejects.toThrow(
      "unable to create pods, no labels",
    );
    const empty = { metadata: { labels: {} }, spec };
    await expect(control.createPod({ owner, template: empty }, signal)).rejects.toThrow(
      "unable to create pods, no labels",
    );
    expect(sent()).toEqual([]);
    expect(events).toEqual([]);
  });
});

describe("creating", () => {
  const created = { metadata: { name: "web-x", namespace: "ns", resourceVersion: "7", ownerReferences: [controller] } };

  it("workloads/S11, workloads/S10 creates the pod, records an event, and remembers its version", async () => {
    const { control, events, written, sent } = setUp(() => jsonResponse(created, 201));
    await control.createPod({ owner, template }, signal);
    expect(sent()).toEqual([
      {
        request: "POST /api/v1/namespaces/ns/pods",
        body: { apiVersion: "v1", kind: "Pod", ...podFromTemplate({ owner, template }, ReplicaSets) },
      },
    ]);
    expect(events).toEqual(["ReplicaSet web: Normal SuccessfulCreate Created pod: web-x"]);
    expect(written).toEqual([`ns/web ${owner.metadata.uid} pods 7`]);
  });

  it("workloads/S11 records an event for a refusal, but not in a terminating namespace", async () => {
    const refused = setUp(refusal(403, "Forbidden"));
    await expect(refused.control.createPod({ owner, template }, signal)).rejects.toThrow(ApiError);
    expect(refused.events).toEqual(["ReplicaSet web: Warning FailedCreate Error creating: it is Forbidden"]);
    const ending = setUp(refusal(403, "Forbidden", [{ reason: "NamespaceTerminating" }]));
    await expect(ending.control.createPod({ owner, template }, signal)).rejects.toThrow(ApiError);
    expect(ending.events).toEqual([]);
    expect([...refused.written, ...ending.written]).toEqual([]);
  });
});

describe("deleting", () => {
  const pod = stored(Pods, { metadata: { name: "web-x" } });

  it("workloads/S12, workloads/S11 asks for the pod by name, without a condition on its UID", async () => {
    const { control, events, written, sent } = setUp(() => jsonResponse(pod));
    await control.deletePod(owner, pod, signal);
    const [{ request, body } = { request: "", body: {} }] = sent();
    expect(request).toBe("DELETE /api/v1/namespaces/ns/pods/web-x");
    expect(Object.keys(body ?? {}).filter((key) => key !== "kind" && key !== "apiVersion")).toEqual([]);
    expect(events).toEqual(["ReplicaSet web: Normal SuccessfulDelete Deleted pod: web-x"]);
    expect(written).toEqual([]);
  });

  it("workloads/S12, workloads/S11 a pod that is gone is reported as such, without an event", async () => {
    const { control, events } = setUp(refusal(404, "NotFound"));
    const error: unknown = await control.deletePod(owner, pod, signal).catch((error: unknown) => error);
    expect(isNotFound(error)).toBe(true);
    expect(events).toEqual([]);
  });

  it("workloads/S12, workloads/S11 any other refusal is recorded as an event, and is no longer an API error", async () => {
    const { control, events } = setUp(refusal(403, "Forbidden"));
    const error: unknown = await control.deletePod(owner, pod, signal).catch((error: unknown) => error);
    expect(error).not.toBeInstanceOf(ApiError);
    expect((error as Error).message).toBe("unable to delete pods: it is Forbidden");
    expect(events).toEqual(["ReplicaSet web: Warning FailedDelete Error deleting: it is Forbidden"]);
  });
});

describe("patching", () => {
  const metadata = { name: "web-x", resourceVersion: "8" };
  const pod = stored(Pods, { metadata: { ...metadata, ownerReferences: [controller] } });

  it("remembers the version, and nothing when the pod is gone or has no controller any more", async () => {
    const released = stored(Pods, { metadata });
    const answers = [refusal(404, "NotFound"), () => jsonResponse(pod), () => jsonResponse(released)];
    const { control, written, events, sent } = setUp(...answers);
    await expect(control.patchPod(pod, { metadata: {} }, signal)).rejects.toThrow("it is NotFound");
    expect(written).toEqual([]);
    await control.patchPod(pod, { metadata: {} }, signal);
    expect(written).toEqual([`${pod.metadata.namespace}/web ${owner.metadata.uid} pods 8`]);
    await control.patchPod(pod, { metadata: {} }, signal);
    expect(written).toHaveLength(1);
    const path = `/api/v1/namespaces/${pod.metadata.namespace}/pods/web-x`;
    expect(sent().map(({ request }) => request)).toEqual(Array(3).fill(`PATCH ${path}`));
    expect(events).toEqual([]);
  });
});
