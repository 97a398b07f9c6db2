// The cost of pods to an informer: `bun bench/pod-decoding.ts [pods]`. Decodes pods of 200 ReplicaSets as a server
// sends them, in JSON and protobuf, with and without the fields that caches do not use.

import { parseExactJson } from "#api/json.ts";
import type { KubeObject } from "#api/object.ts";
import { decodeProtobuf, encodeProtobuf } from "#api/proto-codec.ts";
import { MessageDecoder } from "#api/proto-decode.ts";
import { SharedValues } from "#api/shared-values.ts";
import { leaveOutManagedFields } from "#client/leave-out-managed-fields.ts";

const count = Number(process.argv[2] ?? 10_000);
const SETS = 200;
const ROUNDS = 10;
const now = "2026-01-02T03:04:05Z";

const hex = (n: number, width: number): string => n.toString(16).padStart(width, "0");
const uid = (n: number): string => `${hex(n, 8)}-6f0e-4a57-9d0c-${hex(n * 7919, 12)}`;

function pod(index: number): KubeObject {
  const set = index % SETS;
  const name = `web-${set}-7c5ddbdf54-${hex(index, 5)}`;
  const app = `web-${set}`;
  const fields = {
    "f:metadata": {
      "f:generateName": {},
      "f:labels": { ".": {}, "f:app": {}, "f:pod-template-hash": {} },
      "f:ownerReferences": { ".": {}, [`k:{"uid":"${uid(set)}"}`]: {} },
    },
    "f:spec": {
      "f:containers": { 'k:{"name":"web"}': { ".": {}, "f:env": {}, "f:image": {}, "f:ports": {}, "f:resources": {} } },
      "f:restartPolicy": {},
      "f:schedulerName": {},
      "f:securityContext": {},
      "f:terminationGracePeriodSeconds": {},
    },
  };
  const condition = (type: string): object => ({
    type,
    status: "True",
    observedGeneration: 1,
    lastProbeTime: null,
    lastTransitionTime: now,
  });
  return {
    kind: "Pod",
    apiVersion: "v1",
    metadata: {
      name,
      generateName: `web-${set}-7c5ddbdf54-`,
      namespace: "default",
      uid: uid(index + SETS),
      resourceVersion: String(100_000 + index),
      generation: 1,
      creationTimestamp: now,
      labels: { app, "pod-template-hash": "7c5ddbdf54" },
      ownerReferences: [
        {
          apiVersion: "apps/v1",
          kind: "ReplicaSet",
          name: `web-${set}-7c5ddbdf54`,
          uid: uid(set),
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields: [
        {
          manager: "kube-controller-manager",
          operation: "Update",
          apiVersion: "v1",
          time: now,
          fieldsType: "FieldsV1",
          fieldsV1: fields,
        },
        {
          manager: "kubelet",
          operation: "Update",
          apiVersion: "v1",
          time: now,
          fieldsType: "FieldsV1",
          fieldsV1: { "f:status": fields },
          subresource: "status",
        },
      ],
    },
    spec: {
      volumes: [
        {
          name: `kube-api-access-${hex(index, 5)}`,
          projected: {
            sources: [
              { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
              { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
              {
                downwardAPI: {
                  items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
                },
              },
            ],
            defaultMode: 420,
          },
        },
      ],
      containers: [
        {
          name: "web",
          image: "registry.example.com/web:1.2.3",
          ports: [{ containerPort: 8080, protocol: "TCP" }],
          env: [{ name: "MODE", value: "production" }],
          resources: { limits: { memory: "256Mi" }, requests: { cpu: "100m", memory: "128Mi" } },
          volumeMounts: [
            {
              name: `kube-api-access-${hex(index, 5)}`,
              readOnly: true,
              mountPath: "/var/run/secrets/kubernetes.io/serviceaccount",
            },
          ],
          terminationMessagePath: "/dev/termination-log",
          terminationMessagePolicy: "File",
          imagePullPolicy: "IfNotPresent",
        },
      ],
      restartPolicy: "Always",
      terminationGracePeriodSeconds: 30,
      dnsPolicy: "ClusterFirst",
      serviceAccountName: "default",
      serviceAccount: "default",
      nodeName: `node-${index % 100}`,
      securityContext: {},
      schedulerName: "default-scheduler",
      tolerations: [
        { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 },
        { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 },
      ],
      priority: 0,
      enableServiceLinks: true,
      preemptionPolicy: "PreemptLowerPriority",
    },
    status: {
      phase: "Running",
      conditions: ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"].map(
        condition,
      ),
      hostIP: `10.1.0.${index % 100}`,
      podIP: `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`,
      podIPs: [{ ip: `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}` }],
      startTime: now,
      containerStatuses: [
        {
          name: "web",
          state: { running: { startedAt: now } },
          lastState: {},
          ready: true,
          restartCount: 0,
          image: "registry.example.com/web:1.2.3",
          imageID: "registry.example.com/web@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
          containerID: `containerd://${hex(index, 64)}`,
          started: true,
        },
      ],
      qosClass: "Burstable",
    },
  } as KubeObject;
}

const objects = Array.from({ length: count }, (_, index) => pod(index));
const texts = objects.map((object) => JSON.stringify(object));
const messages = objects.map((object) => encodeProtobuf(object));
objects.length = 0;

interface Variant {
  readonly name: string;
  readonly decode: (index: number) => unknown;
}
const shared = new MessageDecoder(new SharedValues());
const lean = (text: string): unknown => parseExactJson(leaveOutManagedFields(text) ?? text);
const variants: readonly Variant[] = [
  { name: "JSON", decode: (index) => parseExactJson(texts[index] as string) },
  { name: "JSON without managedFields", decode: (index) => lean(texts[index] as string) },
  { name: "protobuf", decode: (index) => decodeProtobuf(messages[index] as Uint8Array) },
  { name: "protobuf, shared", decode: (index) => decodeProtobuf(messages[index] as Uint8Array, undefined, shared) },
];

process.stdout.write(`${count} pods: ${texts[0]?.length} bytes of JSON, ${messages[0]?.length} of protobuf each\n`);
const wanted = process.argv[3];
for (const { name, decode } of variants) {
  if (wanted !== undefined && wanted !== name) continue;
  (globalThis as { Bun?: { gc(force: boolean): void } }).Bun?.gc(true);
  const heapBefore = process.memoryUsage().heapUsed;
  const coldCpu = process.cpuUsage();
  const kept = Array.from({ length: count }, (_, index) => decode(index));
  (globalThis as { Bun?: { gc(force: boolean): void } }).Bun?.gc(true);
  const heapKb = (process.memoryUsage().heapUsed - heapBefore) / 1024 / count;
  const first = process.cpuUsage(coldCpu);
  const warmCpu = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round++) for (let index = 0; index < count; index++) decode(index);
  const later = process.cpuUsage(warmCpu);
  const firstMs = (first.user + first.system) / 1000;
  const laterUs = (later.user + later.system) / ROUNDS / count;
  const text = `CPU of the first pass ${firstMs.toFixed(0).padStart(5)} ms, later ${laterUs.toFixed(1).padStart(5)} us each`;
  process.stdout.write(`${name.padEnd(28)} ${text}, ${heapKb.toFixed(1)} KB of heap each (${kept.length} pods)\n`);
}
