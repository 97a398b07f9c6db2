// Which allocated claims have tainted devices, and when their pods must be evicted. Events of claims, slices and rules
// update it; pods look up their eviction in it.
// Upstream: pkg/controller/devicetainteviction/device_taint_eviction.go, handleClaimChange, handleSliceChange,
// handleRuleChange, podEvictionTime.

import type { Pod } from "#api/generated/types/core-v1.ts";
import type { ResourceClaim } from "#api/generated/types/resource-v1.ts";
import { type ObjectKey, objectKey } from "#api/object.ts";
import type { Stored } from "#api/resource.ts";
import { claimOfEntry, isForPod, isReservedForPod } from "#families/devices/claims-of-users.ts";
import { Pools, poolOf } from "./pools.ts";
import {
  type AllocatedDevice,
  compareSources,
  type Eviction,
  evictionTime,
  isSameEviction,
  joinEvictions,
  NO_EXECUTE,
  type Rule,
  type Slice,
  selects,
  type TaintSource,
} from "./taints.ts";

export type Claim = Stored<ResourceClaim>;

interface AllocatedClaim {
  readonly claim: Claim;
  readonly eviction: Eviction | undefined;
}

export class TaintedClaims {
  readonly #groupsHaveClaims: boolean;
  readonly #pools: Pools;
  readonly #claims = new Map<ObjectKey, AllocatedClaim>();
  /** The rules with the effect NoExecute, by name. */
  readonly #rules = new Map<string, Rule>();

  /** groupsHaveClaims: the gate DRAWorkloadResourceClaims. */
  constructor(groupsHaveClaims: boolean, pools: Pools = new Pools()) {
    this.#groupsHaveClaims = groupsHaveClaims;
    this.#pools = pools;
  }

  /** Returns the versions of the claim whose pods must be checked. */
  changeClaim(old: Claim | undefined, claim: Claim | undefined): readonly Claim[] {
    if (old !== undefined && claim !== undefined && old.metadata.uid !== claim.metadata.uid) {
      return [...this.changeClaim(old, undefined), ...this.changeClaim(undefined, claim)];
    }
    const key = objectKey((claim ?? old) as Claim);
    if (claim?.status?.allocation === undefined) {
      this.#claims.delete(key);
      const wasAllocated = claim === undefined || old?.status?.allocation !== undefined;
      return wasAllocated ? [old, claim].filter((one) => one !== undefined) : [];
    }
    // An allocation never changes, so neither does the eviction.
    const eviction = old?.status?.allocation === undefined ? this.#evictionOf(claim) : this.#claims.get(key)?.eviction;
    this.#claims.set(key, { claim, eviction });
    return old === undefined ? [claim] : [old, claim];
  }

  changeSlice(old: Slice | undefined, slice: Slice | undefined): readonly Claim[] {
    const { driver, pool } = poolOf((slice ?? old) as Slice);
    const changed = this.#pools.change(old, slice);
    if (changed.size === 0) return [];
    return this.#reconsider((device) => device.driver === driver && device.pool === pool && changed.has(device.device));
  }

  /** Checks all claims again: rules change rarely. */
  changeRule(old: Rule | undefined, rule: Rule | undefined): readonly Claim[] {
    if (old !== undefined) this.#rules.delete(old.metadata.name);
    if (rule?.spec.taint.effect === NO_EXECUTE) this.#rules.set(rule.metadata.name, rule);
    return this.#reconsider(() => true);
  }

  /** When and why to evict the pod; undefined: it may stay. */
  evictionOf(pod: Stored<Pod>): Eviction | undefined {
    if ((pod.spec?.nodeName ?? "") === "") return undefined;
    let eviction: Eviction | undefined;
    for (const entry of pod.spec?.resourceClaims ?? []) {
      const named = claimOfEntry(pod, entry);
      const allocated =
        named.kind === "named" ? this.#claims.get(`${pod.metadata.namespace}/${named.name}`) : undefined;
      if (named.kind !== "named" || allocated === undefined) continue;
      if (named.isGenerated && !isForPod(pod, allocated.claim, this.#groupsHaveClaims)) continue;
      if (isReservedForPod(pod, allocated.claim, this.#groupsHaveClaims)) {
        eviction = joinEvictions(eviction, allocated.eviction);
      }
    }
    return eviction;
  }

  /** The claims that would be tainted if only this rule had the effect NoExecute. */
  simulate(rule: Rule): TaintedClaims {
    const simulated = new TaintedClaims(this.#groupsHaveClaims, this.#pools);
    simulated.changeRule(undefined, {
      ...rule,
      spec: { ...rule.spec, taint: { ...rule.spec.taint, effect: NO_EXECUTE } },
    });
    for (const { claim } of this.#claims.values()) simulated.changeClaim(undefined, claim);
    return simulated;
  }

  /** How many devices the rule selects. */
  devicesOf(rule: Rule): { readonly published: number; readonly allocated: number } {
    const isSelected = (device: AllocatedDevice): boolean => selects(rule, device);
    const allocated = [...this.#claims.values()].flatMap(({ claim }) => devicesOf(claim).filter(isSelected));
    return { published: this.#pools.count(isSelected), allocated: allocated.length };
  }

  #reconsider(concerns: (device: AllocatedDevice) => boolean): readonly Claim[] {
    const changed: Claim[] = [];
    for (const [key, { claim, eviction: old }] of this.#claims) {
      if (!devicesOf(claim).some(concerns)) continue;
      const eviction = this.#evictionOf(claim);
      this.#claims.set(key, { claim, eviction });
      if (!isSameEviction(eviction, old)) changed.push(claim);
    }
    return changed;
  }

  /** A rule applies even if its device is no longer published. */
  #evictionOf(claim: Claim): Eviction | undefined {
    const sources: TaintSource[] = [];
    let atMs: number | undefined;
    for (const device of devicesOf(claim)) {
      const ofRules = [...this.#rules.values()]
        .filter((rule) => selects(rule, device))
        .map((rule): TaintSource => ({ kind: "rule", rule, taint: rule.spec.taint }));
      for (const source of [...this.#pools.taintsOf(device), ...ofRules]) {
        const sourceMs = evictionTime(source.taint, device.tolerations ?? []);
        if (sourceMs === undefined) continue;
        if (!sources.some((other) => compareSources(source, other) === 0)) sources.push(source);
        atMs = Math.min(atMs ?? sourceMs, sourceMs);
      }
    }
    return atMs === undefined ? undefined : { atMs, sources: sources.sort(compareSources) };
  }
}

function devicesOf({ status }: ResourceClaim) {
  return status?.allocation?.devices?.results ?? [];
}
