// Syncs one autoscaler: reads the size of its target, evaluates its metrics, decides on a size, and sets it.
// Upstream: pkg/controller/podautoscaler/horizontal.go, reconcileAutoscaler.

import { HorizontalPodAutoscalers } from "#api/generated/resources/autoscaling-v2.ts";
import type { HorizontalPodAutoscalerSpec, MetricStatus } from "#api/generated/types/autoscaling-v2.ts";
import { type ObjectKey, objectKey, parseApiVersion, ref } from "#api/object.ts";
import { type GroupResource, isConflict } from "#api/status-error.ts";
import { formatTime } from "#api/time.ts";
import { errorMessage } from "#base/errors.ts";
import { defaultRetry, retryOnError } from "#base/go-backoff.ts";
import { referenceTo } from "#kit/events/recorder.ts";
import type { Scale } from "#kit/scales.ts";
import { backOff, done, type SyncResult } from "#kit/worker-loop.ts";
import { Conditions } from "./conditions.ts";
import { askMetrics, MetricsFailed } from "./metric-round.ts";
import type { actionLabel, ErrorLabel } from "./metrics.ts";
import type { Autoscaler, Deps } from "./model.ts";
import { ScalingHistory } from "./scaling-history.ts";
import { type Decision, decide, decideByBehavior } from "./scaling-limits.ts";
import { isSameStatus, statusOf } from "./status.ts";

/** Every key comes back after the sync period, whether its sync failed or not. */
const PERIOD = backOff("each sync period");

export async function syncAutoscaler(key: ObjectKey, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const autoscaler = deps.autoscalers.lister.get(key);
  if (autoscaler === undefined) {
    deps.histories.delete(key);
    return done;
  }
  const { clock, metrics } = deps;
  const startedAt = clock.monotonicMs();
  const sync = new AutoscalerSync(autoscaler, deps);
  let error: ErrorLabel = "none";
  try {
    await sync.run(signal);
  } catch (cause) {
    error = cause instanceof SpecError ? "spec" : "internal";
    throw cause;
  } finally {
    metrics.reconciliations.with([sync.action, error]).inc();
    metrics.reconciliationSeconds.with([sync.action, error]).observe((clock.monotonicMs() - startedAt) / 1000);
  }
  return PERIOD;
}

class SpecError extends Error {}

interface Found {
  readonly resource: GroupResource;
  readonly scale: Scale;
}

/** The size to set, and why. */
interface Plan {
  readonly replicas: number;
  readonly isRescale: boolean;
  readonly reason: string;
  readonly statuses?: readonly MetricStatus[];
  /** The error of some metrics, when the others were enough. */
  readonly error?: Error;
}

class AutoscalerSync {
  /** The action label of the metrics. */
  action: ReturnType<typeof actionLabel> = "none";
  readonly #deps: Deps;
  readonly #autoscaler: Autoscaler;
  #spec: Partial<HorizontalPodAutoscalerSpec>;
  readonly #conditions: Conditions;
  readonly #minReplicas: number;

  constructor(autoscaler: Autoscaler, deps: Deps) {
    this.#deps = deps;
    this.#autoscaler = autoscaler;
    this.#spec = autoscaler.spec ?? {};
    this.#minReplicas = this.#spec.minReplicas ?? 1;
    this.#conditions = new Conditions(autoscaler.status?.conditions ?? []);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    const found = await this.#findScale(signal);
    const current = found.scale.spec?.replicas ?? 0;
    const message = "the HPA controller was able to get the target's current scale";
    this.#conditions.set("AbleToScale", true, { reason: "SucceededGetScale", message }, clock.now());
    const history = this.#history();
    history.start(current, clock.now());
    const scalesToZero = this.#deps.gates.isEnabled("HPAScaleToZero");
    const plan = await this.#plan(found.scale, current, scalesToZero, history, signal);
    if (plan.isRescale) {
      await this.#rescale(found, current, plan, signal);
      history.scaled(this.#spec.behavior, current, plan.replicas, clock.now());
      this.#reportZero(current, plan.replicas, scalesToZero);
      this.action = plan.replicas > current ? "scale_up" : "scale_down";
    }
    const desired = plan.isRescale ? plan.replicas : current;
    const { namespace, name } = this.#autoscaler.metadata;
    this.#deps.metrics.desiredReplicas.with([namespace, name]).set(desired);
    await this.#writeStatus({ current, desired }, plan.statuses, plan.isRescale, signal);
    if (plan.error !== undefined) throw plan.error;
  }

  #history(): ScalingHistory {
    const { histories } = this.#deps;
    const key = objectKey(this.#autoscaler);
    const history = histories.get(key) ?? new ScalingHistory();
    histories.set(key, history);
    return history;
  }

  /** The scale of the target, from the first resource of its group that has one. */
  async #findScale(signal: AbortSignal): Promise<Found> {
    const { restMapper } = this.#deps;
    const { namespace } = this.#autoscaler.metadata;
    const { apiVersion = "", kind = "", name = "" } = this.#spec.scaleTargetRef ?? {};
    if (apiVersion.split("/").length > 2) {
      const why = `unexpected GroupVersion string: ${apiVersion}`;
      await this.#cannotGetScale(why, signal);
      throw new SpecError(`invalid API version in scale target reference: ${why}`);
    }
    const { group } = parseApiVersion(apiVersion);
    let resources: readonly GroupResource[];
    try {
      resources = await restMapper.mappings({ group, kind }, [], signal);
    } catch (error) {
      await this.#cannotGetScale(errorMessage(error), signal);
      throw new Error(`unable to determine resource for scale target reference: ${errorMessage(error)}`);
    }
    let first: unknown;
    for (const resource of resources) {
      try {
        return { resource, scale: await this.#deps.scales.get(resource, { namespace, name }, signal) };
      } catch (error) {
        signal.throwIfAborted();
        first ??= error;
      }
    }
    await this.#cannotGetScale(errorMessage(first), signal);
    throw new Error(`failed to query scale subresource for ${this.#reference()}: ${errorMessage(first)}`);
  }

  #reference(): string {
    const { kind = "", name = "" } = this.#spec.scaleTargetRef ?? {};
    return `${kind}/${this.#autoscaler.metadata.namespace}/${name}`;
  }

  async #cannotGetScale(why: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#event("Warning", "FailedGetScale", why);
    const message = `the HPA controller was unable to get the target's current scale: ${why}`;
    this.#conditions.set("AbleToScale", false, { reason: "FailedGetScale", message }, this.#deps.clock.now());
    const { status } = this.#autoscaler;
    const conditions = this.#conditions.list;
    await this.#tryWriting({ ...status, desiredReplicas: status?.desiredReplicas ?? 0, conditions }, signal);
  }

  async #plan(
    scale: Scale,
    current: number,
    scalesToZero: boolean,
    history: ScalingHistory,
    signal: AbortSignal,
  ): Promise<Plan> {
    const minReplicas = this.#minReplicas;
    const maxReplicas = this.#spec.maxReplicas ?? 0;
    const isOurZero = scalesToZero && this.#conditions.isTrue("ScaledToZero");
    if (current === 0) {
      const asksMetrics = isOurZero && (minReplicas !== 0 || this.#scalesByOthers());
      if (!asksMetrics) {
        const message = "scaling is disabled since the replica count of the target is zero";
        this.#conditions.set("ScalingActive", false, { reason: "ScalingDisabled", message }, this.#deps.clock.now());
        if (!scalesToZero) this.#conditions.remove("ScaledToZero");
        return { replicas: 0, isRescale: false, reason: "" };
      }
    } else if (current > maxReplicas) {
      const reason = "Current number of replicas above Spec.MaxReplicas";
      return { replicas: maxReplicas, isRescale: true, reason };
    } else if (current < minReplicas) {
      const reason = "Current number of replicas below Spec.MinReplicas";
      return { replicas: minReplicas, isRescale: true, reason };
    }
    const round = await this.#askMetrics(scale, current, signal);
    const desired = Math.max(0, round.replicas);
    let reason = "";
    if (desired > current) reason = `${round.metric} above target`;
    if (desired < current) reason = "All metrics below target";
    let { replicas } = this.#decide(current, desired, maxReplicas, history);
    if (current === 0 && minReplicas !== 0 && isOurZero && replicas < minReplicas) {
      replicas = minReplicas;
      reason ||= "Current number of replicas below Spec.MinReplicas";
    }
    const { statuses, error } = round;
    return { replicas, isRescale: replicas !== current, reason, statuses, ...(error === undefined ? {} : { error }) };
  }

  /** True if a metric exists that does not need pods. */
  #scalesByOthers(): boolean {
    return (this.#spec.metrics ?? []).some(({ type }) => type === "Object" || type === "External");
  }

  async #askMetrics(scale: Scale, current: number, signal: AbortSignal) {
    const subject = { autoscaler: this.#autoscaler, spec: this.#spec, scale, conditions: this.#conditions };
    try {
      return await askMetrics(subject, this.#deps, signal);
    } catch (error) {
      if (!(error instanceof MetricsFailed)) throw error;
      const { status } = this.#autoscaler;
      const sizes = { current, desired: status?.desiredReplicas ?? 0 };
      const conditions = this.#conditions.list;
      await this.#tryWriting(statusOf(status ?? { desiredReplicas: 0 }, sizes, error.statuses, conditions), signal);
      this.#event("Warning", "FailedComputeMetricsReplicas", error.message);
      const what = "failed to compute desired number of replicas based on listed metrics";
      throw new Error(`${what} for ${this.#reference()}: ${error.message}`);
    }
  }

  #decide(current: number, desired: number, maxReplicas: number, history: ScalingHistory): Decision {
    const { clock, settings } = this.#deps;
    const { downscaleWindowMs } = settings;
    // The API server also receives the window with the following writes, and leaves the spec unchanged.
    this.#spec = withWindow(this.#spec, downscaleWindowMs);
    const { behavior } = this.#spec;
    const now = clock.now();
    const request = { current, desired, minReplicas: this.#minReplicas, maxReplicas };
    const decision =
      behavior === undefined
        ? decide(request, history, downscaleWindowMs, now)
        : decideByBehavior(request, behavior, history, now);
    this.#conditions.set("AbleToScale", true, decision.stabilization, now);
    this.#conditions.set("ScalingLimited", decision.isLimited, decision.limit, now);
    return decision;
  }

  async #rescale({ resource, scale }: Found, current: number, plan: Plan, signal: AbortSignal): Promise<void> {
    const { clock, log, scales } = this.#deps;
    const { replicas, reason } = plan;
    const { namespace } = this.#autoscaler.metadata;
    const { name = "" } = this.#spec.scaleTargetRef ?? {};
    let latest = scale;
    const attempt = async (): Promise<void> => {
      try {
        await scales.update(resource, { ...latest, spec: { ...latest.spec, replicas } }, signal);
      } catch (error) {
        signal.throwIfAborted();
        latest = await scales.get(resource, { namespace, name }, signal).catch((cause: unknown) => {
          signal.throwIfAborted();
          log.error(cause, "error getting latest scale during conflict retry", { scaleTarget: this.#reference() });
          return latest;
        });
        throw error;
      }
    };
    try {
      await retryOnError(defaultRetry, isConflict, attempt, this.#deps, signal);
    } catch (error) {
      signal.throwIfAborted();
      const why = errorMessage(error);
      this.#event("Warning", "FailedRescale", `New size: ${replicas}; reason: ${reason}; error: ${why}`);
      const message = `the HPA controller was unable to update the target scale: ${why}`;
      this.#conditions.set("AbleToScale", false, { reason: "FailedUpdateScale", message }, clock.now());
      const { status = { desiredReplicas: 0 } } = this.#autoscaler;
      const sizes = { current, desired: status.desiredReplicas ?? 0 };
      await this.#tryWriting(statusOf(status, sizes, plan.statuses, this.#conditions.list), signal);
      throw new Error(`failed to rescale ${this.#reference()}: ${why}`);
    }
    const message = `the HPA controller was able to update the target scale to ${replicas}`;
    this.#conditions.set("AbleToScale", true, { reason: "SucceededRescale", message }, clock.now());
    this.#event("Normal", "SuccessfulRescale", `New size: ${replicas}; reason: ${reason}`);
    log.info("Successfully rescaled", {
      HPA: ref(this.#autoscaler),
      currentReplicas: current,
      desiredReplicas: replicas,
      reason,
    });
  }

  /** Sets the condition that says whether the autoscaler scaled to zero: only then it may scale up again. */
  #reportZero(current: number, replicas: number, scalesToZero: boolean): void {
    if (!scalesToZero) {
      this.#conditions.remove("ScaledToZero");
      return;
    }
    const isZero = current > 0 && replicas === 0 && this.#minReplicas === 0 && this.#scalesByOthers();
    const reason = isZero
      ? { reason: "ScaledToZero", message: "the HPA controller scaled the workload to zero" }
      : { reason: "NotScaledToZero", message: "the HPA controller did not scale the workload to zero" };
    this.#conditions.set("ScaledToZero", isZero, reason, this.#deps.clock.now());
  }

  async #writeStatus(
    sizes: { readonly current: number; readonly desired: number },
    statuses: readonly MetricStatus[] | undefined,
    isRescale: boolean,
    signal: AbortSignal,
  ): Promise<void> {
    const { status = { desiredReplicas: 0 } } = this.#autoscaler;
    const scaledAt = isRescale ? formatTime(this.#deps.clock.now()) : undefined;
    await this.#write(statusOf(status, sizes, statuses, this.#conditions.list, scaledAt), signal);
  }

  /** For a sync that has already failed: its first error is kept. */
  async #tryWriting(status: NonNullable<Autoscaler["status"]>, signal: AbortSignal): Promise<void> {
    try {
      await this.#write(status, signal);
    } catch (error) {
      signal.throwIfAborted();
      this.#deps.log.error(error, "failed to update status", { HPA: ref(this.#autoscaler) });
    }
  }

  async #write(status: NonNullable<Autoscaler["status"]>, signal: AbortSignal): Promise<void> {
    const autoscaler = this.#autoscaler;
    if (isSameStatus(autoscaler.status ?? { desiredReplicas: 0 }, status)) return;
    try {
      await this.#deps.autoscalersApi.updateStatus(
        { object: { ...autoscaler, spec: this.#spec, status } as Autoscaler },
        signal,
      );
    } catch (error) {
      signal.throwIfAborted();
      this.#event("Warning", "FailedUpdateStatus", errorMessage(error));
      throw new Error(`failed to update status for ${autoscaler.metadata.name}: ${errorMessage(error)}`);
    }
  }

  #event(type: "Normal" | "Warning", reason: string, message: string): void {
    this.#deps.recorder.event(referenceTo(this.#autoscaler, HorizontalPodAutoscalers), type, reason, message);
  }
}

/** Uses the flag's window, unless the behaviour sets one. */
function withWindow(
  spec: Partial<HorizontalPodAutoscalerSpec>,
  windowMs: number,
): Partial<HorizontalPodAutoscalerSpec> {
  const { behavior } = spec;
  const scaleDown = behavior?.scaleDown;
  if (scaleDown === undefined || scaleDown.stabilizationWindowSeconds !== undefined) return spec;
  const stabilizationWindowSeconds = Math.trunc(windowMs / 1000);
  return { ...spec, behavior: { ...behavior, scaleDown: { ...scaleDown, stabilizationWindowSeconds } } };
}
