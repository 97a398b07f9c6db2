// Creating, deleting and patching the pods of an owner, with the events that tell its user.
// Upstream: pkg/controller/controller_utils.go, RealPodControl, GetPodFromTemplate.

import type { Pod, PodTemplateSpec } from "#api/generated/types/core-v1.ts";
import type { OwnerReference } from "#api/meta.ts";
import { isDns1123Subdomain } from "#api/names.ts";
import type { Kind, KubeObject } from "#api/object.ts";
import { getControllerOf, newControllerRef } from "#api/owner-refs.ts";
import { isNamespaceTerminating, isNotFound } from "#api/status-error.ts";
import { errorMessage } from "#base/errors.ts";
import type { ResourceClient } from "#client/client.ts";
import { type EventRecorder, referenceTo } from "./events/recorder.ts";

export interface PodControlOptions {
  readonly pods: ResourceClient<Pod>;
  readonly recorder: EventRecorder;
  /** The kind of the owners. */
  readonly ownerKind: Kind;
  /** Called with every pod that a create or patch returned, and its controller if it has one. */
  readonly onWrite?: (pod: Pod, controller: OwnerReference | undefined) => void;
}

export interface NewPod {
  readonly owner: KubeObject;
  readonly template: PodTemplateSpec;
  /** What the server completes to a name; the owner's name unless given. */
  readonly generateName?: string;
}

export interface PodControl {
  createPod(request: NewPod, signal: AbortSignal): Promise<void>;
  /** A pod already gone is reported as the NotFound it is. */
  deletePod(owner: KubeObject, pod: Pod, signal: AbortSignal): Promise<void>;
  /** A strategic merge patch, without events. */
  patchPod(pod: Pod, patch: object, signal: AbortSignal): Promise<void>;
}

export function createPodControl(options: PodControlOptions): PodControl {
  const { pods, recorder, ownerKind } = options;
  return {
    async createPod(request, signal) {
      const { owner } = request;
      const pod = podFromTemplate(request, ownerKind);
      if (Object.keys(pod.metadata?.labels ?? {}).length === 0) throw new Error("unable to create pods, no labels");
      let created: Pod;
      try {
        created = await pods.create({ namespace: owner.metadata?.namespace ?? "", object: pod }, signal);
      } catch (error) {
        if (!isNamespaceTerminating(error)) {
          recorder.event(
            referenceTo(owner, ownerKind),
            "Warning",
            "FailedCreate",
            `Error creating: ${errorMessage(error)}`,
          );
        }
        throw error;
      }
      options.onWrite?.(created, getControllerOf(created));
      recorder.event(
        referenceTo(owner, ownerKind),
        "Normal",
        "SuccessfulCreate",
        `Created pod: ${created.metadata?.name}`,
      );
    },

    async deletePod(owner, pod, signal) {
      const { namespace = "", name = "" } = pod.metadata ?? {};
      try {
        await pods.delete({ namespace, name }, signal);
      } catch (error) {
        if (isNotFound(error)) throw error;
        recorder.event(
          referenceTo(owner, ownerKind),
          "Warning",
          "FailedDelete",
          `Error deleting: ${errorMessage(error)}`,
        );
        throw new Error(`unable to delete pods: ${errorMessage(error)}`, { cause: error });
      }
      recorder.event(referenceTo(owner, ownerKind), "Normal", "SuccessfulDelete", `Deleted pod: ${name}`);
    },

    async patchPod(pod, patch, signal) {
      const { namespace = "", name = "" } = pod.metadata ?? {};
      const patched = await pods.patch({ namespace, name, type: "strategic", patch }, signal);
      options.onWrite?.(patched, getControllerOf(patched));
    },
  };
}

/** A pod as the template describes it, controlled by the owner. Nothing else of the template's metadata is taken. */
export function podFromTemplate({ owner, template, generateName }: NewPod, ownerKind: Kind): Pod {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      generateName: generateName ?? podNamePrefix(owner.metadata?.name ?? ""),
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
      ...(finalizers ? { finalizers } : {}),
      ownerReferences: [newControllerRef(owner, ownerKind)],
    },
    ...(template.spec ? { spec: template.spec } : {}),
  };
}

/** A dash is prettier, but must not make the prefix an invalid name: the server fills in after it. */
function podNamePrefix(ownerName: string): string {
  const asPrefix = `${ownerName.slice(0, -1)}a`; // how the server masks a trailing dash before it checks
  return isDns1123Subdomain(asPrefix).length === 0 ? `${ownerName}-` : ownerName;
}
