// The kinds that have rules of their own, by "resource.group" ("resource" alone in core). All other
// built-in kinds take the generic strategy of the API server.

import {
  controllerRevisionStrategy,
  daemonSetStrategy,
  deploymentStrategy,
  statefulSetStrategy,
} from "./apps-kinds.ts";
import {
  configMapStrategy,
  limitRangeStrategy,
  namespaceStrategy,
  resourceQuotaStrategy,
  secretStrategy,
  serviceAccountStrategy,
} from "./config-kinds.ts";
import { eventStrategy, leaseCandidateStrategy, leaseStrategy } from "./coordination-kinds.ts";
import { ipAddressStrategy, serviceCidrStrategy } from "./networking-kinds.ts";
import { nodeStrategy } from "./node.ts";
import { podStrategy } from "./pod.ts";
import { disruptionBudgetStrategy } from "./policy-kinds.ts";
import { priorityClassStrategy } from "./priority-class.ts";
import { podTemplateStrategy, replicaSetStrategy, replicationControllerStrategy } from "./replica-kinds.ts";
import { serviceStrategy } from "./service.ts";
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
