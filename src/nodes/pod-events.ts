// The events of a simulated node about its pods, in a kubelet's words.
// Upstream: pkg/kubelet/kuberuntime, images/image_manager.go, prober/prober.go.

import type { Container, Pod, Probe } from "#api/generated/types/core-v1.ts";
import type { Stored } from "#api/resource.ts";
import type { EventType } from "#kit/events/recorder.ts";
import { ephemeralPlaces, fieldPathOf, initPlaces, mainPlaces, type Place, statusAt } from "./places.ts";
import type { ProbeFailure } from "./probes.ts";

export interface NodeEvent {
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
  /** The container's field path in the pod: "spec.containers{main}"; empty: the whole pod. */
  readonly fieldPath: string;
  /** The probe failure that the event is about: it is reported once. */
  readonly failure?: string;
}

const event = (place: Place, type: EventType, reason: string, message: string): NodeEvent => ({
  type,
  reason,
  message,
  fieldPath: fieldPathOf(place),
});
/** The reason for a failure that an annotation or a rule requests. */
export const ON_PURPOSE = "the simulation asks for it";

export function startEvents(place: Place): readonly NodeEvent[] {
  const image = `Container image "${place.container.image ?? ""}"`;
  return [
    event(place, "Normal", "Pulled", `${image} already present on machine and can be accessed by the pod`),
    event(place, "Normal", "Created", "Container created"),
    event(place, "Normal", "Started", "Container started"),
  ];
}

export function pullFailureEvents(place: Place): readonly NodeEvent[] {
  const image = place.container.image ?? "";
  return [
    event(place, "Normal", "Pulling", `Pulling image "${image}"`),
    event(place, "Warning", "Failed", `Failed to pull image "${image}": ${ON_PURPOSE}`),
    event(place, "Warning", "Failed", "Error: ErrImagePull"),
    event(place, "Normal", "BackOff", `Back-off pulling image "${image}"`),
    event(place, "Warning", "Failed", "Error: ImagePullBackOff"),
  ];
}

export function backOffEvent(pod: Stored<Pod>, place: Place): NodeEvent {
  const message = `Back-off restarting failed container ${place.container.name} in pod ${podInWords(pod)}`;
  return event(place, "Warning", "BackOff", message);
}

/** A pod in a kubelet's messages. */
export const podInWords = ({ metadata: { name, namespace, uid } }: Stored<Pod>): string =>
  `${name}_${namespace}(${uid})`;

/** containerID: the run of the container. */
export function unhealthyEvent(
  pod: Pod,
  place: Place,
  { type, probe, atMs }: ProbeFailure,
  containerID: string,
): NodeEvent {
  const message = `${type} probe failed: ${outputOf(probe, place.container, pod.status?.podIP ?? "")}`;
  return { ...event(place, "Warning", "Unhealthy", message), failure: `${containerID} ${type} ${atMs}` };
}

/** For a container without a readiness probe that is no longer ready. */
export const unreadyEvent = (place: Place): NodeEvent =>
  event(place, "Warning", "Unhealthy", `Readiness probe failed: ${ON_PURPOSE}`);

/** The probe output for an application that does not answer, or answers with an error. */
function outputOf({ httpGet, tcpSocket, grpc }: Probe, { ports }: Container, podIP: string): string {
  if (httpGet !== undefined) return "HTTP probe failed with statuscode: 503";
  if (grpc !== undefined) return 'service unhealthy (responded with "NOT_SERVING")';
  if (tcpSocket === undefined) return ON_PURPOSE;
  const { host = podIP, port } = tcpSocket;
  const number = ports?.find(({ name }) => name === port)?.containerPort ?? port;
  return `dial tcp ${host.includes(":") ? `[${host}]` : host}:${number}: connect: connection refused`;
}

export const probeKillEvent = (place: Place, probe: "startup" | "liveness", isRestarted: boolean): NodeEvent =>
  killEvent(place, `failed ${probe} probe`, isRestarted);

export const changeEvent = (place: Place): NodeEvent => killEvent(place, "definition changed", true);

/** Kubelets do not report restarts of sidecars. */
function killEvent(place: Place, why: string, isRestarted: boolean): NodeEvent {
  const { container, role } = place;
  const what = `${role === "main" ? "Container" : "Init container"} ${container.name} ${why}`;
  return event(place, "Normal", "Killing", isRestarted && role === "main" ? `${what}, will be restarted` : what);
}

export const stopEvent = (place: Place): NodeEvent =>
  event(place, "Normal", "Killing", `Stopping container ${place.container.name}`);

export const DEADLINE_EVENT: NodeEvent = {
  type: "Normal",
  reason: "DeadlineExceeded",
  message: "Pod was active on the node longer than the specified deadline",
  fieldPath: "",
};

/** For a deleted pod. */
export function killEvents(pod: Pod): readonly NodeEvent[] {
  return [...initPlaces(pod), ...mainPlaces(pod), ...ephemeralPlaces(pod)]
    .filter((place) => statusAt(pod, place)?.state?.running !== undefined)
    .map(stopEvent);
}
