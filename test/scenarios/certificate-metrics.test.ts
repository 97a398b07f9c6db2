// The metrics of the controllers of certificates and bootstrap tokens: those of their queues, and the publisher's own.

import { expect, it } from "vitest";
import { featureGateTable } from "#api/feature-gate-table.ts";
import { MetricRegistry } from "#base/metric-registry.ts";
import { hostTurn } from "#base/testing.ts";
import { readCommandLine } from "#manager/command.ts";
import { systemKeys } from "#platform/system/system-keys.ts";
import { World } from "#sim/world.ts";
import { signingPair } from "#test/stage/signing-pair.ts";

const GATES = { ClusterTrustBundle: true, PodCertificateRequest: true };
const CONTROLLERS = [
  "certificatesigningrequest-signing-controller",
  "certificatesigningrequest-approving-controller",
  "certificatesigningrequest-cleaner-controller",
  "podcertificaterequest-cleaner-controller",
  "kube-apiserver-serving-clustertrustbundle-publisher-controller",
  "bootstrap-signer-controller",
];

async function metricsPage(): Promise<string> {
  const metrics = new MetricRegistry({ version: "1.36.4" });
  const runtimeConfig = { "certificates.k8s.io/v1beta1": "true" };
  const world = new World({
    turn: hostTurn,
    gates: featureGateTable(),
    serverGates: GATES,
    runtimeConfig,
    keys: systemKeys,
  });
  const { ca, key } = signingPair(world.clock.now());
  world.host.write("ca.crt", ca);
  world.host.write("ca.key", key);
  const verdict = readCommandLine(["--cluster-signing-cert-file=ca.crt", "--cluster-signing-key-file=ca.key"], 0);
  if (verdict.kind !== "run") throw new Error("the flags are not taken");
  const { config } = verdict.command.options;
  const manager = world.startManager({ controllers: CONTROLLERS, gates: GATES, rootCa: ca, config, metrics });
  await world.advance(2000);
  const page = metrics.render();
  const stopped = manager.stop();
  await world.advance(1000);
  await stopped;
  world.server.close();
  return page;
}

it("certificatesigningrequest-signing/metrics certificatesigningrequest-approving/metrics certificatesigningrequest-cleaner/metrics podcertificaterequest-cleaner/metrics bootstrap-signer/metrics are those of queues alone", async () => {
  const page = await metricsPage();
  const queues = new Set([...page.matchAll(/^workqueue_adds_total\{name="([^"]+)"\}/gm)].map(([, name]) => name));
  expect([...queues].sort()).toEqual([
    "bootstrap_signer_queue",
    "ca_cert_publisher_cluster_trust_bundles",
    "certificate",
  ]);
  const own = new Set([...page.matchAll(/^# TYPE (\S*(?:cert|csr|bootstrap|trust)\S*) /gm)].map(([, name]) => name));
  expect([...own].sort()).toEqual([
    "clustertrustbundle_publisher_sync_duration_seconds",
    "clustertrustbundle_publisher_sync_total",
  ]);
  expect(page).toMatch(/^clustertrustbundle_publisher_sync_total\{code="200"\} [1-9]/m);
});
