import { describe, expect, it } from "vitest";
import type { Pod } from "#api/generated/types/core-v1.ts";
import type { Stored } from "#api/resource.ts";
import { formatTime } from "#api/time.ts";
import { behaviourOf } from "./behaviour.ts";
import { backOffEvents, killEvents } from "./pod-events.ts";
import { nextStep, type Step } from "./pod-lifecycle.ts";

const BOUND = Date.UTC(2026, 0, 1);

function newPod(restartPolicy: string, annotations: Record<string, string> = {}): Stored<Pod> {
  const lastTransitionTime = formatTime(BOUND);
  return {
    metadata: {
      name: "web",
      namespace: "ns",
      uid: "u",
      resourceVersion: "1",
      creationTimestamp: lastTransitionTime,
      annotations,
    },
    spec: { restartPolicy, containers: [{ name: "main", image: "nginx" }] },
    status: { conditions: [{ type: "PodScheduled", status: "True", lastTransitionTime }] },
  };
}

/** The pod after all steps up to this time, one line for each report. */
function live(pod: Stored<Pod>, forMs: number): { readonly pod: Stored<Pod>; readonly story: readonly string[] } {
  const story: string[] = [];
  let now = BOUND;
  for (let i = 0; i < 100; i++) {
    const step: Step = nextStep(pod, behaviourOf(pod, 300), now);
    if (step.kind === "rest") break;
    if (step.kind === "wait") {
      if (now + step.forMs > BOUND + forMs) break;
      now += step.forMs;
      continue;
    }
    pod = { ...pod, status: { ...pod.status, ...step.status } };
    const [status] = pod.status?.containerStatuses ?? [];
    const { running, waiting, terminated } = status?.state ?? {};
    const state = running ? "running" : (waiting?.reason ?? `${terminated?.reason} ${terminated?.exitCode}`);
    const reasons = [...new Set(step.events.map(({ reason }) => reason))].join(" ");
    story.push(
      `${(now - BOUND) / 1000} s: ${pod.status?.phase}, ${state}, ready ${status?.ready}, restarts ${status?.restartCount}; ${reasons}`,
    );
  }
  return { pod, story };
}

describe("a simulated pod", () => {
  it("runs for ever", () => {
    expect(live(newPod("Always"), 3_600_000).story).toEqual([
      "0.3 s: Running, running, ready true, restarts 0; Pulled Created Started",
    ]);
  });

  it("is ready again after the node lifecycle controller has marked it, without new events", () => {
    const { pod } = live(newPod("Always"), 60_000);
    const marked = (pod.status?.conditions ?? []).map((condition) =>
      condition.type === "Ready" ? { ...condition, status: "False" } : condition,
    );
    const { pod: again, story } = live({ ...pod, status: { ...pod.status, conditions: marked } }, 60_000);
    expect(story).toEqual(["0 s: Running, running, ready true, restarts 0; "]);
    expect(again.status?.conditions?.find(({ type }) => type === "Ready")?.status).toBe("True");
    expect(again.status?.containerStatuses).toEqual(pod.status?.containerStatuses);
  });

  it("succeeds when its work is done", () => {
    const { pod, story } = live(newPod("Never"), 60_000);
    expect(story.at(-1)).toBe("1 s: Succeeded, Completed 0, ready false, restarts 0; ");
    expect(pod.status?.conditions?.find(({ type }) => type === "Ready")).toMatchObject({
      status: "False",
      reason: "PodCompleted",
    });
  });

  it("fails when its work does, if nothing restarts it", () => {
    const { story } = live(newPod("Never", { "sim.steersman.dev/exit-code": "2" }), 60_000);
    expect(story.at(-1)).toBe("1 s: Failed, Error 2, ready false, restarts 0; ");
  });

  it("runs again after a back-off that doubles", () => {
    const crashing = { "sim.steersman.dev/run-for": "1s", "sim.steersman.dev/exit-code": "1" };
    expect(live(newPod("Always", crashing), 35_000).story).toEqual([
      "0.3 s: Running, running, ready true, restarts 0; Pulled Created Started",
      "1 s: Running, Error 1, ready false, restarts 0; ",
      "1 s: Running, CrashLoopBackOff, ready false, restarts 0; BackOff",
      "11 s: Running, running, ready true, restarts 1; Pulled Created Started",
      "12 s: Running, Error 1, ready false, restarts 1; ",
      "12 s: Running, CrashLoopBackOff, ready false, restarts 1; BackOff",
      "32 s: Running, running, ready true, restarts 2; Pulled Created Started",
      "33 s: Running, Error 1, ready false, restarts 2; ",
      "33 s: Running, CrashLoopBackOff, ready false, restarts 2; BackOff",
    ]);
  });

  it("tells of a back-off and of containers that are not ready in a kubelet's words", () => {
    const crashing = { "sim.steersman.dev/run-for": "1s", "sim.steersman.dev/exit-code": "1" };
    const { status } = live(newPod("Always", crashing), 180_000).pod;
    expect(status?.containerStatuses?.[0]?.state?.waiting?.message).toBe(
      "back-off 2m40s restarting failed container=main pod=web_ns(u)",
    );
    expect(status?.conditions?.find(({ type }) => type === "Ready")).toMatchObject({
      reason: "ContainersNotReady",
      message: "containers with unready status: [main]",
    });
    expect(backOffEvents(newPod("Always"))).toEqual([
      {
        type: "Warning",
        reason: "BackOff",
        message: "Back-off restarting failed container main in pod web_ns(u)",
        fieldPath: "spec.containers{main}",
      },
    ]);
  });

  it("waits for its image until the annotation goes", () => {
    const { pod, story } = live(newPod("Always", { "sim.steersman.dev/image-pull-error": "true" }), 60_000);
    expect(story).toEqual(["0.3 s: Pending, ImagePullBackOff, ready false, restarts 0; Pulling Failed BackOff"]);
    const { annotations: _, ...metadata } = pod.metadata;
    expect(live({ ...pod, metadata }, 1000).story).toEqual([
      "0 s: Running, running, ready true, restarts 0; Pulled Created Started",
    ]);
  });

  it("is ready and unready by turns", () => {
    expect(live(newPod("Always", { "sim.steersman.dev/flap-every": "10s" }), 25_000).story).toEqual([
      "0.3 s: Running, running, ready true, restarts 0; Pulled Created Started",
      "10 s: Running, running, ready false, restarts 0; Unhealthy",
      "20 s: Running, running, ready true, restarts 0; ",
    ]);
  });

  it("loses the containers that started before its node failed", () => {
    const { pod } = live(newPod("Always"), 1000);
    const step = nextStep(pod, behaviourOf(pod, 300), BOUND + 60_000, BOUND + 30_000);
    const terminated = { exitCode: 255, reason: "Unknown" };
    expect(step).toMatchObject({ status: { phase: "Running", containerStatuses: [{ state: { terminated } }] } });
    expect(nextStep(pod, behaviourOf(pod, 300), BOUND + 60_000, BOUND).kind).toBe("rest");
  });

  it("has init containers that are done, and sidecars that run", () => {
    const given = newPod("Always");
    const initContainers = [
      { name: "init", image: "a" },
      { name: "sidecar", image: "b", restartPolicy: "Always" },
    ];
    const spec = { containers: [], ...given.spec, initContainers };
    const { status } = live({ ...given, spec }, 1000).pod;
    expect(status?.initContainerStatuses?.map(({ state }) => Object.keys(state ?? {}))).toEqual([
      ["terminated"],
      ["running"],
    ]);
  });

  it("tells which containers are stopped", () => {
    const { pod } = live(newPod("Always"), 1000);
    expect(killEvents(pod)).toEqual([
      { type: "Normal", reason: "Killing", message: "Stopping container main", fieldPath: "spec.containers{main}" },
    ]);
    expect(killEvents(newPod("Always"))).toEqual([]);
  });
});
