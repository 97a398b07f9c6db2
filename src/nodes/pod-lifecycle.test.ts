import { describe, expect, it } from "vitest";
import { behaviourOf } from "./behaviour.ts";
import { killEvents } from "./pod-events.ts";
import { lastStatus, nextStep } from "./pod-lifecycle.ts";
import { BOUND_MS, boundPod, live, merged, podInShort } from "./testing.ts";

const crashing = { "run-for": "1s", "exit-code": "1" };

describe("a simulated pod", () => {
  it("runs for ever", () => {
    expect(live(boundPod({}), 3_600_000).story).toEqual([
      "0.3 s: Running Ready, main started ready; Pulled Created Started",
    ]);
  });

  it("reports containers that take long to be created", () => {
    expect(live(boundPod({}, { "start-after": "5s" }), 60_000).story).toEqual([
      "0 s: Pending, main ContainerCreating",
      "5 s: Running Ready, main started ready; Pulled Created Started",
    ]);
  });

  it("is ready again after the node lifecycle controller has marked it, without new events", () => {
    const { pod } = live(boundPod({}), 60_000);
    const marked = merged(pod.status ?? {}, { conditions: [{ type: "Ready", status: "False" }] });
    const { pod: again, story } = live({ ...pod, status: marked }, 60_000);
    expect(story).toEqual(["0 s: Running Ready, main started ready"]);
    expect(again.status?.containerStatuses).toEqual(pod.status?.containerStatuses);
  });

  it("succeeds when its work is done", () => {
    const { pod, story } = live(boundPod({ restartPolicy: "Never" }), 60_000);
    expect(story.at(-1)).toBe("1 s: Succeeded, main Completed 0");
    expect(pod.status?.conditions).toMatchObject([
      { type: "PodReadyToStartContainers", status: "False" },
      { type: "Initialized", status: "True", reason: "PodCompleted" },
      { type: "ContainersReady", status: "False", reason: "PodCompleted" },
      { type: "Ready", status: "False", reason: "PodCompleted" },
      { type: "PodScheduled", status: "True" },
    ]);
  });

  it("fails when its work fails, if nothing restarts it", () => {
    const { story } = live(boundPod({ restartPolicy: "Never" }, { "exit-code": "2" }), 60_000);
    expect(story.at(-1)).toBe("1 s: Failed, main Error 2");
  });

  it("restarts at once, and later after a back-off that doubles", () => {
    expect(live(boundPod({}, crashing), 35_000).story).toEqual([
      "0.3 s: Running Ready, main started ready; Pulled Created Started",
      "1 s: Running, main Error 1",
      "1 s: Running Ready, main started ready (1); Pulled Created Started",
      "2 s: Running, main Error 1 (1)",
      "2 s: Running, main CrashLoopBackOff (1); BackOff",
      "12 s: Running Ready, main started ready (2); Pulled Created Started",
      "13 s: Running, main Error 1 (2)",
      "13 s: Running, main CrashLoopBackOff (2); BackOff",
      "33 s: Running Ready, main started ready (3); Pulled Created Started",
      "34 s: Running, main Error 1 (3)",
      "34 s: Running, main CrashLoopBackOff (3); BackOff",
    ]);
  });

  it("has no back-off after a run of more than ten minutes", () => {
    expect(live(boundPod({}, { ...crashing, "run-for": "11m" }), 1_400_000).story.slice(1)).toEqual([
      "660 s: Running, main Error 1",
      "660 s: Running Ready, main started ready (1); Pulled Created Started",
      "1320 s: Running, main Error 1 (1)",
      "1320 s: Running Ready, main started ready (2); Pulled Created Started",
    ]);
  });

  it("has containers that end separately, and ends with the last", () => {
    const containers = ["a", "b"].map((name) => ({ name, image: "nginx" }));
    const ends = { "run-for": "a=1s b=3s", "exit-code": "a=1" };
    expect(live(boundPod({ containers, restartPolicy: "Never" }, ends), 60_000).story.slice(1)).toEqual([
      "1 s: Running, a Error 1, b started ready",
      "3 s: Failed, a Error 1, b Completed 0",
    ]);
    expect(live(boundPod({ containers, restartPolicy: "OnFailure" }, ends), 1500).story.slice(1)).toEqual([
      "1 s: Running, a Error 1, b started ready",
      "1 s: Running Ready, a started ready (1), b started ready; Pulled Created Started",
    ]);
  });

  it("obeys the restart rules of a container", () => {
    const exitCodes = { operator: "In", values: [42] };
    const restartPolicyRules = [{ action: "Restart", exitCodes }];
    const container = { name: "main", image: "nginx", restartPolicy: "Never", restartPolicyRules };
    const spec = { containers: [container], restartPolicy: "Always" };
    expect(live(boundPod(spec, { ...crashing, "exit-code": "42" }), 1500).story.at(-1)).toContain("started ready (1)");
    expect(live(boundPod(spec, { ...crashing, "exit-code": "41" }), 1500).story.at(-1)).toBe(
      "1 s: Failed, main Error 41",
    );
  });

  it("reports a back-off and unready containers with a kubelet's messages", () => {
    const { pod, events } = live(boundPod({}, crashing), 180_000);
    expect(pod.status?.containerStatuses?.[0]?.state?.waiting?.message).toBe(
      "back-off 2m40s restarting failed container=main pod=web_ns(u)",
    );
    expect(pod.status?.conditions?.find(({ type }) => type === "Ready")).toMatchObject({
      reason: "ContainersNotReady",
      message: "containers with unready status: [main]",
    });
    expect(events.at(-1)).toEqual({
      type: "Warning",
      reason: "BackOff",
      message: "Back-off restarting failed container main in pod web_ns(u)",
      fieldPath: "spec.containers{main}",
    });
  });

  it("reports its start with a kubelet's messages", () => {
    const common = { type: "Normal", fieldPath: "spec.containers{main}" };
    expect(live(boundPod({}), 1000).events).toEqual([
      {
        ...common,
        reason: "Pulled",
        message: 'Container image "nginx" already present on machine and can be accessed by the pod',
      },
      { ...common, reason: "Created", message: "Container created" },
      { ...common, reason: "Started", message: "Container started" },
    ]);
  });

  it("waits for its image until the annotation is removed", () => {
    const { pod, story, events } = live(boundPod({}, { "image-pull-error": "true" }), 60_000);
    expect(story).toEqual(["0.3 s: Pending, main ImagePullBackOff; Pulling Failed BackOff"]);
    expect(events.map(({ type, reason, message }) => `${type} ${reason}: ${message}`)).toEqual([
      'Normal Pulling: Pulling image "nginx"',
      'Warning Failed: Failed to pull image "nginx": the simulation asks for it',
      "Warning Failed: Error: ErrImagePull",
      'Normal BackOff: Back-off pulling image "nginx"',
      "Warning Failed: Error: ImagePullBackOff",
    ]);
    const { annotations: _, ...metadata } = pod.metadata;
    expect(live({ ...pod, metadata }, 1000).story.at(-1)).toBe(
      "0.3 s: Running Ready, main started ready; Pulled Created Started",
    );
  });

  it("alternates between ready and unready, even without a probe", () => {
    expect(live(boundPod({}, { "flap-every": "10s" }), 25_000).story).toEqual([
      "0.3 s: Running Ready, main started ready; Pulled Created Started",
      "10 s: Running, main started; Unhealthy",
      "20 s: Running Ready, main started ready",
    ]);
  });

  it("is not Ready before its readiness gates are", () => {
    const gated = boundPod({ readinessGates: [{ conditionType: "example.com/lb" }] });
    const { pod, story } = live(gated, 1000);
    const ready = (status: typeof pod.status) => status?.conditions?.find(({ type }) => type === "Ready");
    expect(story.at(-1)).toBe("0.3 s: Running, main started ready; Pulled Created Started");
    expect(ready(pod.status)).toMatchObject({
      reason: "ReadinessGatesNotReady",
      message: 'corresponding condition of pod readiness gate "example.com/lb" does not exist.',
    });
    const withGate = (status: string) =>
      live({ ...pod, status: merged(pod.status ?? {}, { conditions: [{ type: "example.com/lb", status }] }) }, 1000);
    expect(ready(withGate("False").pod.status)).toMatchObject({
      message: 'the status of pod readiness gate "example.com/lb" is not "True", but False',
    });
    expect(withGate("True").story).toEqual(["0 s: Running Ready, main started ready"]);
  });

  it("runs ephemeral containers until it ends", () => {
    const { pod } = live(boundPod({ restartPolicy: "Never" }, { "run-for": "30s" }), 5000);
    const ephemeralContainers = [{ name: "debugger", image: "tools" }];
    const {
      story,
      pod: debugged,
      events,
    } = live({ ...pod, spec: { containers: [], ...pod.spec, ephemeralContainers } }, 60_000);
    expect(story).toEqual([
      "0 s: Running Ready, main started ready, debugger running; Pulled Created Started",
      "30 s: Succeeded, main Completed 0, debugger Completed 0; Killing",
    ]);
    expect(events[0]?.fieldPath).toBe("spec.ephemeralContainers{debugger}");
    expect(debugged.status?.ephemeralContainerStatuses?.[0]).not.toHaveProperty("started");
  });

  it("restarts a container whose image has changed", () => {
    const { pod } = live(boundPod({ restartPolicy: "Never" }, { "run-for": "1h" }), 5000);
    const containers = [{ name: "main", image: "nginx:2" }];
    const { story, pod: changed, events } = live({ ...pod, spec: { ...pod.spec, containers } }, 60_000);
    expect(story).toEqual(["0 s: Running Ready, main started ready (1); Killing Pulled Created Started"]);
    expect(changed.status?.containerStatuses?.[0]?.image).toBe("nginx:2");
    expect(events[0]?.message).toBe("Container main definition changed, will be restarted");
  });

  it("fails when its deadline has passed", () => {
    const sidecar = { name: "proxy", image: "b", restartPolicy: "Always" };
    const spec = { initContainers: [sidecar], activeDeadlineSeconds: 30 };
    const { pod, story, events } = live(boundPod(spec), 60_000);
    expect(story.at(-1)).toBe("30 s: Failed, proxy Error 137, main Error 137; DeadlineExceeded Killing");
    const message = "Pod was active on the node longer than the specified deadline";
    expect(pod.status).toMatchObject({ reason: "DeadlineExceeded", message });
    expect(events.find(({ reason }) => reason === "DeadlineExceeded")?.message).toBe(message);
  });

  it("loses the containers that started before its node failed", () => {
    const { pod } = live(boundPod({}), 1000);
    const step = nextStep(pod, behaviourOf(pod, 300), BOUND_MS + 60_000, BOUND_MS + 30_000);
    const terminated = { exitCode: 255, reason: "Unknown" };
    expect(step).toMatchObject({ status: { phase: "Running", containerStatuses: [{ state: { terminated } }] } });
    expect(nextStep(pod, behaviourOf(pod, 300), BOUND_MS + 60_000, BOUND_MS).kind).toBe("rest");
  });

  it("reports which containers are stopped", () => {
    const sidecar = { name: "proxy", image: "b", restartPolicy: "Always" };
    const { pod } = live(boundPod({ initContainers: [sidecar] }), 1000);
    const common = { type: "Normal", reason: "Killing" };
    expect(killEvents(pod)).toEqual([
      { ...common, message: "Stopping container proxy", fieldPath: "spec.initContainers{proxy}" },
      { ...common, message: "Stopping container main", fieldPath: "spec.containers{main}" },
    ]);
    expect(killEvents(boundPod({}))).toEqual([]);
  });

  describe("reports how it ended after its deletion", () => {
    const { pod: server } = live(boundPod({ initContainers: [{ name: "init", image: "a" }] }), 1000);
    const sidecar = { name: "proxy", image: "b", restartPolicy: "Always" };
    const worker = boundPod({ restartPolicy: "Never", initContainers: [sidecar] }, { "run-for": "1h" });
    const { pod: crashed } = live(boundPod({}, crashing), 5000);
    const pulling = boundPod({ containers: ["main", "side"].map((name) => ({ name, image: "a" })) });
    const { pod: halfPulled } = live(
      {
        ...pulling,
        metadata: { ...pulling.metadata, annotations: { "sim.steersman.dev/image-pull-error": "side=true" } },
      },
      1000,
    );
    it.each([
      ["a server that stops in time", server, {}, "Succeeded, init Completed 0, main Completed 0"],
      ["a server that does not", server, { isKilled: true }, "Failed, init Completed 0, main Error 137"],
      ["a server on a node that has failed", server, { lostMs: 500 }, "Failed, init Completed 0, main Unknown 255"],
      ["unfinished work", live(worker, 1000).pod, {}, "Failed, proxy Completed 0, main Error 143"],
      ["a container that waits to restart", crashed, {}, "Failed, main Error 1 (1)"],
      [
        "a container that never ran, beside another",
        halfPulled,
        {},
        "Failed, main Completed 0, side ContainerStatusUnknown 137",
      ],
      ["nothing has run", boundPod({}), {}, "Failed, main ContainerCreating"],
    ])("%s", (_, pod, { isKilled = false, lostMs = 0 }: { isKilled?: boolean; lostMs?: number }, expected) => {
      const status = lastStatus(pod, behaviourOf(pod, 300), BOUND_MS + 6000, isKilled, BOUND_MS + lostMs);
      expect(podInShort({ ...pod, status })).toBe(expected);
    });
  });
});
