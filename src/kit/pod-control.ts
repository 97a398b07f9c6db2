// Creates, deletes and patches the pods of an owner, and records the events about it.
// Upstream: pkg/controller/controller_utils.go, RealPodControl, GetPodFromTemplate.

import { Pods } from "#api/generated/resources/core-v1.ts";
import type { Pod, PodTemplateSpec } from "#api/generated/types/core-v1.ts";
import { isDns1123Subdomain } from "#api/names.ts";
import { getControllerOf, newControllerRef } from "#api/owner-refs.ts";
import type { Draft, NamespacedObject, Resource, Stored } from "#api/resource.ts";
import { isNamespaceTerminating, isNotFound } from "#api/status-error.ts";
import { errorMessage } from "#base/errors.ts";
import type { ResourceClient } from "#client/client.ts";
import type { ConsistencyStore } from "./consistency.ts";
import { type EventRecorder, referenceTo } from "./events/recorder.ts";

export interface PodControlOptions<O extends NamespacedObject> {
  readonly pods: ResourceClient<Stored<Pod>>;
  readonly recorder: EventRecorder;
  readonly ownerResource: Resource<O>;
  /** Records the version of every pod that a create or patch returned, under the pod's controller. */
  readonly consistency: Pick<ConsistencyStore, "wroteAt">;
}

export interface NewPod<O extends NamespacedObject> {
  readonly owner: O;
  readonly template: PodTemplateSpec;
  /** The prefix that the server completes to a name; the owner's name unless given. */
  readonly generateName?: string;
}

export interface PodControl<O extends NamespacedObject> {
  createPod(request: NewPod<O>, signal: AbortSignal): Promise<void>;
  /** Throws NotFound for a pod that is already gone. */
  deletePod(owner: O, pod: Stored<Pod>, signal: AbortSignal): Promise<void>;
  /** A strategic merge patch, without events. */
  patchPod(pod: Stored<Pod>, patch: object, signal: AbortSignal): Promise<void>;
}

export function createPodControl<O extends NamespacedObject>(options: PodControlOptions<O>): PodControl<O> {
  const { pods, recorder, ownerResource, consistency } = options;
  return {
    async createPod(request, signal) {
      const { owner } = request;
      const pod = podFromTemplate(request, ownerResource);
      if (Object.keys(pod.metadata.labels ?? {}).length === 0) throw new Error("unable to create pods, no labels");
      let created: Stored<Pod>;
      try {
        created = await pods.create({ namespace: owner.metadata.namespace, object: pod }, signal);
      } catch (error) {
        if (!isNamespaceTerminating(error)) {
          recorder.event(
            referenceTo(owner, ownerResource),
            "Warning",
            "FailedCreate",
            `Error creating: ${errorMessage(error)}`,
          );
        }
        throw error;
      }
      noteVersion(created, consistency);
      recorder.event(
        referenceTo(owner, ownerResource),
        "Normal",
        "SuccessfulCreate",
        `Created pod: ${created.metadata.name}`,
      );
    },

    async deletePod(owner, pod, signal) {
      const { namespace, name } = pod.metadata;
      try {
        await pods.delete({ namespace, name }, signal);
      } catch (error) {
        if (isNotFound(error)) throw error;
        recorder.event(
          referenceTo(owner, ownerResource),
          "Warning",
          "FailedDelete",
          `Error deleting: ${errorMessage(error)}`,
        );
        throw new Error(`unable to delete pods: ${errorMessage(error)}`, { cause: error });
      }
      recorder.event(referenceTo(owner, ownerResource), "Normal", "SuccessfulDelete", `Deleted pod: ${name}`);
    },

    async patchPod(pod, patch, signal) {
      const { namespace, name } = pod.metadata;
      const patched = await pods.patch({ namespace, name, type: "strategic", patch }, signal);
      noteVersion(patched, consistency);
    },
  };
}

function noteVersion(pod: Stored<Pod>, consistency: Pick<ConsistencyStore, "wroteAt">): void {
  const controller = getControllerOf(pod);
  if (controller === undefined) return;
  const { namespace, resourceVersion } = pod.metadata;
  consistency.wroteAt(`${namespace}/${controller.name}`, controller.uid, Pods, resourceVersion);
}

/**
 * A pod from the template, controlled by the owner. Of the template's metadata only labels, annotations and finalizers
 * are copied.
 */
export function podFromTemplate<O extends NamespacedObject>(
  { owner, template, generateName }: NewPod<NoInfer<O>>,
  ownerResource: Resource<O>,
): Draft<Stored<Pod>> {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  return {
    metadata: {
      generateName: generateName ?? podNamePrefix(owner.metadata.name),
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
      ...(finalizers ? { finalizers } : {}),
      ownerReferences: [newControllerRef(owner, ownerResource)],
    },
    ...(template.spec ? { spec: template.spec } : {}),
  };
}

/** A dash is easier to read, but must not make the prefix an invalid name. */
function podNamePrefix(ownerName: string): string {
  const asPrefix = `${ownerName.slice(0, -1)}a`; // as validation of a prefix replaces a trailing dash
  return isDns1123Subdomain(asPrefix).length === 0 ? `${ownerName}-` : ownerName;
}
