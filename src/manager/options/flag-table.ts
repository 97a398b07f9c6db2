// Every flag of kube-controller-manager by section, in the order of its help. Names, types, defaults, sections and
// their order are upstream's; the help texts are ours.
// Upstream: cmd/kube-controller-manager/app/options.

import { assert } from "#base/assert.ts";
import type { FlagSection } from "../flags/flag-set.ts";
import { bool, int32, string } from "../flags/flag-types.ts";
import { authAndCleanUpFlags } from "./flags/auth-and-clean-up-controllers.ts";
import { at, type BoundFlag, type FlagFacts, workers } from "./flags/bound-flag.ts";
import { authentication, authorization } from "./flags/delegated-auth.ts";
import { debugging, generic, leaderMigration } from "./flags/generic.ts";
import { logs, metrics } from "./flags/metrics-and-logs.ts";
import { networkAndNodeFlags } from "./flags/network-and-node-controllers.ts";
import { secureServing } from "./flags/secure-serving.ts";
import { storageFlags } from "./flags/storage-controllers.ts";
import { workloadFlags } from "./flags/workload-controllers.ts";
import { versionFlag } from "./version-flag.ts";

const controllerFlags: Readonly<Record<string, readonly BoundFlag[]>> = {
  ...authAndCleanUpFlags,
  ...networkAndNodeFlags,
  ...storageFlags,
  ...workloadFlags,
};

const controllerOrder: readonly string[] = [
  "persistentvolume-attach-detach",
  "certificatesigningrequest-signing",
  "deployment",
  "device-taint-eviction",
  "resourceclaim",
  "statefulset",
  "daemonset",
  "endpoints",
  "endpointslice",
  "endpointslice-mirroring",
  "ephemeral-volume",
  "garbage-collector",
  "horizontal-pod-autoscaler",
  "job",
  "cronjob",
  "legacy-serviceaccount-token-cleaner",
  "namespace",
  "node-ipam",
  "node-lifecycle",
  "persistentvolume-binder",
  "pod-garbage-collector",
  "replicaset",
  "replicationcontroller",
  "resourcequota",
  "serviceaccount",
  "ttl-after-finished",
  "validatingadmissionpolicy-status",
];

interface BoundSection extends FlagSection {
  readonly flags: readonly BoundFlag[];
}

function controllerSection(name: string): BoundSection {
  const flags = controllerFlags[name];
  assert(flags !== undefined, `no flags of ${name}`);
  return { name: `${name}-controller`, flags };
}

export function flagTable(facts: FlagFacts): readonly BoundSection[] {
  return [
    { name: "debugging", flags: debugging },
    { name: "leader-migration", flags: leaderMigration },
    { name: "generic", flags: generic(facts) },
    {
      name: "service-lb-controller",
      flags: [
        at(
          "concurrent-service-syncs",
          int32,
          "config.ServiceController.ConcurrentServiceSyncs",
          `${workers("services")} Only a cloud provider's loop uses it.`,
        ),
      ],
    },
    { name: "secure serving", flags: secureServing },
    { name: "authentication", flags: authentication },
    { name: "authorization", flags: authorization },
    ...controllerOrder.map(controllerSection),
    { name: "metrics", flags: metrics },
    { name: "logs", flags: logs },
    {
      name: "misc",
      flags: [
        at("master", string, "master", "Address of the API server. Overrides the one in the kubeconfig."),
        at(
          "kubeconfig",
          string,
          "config.Generic.ClientConnection.kubeconfig",
          "Kubeconfig file with the API server's address and our credentials. Without it and --master the in-cluster configuration is used.",
        ),
      ],
    },
    {
      name: "global",
      flags: [
        at("help", bool, "help", "Show this help.", { shorthand: "h" }),
        at(
          "version",
          versionFlag,
          "version",
          "Print the version and exit; =raw prints all of it; =vX.Y.Z-suffix reports that version instead.",
        ),
      ],
    },
  ];
}
