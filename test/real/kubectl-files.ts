// The files in the folder of each terminal: manifests, scripted editors, and two scripts that act while kubectl
// watches, so that no output depends on speed.

const yaml = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`; // JSON is YAML

const podSpec = {
  containers: [{ name: "main", image: "example/web:1", ports: [{ containerPort: 80, name: "http" }] }],
};
const template = { metadata: { labels: { app: "web" } }, spec: podSpec };

function workload(apiVersion: string, kind: string, name: string, spec: object): object {
  return { apiVersion, kind, metadata: { name, labels: { app: "web" } }, spec };
}

const selector = { matchLabels: { app: "web" } };

const configMap = (name: string, data: object, labels: object = {}): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, labels },
  data,
});

/** A node whose kubelet is unreachable: port 1 refuses connections. */
const node = (name: string): object => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, labels: { "kubernetes.io/hostname": name } },
  status: {
    capacity: { cpu: "4", memory: "8Gi", pods: "110" },
    allocatable: { cpu: "3900m", memory: "7Gi", pods: "110" },
    conditions: [
      {
        type: "Ready",
        status: "True",
        reason: "KubeletReady",
        message: "kubelet is posting ready status",
        lastHeartbeatTime: "2026-01-02T03:04:05Z",
        lastTransitionTime: "2026-01-02T03:04:05Z",
      },
    ],
    addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
    daemonEndpoints: { kubeletEndpoint: { Port: 1 } },
    nodeInfo: {
      machineID: "m",
      systemUUID: "s",
      bootID: "b",
      kernelVersion: "6.1",
      osImage: "Linux",
      containerRuntimeVersion: "containerd://2.0",
      kubeletVersion: "v1.36.4",
      kubeProxyVersion: "v1.36.4",
      operatingSystem: "linux",
      architecture: "amd64",
    },
  },
});

const event = (name: string, reason: string, time: string): object => ({
  apiVersion: "v1",
  kind: "Event",
  metadata: { name },
  involvedObject: { apiVersion: "v1", kind: "Pod", namespace: "NAMESPACE", name: "noted" },
  reason,
  message: `it was ${reason}`,
  type: reason === "Broken" ? "Warning" : "Normal",
  source: { component: "somebody" },
  firstTimestamp: time,
  lastTimestamp: time,
  count: 3,
});

const placedPod = (name: string, nodeName: string, more: object = {}): object => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, labels: { app: name }, ...more },
  spec: { ...podSpec, nodeName, terminationGracePeriodSeconds: 30 },
});

const gadget = (spec: object): object => ({
  apiVersion: "kubectl.example/v1",
  kind: "Gadget",
  metadata: { name: "spinner", labels: { app: "web" } },
  spec,
});

const gadgets = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "gadgets.kubectl.example" },
  spec: {
    group: "kubectl.example",
    scope: "Namespaced",
    names: { plural: "gadgets", kind: "Gadget", shortNames: ["gd"], categories: ["all"] },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {}, scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" } },
        additionalPrinterColumns: [
          { name: "Size", type: "integer", jsonPath: ".spec.size" },
          { name: "Color", type: "string", jsonPath: ".spec.color", priority: 1 },
          { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
        ],
        selectableFields: [{ jsonPath: ".spec.color" }],
        schema: {
          openAPIV3Schema: {
            type: "object",
            description: "A thing that spins.",
            properties: {
              spec: {
                type: "object",
                description: "What is wanted of it.",
                properties: {
                  size: { type: "integer", minimum: 0, maximum: 100, description: "How large it is." },
                  color: { type: "string", enum: ["red", "blue"], default: "red" },
                  tags: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
                  parts: {
                    type: "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    items: {
                      type: "object",
                      required: ["name"],
                      properties: { name: { type: "string" }, weight: { type: "integer", default: 1 } },
                    },
                  },
                },
              },
              status: { type: "object", properties: { size: { type: "integer" }, note: { type: "string" } } },
            },
          },
        },
      },
    ],
  },
};

/** A request for CN=jane; its key was discarded. */
const jane =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlISk1IRUNBUUF3RHpFTk1Bc0dBMVVFQXd3RWFtRnVaVEJaTUJN" +
  "R0J5cUdTTTQ5QWdFR0NDcUdTTTQ5QXdFSApBMElBQkVlWktMS1NVVWlhRkxVSnBKK296YmlLQldKRlRrTDJZS3daanZjaVRnN3Y0" +
  "dUtGbzVGNkI5WEJ0QXpHCjExbXREUjIrMTFtQmxSR1owZ2JsbzVCZE90dWdBREFLQmdncWhrak9QUVFEQWdOSUFEQkZBaUVBbG1o" +
  "Q0crcEQKcmVEMEFuSVJsSEFiT3pRd2svSmxJVnhMWXBtNmxZYTFraXdDSUdBT0xIUzVHUjlxYkVRYm9jMW1qcmR2eU1VawpYaXdZ" +
  "U2diZzRLdnpieXp5Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=";

const certificateRequest = (name: string, request: string): object => ({
  apiVersion: "certificates.k8s.io/v1",
  kind: "CertificateSigningRequest",
  metadata: { name },
  spec: { signerName: "example.com/signer", request, usages: ["client auth"] },
});

const documents = (...values: readonly object[]): string => values.map(yaml).join("---\n");

export const kubectlFiles: Readonly<Record<string, string>> = {
  "gadgets.yaml": yaml(gadgets),
  "pod.yaml": yaml({ apiVersion: "v1", kind: "Pod", metadata: { name: "web", labels: { app: "web" } }, spec: podSpec }),
  "two-containers.yaml": yaml({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "pair" },
    spec: {
      initContainers: [{ name: "first", image: "example/init:1" }],
      containers: [
        { name: "left", image: "example/left:1" },
        { name: "right", image: "example/right:1" },
      ],
    },
  }),
  "rich-pod.yaml": yaml({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "rich", labels: { app: "rich", tier: "front" }, annotations: { note: "a longer note" } },
    spec: {
      priorityClassName: "system-node-critical",
      nodeSelector: { disk: "ssd" },
      tolerations: [{ key: "dedicated", operator: "Equal", value: "web", effect: "NoSchedule" }],
      containers: [
        {
          name: "main",
          image: "example/web:1",
          command: ["serve"],
          args: ["--port", "80"],
          ports: [{ containerPort: 80 }, { containerPort: 53, protocol: "UDP" }],
          env: [
            { name: "PLAIN", value: "yes" },
            { name: "FROM_MAP", valueFrom: { configMapKeyRef: { name: "settings", key: "a", optional: true } } },
            { name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
          ],
          envFrom: [{ secretRef: { name: "hidden" } }],
          resources: { requests: { cpu: "100m", memory: "64Mi" }, limits: { cpu: "1", memory: "128Mi" } },
          livenessProbe: { httpGet: { path: "/live", port: 80 }, periodSeconds: 5 },
          readinessProbe: { tcpSocket: { port: 80 } },
          volumeMounts: [{ name: "config", mountPath: "/config", readOnly: true }],
        },
      ],
      volumes: [
        { name: "config", configMap: { name: "settings" } },
        { name: "scratch", emptyDir: { sizeLimit: "1Gi" } },
        { name: "hidden", secret: { secretName: "hidden" } },
      ],
    },
  }),
  "map.yaml": yaml(configMap("settings", { a: "1", b: "two" }, { app: "web" })),
  "map-changed.yaml": yaml(configMap("settings", { a: "2", c: "three" }, { app: "web" })),
  "map-old.yaml": yaml({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "settings", resourceVersion: "1" },
    data: { a: "9" },
  }),
  "maps.yaml": documents(
    configMap("one", { n: "1" }, { set: "x" }),
    configMap("two", { n: "2" }, { set: "x" }),
    configMap("three", { n: "3" }, { set: "y" }),
  ),
  "first-map.yaml": yaml(configMap("one", { n: "1" }, { set: "x" })),
  "held-map.yaml": yaml({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "held", finalizers: ["example.com/hold"] },
  }),
  "unknown-field.yaml": yaml({ ...configMap("odd", { a: "1" }), colour: "red" }),
  "bad-pod.yaml": yaml({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "Bad_Name" },
    spec: { containers: [{ name: "x" }], restartPolicy: "Sometimes" },
  }),
  "no-kind.yaml": yaml({ apiVersion: "nowhere.example/v1", kind: "Nothing", metadata: { name: "n" } }),
  "generated.yaml": yaml({ apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "made-" } }),
  "rs.yaml": yaml(workload("apps/v1", "ReplicaSet", "web", { replicas: 2, selector, template })),
  "rc.yaml": yaml(workload("v1", "ReplicationController", "old", { replicas: 1, selector: { app: "web" }, template })),
  "deployment.yaml": yaml(workload("apps/v1", "Deployment", "web", { replicas: 2, selector, template })),
  "sts.yaml": yaml(workload("apps/v1", "StatefulSet", "db", { serviceName: "db", selector, template })),
  "ds.yaml": yaml(workload("apps/v1", "DaemonSet", "agent", { selector, template })),
  "networkpolicy.yaml": yaml({
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: "inside", labels: { app: "web" } },
    spec: {
      podSelector: { matchLabels: { app: "web" } },
      policyTypes: ["Ingress"],
      ingress: [{ from: [{ podSelector: {} }], ports: [{ port: 80 }] }],
    },
  }),
  "claim.yaml": yaml({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "disk" },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
      storageClassName: "fast",
    },
  }),
  "csr.yaml": yaml(certificateRequest("wanted", jane)),
  "bad-csr.yaml": yaml(certificateRequest("bad", Buffer.from("nonsense").toString("base64"))),
  "gadget.yaml": yaml(gadget({ size: 3, tags: ["a", "b"], parts: [{ name: "wheel" }] })),
  "gadget-changed.yaml": yaml(gadget({ size: 4, color: "blue", parts: [{ name: "axle", weight: 2 }] })),
  "bad-gadget.yaml": yaml(gadget({ size: 300, color: "green" })),
  "list.yaml": yaml({
    apiVersion: "v1",
    kind: "List",
    items: [configMap("listed", { a: "1" }), gadget({ size: 1 })],
  }),
  "node-a.yaml": yaml(node("node-a")),
  "node-b.yaml": yaml(node("node-b")),
  "placed.yaml": documents(placedPod("placed", "node-a"), placedPod("lost", "nowhere")),
  "drained.yaml": documents(
    placedPod("bare", "node-b"),
    placedPod("owned", "node-b", {
      ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "u-1", controller: true }],
    }),
  ),
  "eviction.yaml": JSON.stringify({ apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "bare" } }),
  "events.yaml": documents(
    event("e1", "Made", "2026-01-02T03:04:05Z"),
    event("e2", "Broken", "2026-01-02T03:05:05Z"),
    event("e3", "Mended", "2026-01-02T03:06:05Z"),
  ),
  "kustomization.yaml": "namePrefix: k-\nresources: [map.yaml]\nconfigMapGenerator: [{name: made, literals: [x=1]}]\n",
  // An editor that changes the file, one that changes nothing, and one that makes it invalid.
  "edit.sh": `#!/bin/sh\nsed -i 's/two/edited/' "$1"\n`,
  "keep.sh": "#!/bin/sh\nexit 0\n",
  "spoil.sh": `#!/bin/sh\nsed -i 's/^kind: ConfigMap/kind: Nothing/' "$1"\n`,
  // Starts WATCH; for each pair, reads this many of its lines and runs COMMAND; prints the lines.
  "watch-while.sh": `#!/bin/sh
fifo=$(mktemp -u)
mkfifo "$fifo"
log=$(mktemp)
sh -c "exec $1 -v=6" > "$fifo" 2> "$log" &
pid=$!
exec 3< "$fifo"
rm "$fifo"
until grep -q 'watch=true' "$log"; do sleep 0.02; done
shift
while [ $# -gt 0 ]; do
  left=$1
  while [ "$left" -gt 0 ]; do IFS= read -r line <&3 && printf '%s\\n' "$line"; left=$((left - 1)); done
  [ -z "$2" ] || sh -c "$2"
  shift 2
done
kill -9 $pid 2> /dev/null
wait $pid 2> /dev/null
rm "$log"
exit 0
`,
  // Starts WAITING and runs COMMAND once it watches; exits with the code of WAITING.
  "once-watching.sh": `#!/bin/sh
log=$(mktemp)
sh -c "exec $1 -v=6" 2> "$log" &
pid=$!
until grep -q 'watch=true' "$log"; do sleep 0.02; done
sh -c "$2" > /dev/null
wait $pid
code=$?
rm "$log"
exit $code
`,
};
