// Checks whether a write fits into the namespace's quotas, and computes their new usage. Pure: the admission plugin
// reads the quotas, writes the new usage and retries on conflict.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go, CheckRequest

import { ValueError } from "#api/errors.ts";
import type { ResourceQuota } from "#api/generated/types/core-v1.ts";
import type { KubeObject } from "#api/object.ts";
import type { GroupResource } from "#api/status-error.ts";
import { matchesQuota, type QuotaContext, type QuotaEvaluator, type QuotaOperation } from "#rules/quota/evaluator.ts";
import { type ScopeRequirement, scopesOf } from "#rules/quota/scopes.ts";
import {
  addUsage,
  exceededBy,
  maskUsage,
  negativeNames,
  printUsage,
  subtractUsage,
  withoutZeros,
} from "#rules/quota/usage.ts";
import { type Amounts, readAmounts, writeAmounts } from "#rules/resource-amounts.ts";

/** A resource that may only be used if a quota covers it (admission configuration). */
export interface LimitedResource {
  readonly apiGroup: string;
  readonly resource: string;
  readonly matchContains?: readonly string[];
  readonly matchScopes?: readonly ScopeRequirement[];
}

export interface QuotaRequest extends QuotaOperation {
  readonly resource: GroupResource;
  readonly object: KubeObject;
}

export type QuotaVerdict =
  /** The quotas with their new usage; unchanged ones are the same objects and need no write. */
  | { readonly kind: "fits"; readonly quotas: readonly ResourceQuota[] }
  /** The reason, after "… is forbidden: ". */
  | { readonly kind: "forbidden"; readonly why: string }
  /** A refusal other than Forbidden: upstream answers with an internal error. */
  | { readonly kind: "error"; readonly why: string };

export function checkRequest(
  quotas: readonly ResourceQuota[],
  request: QuotaRequest,
  evaluator: QuotaEvaluator,
  limited: readonly LimitedResource[],
  ctx: QuotaContext,
): QuotaVerdict {
  if (!evaluator.handles(request, ctx)) return fits(quotas);
  try {
    return new Check(quotas, request, evaluator, ctx).run(limited);
  } catch (error) {
    if (error instanceof ValueError) return { kind: "error", why: error.message };
    throw error;
  }
}

const fits = (quotas: readonly ResourceQuota[]): QuotaVerdict => ({ kind: "fits", quotas });
const forbidden = (why: string): QuotaVerdict => ({ kind: "forbidden", why });

const printScope = ({ scopeName, operator, values = [] }: ScopeRequirement): string =>
  `{${scopeName} ${operator} [${values.join(" ")}]}`;

class Check {
  readonly #quotas: readonly ResourceQuota[];
  readonly #request: QuotaRequest;
  readonly #evaluator: QuotaEvaluator;
  readonly #ctx: QuotaContext;
  /** Names and scopes that some quota of the namespace limits. */
  readonly #coveredNames = new Set<string>();
  readonly #coveredScopes = new Set<string>();

  constructor(quotas: readonly ResourceQuota[], request: QuotaRequest, evaluator: QuotaEvaluator, ctx: QuotaContext) {
    this.#quotas = quotas;
    this.#request = request;
    this.#evaluator = evaluator;
    this.#ctx = ctx;
  }

  run(limited: readonly LimitedResource[]): QuotaVerdict {
    const limitedScopes = this.#limitedScopes(limited);
    // Upstream accepts a request when the server's own configuration is invalid.
    if (limitedScopes === undefined) return fits(this.#quotas);
    const pertinent = this.#pertinentQuotas();
    if (!(pertinent instanceof Set)) return pertinent;
    const usage = this.#evaluator.usage(this.#request.object, this.#ctx);
    const negative = negativeNames(usage);
    if (negative.length > 0) {
      return forbidden(`quota usage is negative for resource(s): ${negative.sort().join(",")}`);
    }
    const deltas = this.#deltas(pertinent, usage);
    if ("kind" in deltas) return deltas;
    if (deltas.isZero) return fits(this.#quotas);
    const uncovered = this.#uncovered(usage, limited, limitedScopes);
    return uncovered ?? this.#charge(deltas.byQuota);
  }

  #limitedScopes(limited: readonly LimitedResource[]): ScopeRequirement[] | undefined {
    try {
      return limited.flatMap(({ matchScopes = [] }) => this.#matchingScopes(matchScopes));
    } catch (error) {
      if (error instanceof ValueError) return undefined;
      throw error;
    }
  }

  /** The quotas that limit this object; a refusal when one of them has no status yet. */
  #pertinentQuotas(): Set<ResourceQuota> | QuotaVerdict {
    const pertinent = new Set<ResourceQuota>();
    const { object } = this.#request;
    for (const quota of this.#quotas) {
      const name = quota.metadata?.name ?? "";
      this.#coverScopes(name, scopesOf(quota.spec ?? {}));
      if (!matchesQuota(this.#evaluator, quota, object, this.#ctx)) continue;
      const { hard = {}, used = {} } = quota.status ?? {};
      const limitedNames = this.#evaluator.matchingResources(Object.keys(hard), this.#ctx);
      const missing = this.#evaluator.missing?.(limitedNames, object, this.#ctx);
      if (missing !== undefined) return forbidden(`failed quota: ${name}: ${missing}`);
      if (!limitedNames.every((resource) => Object.hasOwn(used, resource))) {
        const names = limitedNames.toSorted().join(",");
        return forbidden(`status unknown for quota: ${name}, resources: ${names}`);
      }
      pertinent.add(quota);
      for (const resource of limitedNames) this.#coveredNames.add(resource);
    }
    return pertinent;
  }

  #coverScopes(quotaName: string, scopes: readonly ScopeRequirement[]): void {
    for (const scope of scopes) {
      try {
        if (this.#matchingScopes([scope]).length > 0) this.#coveredScopes.add(scope.scopeName);
      } catch (error) {
        if (!(error instanceof ValueError)) throw error;
        const why = `error on matching scope ${printScope(scope)}: ${error.message}`;
        throw new ValueError("labelSelector", `error matching scopes of quota ${quotaName}, err: ${why}`);
      }
    }
  }

  #matchingScopes(scopes: readonly ScopeRequirement[]): ScopeRequirement[] {
    const { object } = this.#request;
    return scopes.filter((scope) => this.#evaluator.matchesScope?.(scope, object, this.#ctx) ?? false);
  }

  /** The charge of each quota: on an update only the increase, if it counted the object before. */
  #deltas(
    pertinent: ReadonlySet<ResourceQuota>,
    usage: Amounts,
  ): { readonly byQuota: ReadonlyMap<ResourceQuota, Amounts>; readonly isZero: boolean } | QuotaVerdict {
    const { operation, oldObject } = this.#request;
    let growth = usage;
    if (operation === "UPDATE") {
      if (oldObject === undefined) {
        return forbidden("unable to get previous usage since prior version of object was not found");
      }
      // Without a version the update is a create, which is charged in full.
      if (oldObject.metadata?.resourceVersion)
        growth = subtractUsage(usage, this.#evaluator.usage(oldObject, this.#ctx));
    }
    const byQuota = new Map<ResourceQuota, Amounts>();
    for (const quota of pertinent) {
      const hadOld =
        growth !== usage && oldObject !== undefined && matchesQuota(this.#evaluator, quota, oldObject, this.#ctx);
      const delta = withoutZeros(hadOld ? growth : usage);
      if (delta.size > 0) byQuota.set(quota, delta);
    }
    const isZero = pertinent.size > 0 ? byQuota.size === 0 : withoutZeros(growth).size === 0;
    return { byQuota, isZero };
  }

  /** Usage that requires a quota, but has none. */
  #uncovered(
    usage: Amounts,
    limited: readonly LimitedResource[],
    limitedScopes: readonly ScopeRequirement[],
  ): QuotaVerdict | undefined {
    const { group, resource } = this.#request.resource;
    const patterns = limited
      .filter((entry) => entry.apiGroup === group && entry.resource === resource)
      .flatMap(({ matchContains = [] }) => matchContains);
    const names = [...usage]
      .filter(([name, amount]) => amount.sign > 0 && patterns.some((pattern) => name.includes(pattern)))
      .map(([name]) => name)
      .filter((name) => !this.#coveredNames.has(name));
    if (names.length > 0) return forbidden(`insufficient quota to consume: ${names.sort().join(",")}`);
    const scopes = limitedScopes.filter(({ scopeName }) => !this.#coveredScopes.has(scopeName));
    if (scopes.length === 0) return undefined;
    const printed = scopes.map(printScope);
    return { kind: "error", why: `insufficient quota to match these scopes: [${printed.join(" ")}]` };
  }

  #charge(deltas: ReadonlyMap<ResourceQuota, Amounts>): QuotaVerdict {
    const charged: ResourceQuota[] = [];
    for (const quota of this.#quotas) {
      const delta = deltas.get(quota);
      if (delta === undefined) {
        charged.push(quota);
        continue;
      }
      const hard = readAmounts(quota.status?.hard);
      const used = readAmounts(quota.status?.used);
      const requested = maskUsage(delta, hard.keys());
      const total = addUsage(used, requested);
      const exceeded = exceededBy(maskUsage(total, requested.keys()), hard);
      // A status write reports a past change: it is charged, not refused.
      if (exceeded.length > 0 && this.#request.subresource !== "status") {
        const [asked, had, limit] = [requested, used, hard].map((usage) => printUsage(maskUsage(usage, exceeded)));
        const name = quota.metadata?.name ?? "";
        return forbidden(`exceeded quota: ${name}, requested: ${asked}, used: ${had}, limited: ${limit}`);
      }
      charged.push({ ...quota, status: { ...quota.status, used: writeAmounts(total) } });
    }
    return fits(charged);
  }
}
