// The events in which a node tells of its pods, in a kubelet's words.
// Upstream: pkg/kubelet/kuberuntime, images/image_manager.go, prober/prober.go.

import type { Container, Pod } from "#api/generated/types/core-v1.ts";
import type { Stored } from "#api/resource.ts";
import type { EventType } from "#kit/events/recorder.ts";

export interface NodeEvent {
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
  /** The place of the container in the pod that it is about: "spec.containers{main}". */
  readonly fieldPath: string;
}

const event = ({ name }: Container, type: EventType, reason: string, message: string): NodeEvent => ({
  type,
  reason,
  message,
  fieldPath: `spec.containers{${name}}`,
});
/** Why what an annotation or a rule asks for goes wrong. */
export const ON_PURPOSE = "the simulation asks for it";

const containersOf = ({ spec }: Pod): readonly Container[] => spec?.containers ?? [];

/** Init containers start once, before the others. */
export function firstStartEvents(pod: Pod): readonly NodeEvent[] {
  const initContainers = pod.spec?.initContainers ?? [];
  const events = initContainers.flatMap((container) =>
    startEvents([container]).map((each) => ({ ...each, fieldPath: `spec.initContainers{${container.name}}` })),
  );
  return [...events, ...startEvents(containersOf(pod))];
}

/** Of containers that run again. */
export const restartEvents = (pod: Pod): readonly NodeEvent[] => startEvents(containersOf(pod));

function startEvents(containers: readonly Container[]): readonly NodeEvent[] {
  return containers.flatMap((container) => {
    const image = `Container image "${container.image ?? ""}"`;
    return [
      event(container, "Normal", "Pulled", `${image} already present on machine and can be accessed by the pod`),
      event(container, "Normal", "Created", "Container created"),
      event(container, "Normal", "Started", "Container started"),
    ];
  });
}

export function pullFailureEvents(pod: Pod): readonly NodeEvent[] {
  return containersOf(pod).flatMap((container) => {
    const image = container.image ?? "";
    return [
      event(container, "Normal", "Pulling", `Pulling image "${image}"`),
      event(container, "Warning", "Failed", `Failed to pull image "${image}": ${ON_PURPOSE}`),
      event(container, "Warning", "Failed", "Error: ErrImagePull"),
      event(container, "Normal", "BackOff", `Back-off pulling image "${image}"`),
      event(container, "Warning", "Failed", "Error: ImagePullBackOff"),
    ];
  });
}

export function backOffEvents(pod: Stored<Pod>): readonly NodeEvent[] {
  return containersOf(pod).map((container) => {
    const message = `Back-off restarting failed container ${container.name} in pod ${podInWords(pod)}`;
    return event(container, "Warning", "BackOff", message);
  });
}

/** How a kubelet names a pod in messages. */
export const podInWords = ({ metadata: { name, namespace, uid } }: Stored<Pod>): string =>
  `${name}_${namespace}(${uid})`;

export function unhealthyEvents(pod: Pod): readonly NodeEvent[] {
  return containersOf(pod).map((container) =>
    event(container, "Warning", "Unhealthy", `Readiness probe failed: ${ON_PURPOSE}`),
  );
}

/** Of a pod that goes. */
export function killEvents(pod: Pod): readonly NodeEvent[] {
  const isRunning = new Set(
    (pod.status?.containerStatuses ?? []).filter(({ state }) => state?.running).map(({ name }) => name),
  );
  return containersOf(pod)
    .filter(({ name }) => isRunning.has(name))
    .map((container) => event(container, "Normal", "Killing", `Stopping container ${container.name}`));
}
