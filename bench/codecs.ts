// The cost of decoding and encoding one object: `bun bench/codecs.ts`. JSON.parse is the yardstick.

import { decodeBase64 } from "#api/base64.ts";
import { INT64_MAX } from "#api/int64.ts";
import { parseJson } from "#api/json.ts";
import { decodeProtobuf, encodeProtobuf } from "#api/proto-codec.ts";
import { jsonText } from "#apiserver/json-text.ts";
import { goJson } from "#base/go-text.ts";
import { stringifyJson } from "#base/json.ts";
import { decodeJson } from "#client/codec.ts";
import vectors from "#test/vectors/proto.json" with { type: "json" };

function measure(name: string, run: () => unknown): void {
  const rounds = 20_000;
  for (let round = 0; round < rounds / 10; round++) run();
  const before = performance.now();
  for (let round = 0; round < rounds; round++) run();
  process.stdout.write(
    `${name.padEnd(36)} ${(((performance.now() - before) * 1000) / rounds).toFixed(1).padStart(8)} us\n`,
  );
}

const pod = {
  kind: "Pod",
  apiVersion: "v1",
  metadata: {
    name: "web-7c5ddbdf54-abcde",
    namespace: "default",
    uid: "0b7c2f9e-6f0e-4a57-9d0c-2d2f6f1f6a11",
    labels: { app: "web", "pod-template-hash": "7c5ddbdf54" },
    creationTimestamp: "2026-01-02T03:04:05Z",
  },
  spec: {
    containers: [
      {
        name: "web",
        image: "registry.example.com/web:1.2.3",
        env: [{ name: "A", value: "b" }],
        ports: [{ containerPort: 8080, protocol: "TCP" }],
        resources: { requests: { cpu: "100m", memory: "128Mi" } },
        terminationMessagePath: "/dev/termination-log",
      },
    ],
    restartPolicy: "Always",
    nodeName: "node-1",
    serviceAccountName: "default",
  },
  status: {
    phase: "Running",
    podIP: "10.0.0.7",
    conditions: ["Ready", "Initialized", "ContainersReady", "PodScheduled"].map((type) => ({
      type,
      status: "True",
      lastTransitionTime: "2026-01-02T03:04:05Z",
    })),
  },
};
const largest = (vectors as string[]).toSorted((a, b) => b.length - a.length)[0] as string;
const samples = { "small pod": encodeProtobuf(pod), "full workload": decodeBase64(largest.split(" ", 1)[0] as string) };

for (const [name, bytes] of Object.entries(samples)) {
  const object = decodeProtobuf(bytes);
  const json = JSON.stringify(object);
  process.stdout.write(`${name}: ${bytes.length} bytes of protobuf, ${json.length} of JSON\n`);
  measure("  decode protobuf", () => decodeProtobuf(bytes));
  measure("  encode protobuf", () => encodeProtobuf(object));
  measure("  JSON.parse", () => JSON.parse(json));
  measure("  client reads JSON", () => decodeJson(json));
  measure("  server reads JSON", () => parseJson(json));
  measure("  JSON.stringify", () => JSON.stringify(object));
  measure("  client writes JSON", () => goJson(object));
  measure("  server writes JSON", () => jsonText(object));
  const beyond = { ...object, beyond: INT64_MAX };
  const exact = stringifyJson(beyond);
  measure("  client reads JSON with an int64", () => decodeJson(exact));
  measure("  client writes JSON with an int64", () => goJson(beyond));
}
