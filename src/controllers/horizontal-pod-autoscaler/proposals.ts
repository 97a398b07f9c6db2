// The proposal of each metric of an autoscaler.
// Upstream: pkg/controller/podautoscaler/horizontal.go, computeReplicasForMetric and computeStatusFor….

import type { MetricSpec, MetricStatus, MetricTarget, MetricValueStatus } from "#api/generated/types/autoscaling-v2.ts";
import { goQuote } from "#api/go-text.ts";
import { type Selector, selectorFromObject, selectorGoText } from "#api/label-selector.ts";
import type { LabelSelector } from "#api/meta.ts";
import { MILLI, milliQuantity } from "#api/quantity.ts";
import { quantityFromWire } from "#api/quantity-parser.ts";
import { errorMessage } from "#base/errors.ts";
import type { AutoscalerSettings, Deps, StoredPod } from "./model.ts";
import type { PodTiming, Samples } from "./pod-groups.ts";
import { requestsOf } from "./pod-requests.ts";
import {
  averageReplicas,
  type PodCount,
  perPodReplicas,
  sumOfShares,
  sumOfValues,
  type Tolerances,
  utilizationReplicas,
  valueReplicas,
} from "./replica-count.ts";

export interface Proposal {
  readonly replicas: number;
  /** The name of the metric in the reason of a rescale. */
  readonly metric: string;
  readonly status: MetricStatus;
}

/** The current target of the autoscaler. */
export interface Target {
  readonly namespace: string;
  readonly specReplicas: number;
  readonly statusReplicas: number;
  readonly selector: Selector;
  readonly pods: readonly StoredPod[];
  readonly tolerances: Tolerances;
}

export type ProposalDeps = Pick<Deps, "metricsApi" | "gates" | "clock"> & { readonly settings: AutoscalerSettings };

/** A metric without a proposal: the reason for the condition and the event, and the text for the sync's error. */
export class NoProposal extends Error {
  readonly reason: string;
  /** The text for the event and the condition. */
  readonly detail: string;
  /** The autoscaler's spec is the cause. */
  readonly isSpecError: boolean;
  constructor(reason: string, detail: string, message: string, isSpecError = false) {
    super(message);
    this.reason = reason;
    this.detail = detail;
    this.isSpecError = isSpecError;
  }
}

export async function propose(
  spec: MetricSpec,
  target: Target,
  deps: ProposalDeps,
  signal: AbortSignal,
): Promise<Proposal> {
  switch (spec.type) {
    case "Object":
      return failingAs("FailedGetObjectMetric", "failed to get object metric value", () =>
        proposeForObject(spec.object, target, deps, signal),
      );
    case "Pods":
      return failingAs("FailedGetPodsMetric", "failed to get pods metric value", () =>
        proposeForPods(spec.pods, target, deps, signal),
      );
    case "Resource": {
      const { name = "" } = spec.resource ?? {};
      return failingAs("FailedGetResourceMetric", `failed to get ${name} resource metric value`, async () => {
        const { current, ...proposed } = await proposeForResource(
          spec.resource?.target,
          { name },
          target,
          deps,
          signal,
        );
        return { ...proposed, status: { type: "Resource", resource: { name, current } } };
      });
    }
    case "ContainerResource": {
      const { name = "", container = "" } = spec.containerResource ?? {};
      const what = `failed to get ${container} container metric value`;
      return failingAs("FailedGetContainerResourceMetric", what, async () => {
        const of = { name, container };
        const { current, ...proposed } = await proposeForResource(
          spec.containerResource?.target,
          of,
          target,
          deps,
          signal,
        );
        return { ...proposed, status: { type: "ContainerResource", containerResource: { name, container, current } } };
      });
    }
    case "External": {
      const what = `failed to get ${spec.external?.metric?.name ?? ""} external metric value`;
      return failingAs("FailedGetExternalMetric", what, () => proposeForExternal(spec.external, target, deps, signal));
    }
    default: {
      const message = `unknown metric source type ${goQuote(spec.type ?? "")}`;
      throw new NoProposal("InvalidMetricSourceType", message, message, true);
    }
  }
}

/** An error whose text in the sync's error has more detail than in the condition. */
class ExplainedError extends Error {
  readonly detail: string;
  constructor(what: string, cause: unknown) {
    super(`${what}: ${errorMessage(cause)}`);
    this.detail = errorMessage(cause);
  }
}

async function failingAs(reason: string, what: string, step: () => Promise<Proposal>): Promise<Proposal> {
  try {
    return await step();
  } catch (error) {
    const detail = error instanceof ExplainedError ? error.detail : errorMessage(error);
    throw new NoProposal(reason, detail, `${what}: ${errorMessage(error)}`);
  }
}

async function explained<R>(what: string, step: () => R | Promise<R>): Promise<R> {
  try {
    return await step();
  } catch (error) {
    throw new ExplainedError(what, error);
  }
}

/** Uses the same text in the error and the condition. */
async function failing<R>(what: (error: string) => string, step: () => Promise<R>): Promise<R> {
  try {
    return await step();
  } catch (error) {
    throw new Error(what(errorMessage(error)));
  }
}

const milliOf = (quantity: string): bigint => quantityFromWire(quantity).scaledInt64(MILLI);
const quantity = (milli: bigint): string => milliQuantity(milli).toString();

interface Identifier {
  readonly name?: string;
  readonly selector?: LabelSelector;
}

const identifierOf = ({ name = "", selector }: Identifier = {}) => ({
  name,
  ...(selector === undefined ? {} : { selector }),
});

function countOf(target: Target, samples: Samples, resource: string, { settings, clock }: ProposalDeps): PodCount {
  const { specReplicas: current, tolerances, pods } = target;
  const { cpuInitializationMs, initialReadinessMs } = settings;
  const timing: PodTiming = { now: clock.now(), cpuInitializationMs, initialReadinessMs };
  return { current, tolerances, pods, samples, resource, timing };
}

async function proposeForObject(
  source: MetricSpec["object"],
  target: Target,
  { metricsApi }: ProposalDeps,
  signal: AbortSignal,
): Promise<Proposal> {
  const { describedObject, metric, target: wanted } = source ?? {};
  const { name } = identifierOf(metric);
  const described = describedObject ?? { kind: "", name: "" };
  const selector = selectorFromObject(metric?.selector);
  const usage = (): Promise<bigint> =>
    failing(
      // The order of the words is upstream's.
      (error) => `unable to get metric ${name}: ${described.kind} on ${target.namespace} ${described.name}/${error}`,
      () => metricsApi.object({ name, selector }, target.namespace, described, signal),
    );
  const statusOf = (current: MetricValueStatus): MetricStatus => ({
    type: "Object",
    object: { metric: identifierOf(metric), current, describedObject: described },
  });
  if (wanted?.type === "Value" && wanted.value !== undefined) {
    const used = await usage();
    const replicas = valueReplicas({ ...target, current: target.specReplicas }, used, milliOf(wanted.value));
    return { replicas, metric: `${described.kind} metric ${name}`, status: statusOf({ value: quantity(used) }) };
  }
  if (wanted?.type === "AverageValue" && wanted.averageValue !== undefined) {
    const { averageValue } = wanted;
    const used = await explained(`failed to get ${name} object metric`, usage);
    const { replicas, average } = perPodReplicas(target, used, milliOf(averageValue), false);
    return {
      replicas,
      metric: `external metric ${name}(${selectorGoText(metric?.selector)})`,
      status: statusOf({ averageValue: quantity(average) }),
    };
  }
  throw new Error("invalid object metric source: neither a value target nor an average value target was set");
}

async function proposeForPods(
  source: MetricSpec["pods"],
  target: Target,
  deps: ProposalDeps,
  signal: AbortSignal,
): Promise<Proposal> {
  const { metric, target: wanted } = source ?? {};
  const { name } = identifierOf(metric);
  const selector = selectorFromObject(metric?.selector);
  const samples = await failing(
    (error) => `unable to get metric ${name}: ${error}`,
    () => deps.metricsApi.pods({ name, selector }, target.namespace, target.selector, signal),
  );
  const averageTarget = milliOf(wanted?.averageValue ?? "0");
  const { replicas, measured } = averageReplicas(countOf(target, samples, "", deps), averageTarget);
  const current = { averageValue: quantity(measured.average) };
  const status = { type: "Pods", pods: { metric: identifierOf(metric), current } };
  return { replicas, metric: `pods metric ${name}`, status };
}

/** container: absent for the whole pod. */
async function proposeForResource(
  wanted: MetricTarget | undefined,
  { name: resource, container }: { readonly name: string; readonly container?: string },
  target: Target,
  deps: ProposalDeps,
  signal: AbortSignal,
): Promise<Omit<Proposal, "status"> & { readonly current: MetricValueStatus }> {
  const of = { resource, container: container ?? "" };
  const samples = (): Promise<Samples> =>
    failing(
      (error) => `unable to get metrics for resource ${resource}: ${error}`,
      () => deps.metricsApi.resource(of, target.namespace, target.selector, signal),
    );
  const text = (milli: bigint): string =>
    milliQuantity(milli, resource === "memory" ? "BinarySI" : "DecimalSI").toString();
  if (wanted?.averageValue !== undefined) {
    const { averageValue } = wanted;
    const { replicas, measured } = await failing(
      (error) => `failed to get ${resource} usage: ${error}`,
      async () => averageReplicas(countOf(target, await samples(), resource, deps), milliOf(averageValue)),
    );
    return { replicas, metric: `${resource} resource`, current: { averageValue: text(measured.average) } };
  }
  if (wanted?.averageUtilization === undefined) {
    throw new Error(
      "invalid resource metric source: neither an average utilization target nor an average value (usage) target was set",
    );
  }
  const { averageUtilization: targetPercent } = wanted;
  const readsPodLevel = deps.gates.isEnabled("PodLevelResources");
  const { replicas, measured } = await failing(
    (error) => `failed to get ${resource} utilization: ${error}`,
    async () =>
      utilizationReplicas(countOf(target, await samples(), resource, deps), targetPercent, () =>
        requestsOf(target.pods, { ...of, readsPodLevel }),
      ),
  );
  const { percent, average } = measured;
  return {
    replicas,
    metric: `${resource} ${container === undefined ? "" : "container "}resource utilization (percentage of request)`,
    current: { averageUtilization: percent, averageValue: text(average) },
  };
}

async function proposeForExternal(
  source: MetricSpec["external"],
  target: Target,
  { metricsApi }: ProposalDeps,
  signal: AbortSignal,
): Promise<Proposal> {
  const { metric, target: wanted } = source ?? {};
  const { name } = identifierOf(metric);
  const shown = selectorGoText(metric?.selector);
  const values = async (): Promise<readonly bigint[]> => {
    const selector = selectorFromObject(metric?.selector);
    return failing(
      (error) => `unable to get external metric ${target.namespace}/${name}/${shown}: ${error}`,
      () => metricsApi.external({ name, selector }, target.namespace, signal),
    );
  };
  const proposal = (replicas: number, current: MetricValueStatus): Proposal => ({
    replicas,
    metric: `external metric ${name}(${shown})`,
    status: { type: "External", external: { metric: identifierOf(metric), current } },
  });
  if (wanted?.averageValue !== undefined) {
    const { averageValue } = wanted;
    const used = sumOfShares(await explained(`failed to get ${name} external metric`, values));
    const { replicas, average } = perPodReplicas(target, used, milliOf(averageValue), true);
    return proposal(replicas, { averageValue: quantity(average) });
  }
  if (wanted?.value !== undefined) {
    const { value } = wanted;
    const [used, replicas] = await explained(`failed to get external metric ${name}`, async () => {
      const sum = sumOfValues(await values());
      return [sum, valueReplicas({ ...target, current: target.specReplicas }, sum, milliOf(value))] as const;
    });
    return proposal(replicas, { value: quantity(used) });
  }
  throw new Error("invalid external metric source: neither a value target nor an average value target was set");
}
