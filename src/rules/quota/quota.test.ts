// Quota evaluators, scopes and checks, compared with upstream's (tools/go/vectors-values).

import { describe, expect, it } from "vitest";
import type { Pod, ResourceQuota, Service } from "#api/generated/types/core-v1.ts";
import type { DeviceClass, ResourceClaim } from "#api/generated/types/resource-v1.ts";
import type { KubeObject } from "#api/object.ts";
import { getControllerOf } from "#api/owner-refs.ts";
import { calculateUsage } from "#rules/quota/calculate-usage.ts";
import { checkRequest, type LimitedResource, type QuotaRequest } from "#rules/quota/check-request.ts";
import type { QuotaContext, QuotaEvaluator } from "#rules/quota/evaluator.ts";
import { ExtendedResources } from "#rules/quota/extended-resources.ts";
import { isIgnoredByQuota, QuotaRegistry } from "#rules/quota/registry.ts";
import { EXTENDED_CLAIM_ANNOTATION } from "#rules/quota/resource-claims.ts";
import type { ScopeRequirement } from "#rules/quota/scopes.ts";
import { mayFreeQuota } from "#rules/quota/update-filter.ts";
import { addUsage, exceededBy, maskUsage, subtractUsage, usageEquals, withoutZeros } from "#rules/quota/usage.ts";
import { type ReadonlyAmounts, readAmounts, type WireAmounts, writeAmounts } from "#rules/resource-amounts.ts";
import file from "#test/vectors/quota.json" with { type: "json" };

type Row = readonly unknown[];
const vectors = file as unknown as Readonly<Record<string, readonly Row[]>>;
const rows = (name: string): readonly Row[] => vectors[name] ?? [];

const ctx: QuotaContext = { now: rows("now")[0]?.[0] as number, gates: { isEnabled: () => true } };
const objects = Map.groupBy(rows("objects"), ([kind]) => kind as string);
const objectAt = (kind: string, index: number): KubeObject => objects.get(kind)?.[index]?.[1] as KubeObject;

const extendedResources = new ExtendedResources();
for (const [deviceClass] of rows("classes")) extendedResources.set(deviceClass as DeviceClass);
const pods = (objects.get("pods") ?? []).map((row) => row[1] as Pod);
const claims = (objects.get("resourceclaims") ?? []).map((row) => row[1] as ResourceClaim);
const registry = new QuotaRegistry({
  extendedResources,
  pod: (_, name) => pods.find((pod) => pod.metadata?.name === name),
  extendedClaimsOf: (_, uid) =>
    claims.filter(
      (claim) =>
        claim.metadata?.annotations?.[EXTENDED_CLAIM_ANNOTATION] === "true" && getControllerOf(claim)?.uid === uid,
    ),
});
const groupOf = (kind: string): string => ({ resourceclaims: "resource.k8s.io", deployments: "apps" })[kind] ?? "";
const evaluatorOf = (kind: string): QuotaEvaluator => registry.getOrCount({ group: groupOf(kind), resource: kind });
const wire = (amounts: ReadonlyAmounts): unknown => writeAmounts(amounts);

describe("quota evaluators", () => {
  it("resourcequota/12 resourcequota/18 resourcequota/19 resourcequota/20 know the names they measure", () => {
    const [[, all], ...kinds] = rows("names") as [Row, ...Row[]];
    for (const [kind, expected] of kinds) {
      const matched = evaluatorOf(kind as string).matchingResources(all as string[], ctx);
      expect([kind, matched.toSorted()]).toEqual([kind, expected]);
    }
  });

  it.each(["pods", "services", "persistentvolumeclaims", "resourceclaims"])(
    "resourcequota/13 resourcequota/14 resourcequota/17 measure %s as upstream does",
    (kind) => {
      const cases = objects.get(kind) ?? [];
      expect(cases.length).toBeGreaterThan(50);
      for (const [, object, usage] of cases) {
        expect(wire(evaluatorOf(kind).usage(object as KubeObject, ctx))).toEqual(usage as object);
      }
    },
  );

  it("resourcequota/15 resourcequota/16 match scopes as upstream does", () => {
    const scopes = rows("scopes")[0]?.[0] as ScopeRequirement[];
    for (const [kind, object, , expected] of rows("objects")) {
      const evaluator = evaluatorOf(kind as string);
      const ours = scopes.map((scope) => {
        try {
          return evaluator.matchesScope?.(scope, object as KubeObject, ctx) ? "1" : "0";
        } catch {
          return "e";
        }
      });
      expect(ours.join("")).toBe(expected as string);
    }
  });

  it("say what containers must specify", () => {
    for (const [index, required, message] of rows("constraints")) {
      const pod = objectAt("pods", index as number);
      expect(evaluatorOf("pods").missing?.(required as string[], pod, ctx) ?? null).toBe(message as string | null);
    }
  });

  it("count any other kind, but for what is ignored", () => {
    const evaluator = registry.getOrCount({ group: "example.com", resource: "widgets" });
    expect(wire(evaluator.usage({}, ctx))).toEqual({ "count/widgets.example.com": "1" });
    expect(registry.get({ group: "example.com", resource: "widgets" })).toBe(evaluator);
    expect(wire(evaluatorOf("secrets").usage({}, ctx))).toEqual({ "count/secrets": "1", secrets: "1" });
    expect(isIgnoredByQuota({ group: "events.k8s.io", resource: "events" })).toBe(true);
    expect(isIgnoredByQuota({ group: "apps", resource: "deployments" })).toBe(false);
  });
});

describe("quota evaluators with a gate off", () => {
  const without = (gate: string): QuotaContext => ({ ...ctx, gates: { isEnabled: (name) => name !== gate } });
  const isOwn = (name: string): boolean =>
    name === "count/resourceclaims.resource.k8s.io" || name.endsWith(".deviceclass.resource.k8s.io/devices");

  it("resourcequota/19 leave extended resources of claims out without DRAExtendedResource", () => {
    const off = without("DRAExtendedResource");
    const all = rows("names")[0]?.[1] as string[];
    const matched = (given: QuotaContext): readonly string[] =>
      evaluatorOf("resourceclaims").matchingResources(all, given);
    expect(matched(off)).toEqual(matched(ctx).filter(isOwn));
    expect(matched(off)).not.toEqual(matched(ctx));
    const extended = (objects.get("resourceclaims") ?? []).filter(([, object, usage]) => {
      const own = Object.entries(usage as object).filter(([name]) => isOwn(name));
      expect(wire(evaluatorOf("resourceclaims").usage(object as KubeObject, off))).toEqual(Object.fromEntries(own));
      return own.length < Object.keys(usage as object).length;
    });
    expect(extended.length).toBeGreaterThan(10);
  });

  it("resourcequota/13 count what containers ask for without PodLevelResources, not what the pod does", () => {
    const containers = [{ name: "main", resources: { requests: { cpu: "1" } } }, { name: "side" }];
    const pod: Pod = { spec: { containers, resources: { requests: { cpu: "5" }, limits: { cpu: "6" } } } };
    const [on, off] = [ctx, without("PodLevelResources")].map((given) => ({
      usage: wire(evaluatorOf("pods").usage(pod, given)),
      missing: evaluatorOf("pods").missing?.(["requests.cpu"], pod, given),
    }));
    const counted = { "count/pods": "1", pods: "1" };
    expect(on).toEqual({
      usage: { ...counted, cpu: "5", "requests.cpu": "5", "limits.cpu": "6" },
      missing: undefined,
    });
    expect(off).toEqual({
      usage: { ...counted, cpu: "1", "requests.cpu": "1" },
      missing: "must specify requests.cpu for: side",
    });
  });
});

describe("quota arithmetic", () => {
  it("agrees with upstream", () => {
    for (const [left, right, sum, rest, masked, isEqual, exceeded, nonZero] of rows("arithmetic")) {
      const [a, b] = [readAmounts(left as WireAmounts), readAmounts(right as WireAmounts)];
      expect(wire(addUsage(a, b))).toEqual(sum as object);
      expect(wire(subtractUsage(a, b))).toEqual(rest as object);
      expect(wire(maskUsage(a, b.keys()))).toEqual(masked as object);
      expect(usageEquals(a, b)).toBe(isEqual as boolean);
      expect(exceededBy(a, b)).toEqual(exceeded as string[]);
      expect(wire(withoutZeros(a))).toEqual(nonZero as object);
    }
  });
});

describe("a write within quotas", () => {
  it("is charged or refused as upstream does", () => {
    const outcomes = new Set<string>();
    for (const [kind, index, oldIndex, operation, subresource, quotas, limited, expected] of rows("requests")) {
      const request = {
        resource: { group: groupOf(kind as string), resource: kind as string },
        operation,
        subresource,
        object: objectAt(kind as string, index as number),
        oldObject: (oldIndex as number) < 0 ? undefined : objectAt(kind as string, oldIndex as number),
      } as QuotaRequest;
      const evaluator = evaluatorOf(kind as string);
      const verdict = checkRequest(quotas as ResourceQuota[], request, evaluator, limited as LimitedResource[], ctx);
      outcomes.add(verdict.kind);
      if (verdict.kind === "fits") {
        expect(verdict.quotas.map(({ status }) => wire(readAmounts(status?.used)))).toEqual(expected as object[]);
      } else {
        const prefix =
          verdict.kind === "error"
            ? ""
            : `${kind}${groupOf(kind as string) && `.${groupOf(kind as string)}`} "x" is forbidden: `;
        expect({ error: prefix + verdict.why }).toEqual(expected as { error: string });
      }
    }
    expect(outcomes).toEqual(new Set(["fits", "forbidden", "error"]));
  });

  it("leaves quotas that it does not touch as they are", () => {
    const quota: ResourceQuota = {
      metadata: { name: "q" },
      status: { hard: { secrets: "1" }, used: { secrets: "1" } },
    };
    const request: QuotaRequest = {
      resource: { group: "", resource: "pods" },
      operation: "CREATE",
      subresource: "",
      object: pods[0] as Pod,
    };
    const verdict = checkRequest([quota], request, evaluatorOf("pods"), [], ctx);
    expect(verdict.kind === "fits" && verdict.quotas[0]).toBe(quota);
  });
});

describe("the usage of a namespace", () => {
  const list = ({ resource }: { resource: string }): KubeObject[] =>
    (objects.get(resource) ?? []).map((row) => row[1] as KubeObject);

  it("resourcequota/11 sums the kinds that share a name", () => {
    const hard = ["requests.example.com/gpu", "count/pods", "unknown"];
    const { used, errors } = calculateUsage({ hard }, registry, list, ctx);
    const sum = ["pods", "resourceclaims"]
      .flatMap((kind) => list({ resource: kind }).map((object) => evaluatorOf(kind).usage(object, ctx)))
      .reduce((a, b) => addUsage(a, b), new Map());
    expect(wire(used)).toEqual(wire(maskUsage(sum, hard)));
    expect([...used.keys()].sort()).toEqual(["count/pods", "requests.example.com/gpu"]);
    expect(errors).toEqual([]);
  });

  it("resourcequota/11 leaves out what a failing evaluator measures", () => {
    const failing = (resource: { resource: string }): KubeObject[] => {
      if (resource.resource === "pods") throw new Error("pods not yet synced");
      return list(resource);
    };
    const { used, errors } = calculateUsage({ hard: ["pods", "services"] }, registry, failing, ctx);
    expect([...used.keys()]).toEqual(["services"]);
    expect(errors.map(({ message }) => message)).toEqual(["failed to list content: pods not yet synced"]);
  });

  it("resourcequota/16 counts nothing of kinds without scopes, and zero where nothing matches", () => {
    const scoped = calculateUsage({ hard: ["services", "pods"], scopes: ["Terminating"] }, registry, list, ctx);
    expect(scoped.used.get("services")?.toString()).toBe("0");
    expect(scoped.used.get("pods")?.sign).toBe(1);
    const empty = calculateUsage({ hard: ["pods"] }, registry, () => [], ctx);
    expect(wire(empty.used)).toEqual({ pods: "0" });
  });
});

describe("updates that may free quota", () => {
  const core = (resource: string) => ({ group: "", resource });
  it("resourcequota/10 are those of pods that end, of service types and of claims", () => {
    const running: Pod = { status: { phase: "Running" } };
    const failed: Pod = { status: { phase: "Failed" } };
    expect(mayFreeQuota(core("pods"), running, failed, 0)).toBe(true);
    expect(mayFreeQuota(core("pods"), running, running, 0)).toBe(false);
    expect(
      mayFreeQuota(core("pods"), running, { ...running, spec: { containers: [], activeDeadlineSeconds: 5 } } as Pod, 0),
    ).toBe(true);
    const sized = (cpu: string): Pod => ({
      status: { containerStatuses: [{ name: "c", resources: { requests: { cpu } } }] as never },
    });
    expect(mayFreeQuota(core("pods"), sized("1"), sized("2"), 0)).toBe(true);
    expect(mayFreeQuota(core("pods"), sized("1"), sized("1000m"), 0)).toBe(false);
    const service = (type: string): Service => ({ spec: { type } });
    expect(mayFreeQuota(core("services"), service("NodePort"), service("ClusterIP"), 0)).toBe(true);
    expect(mayFreeQuota(core("services"), service("ClusterIP"), service("ExternalName"), 0)).toBe(false);
    expect(mayFreeQuota(core("persistentvolumeclaims"), {}, {}, 0)).toBe(true);
    expect(mayFreeQuota(core("secrets"), {}, {}, 0)).toBe(false);
    expect(mayFreeQuota({ group: "apps", resource: "pods" }, {}, {}, 0)).toBe(false);
  });
});

describe("extended resources", () => {
  it("follow their device classes, of which the newest wins", () => {
    const known = new ExtendedResources();
    const deviceClass = (name: string, created: string, extendedResourceName?: string): DeviceClass => ({
      metadata: { name, creationTimestamp: created },
      spec: extendedResourceName === undefined ? {} : { extendedResourceName },
    });
    const old = deviceClass("a", "2024-01-01T00:00:00Z", "x.com/d");
    known.set(old);
    known.set(deviceClass("b", "2023-01-01T00:00:00Z", "x.com/d"));
    expect(known.deviceClassOf("x.com/d")?.metadata?.name).toBe("a");
    known.set(deviceClass("c", "2025-01-01T00:00:00Z", "x.com/d"));
    expect(known.deviceClassOf("x.com/d")?.metadata?.name).toBe("c");
    expect(known.extendedResourceOf("b")).toBe("x.com/d");
    known.set(deviceClass("a", "2024-01-01T00:00:00Z"), old);
    expect(known.extendedResourceOf("a")).toBeUndefined();
    known.delete(deviceClass("c", "2025-01-01T00:00:00Z", "x.com/d"));
    expect(known.deviceClassOf("x.com/d")).toBeUndefined();
    expect(known.deviceClassOf("deviceclass.resource.kubernetes.io/a")?.metadata?.name).toBe("a");
  });
});
