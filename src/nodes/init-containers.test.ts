import { describe, expect, it } from "vitest";
import { boundPod, live } from "./testing.ts";

const init = { name: "migrate", image: "a" };
const proxy = { name: "proxy", image: "b", restartPolicy: "Always" };
const last = { name: "warm-up", image: "c" };
const failing = { "exit-code": "migrate=3" };

describe("init containers of a simulated pod", () => {
  it("have ended when the others start, and sidecars run", () => {
    const { story, events } = live(boundPod({ initContainers: [init, proxy, last] }), 1000);
    expect(story).toEqual([
      "0.3 s: Running Ready, migrate Completed 0, proxy started ready, warm-up Completed 0, main started ready; Pulled Created Started",
    ]);
    expect(events.filter(({ reason }) => reason === "Started").map(({ fieldPath }) => fieldPath)).toEqual([
      "spec.initContainers{migrate}",
      "spec.initContainers{proxy}",
      "spec.initContainers{warm-up}",
      "spec.containers{main}",
    ]);
  });

  it("run one after the other if they take time", () => {
    const { story } = live(boundPod({ initContainers: [init, last] }, { "run-for": "migrate=2s warm-up=3s" }), 60_000);
    expect(story).toEqual([
      "0.3 s: Pending, migrate started, warm-up PodInitializing, main PodInitializing; Pulled Created Started",
      "2 s: Pending, migrate Completed 0, warm-up started, main PodInitializing; Pulled Created Started",
      "5 s: Running Ready, migrate Completed 0, warm-up Completed 0, main started ready; Pulled Created Started",
    ]);
  });

  it.each(["Always", "OnFailure"])("run again after a back-off when they fail: %s", (restartPolicy) => {
    const { pod, story } = live(boundPod({ initContainers: [init], restartPolicy }, failing), 15_000);
    expect(story).toEqual([
      "0.3 s: Pending, migrate Error 3, main PodInitializing; Pulled Created Started",
      "0.3 s: Pending, migrate Error 3 (1), main PodInitializing; Pulled Created Started",
      "0.3 s: Pending, migrate CrashLoopBackOff (1), main PodInitializing; BackOff",
      "10 s: Pending, migrate Error 3 (2), main PodInitializing; Pulled Created Started",
      "10 s: Pending, migrate CrashLoopBackOff (2), main PodInitializing; BackOff",
    ]);
    expect(pod.status?.conditions).toMatchObject([
      { type: "PodReadyToStartContainers", status: "True" },
      {
        type: "Initialized",
        status: "False",
        reason: "ContainersNotInitialized",
        message: "containers with incomplete status: [migrate]",
      },
      {
        type: "ContainersReady",
        status: "False",
        reason: "ContainersNotReady",
        message: "containers with unready status: [main]",
      },
      { type: "Ready", status: "False", reason: "ContainersNotReady" },
      { type: "PodScheduled", status: "True" },
    ]);
  });

  it("fail a pod with restart policy Never, and its sidecars stop", () => {
    const spec = { initContainers: [proxy, init], restartPolicy: "Never" };
    const { pod, story, events } = live(boundPod(spec, failing), 60_000);
    expect(story).toEqual([
      "0.3 s: Failed, proxy Completed 0, migrate Error 3, main PodInitializing; Pulled Created Started Killing",
    ]);
    expect(events.at(-1)?.message).toBe("Stopping container proxy");
    expect(pod.status?.conditions?.slice(1, 4)).toMatchObject([
      { type: "Initialized", status: "False", reason: "ContainersNotInitialized" },
      { type: "ContainersReady", status: "False", reason: "PodFailed" },
      { type: "Ready", status: "False", reason: "PodFailed" },
    ]);
  });

  it("wait for their image", () => {
    const { story } = live(boundPod({ initContainers: [init] }, { "image-pull-error": "migrate=true" }), 60_000);
    expect(story).toEqual(["0.3 s: Pending, migrate ImagePullBackOff, main PodInitializing; Pulling Failed BackOff"]);
  });

  it("that are sidecars restart when they end, and stop when the pod's work is done", () => {
    const spec = { initContainers: [proxy], restartPolicy: "Never" };
    expect(live(boundPod(spec, { "run-for": "5s proxy=2s", "exit-code": "proxy=1" }), 60_000).story).toEqual([
      "0.3 s: Running Ready, proxy started ready, main started ready; Pulled Created Started",
      "2 s: Running, proxy Error 1, main started ready",
      "2 s: Running Ready, proxy started ready (1), main started ready; Pulled Created Started",
      "4 s: Running, proxy Error 1 (1), main started ready",
      "4 s: Running, proxy CrashLoopBackOff (1), main started ready; BackOff",
      "5 s: Succeeded, proxy CrashLoopBackOff (1), main Completed 0",
    ]);
  });
});
