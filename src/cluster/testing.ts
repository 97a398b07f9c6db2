// For tests: a cluster under the virtual clock, with two nodes and the controllers that these tests need.

import { featureGateTable } from "#api/feature-gate-table.ts";
import { Leases } from "#api/generated/resources/coordination-v1.ts";
import { bytesTransport } from "#apiserver/in-process-transport.ts";
import { MemoryStorage } from "#apiserver/storage/memory-storage.ts";
import { FeatureGates } from "#base/feature-gates.ts";
import { noKeys, withFiles } from "#base/host.ts";
import { noLog } from "#base/log.ts";
import { noMetrics } from "#base/metrics.ts";
import { seededRng } from "#base/seeded-rng.ts";
import { bareHost, hostTurn } from "#base/testing.ts";
import { VirtualClock } from "#base/virtual-clock.ts";
import type { Client } from "#client/client.ts";
import { createClient } from "#client/create-client.ts";
import { defaultConfig } from "#manager/options/config.ts";
import type { Stages } from "#nodes/stages.ts";
import { type Cluster, createCluster } from "./cluster.ts";
import { clusterFiles } from "./manager.ts";

const host = withFiles(
  { ...bareHost, keys: { ...noKeys, readPrivateKey: () => ({ tokenSigner: () => () => "token" }) } },
  { [clusterFiles.accountKey]: "key" },
);
export const controllers: readonly string[] = [
  "serviceaccount-controller",
  "replicaset-controller",
  "deployment-controller",
  "statefulset-controller",
  "horizontal-pod-autoscaler-controller",
  "node-lifecycle-controller",
  "persistentvolume-binder-controller",
  "persistentvolumeclaim-protection-controller",
  "persistentvolume-protection-controller",
];

/** Selected, but it needs --allocate-node-cidrs. */
const notBuilt = "node-ipam-controller";

export interface StartedCluster {
  readonly clock: VirtualClock;
  readonly cluster: Cluster;
  /** The client of an administrator. */
  readonly client: Client;
  readonly stop: AbortController;
  /** The holders of the Leases in kube-system. */
  holder(): Promise<string>;
  /** "running", "ended", or the error with which it failed. */
  outcome(): unknown;
}

export function start(leaseHolder?: string, stages?: Stages): StartedCluster {
  const clock = new VirtualClock({ turn: hostTurn });
  const cluster = createCluster({
    clock,
    rng: seededRng("cluster"),
    log: noLog,
    controllerLog: noLog,
    gates: new FeatureGates(featureGateTable(), "1.36"),
    host,
    server: { storage: new MemoryStorage({ clock }), metrics: noMetrics },
    config: { ...defaultConfig, Generic: { ...defaultConfig.Generic, Controllers: [...controllers, notBuilt] } },
    nodes: 2,
    ...(stages && { stages }),
    ...(leaseHolder === undefined ? {} : { leaseHolder }),
    shutdownTimeoutMs: 0,
  });
  const stop = new AbortController();
  let outcome: unknown = "running";
  cluster.run(stop.signal).then(
    () => (outcome = "ended"),
    (error: unknown) => (outcome = error),
  );
  const peer = { user: { name: "admin", groups: ["system:masters"] } };
  const client = createClient({ transport: bytesTransport(cluster.server, { peer }), clock, userAgent: "test" });
  const holder = async (): Promise<string> => {
    const { items } = await client.resource(Leases).list({ namespace: "kube-system" }, new AbortController().signal);
    return items.map(({ metadata, spec }) => `${metadata.name}: ${spec?.holderIdentity}`).join();
  };
  return { clock, cluster, client, stop, holder, outcome: () => outcome };
}
