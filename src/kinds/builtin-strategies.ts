// The kinds that have rules of their own, by "resource.group" ("resource" alone in core). All other
// built-in kinds take the generic strategy of the API server.

import {
  controllerRevisionStrategy,
  daemonSetStrategy,
  deploymentStrategy,
  statefulSetStrategy,
} from "#kinds/apps/deployment.ts";
import { podTemplateStrategy, replicaSetStrategy, replicationControllerStrategy } from "#kinds/apps/replica-set.ts";
import { eventStrategy, leaseCandidateStrategy, leaseStrategy } from "#kinds/coordination/lease.ts";
import {
  configMapStrategy,
  limitRangeStrategy,
  namespaceStrategy,
  resourceQuotaStrategy,
  secretStrategy,
  serviceAccountStrategy,
} from "#kinds/core/namespace.ts";
import { nodeStrategy } from "#kinds/core/node.ts";
import { podStrategy } from "#kinds/core/pod.ts";
import { serviceStrategy } from "#kinds/core/service.ts";
import { ipAddressStrategy, serviceCidrStrategy } from "#kinds/networking/service-cidr.ts";
import { disruptionBudgetStrategy } from "#kinds/policy/pod-disruption-budget.ts";
import { priorityClassStrategy } from "#kinds/scheduling/priority-class.ts";
import type { KindStrategy } from "./strategy.ts";

export const builtinStrategies: ReadonlyMap<string, KindStrategy> = new Map(
  Object.entries({
    configmaps: configMapStrategy,
    events: eventStrategy,
    limitranges: limitRangeStrategy,
    namespaces: namespaceStrategy,
    nodes: nodeStrategy,
    pods: podStrategy,
    podtemplates: podTemplateStrategy,
    replicationcontrollers: replicationControllerStrategy,
    resourcequotas: resourceQuotaStrategy,
    secrets: secretStrategy,
    serviceaccounts: serviceAccountStrategy,
    services: serviceStrategy,
    "controllerrevisions.apps": controllerRevisionStrategy,
    "daemonsets.apps": daemonSetStrategy,
    "deployments.apps": deploymentStrategy,
    "ipaddresses.networking.k8s.io": ipAddressStrategy,
    "leasecandidates.coordination.k8s.io": leaseCandidateStrategy,
    "leases.coordination.k8s.io": leaseStrategy,
    "poddisruptionbudgets.policy": disruptionBudgetStrategy,
    "priorityclasses.scheduling.k8s.io": priorityClassStrategy,
    "replicasets.apps": replicaSetStrategy,
    "servicecidrs.networking.k8s.io": serviceCidrStrategy,
    "statefulsets.apps": statefulSetStrategy,
  } satisfies Record<string, unknown>) as [string, KindStrategy][],
);
