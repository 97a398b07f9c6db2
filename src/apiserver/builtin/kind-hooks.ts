// What single built-in kinds do beyond the generic verbs, as parts of their rows.

import { type Labels, selectorFromObject, selectorFromSet } from "#api/label-selector.ts";
import type { LabelSelector } from "#api/meta.ts";
import type { KubeObject } from "#api/object.ts";
import { newForbidden } from "#api/status-error.ts";
import type { DeletionHook, KindRow } from "../registry.ts";
import { addWarning } from "../request-context.ts";
import { allocateForService, releaseOfService } from "../services/service-allocation.ts";
import { bindNamedPod, bindPod } from "../subresources/binding.ts";
import {
  forwardPorts,
  proxyToNode,
  proxyToPod,
  proxyToService,
  readLog,
  streamToContainer,
} from "../subresources/connect.ts";
import { evictPod } from "../subresources/eviction.ts";
import {
  reviewSelf,
  reviewSelfAccess,
  reviewSelfRules,
  reviewSubjectAccess,
  reviewToken,
} from "../subresources/reviews.ts";
import { scaleSubresource } from "../subresources/scale.ts";
import { requestToken } from "../subresources/token.ts";
import { deleteNamespace, isNamespaceHeld } from "./namespace-deletion.ts";

type Hooks = Partial<Pick<KindRow, "deletion" | "isHeld" | "allocation" | "afterDelete" | "subresources" | "virtual">>;

const REPLICAS = { specReplicas: ["spec", "replicas"], statusReplicas: ["status", "replicas"] };

const specSelector = (object: KubeObject): unknown => (object as { spec?: { selector?: unknown } }).spec?.selector;

const scaleBy = (selector: (object: KubeObject) => string): Hooks => ({
  subresources: new Map([["scale", scaleSubresource({ ...REPLICAS, selector })]]),
});

const scale = scaleBy((object) => selectorFromObject(specSelector(object) as LabelSelector | undefined).toString());

/** Replication controllers select by plain labels. */
const controllerScale = scaleBy((object) => selectorFromSet(specSelector(object) as Labels | undefined).toString());

/** Upstream: pkg/registry/batch/job/storage/storage.go, Delete */
const warnOfOrphans: DeletionHook = async (_core, call, _existing, options) => {
  if (options.propagationPolicy === undefined && options.orphanDependents === undefined) {
    addWarning(
      call.context,
      "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or " +
        "set propagationPolicy=Orphan to suppress this warning",
    );
  }
  return undefined;
};

/** Upstream: pkg/registry/scheduling/priorityclass/storage/storage.go, Delete; its collections do not ask. */
const keepSystemClasses: DeletionHook = async (_core, { endpoint, name, info }) => {
  if (info.verb === "deletecollection") return undefined;
  if (name !== "system-node-critical" && name !== "system-cluster-critical") return undefined;
  throw newForbidden(endpoint.groupResource, name, "this is a system priority class and cannot be deleted");
};

const HOOKS: Readonly<Record<string, Hooks>> = {
  __proto__: null as never,
  bindings: { virtual: bindNamedPod },
  "deployments.apps": scale,
  "jobs.batch": { deletion: warnOfOrphans },
  "localsubjectaccessreviews.authorization.k8s.io": { virtual: reviewSubjectAccess },
  namespaces: { deletion: deleteNamespace, isHeld: isNamespaceHeld },
  nodes: { subresources: new Map([["proxy", proxyToNode]]) },
  pods: {
    subresources: new Map([
      ["attach", streamToContainer],
      ["binding", bindPod],
      ["eviction", evictPod],
      ["exec", streamToContainer],
      ["log", readLog],
      ["portforward", forwardPorts],
      ["proxy", proxyToPod],
    ]),
  },
  "priorityclasses.scheduling.k8s.io": { deletion: keepSystemClasses },
  "replicasets.apps": scale,
  replicationcontrollers: controllerScale,
  "selfsubjectaccessreviews.authorization.k8s.io": { virtual: reviewSelfAccess },
  "selfsubjectreviews.authentication.k8s.io": { virtual: reviewSelf },
  "selfsubjectrulesreviews.authorization.k8s.io": { virtual: reviewSelfRules },
  serviceaccounts: { subresources: new Map([["token", requestToken]]) },
  services: {
    allocation: allocateForService,
    afterDelete: releaseOfService,
    subresources: new Map([["proxy", proxyToService]]),
  },
  "statefulsets.apps": scale,
  "subjectaccessreviews.authorization.k8s.io": { virtual: reviewSubjectAccess },
  "tokenreviews.authentication.k8s.io": { virtual: reviewToken },
};

export function hooksOf(table: string): Hooks {
  return HOOKS[table] ?? {};
}
