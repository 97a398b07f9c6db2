// Binding a pod to a node, once. Upstream: pkg/registry/core/pod/storage/storage.go, BindingREST

import * as field from "#api/field-error.ts";
import type { Binding, Pod } from "#api/generated/types/core-v1.ts";
import type { Status } from "#api/meta.ts";
import type { KubeObject } from "#api/object.ts";
import { withMeta } from "#api/object-meta.ts";
import { type ApiError, bareFailure, newBadRequest, newConflict } from "#api/status-error.ts";
import type { KindServer, Posted, PostedBody, PostedCall, StoredObject, StoredObjects } from "#kinds/hooks.ts";
import { created } from "#kinds/parts/created.ts";
import { updatePodCondition } from "#rules/pod-conditions.ts";
import { validatePodBinding } from "./pod-validation.ts";

const BINDING: PostedBody = { group: "", version: "v1", kind: "Binding" };

export const podBinding = (server: KindServer): Posted & { readonly body: PostedBody } => ({
  body: BINDING,
  preservesSystemFields: true,
  async answer(call, object) {
    const binding = object as Binding;
    if ((binding.metadata?.name ?? "") !== call.name) {
      throw newBadRequest("name in URL does not match name in Binding object");
    }
    return bind(server, call, call.name, binding);
  },
});

/** A Binding posted to the collection binds the pod that it names. */
export const namedPodBinding = (server: KindServer): Posted => ({
  answer: async (call, object) => bind(server, call, object.metadata?.name ?? "", object as Binding),
});

function bind(server: KindServer, call: PostedCall, name: string, binding: Binding): Status {
  const errors = validatePodBinding(binding);
  if (errors.length > 0) throw bareFailure(500, "", field.aggregateText(errors.map(field.errorText)));
  const pods = server.objects("pods");
  const existing = pods.find(call.namespace, name);
  const pod = existing.object as Pod;
  checkPreconditions(pods, existing, binding, call.dryRun);
  const { nodeName = "", schedulingGates = [] } = pod.spec ?? { containers: [] };
  if (pod.metadata?.deletionTimestamp !== undefined) {
    throw refused(name, `pod ${name} is being deleted, cannot be assigned to a host`);
  }
  if (nodeName !== "") throw refused(name, `pod ${name} is already assigned to node "${nodeName}"`);
  if (schedulingGates.length > 0) throw refused(name, `pod ${name} has non-empty .spec.schedulingGates`);
  const { nominatedNodeName: _nominated, ...status } = pod.status ?? {};
  const bound = withMeta<KubeObject>(
    {
      ...pod,
      spec: { ...pod.spec, nodeName: binding.target.name },
      status: updatePodCondition(status, { type: "PodScheduled", status: "True" }, call.now),
    } as KubeObject,
    {
      annotations: merged(pod.metadata?.annotations, binding.metadata?.annotations),
      labels: merged(pod.metadata?.labels, binding.metadata?.labels),
    },
  );
  if (!call.dryRun) pods.update(existing, bound);
  return created;
}

type Texts = Readonly<Record<string, string>>;

function merged(own: Texts | undefined, added: Texts | undefined): Texts | undefined {
  return added === undefined ? own : { ...own, ...added };
}

function checkPreconditions(pods: StoredObjects, existing: StoredObject, binding: Binding, dryRun: boolean): void {
  const { uid = "", resourceVersion = "" } = binding.metadata ?? {};
  const actual = existing.object.metadata ?? {};
  if (uid !== "" && uid !== actual.uid) {
    throw pods.preconditionFailed(existing, "UID", [uid, actual.uid ?? ""], dryRun);
  }
  if (resourceVersion !== "" && resourceVersion !== actual.resourceVersion) {
    const current = actual.resourceVersion ?? "";
    throw pods.preconditionFailed(existing, "ResourceVersion", [resourceVersion, current], dryRun);
  }
}

function refused(name: string, why: string): ApiError {
  return newConflict({ group: "", resource: "pods/binding" }, name, why);
}
