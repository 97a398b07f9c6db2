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
import { nodeStrategy } from "./node.ts";
import { podStrategy } from "./pod.ts";
import { podTemplateStrategy, replicaSetStrategy, replicationControllerStrategy } from "./replica-kinds.ts";
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
    "controllerrevisions.apps": controllerRevisionStrategy,
    "daemonsets.apps": daemonSetStrategy,
    "deployments.apps": deploymentStrategy,
    "leasecandidates.coordination.k8s.io": leaseCandidateStrategy,
    "leases.coordination.k8s.io": leaseStrategy,
    "replicasets.apps": replicaSetStrategy,
    "statefulsets.apps": statefulSetStrategy,
  } satisfies Record<string, unknown>) as [string, KindStrategy][],
);
