// The metrics of the controllers of certificates and bootstrap tokens: those of their queues, and the publisher's own.

import { expect, it } from "vitest";
import { readCommandLine } from "#manager/command.ts";
import { systemKeys } from "#platform/system/system-keys.ts";
import { signingPair } from "#test/stage/signing-pair.ts";
import { WireStage } from "#test/stage/wire-stage.ts";

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
  await using stage = await new WireStage({
    controllers: CONTROLLERS,
    serverGates: GATES,
    runtimeConfig: { "certificates.k8s.io/v1beta1": "true" },
    keys: systemKeys,
  }).opened();
  const { ca, key } = signingPair(stage.now());
  stage.world.host.write("ca.crt", ca);
  stage.world.host.write("ca.key", key);
  const verdict = readCommandLine(["--cluster-signing-cert-file=ca.crt", "--cluster-signing-key-file=ca.key"], 0);
  if (verdict.kind !== "run") throw new Error("the flags are not taken");
  const { config } = verdict.command.options;
  stage.startManager({ gates: GATES, rootCa: ca, config });
  await stage.pass(2000);
  return stage.metrics.render();
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
