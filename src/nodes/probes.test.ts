import { describe, expect, it } from "vitest";
import type { Container } from "#api/generated/types/core-v1.ts";
import { boundPod, live } from "./testing.ts";

const httpGet = { path: "/", port: 80 };
const withProbes = (probes: Partial<Container>) => ({ containers: [{ name: "main", image: "nginx", ...probes }] });
const BEGIN = "0.3 s: Running, main started; Pulled Created Started";
const BEGIN_UNSTARTED = "0.3 s: Running, main running; Pulled Created Started";

describe("probes of a simulated container", () => {
  it("make it ready after the first success, and cost nothing as long as they succeed", () => {
    const probed = withProbes({
      readinessProbe: { httpGet, initialDelaySeconds: 5 },
      livenessProbe: { httpGet, periodSeconds: 1 },
    });
    const { pod, story } = live(boundPod(probed), 86_400_000);
    expect(story).toEqual([BEGIN, "5 s: Running Ready, main started ready"]);
    expect(pod.status?.containerStatuses).toMatchObject([{ started: true, ready: true }]);
  });

  it("have thresholds", () => {
    const readinessProbe = { httpGet, periodSeconds: 4, successThreshold: 3, failureThreshold: 2 };
    expect(live(boundPod(withProbes({ readinessProbe }), { "flap-every": "15s" }), 45_000).story).toEqual([
      BEGIN,
      "8 s: Running Ready, main started ready",
      "16 s: Unhealthy",
      "20 s: Running, main started; Unhealthy",
      "24 s: Unhealthy",
      "28 s: Unhealthy",
      "40 s: Running Ready, main started ready",
    ]);
  });

  it.each([
    [{ httpGet }, "Readiness probe failed: HTTP probe failed with statuscode: 503"],
    [{ grpc: { port: 80 } }, 'Readiness probe failed: service unhealthy (responded with "NOT_SERVING")'],
    [{ tcpSocket: { port: 80 } }, "Readiness probe failed: dial tcp 10.1.0.1:80: connect: connection refused"],
    [{ tcpSocket: { port: "http" } }, "Readiness probe failed: dial tcp 10.1.0.1:8080: connect: connection refused"],
    [{ exec: { command: ["ls"] } }, "Readiness probe failed: the simulation asks for it"],
  ])("report their failures with a kubelet's messages: %j", (probe, message) => {
    const ports = [{ name: "http", containerPort: 8080 }];
    const pod = boundPod(withProbes({ ports, readinessProbe: { periodSeconds: 30, ...probe } }), {
      "not-ready": "true",
    });
    const { events } = live({ ...pod, status: { ...pod.status, podIP: "10.1.0.1" } }, 20_000);
    const fieldPath = "spec.containers{main}";
    expect(events.slice(3)).toMatchObject([{ type: "Warning", reason: "Unhealthy", message, fieldPath }]);
  });

  it("never make an unready container ready, and report each failure once", () => {
    const { story, pod } = live(boundPod(withProbes({ readinessProbe: { httpGet } }), { "not-ready": "true" }), 25_000);
    expect(story).toEqual([BEGIN, "0.3 s: Unhealthy", "10 s: Unhealthy", "20 s: Unhealthy"]);
    expect(pod.status?.conditions?.find(({ type }) => type === "ContainersReady")).toMatchObject({
      status: "False",
      reason: "ContainersNotReady",
      message: "containers with unready status: [main]",
    });
  });

  it("kill a container that is not live, which restarts with back-off", () => {
    const livenessProbe = { httpGet, periodSeconds: 5, failureThreshold: 2 };
    const { pod, story, events } = live(
      boundPod(withProbes({ livenessProbe }), { "liveness-fails-after": "7s" }),
      45_000,
    );
    expect(story).toEqual([
      "0.3 s: Running Ready, main started ready; Pulled Created Started",
      "10 s: Unhealthy",
      "15 s: Running, main Error 137; Unhealthy Killing",
      "15 s: Running Ready, main started ready (1); Pulled Created Started",
      "25 s: Unhealthy",
      "30 s: Running, main Error 137 (1); Unhealthy Killing",
      "30 s: Running, main CrashLoopBackOff (1); BackOff",
      "40 s: Running Ready, main started ready (2); Pulled Created Started",
    ]);
    expect(events.slice(4, 6)).toMatchObject([
      { type: "Warning", message: "Liveness probe failed: HTTP probe failed with statuscode: 503" },
      { type: "Normal", message: "Container main failed liveness probe, will be restarted" },
    ]);
    expect(pod.status?.containerStatuses?.[0]?.lastState?.terminated).toMatchObject({
      exitCode: 137,
      reason: "Error",
      startedAt: "2026-01-01T00:00:15Z",
      finishedAt: "2026-01-01T00:00:30Z",
    });
  });

  it("kill a container for good in a pod with restart policy Never", () => {
    const spec = { ...withProbes({ livenessProbe: { httpGet, failureThreshold: 1 } }), restartPolicy: "Never" };
    const { story, events } = live(boundPod(spec, { "run-for": "1h", "liveness-fails-after": "1s" }), 60_000);
    expect(story.at(-1)).toBe("10 s: Failed, main Error 137; Unhealthy Killing");
    expect(events.at(-1)?.message).toBe("Container main failed liveness probe");
  });

  it("wait for the startup probe", () => {
    const probes = {
      startupProbe: { httpGet, periodSeconds: 2, failureThreshold: 30 },
      readinessProbe: { httpGet },
      livenessProbe: { httpGet, periodSeconds: 1, failureThreshold: 1 },
    };
    expect(live(boundPod(withProbes(probes), { "probes-fail-for": "5s" }), 3_600_000).story).toEqual([
      BEGIN_UNSTARTED,
      "0.3 s: Unhealthy",
      "2 s: Unhealthy",
      "4 s: Unhealthy",
      "6 s: Running Ready, main started ready",
    ]);
  });

  it("kill a container that takes too long to start", () => {
    const startupProbe = { exec: { command: ["ls"] }, periodSeconds: 2, failureThreshold: 2 };
    const { story, events } = live(boundPod(withProbes({ startupProbe }), { "probes-fail-for": "1h" }), 5000);
    expect(story).toEqual([
      BEGIN_UNSTARTED,
      "0.3 s: Unhealthy",
      "2 s: Running, main Error 137; Unhealthy Killing",
      "2 s: Running, main running (1); Pulled Created Started",
      "2 s: Unhealthy",
      "4 s: Running, main Error 137 (1); Unhealthy Killing",
      "4 s: Running, main CrashLoopBackOff (1); BackOff",
    ]);
    expect(events.find(({ reason }) => reason === "Killing")?.message).toBe(
      "Container main failed startup probe, will be restarted",
    );
  });

  it("of a sidecar delay the next init container until the sidecar has started", () => {
    const startupProbe = { httpGet, periodSeconds: 3 };
    const initContainers = [
      { name: "proxy", image: "b", restartPolicy: "Always", startupProbe },
      { name: "migrate", image: "a" },
    ];
    expect(live(boundPod({ initContainers }, { "probes-fail-for": "proxy=2s" }), 60_000).story).toEqual([
      "0.3 s: Pending, proxy running, migrate PodInitializing, main PodInitializing; Pulled Created Started",
      "0.3 s: Unhealthy",
      "3 s: Running Ready, proxy started ready, migrate Completed 0, main started ready; Pulled Created Started",
    ]);
  });

  it("of a sidecar count for the pod, and kill it alone", () => {
    const livenessProbe = { httpGet, failureThreshold: 1 };
    const initContainers = [{ name: "proxy", image: "b", restartPolicy: "Always", livenessProbe }];
    const { story, events } = live(boundPod({ initContainers }, { "liveness-fails-after": "proxy=8s" }), 15_000);
    expect(story.slice(1)).toEqual([
      "10 s: Running, proxy Error 137, main started ready; Unhealthy Killing",
      "10 s: Running Ready, proxy started ready (1), main started ready; Pulled Created Started",
    ]);
    expect(events.find(({ reason }) => reason === "Killing")?.message).toBe(
      "Init container proxy failed liveness probe",
    );
  });
});
