// The files in the folder of each terminal, in addition to those of the suite about both API servers.

import { kubectlFiles } from "#test/real/kubectl-files.ts";

const yaml = (...values: readonly object[]): string => values.map((value) => JSON.stringify(value)).join("\n---\n");

const podTemplate = (app: string, spec: object = {}, annotations: object = {}): object => ({
  metadata: { labels: { app }, annotations },
  spec: {
    containers: [{ name: "main", image: "example/web:1", ports: [{ containerPort: 80, name: "http" }] }],
    ...spec,
  },
});

const workload = (kind: string, name: string, spec: object): object => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name },
  spec: { selector: { matchLabels: { app: name } }, ...spec },
});

const pod = (name: string, spec: object): object => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, labels: { app: name } },
  spec: { containers: [{ name: "main", image: "example/web:1" }], ...spec },
});

const FAILS = { "sim.steersman.dev/exit-code": "3" };
const certificateRequest = (kubectlFiles["csr.yaml"] ?? "").replace(
  "example.com/signer",
  "kubernetes.io/kube-apiserver-client",
);

export const files: Readonly<Record<string, string>> = {
  ...kubectlFiles,
  "db.yaml": yaml(
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "db" },
      spec: { clusterIP: "None", selector: { app: "db" }, ports: [{ port: 5432, name: "sql" }] },
    },
    workload("StatefulSet", "db", {
      serviceName: "db",
      replicas: 2,
      template: podTemplate("db"),
      volumeClaimTemplates: [
        {
          metadata: { name: "data" },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
        },
      ],
    }),
  ),
  "agent.yaml": yaml(workload("DaemonSet", "agent", { template: podTemplate("agent") })),
  "shop.yaml": yaml(workload("Deployment", "shop", { replicas: 2, template: podTemplate("shop") })),
  "busy-shop.yaml": yaml(
    workload("Deployment", "shop", {
      replicas: 2,
      template: podTemplate("shop", {
        containers: [
          { name: "main", image: "example/web:1", resources: { requests: { cpu: "200m", memory: "128Mi" } } },
        ],
      }),
    }),
  ),
  "failing-job.yaml": yaml({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "fails" },
    spec: { backoffLimit: 0, template: podTemplate("fails", { restartPolicy: "Never" }, FAILS) },
  }),
  "nowhere.yaml": yaml(pod("nowhere", { nodeSelector: { disk: "none" } })),
  "too-big.yaml": yaml(
    pod("too-big", { containers: [{ name: "main", image: "x", resources: { requests: { cpu: "100" } } }] }),
  ),
  // Its only pod is on node-2 and fits no other node.
  "pinned.yaml": yaml(
    workload("Deployment", "pinned", {
      replicas: 1,
      template: podTemplate("pinned", { nodeSelector: { pin: "here" } }),
    }),
  ),
  "limits.yaml": yaml({
    apiVersion: "v1",
    kind: "LimitRange",
    metadata: { name: "limits" },
    spec: { limits: [{ type: "Container", default: { cpu: "200m" }, defaultRequest: { cpu: "100m" } }] },
  }),
  "wanted-csr.yaml": certificateRequest,
  "denied-csr.yaml": certificateRequest.replace('"wanted"', '"denied"'),
  "edit-replicas.sh": `#!/bin/sh\nsed -i 's/replicas: 2/replicas: 3/' "$1"\n`,
  // Repeats COMMAND until it prints PATTERN on COUNT lines, then prints that output.
  "until.sh": `#!/bin/sh
tries=0
while :; do
  out=$(sh -c "$1" 2>&1)
  [ "$(echo "$out" | grep -c -e "$2")" -lt "\${3:-1}" ] || break
  tries=$((tries + 1))
  [ $tries -lt 200 ] || { echo "never: $2"; echo "$out"; exit 1; }
  sleep 0.2
done
echo "$out"
`,
};
