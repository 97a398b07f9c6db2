// Runs a candidate in a coordinated election, if its gate is on.
// Upstream: cmd/kube-controller-manager/app/controllermanager.go, Run.

import type { Command } from "#manager/command.ts";
import { createCandidate } from "#manager/election/lease-candidate.ts";
import { versionText } from "#manager/options/component-versions.ts";
import type { HealthPage } from "#manager/serving/healthz.ts";
import { type Built, COMPONENT } from "./build-config.ts";

const NAMESPACE = "kube-system";

/** Runs in the background until the signal aborts; /healthz fails until the candidate's cache has synced. */
export function standAsCandidate(
  command: Command,
  { environment, mainClient }: Built,
  health: HealthPage,
  identity: string,
  signal: AbortSignal,
): void {
  const { clock, rng, log, registry } = environment;
  const candidate = createCandidate({
    client: mainClient,
    clock,
    rng,
    log,
    metrics: registry,
    namespace: NAMESPACE,
    identity,
    leaseName: COMPONENT,
    binaryVersion: command.version.replace(/^v/, "").replace(/[-+].*$/, ""),
    emulationVersion: `${versionText(command.versions.emulation)}.0`,
  });
  health.add({
    name: "informer-sync",
    problem: () => (candidate.hasSynced ? undefined : "1 informers not started yet: [*v1beta1.LeaseCandidate]"),
  });
  void candidate.run(signal);
}
