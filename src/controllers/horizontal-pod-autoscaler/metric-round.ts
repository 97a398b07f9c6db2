// Evaluates all metrics of an autoscaler one after the other: the largest proposal wins.
// Upstream: pkg/controller/podautoscaler/horizontal.go, computeReplicasForMetrics, validateAndParseSelector.

import { HorizontalPodAutoscalers } from "#api/generated/resources/autoscaling-v2.ts";
import type { HorizontalPodAutoscalerSpec, MetricSpec, MetricStatus } from "#api/generated/types/autoscaling-v2.ts";
import type { Selector } from "#api/label-selector.ts";
import { parseLabelSelector } from "#api/label-selector-parser.ts";
import { objectKey } from "#api/object.ts";
import { errorMessage } from "#base/errors.ts";
import { referenceTo } from "#kit/events/recorder.ts";
import { type Scale, scaleSelector } from "#kit/scales.ts";
import type { Conditions } from "./conditions.ts";
import { actionLabel, type ErrorLabel } from "./metrics.ts";
import type { Autoscaler, Deps, StoredPod } from "./model.ts";
import { NoProposal, type Proposal, propose, type Target } from "./proposals.ts";
import { tolerancesOf } from "./tolerances.ts";

export interface Subject {
  readonly autoscaler: Autoscaler;
  readonly spec: Partial<HorizontalPodAutoscalerSpec>;
  readonly scale: Scale;
  readonly conditions: Conditions;
}

export interface MetricRound {
  readonly replicas: number;
  readonly metric: string;
  readonly statuses: readonly MetricStatus[];
  /** The error of the metrics without a proposal, if the others were enough. */
  readonly error?: Error;
}

/** The metrics give no size. */
export class MetricsFailed extends Error {
  readonly statuses: readonly MetricStatus[] | undefined;
  constructor(message: string, statuses?: readonly MetricStatus[]) {
    super(message);
    this.statuses = statuses;
  }
}

/** The status of a metric without a proposal. */
const NO_STATUS: MetricStatus = { type: "" };

export async function askMetrics(subject: Subject, deps: Deps, signal: AbortSignal): Promise<MetricRound> {
  const { spec, conditions } = subject;
  const { metrics: specs = [] } = spec;
  const target = targetOf(subject, deps);
  const statuses: MetricStatus[] = [];
  const failures: NoProposal[] = [];
  let best: Proposal | undefined;
  for (const metric of specs) {
    const proposal = await askOne(metric, subject, target, deps, signal);
    if (proposal instanceof NoProposal) {
      failures.push(proposal);
      statuses.push(NO_STATUS);
      continue;
    }
    statuses.push(proposal.status);
    if (best === undefined || best.replicas === 0 || proposal.replicas > best.replicas) best = proposal;
  }
  const [first] = failures;
  const counts = `${failures.length} invalid out of ${specs.length}`;
  const message = first && `invalid metrics (${counts}), first error is: ${first.message}`;
  const now = deps.clock.now();
  if (best === undefined || (first !== undefined && best.replicas < target.specReplicas)) {
    if (first !== undefined) conditions.set("ScalingActive", false, unable(first), now);
    throw new MetricsFailed(message ?? "", statuses);
  }
  const { replicas, metric } = best;
  const found = `the HPA was able to successfully calculate a replica count from ${metric}`;
  conditions.set("ScalingActive", true, { reason: "ValidMetricFound", message: found }, now);
  return { replicas, metric, statuses, ...(message === undefined ? {} : { error: new Error(message) }) };
}

const unable = ({ reason, detail }: NoProposal) => ({
  reason,
  message: `the HPA was unable to compute the replica count: ${detail}`,
});

async function askOne(
  metric: MetricSpec,
  { autoscaler }: Subject,
  target: Target,
  deps: Deps,
  signal: AbortSignal,
): Promise<Proposal | NoProposal> {
  const { clock, metrics, recorder } = deps;
  const startedAt = clock.monotonicMs();
  const observe = (action: ReturnType<typeof actionLabel>, error: ErrorLabel): void => {
    metrics.computations.with([action, error, metric.type ?? ""]).inc();
    const seconds = (clock.monotonicMs() - startedAt) / 1000;
    metrics.computationSeconds.with([action, error, metric.type ?? ""]).observe(seconds);
  };
  try {
    const proposal = await propose(metric, target, deps, signal);
    observe(actionLabel(autoscaler.status?.currentReplicas ?? 0, proposal.replicas), "none");
    return proposal;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof NoProposal)) throw error;
    observe("none", error.isSpecError ? "spec" : "internal");
    recorder.event(referenceTo(autoscaler, HorizontalPodAutoscalers), "Warning", error.reason, error.detail);
    return error;
  }
}

function targetOf(subject: Subject, deps: Deps): Target {
  const { autoscaler, scale, spec } = subject;
  const selector = parseSelector(subject, deps);
  const { namespace } = autoscaler.metadata;
  const pods = deps.pods.lister.list(selector, namespace);
  refuseSharedPods(subject, pods, selector, deps);
  return {
    namespace,
    specReplicas: scale.spec?.replicas ?? 0,
    statusReplicas: scale.status?.replicas ?? 0,
    selector,
    pods,
    tolerances: tolerancesOf(spec.behavior, deps.settings.tolerance, deps.gates.isEnabled("HPAConfigurableTolerance")),
  };
}

function parseSelector(subject: Subject, deps: Deps): Selector {
  const text = scaleSelector(subject.scale);
  if (text === "") {
    const message = "the HPA target's scale is missing a selector";
    throw refused(subject, deps, "SelectorRequired", "selector is required", { reason: "InvalidSelector", message });
  }
  try {
    return parseLabelSelector(text);
  } catch (error) {
    const why = errorMessage(error);
    const message = `couldn't convert selector into a corresponding internal selector object: ${why}`;
    throw refused(subject, deps, "InvalidSelector", message, { reason: "InvalidSelector", message });
  }
}

/** Two autoscalers would scale the same pods in two directions. */
function refuseSharedPods(subject: Subject, pods: readonly StoredPod[], selector: Selector, deps: Deps): void {
  const { autoscaler, scale } = subject;
  deps.selectors.set(objectKey(autoscaler), selector);
  const selecting = deps.selectors.selecting(autoscaler.metadata.namespace, pods);
  if (selecting.length <= 1) return;
  const message = `pods by selector ${scaleSelector(scale)} are controlled by multiple HPAs: [${selecting.join(" ")}]`;
  throw refused(subject, deps, "AmbiguousSelector", message, { reason: "AmbiguousSelector", message });
}

function refused(
  { autoscaler, conditions }: Subject,
  { clock, recorder }: Deps,
  event: string,
  message: string,
  condition: { readonly reason: string; readonly message: string },
): MetricsFailed {
  recorder.event(referenceTo(autoscaler, HorizontalPodAutoscalers), "Warning", event, message);
  conditions.set("ScalingActive", false, condition, clock.now());
  return new MetricsFailed(message);
}
