// Measures how many pods per second of CPU time the scheduler places: filters, scores and the change of its state,
// without the API server.
//   bun bench/scheduler.ts [--nodes=1000] [--pods=20000]
// Nothing is written.

import process, { argv, stdout } from "node:process";
import type { Affinity, Node, Pod, TopologySpreadConstraint } from "#api/generated/types/core-v1.ts";
import type { Stored, StoredCluster } from "#api/resource.ts";
import { seededRng } from "#base/seeded-rng.ts";
import { NodeChooser } from "#scheduler/choose-node.ts";
import { ClusterState } from "#scheduler/cluster-state.ts";
import { podFacts } from "#scheduler/pod-facts.ts";
import { clusterObjects, objectsIn } from "#scheduler/testing.ts";

const ZONE = "topology.kubernetes.io/zone";
const APPS = 200;

function argument(name: string, otherwise: number): number {
  const given = argv.findLast((text) => text.startsWith(`--${name}=`));
  return given === undefined ? otherwise : Number(given.slice(name.length + 3));
}

const nodeCount = argument("nodes", 1000);
const podCount = argument("pods", 20_000);

const stored = (name: string) => ({
  name,
  uid: name,
  resourceVersion: "1",
  creationTimestamp: "2027-01-01T00:00:00Z",
});

function node(index: number): StoredCluster<Node> {
  const name = `node-${index}`;
  const labels = { "kubernetes.io/hostname": name, [ZONE]: `zone-${index % 3}` };
  const resources = { cpu: "32", memory: "128Gi", pods: "110" };
  return {
    metadata: { ...stored(name), labels },
    status: { allocatable: resources },
  };
}

interface Shape {
  readonly name: string;
  readonly spec?: (app: string) => {
    readonly affinity?: Affinity;
    readonly topologySpreadConstraints?: TopologySpreadConstraint[];
  };
  readonly isOwned?: boolean;
}

const shapes: readonly Shape[] = [
  { name: "pods with requests" },
  { name: "pods of ReplicaSets, spread by default", isOwned: true },
  {
    name: "pods of ReplicaSets, spread over zones (DoNotSchedule)",
    isOwned: true,
    spec: (app) => ({
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: ZONE, whenUnsatisfiable: "DoNotSchedule", labelSelector: { matchLabels: { app } } },
      ],
    }),
  },
  {
    name: "pods with required anti-affinity by node",
    spec: (app) => ({
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app } } },
          ],
        },
      },
    }),
  },
  {
    name: "pods with preferred affinity by zone",
    spec: (app) => ({
      affinity: {
        podAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 10, podAffinityTerm: { topologyKey: ZONE, labelSelector: { matchLabels: { app } } } },
          ],
        },
      },
    }),
  },
];

function pod(index: number, { spec, isOwned = false }: Shape): Stored<Pod> {
  const app = `app-${index % APPS}`;
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: app, uid: app, controller: true };
  const resources = { requests: { cpu: "100m", memory: "128Mi" } };
  return {
    metadata: {
      ...stored(`pod-${index}`),
      namespace: "default",
      labels: { app },
      ...(isOwned ? { ownerReferences: [owner] } : {}),
    },
    spec: { containers: [{ name: "main", image: "main:1", resources }], ...spec?.(app) },
  };
}

const replicaSets = Array.from({ length: APPS }, (_, index) => ({
  metadata: { ...stored(`app-${index}`), namespace: "default" },
  spec: { selector: { matchLabels: { app: `app-${index}` } } },
}));

const objects = clusterObjects({ replicaSets: objectsIn(replicaSets) });

function measure(shape: Shape): void {
  const state = new ClusterState();
  for (let index = 0; index < nodeCount; index++) state.setNode(node(index));
  const chooser = new NodeChooser({ state, objects, rng: seededRng("bench"), comparesIntegers: false });
  const pods = Array.from({ length: podCount }, (_, index) => pod(index, shape));
  let waiting = 0;
  const start = process.cpuUsage();
  for (const each of pods) {
    const facts = podFacts(each);
    const choice = chooser.choose(facts);
    if ("message" in choice) waiting++;
    else state.setPod(facts, choice.node.name);
  }
  const { user, system } = process.cpuUsage(start);
  const seconds = (user + system) / 1e6;
  const rate = Math.round(podCount / seconds);
  stdout.write(`${shape.name}: ${rate} pods/s (${seconds.toFixed(1)} s of CPU, ${waiting} without a node)\n`);
}

stdout.write(`${nodeCount} nodes, ${podCount} pods\n`);
for (const shape of shapes) measure(shape);
