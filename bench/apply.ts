// The cost of managedFields and apply per write: `bun bench/apply.ts`. The embedded server must create 10,000 objects a
// second with them, so a create may take only a few microseconds here. Measures CPU time, which other processes do not
// affect.

import { type ApplyKind, applyKind } from "#api/apply/apply-kind.ts";
import { applyPatch, updateManagedFields } from "#api/apply/field-manager.ts";
import { excludeFields } from "#api/apply/filters.ts";
import { zeroObject } from "#api/apply/zero-object.ts";
import type { GroupVersionKind } from "#api/object.ts";
import type { JsonObject } from "#api/patch/json-value.ts";
import type { Schema } from "#api/schema.ts";
import { schemaOf } from "#api/schema-table.ts";

function kindOf(gvk: GroupVersionKind, subresource?: string): ApplyKind {
  const apiVersion = gvk.group === "" ? gvk.version : `${gvk.group}/${gvk.version}`;
  const resetFields = { [apiVersion]: excludeFields([subresource === undefined ? "status" : "spec"]) };
  const zero = zeroObject(gvk) as JsonObject;
  return applyKind({ gvk, schema: schemaOf(gvk) as Schema, zero, resetFields, ...(subresource && { subresource }) });
}

function measure(name: string, run: (round: number) => unknown, rounds = 50_000): void {
  for (let round = 0; round < rounds / 5; round++) run(round);
  const before = process.cpuUsage();
  for (let round = 0; round < rounds; round++) run(round);
  const { user, system } = process.cpuUsage(before);
  const micros = (user + system) / rounds;
  process.stdout.write(`${name.padEnd(58)} ${micros.toFixed(2).padStart(8)} us\n`);
}

function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    Object.freeze(value);
    for (const child of Object.values(value)) freeze(child);
  }
  return value;
}

const podGvk = { group: "", version: "v1", kind: "Pod" };
const pods = kindOf(podGvk);
const podStatus = kindOf(podGvk, "status");
const deployments = kindOf({ group: "apps", version: "v1", kind: "Deployment" });

const podSpec = {
  containers: ["web", "proxy"].map((name) => ({
    name,
    image: `registry.example.com/${name}:1.2.3`,
    env: [
      { name: "A", value: "b" },
      { name: "C", value: "d" },
    ],
    ports: [{ containerPort: name === "web" ? 8080 : 9090, protocol: "TCP" }],
    resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "256Mi" } },
    volumeMounts: [{ name: "data", mountPath: "/data" }],
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
    imagePullPolicy: "IfNotPresent",
  })),
  volumes: [{ name: "data", emptyDir: {} }],
  restartPolicy: "Always",
  dnsPolicy: "ClusterFirst",
  schedulerName: "default-scheduler",
  securityContext: {},
  terminationGracePeriodSeconds: 30,
};
const podText = JSON.stringify({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    generateName: "web-7c5ddbdf54-",
    namespace: "default",
    labels: { app: "web", "pod-template-hash": "7c5ddbdf54" },
    ownerReferences: [
      {
        apiVersion: "apps/v1",
        kind: "ReplicaSet",
        name: "web",
        uid: "0b7c2f9e",
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  },
  spec: podSpec,
  status: {},
});
const parsed = Array.from({ length: 256 }, () => JSON.parse(podText) as JsonObject);
const now = "2026-01-02T03:04:05Z";
const create = (updated: JsonObject) =>
  updateManagedFields(pods, { live: undefined, updated, manager: "kcm", now }).object;

process.stdout.write(`pod of ${podText.length} bytes\n`);
measure("JSON.parse of it, for comparison", () => JSON.parse(podText));
measure("create, shape seen before", (round) => create(parsed[round % 256] as JsonObject));
measure("create, new shape each time (random label key)", (round) => {
  const pod = parsed[round % 256] as { metadata: JsonObject };
  return create({ ...pod, metadata: { ...pod.metadata, labels: { [`k${round}`]: "v" } } });
});

const stored = freeze({ ...create(parsed[0] as JsonObject) }) as JsonObject & {
  metadata: JsonObject;
  status: JsonObject;
};
const live = freeze({ ...stored, metadata: { ...stored.metadata, uid: "u", name: "web-x", resourceVersion: "1" } });
// Clients send objects without managedFields: informers strip them.
const liveText = JSON.stringify({ ...live, metadata: { ...live.metadata, managedFields: undefined } });
const liveParsed = Array.from({ length: 256 }, () => JSON.parse(liveText) as JsonObject);
const update = (kind: ApplyKind, updated: JsonObject, before: JsonObject = live, at = now) =>
  updateManagedFields(kind, { live: before, updated, manager: "kubelet", now: at }).object;

measure("update, nothing changed, object shared", () => update(pods, { ...live }));
measure("update, nothing changed, object parsed from bytes", (round) =>
  update(pods, liveParsed[round % 256] as JsonObject),
);
const conditions = [{ type: "Ready", status: "True", lastTransitionTime: now }];
const running = freeze(update(podStatus, { ...live, status: { phase: "Running", podIP: "10.0.0.1", conditions } }));
measure("first status update, shared", () =>
  update(podStatus, { ...live, status: { phase: "Running", podIP: "10.0.0.1", conditions } }),
);
measure("later status update, same fields, same second, shared", (round) =>
  update(podStatus, { ...running, status: { phase: "Running", podIP: `10.0.0.${round}`, conditions } }, running),
);
measure("later status update, same fields, another second, shared", (round) =>
  update(
    podStatus,
    { ...running, status: { phase: "Running", podIP: `10.0.0.${round}`, conditions } },
    running,
    "2026-01-02T03:04:06Z",
  ),
);
measure("label update, shared", (round) =>
  update(pods, {
    ...live,
    metadata: { ...live.metadata, labels: { ...(stored.metadata.labels as object), app: `v${round}` } },
  }),
);

const configuration = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default", labels: { app: "web" } },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: podSpec },
  },
};
const apply = (before: JsonObject | undefined, patch: JsonObject) =>
  applyPatch(deployments, { live: before, patch, manager: "ci", force: false, now });
measure("apply, create a deployment", () => apply(undefined, configuration), 20_000);
const applied = freeze({ ...apply(undefined, configuration) }) as JsonObject;
measure("apply, nothing changed", () => apply(applied, configuration), 20_000);
measure(
  "apply, another replica count",
  (round) => apply(applied, { ...configuration, spec: { ...configuration.spec, replicas: round } }),
  20_000,
);
