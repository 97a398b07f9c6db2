// Behaviour of the horizontal pod autoscaler that scenarios do not show: its metrics, its flags, and a scale that
// fails.

import { afterEach, expect, it } from "vitest";
import { ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { HorizontalPodAutoscalers } from "#api/generated/resources/autoscaling-v2.ts";
import { newConflict, newForbidden } from "#api/status-error.ts";
import type { HttpRequest } from "#base/http.ts";
import { openWire, type WireStage } from "#test/stage/wire-stage.ts";

let stage: WireStage;
afterEach(() => stage.stop());

const PREFIX = "horizontal_pod_autoscaler_controller_";

async function createTarget(replicas: number): Promise<void> {
  const labels = { app: "web" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "example/web:1" }] } };
  const spec = { replicas, selector: { matchLabels: labels }, template };
  await stage.of(ReplicaSets).create({ metadata: { name: "web" }, spec });
}

async function createAutoscaler(maxReplicas: number): Promise<void> {
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web" };
  await stage.of(HorizontalPodAutoscalers).create({
    metadata: { name: "web" },
    spec: { scaleTargetRef, maxReplicas },
  });
}

it("horizontal-pod-autoscaler/1, horizontal-pod-autoscaler/metrics, horizontal-pod-autoscaler/flags acts after the sync period, and counts what it does", async () => {
  stage = await openWire({ controllers: ["horizontal-pod-autoscaler-controller"] });
  await createTarget(4);
  await createAutoscaler(2);
  await stage.pass(14_000);
  expect(stage.network.requests.filter(({ path }) => path.endsWith("/scale"))).toHaveLength(0);
  await stage.pass(2000);
  expect(stage.metrics.render()).toContain(`${PREFIX}reconciliations_total{action="scale_down",error="none"} 1`);
  expect(stage.metrics.render()).toContain(`${PREFIX}num_horizontal_pod_autoscalers 1`);
  expect(stage.metrics.render()).toContain(`${PREFIX}desired_replicas{hpa_name="web",namespace="scenario"} 2`);
  await stage.pass(16_000);
  const text = stage.metrics.render();
  expect(text).toContain(`${PREFIX}reconciliations_total{action="none",error="internal"}`);
  expect(text).toContain(`${PREFIX}metric_computation_total{action="none",error="internal",metric_type="Resource"}`);
  expect(text).toContain(`${PREFIX}metric_computation_duration_seconds_count{`);
  expect(text).toContain(`${PREFIX}reconciliation_duration_seconds_count{`);
});

it("horizontal-pod-autoscaler/15, horizontal-pod-autoscaler/traps tries a conflict again with the newest scale, and tells of any other failure", async () => {
  stage = await openWire({ controllers: ["horizontal-pod-autoscaler-controller"] });
  await createTarget(4);
  const sets = { group: "apps", resource: "replicasets" };
  const isScale = ({ method, path }: HttpRequest): boolean => method === "PUT" && path.endsWith("/scale");
  stage.network.refuse(isScale, newConflict(sets, "web", "changed"), 3);
  await createAutoscaler(2);
  await stage.event("SuccessfulRescale");
  expect(stage.network.count(isScale)).toBe(4);
  stage.network.refuse(isScale, newForbidden(sets, "web", "no"));
  await stage.of(HorizontalPodAutoscalers).patch("web", { spec: { maxReplicas: 1 } });
  const { message } = await stage.event("FailedRescale");
  const why = 'replicasets.apps "web" is forbidden: no';
  expect(message).toBe(`New size: 1; reason: Current number of replicas above Spec.MaxReplicas; error: ${why}`);
  const failed = await stage
    .of(HorizontalPodAutoscalers)
    .until("web", ({ status }) => status?.conditions?.some(({ reason }) => reason === "FailedUpdateScale") === true);
  expect(failed.status?.desiredReplicas).toBe(2);
});
