/**
 * Schedules a pod from the queue to its node: chooses a node, assumes the pod there, reserves and binds its volumes,
 * binds the pod, or reports why no node fits. Choosing handles one pod at a time and never waits; API calls run
 * concurrently.
 * Upstream: pkg/scheduler/schedule_one.go
 */

import { Pods } from "#api/generated/resources/core-v1.ts";
import type { Binding, Pod } from "#api/generated/types/core-v1.ts";
import { objectKey } from "#api/object.ts";
import type { Stored } from "#api/resource.ts";
import { isConflict, isNotFound } from "#api/status-error.ts";
import type { Clock } from "#base/clock.ts";
import { errorMessage, isAborted } from "#base/errors.ts";
import type { FeatureGates } from "#base/feature-gates.ts";
import type { Logger } from "#base/log.ts";
import { Slots } from "#base/slots.ts";
import { TaskGroup } from "#base/task-group.ts";
import type { ResourceClient } from "#client/client.ts";
import type { Lister } from "#informers/informer.ts";
import { type EventRecorder, referenceTo } from "#kit/events/recorder.ts";
import { observedConditionGeneration, patchPodStatus } from "#kit/pod-status-patch.ts";
import { updatePodCondition } from "#rules/pod-conditions.ts";
import type { NodeChooser } from "./choose-node.ts";
import type { ClusterState } from "./cluster-state.ts";
import type { FitFailure } from "./fit-failure.ts";
import type { PodFacts } from "./pod-facts.ts";
import type { QueuedPod, SchedulingQueue } from "./scheduling-queue.ts";
import type { Reservation, VolumeReservations } from "./volume-reservations.ts";

/** The maximum of concurrent API calls. */
const CALLS_MAX = 64;
/** Yields to other work of the process after this time. */
const TURN_MS = 10;
/** Upstream: pkg/apis/core/validation, NoteLengthLimit */
const NOTE_LENGTH_MAX = 1024;

export interface SchedulingDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly gates: FeatureGates;
  readonly podsApi: ResourceClient<Stored<Pod>>;
  readonly pods: Lister<Stored<Pod>>;
  readonly recorder: EventRecorder;
  readonly state: ClusterState;
  readonly chooser: NodeChooser;
  readonly queue: SchedulingQueue;
  readonly reservations: VolumeReservations;
  /** Assumed pods that the cache does not show with a node yet, by UID. */
  readonly assumed: Set<string>;
}

/** The remaining API calls after a node was chosen, or none. */
interface Remainder {
  readonly call: (signal: AbortSignal) => Promise<void>;
  /** It may take minutes. */
  readonly isLong?: boolean;
}

export class Scheduling {
  readonly #deps: SchedulingDeps;
  readonly #calls = new Slots(CALLS_MAX);
  #wake: () => void = () => undefined;

  constructor(deps: SchedulingDeps) {
    this.#deps = deps;
  }

  /** Called when the queue has a pod. */
  readonly wake = (): void => this.#wake();

  async run(signal: AbortSignal): Promise<void> {
    await TaskGroup.run(signal, async (group) => {
      const { queue, clock } = this.#deps;
      let turnEndsMs = clock.monotonicMs() + TURN_MS;
      while (!group.signal.aborted) {
        await this.#calls.take(group.signal);
        if (clock.monotonicMs() >= turnEndsMs) {
          await clock.sleep(0, group.signal);
          turnEndsMs = clock.monotonicMs() + TURN_MS;
        }
        const queued = queue.take();
        if (queued !== undefined) {
          this.#follow(this.#scheduleOne(queued), group);
          continue;
        }
        this.#calls.give();
        await this.#untilWoken(group.signal);
        turnEndsMs = clock.monotonicMs() + TURN_MS;
      }
    });
  }

  /** A pod whose volumes must be provisioned may wait for minutes: it does not block the API calls of others. */
  #follow(rest: Remainder | undefined, group: TaskGroup): void {
    const isLong = rest === undefined || rest.isLong === true;
    if (isLong) this.#calls.give();
    if (rest === undefined) return;
    group.spawn(isLong ? rest.call : (signal) => rest.call(signal).finally(() => this.#calls.give()));
  }

  async #untilWoken(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => reject(signal.reason);
      signal.addEventListener("abort", onAbort, { once: true });
      this.#wake = () => {
        signal.removeEventListener("abort", onAbort);
        this.#wake = () => undefined;
        resolve();
      };
    });
  }

  #scheduleOne(queued: QueuedPod): Remainder | undefined {
    const { chooser, queue, assumed } = this.#deps;
    const { facts } = queued;
    const { uid, deletionTimestamp } = facts.pod.metadata;
    if (deletionTimestamp !== undefined || assumed.has(uid)) {
      queue.remove(uid);
      return undefined;
    }
    let choice: ReturnType<NodeChooser["choose"]>;
    try {
      choice = chooser.choose(facts);
    } catch (error) {
      return { call: (signal) => this.#reportError(queued, errorMessage(error), signal) };
    }
    if ("message" in choice) {
      const failure = choice;
      queue.giveBackUnschedulable(queued, failure.plugins);
      return { call: (signal) => this.#reportUnschedulable(facts.pod, failure, signal) };
    }
    const { node, volumes } = choice;
    const hasVolumes = volumes !== undefined && volumes.bindings.length + volumes.provisions.length > 0;
    const reservation = hasVolumes ? this.#deps.reservations.reserve(volumes, node.name) : undefined;
    this.#assume(facts, node.name);
    return { call: (signal) => this.#bind(queued, node.name, reservation, signal), isLong: hasVolumes };
  }

  #assume(facts: PodFacts, nodeName: string): void {
    this.#deps.assumed.add(facts.pod.metadata.uid);
    this.#deps.state.setPod(facts, nodeName);
  }

  async #bind(
    queued: QueuedPod,
    nodeName: string,
    reservation: Reservation | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { pod } = queued.facts;
    let step = 'PreBind plugin "VolumeBinding": binding volumes';
    try {
      if (reservation !== undefined) await this.#deps.reservations.bind(reservation, pod, nodeName, signal);
      step = 'Bind plugin "DefaultBinder"';
      await this.#postBinding(pod, nodeName, signal);
    } catch (error) {
      this.#forget(pod, reservation);
      if (isAborted(error, signal)) throw error;
      const isGone = this.#deps.pods.get(objectKey(pod))?.metadata.uid !== pod.metadata.uid;
      if (isGone || isNotFound(error)) return;
      await this.#reportError(queued, `running ${step}: ${errorMessage(error)}`, signal);
      return;
    }
    this.#deps.queue.remove(pod.metadata.uid);
    const { namespace, name } = pod.metadata;
    const message = `Successfully assigned ${namespace}/${name} to ${nodeName}`;
    this.#deps.recorder.event(referenceTo(pod, Pods), "Normal", "Scheduled", message);
  }

  async #postBinding({ metadata }: Stored<Pod>, nodeName: string, signal: AbortSignal): Promise<void> {
    const { namespace, name, uid } = metadata;
    const object: Binding = {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name, namespace, uid },
      target: { apiVersion: "v1", kind: "Node", name: nodeName },
    };
    await this.#deps.podsApi.createSubresource({ namespace, name, subresource: "binding", object }, signal);
  }

  /** Removes the assumed pod from its node. */
  #forget({ metadata: { uid } }: Stored<Pod>, reservation: Reservation | undefined): void {
    const { assumed, state, queue, reservations } = this.#deps;
    if (reservation !== undefined) reservations.release(reservation);
    if (!assumed.delete(uid)) return; // the cache already has the pod's real state
    state.removePod(uid);
    queue.moveAfter("bound pod deleted");
  }

  async #reportError(queued: QueuedPod, message: string, signal: AbortSignal): Promise<void> {
    const { pod } = queued.facts;
    this.#deps.queue.giveBackAfterError(queued);
    this.#deps.log.error(undefined, "Error scheduling pod; retrying", { pod: objectKey(pod), err: message });
    await this.#report(pod, "SchedulerError", message, signal);
  }

  async #reportUnschedulable(pod: Stored<Pod>, { message }: FitFailure, signal: AbortSignal): Promise<void> {
    this.#deps.log.v(2).info("Unable to schedule pod; no fit; waiting", { pod: objectKey(pod), err: message });
    await this.#report(pod, "Unschedulable", message, signal);
  }

  async #report(pod: Stored<Pod>, reason: string, message: string, signal: AbortSignal): Promise<void> {
    const { recorder, podsApi, clock, gates, log } = this.#deps;
    recorder.event(referenceTo(pod, Pods), "Warning", "FailedScheduling", truncated(message));
    const generation = observedConditionGeneration(pod, "PodScheduled", gates);
    const condition = { type: "PodScheduled", status: "False", reason, message, ...generation };
    const status = updatePodCondition(pod.status ?? {}, condition, clock.now());
    try {
      await patchPodStatus(podsApi, pod, status, signal);
    } catch (error) {
      if (isAborted(error, signal)) throw error;
      if (!isConflict(error) && !isNotFound(error)) log.error(error, "Error updating pod", { pod: objectKey(pod) });
    }
  }
}

function truncated(message: string): string {
  return message.length <= NOTE_LENGTH_MAX ? message : `${message.slice(0, NOTE_LENGTH_MAX - 4)} ...`;
}
