// Binding a pod to a node, once. Upstream: pkg/registry/core/pod/storage/storage.go, BindingREST

import * as field from "#api/field-error.ts";
import type { Binding, Pod } from "#api/generated/types/core-v1.ts";
import type { KubeObject } from "#api/object.ts";
import { withMeta, withResourceVersion } from "#api/object-meta.ts";
import { type ApiError, bareFailure, newBadRequest, newConflict, newNotFound } from "#api/status-error.ts";
import { validatePodBinding } from "#kinds/core/pod-validation.ts";
import { updatePodCondition } from "#rules/pod-conditions.ts";
import { keyOf, type ResourceCall, type ServerCore } from "../core.ts";
import { postedRules } from "../negotiation-rules.ts";
import { respondWithValue } from "../rendering.ts";
import { negotiate } from "../representation.ts";
import { preconditionFailed } from "../write/storage-errors.ts";
import { created, readCreated } from "./created-body.ts";
import type { SubresourceHandler } from "./subresource.ts";

const BINDING = { group: "", version: "v1", kind: "Binding" };

export const bindPod: SubresourceHandler = async (core, call, signal) => {
  const representation = negotiate(call.context, postedRules(call));
  const { object, options } = await readCreated(core, call, BINDING, signal);
  const binding = object as Binding;
  if ((binding.metadata?.name ?? "") !== call.name) {
    throw newBadRequest("name in URL does not match name in Binding object");
  }
  bind(core, call, binding, options.dryRun);
  return respondWithValue(call.context, representation, created, 201);
};

/** A Binding posted to the collection means the pod that it names. */
export const bindNamedPod: SubresourceHandler = async (core, call, signal) => {
  const endpoint = core.registry.endpoint("", "v1", "pods");
  if (endpoint === undefined) throw newNotFound({ group: "", resource: "pods" }, call.name);
  const representation = negotiate(call.context, postedRules(call));
  const { object, options } = await readCreated(core, call, BINDING, signal);
  bind(core, { ...call, endpoint, name: object.metadata?.name ?? "" }, object as Binding, options.dryRun);
  return respondWithValue(call.context, representation, created, 201);
};

function bind(core: ServerCore, call: ResourceCall, binding: Binding, dryRun: boolean): void {
  const errors = validatePodBinding(binding);
  if (errors.length > 0) throw bareFailure(500, "", field.aggregateText(errors.map(field.errorText)));
  assign(core, call, binding, dryRun);
}

function assign(core: ServerCore, call: ResourceCall, binding: Binding, dryRun: boolean): void {
  const { row, groupResource } = call.endpoint;
  const table = core.tableOf(row);
  const existing = table.get(keyOf(row, call.namespace, call.name));
  if (existing === undefined) throw newNotFound(groupResource, call.name);
  const pod = existing.object as Pod;
  checkPreconditions(call, existing.key, pod, binding, dryRun);
  const { nodeName = "", schedulingGates = [] } = pod.spec ?? { containers: [] };
  if (pod.metadata?.deletionTimestamp !== undefined) {
    throw refused(call, `pod ${call.name} is being deleted, cannot be assigned to a host`);
  }
  if (nodeName !== "") throw refused(call, `pod ${call.name} is already assigned to node "${nodeName}"`);
  if (schedulingGates.length > 0) throw refused(call, `pod ${call.name} has non-empty .spec.schedulingGates`);
  const { nominatedNodeName: _nominated, ...status } = pod.status ?? {};
  const bound = withMeta<KubeObject>(
    {
      ...pod,
      spec: { ...pod.spec, nodeName: binding.target.name },
      status: updatePodCondition(status, { type: "PodScheduled", status: "True" }, call.context.receivedMs),
    } as KubeObject,
    {
      annotations: merged(pod.metadata?.annotations, binding.metadata?.annotations),
      labels: merged(pod.metadata?.labels, binding.metadata?.labels),
    },
  );
  if (!dryRun) table.update(existing, (revision) => withResourceVersion(bound, revision));
}

type Texts = Readonly<Record<string, string>>;

function merged(own: Texts | undefined, added: Texts | undefined): Texts | undefined {
  return added === undefined ? own : { ...own, ...added };
}

function checkPreconditions(call: ResourceCall, key: string, pod: Pod, binding: Binding, dryRun: boolean): void {
  const { uid = "", resourceVersion = "" } = binding.metadata ?? {};
  const actual = pod.metadata ?? {};
  if (uid !== "" && uid !== actual.uid) throw preconditionFailed(call, key, "UID", [uid, actual.uid ?? ""], dryRun);
  if (resourceVersion !== "" && resourceVersion !== actual.resourceVersion) {
    const current = actual.resourceVersion ?? "";
    throw preconditionFailed(call, key, "ResourceVersion", [resourceVersion, current], dryRun);
  }
}

function refused(call: ResourceCall, why: string): ApiError {
  return newConflict({ group: "", resource: "pods/binding" }, call.name, why);
}
