import { describe, expect, it } from "vitest";
import { type GroupVersionKind, type KubeObject, parseApiVersion } from "#api/object.ts";
import { builtinResources } from "#api/resource-table.ts";
import { groupKindText, groupResourceText } from "#api/status-error.ts";
import type { DefaultingContext, JsonObject } from "#kinds/parts/defaulting.ts";
import file from "#test/vectors/defaults.json" with { type: "json" };
import { builtinKind } from "./builtin-kinds.ts";
import { tokenRequestDefaults } from "./core/service-account-token.ts";
import { defaultsOf } from "./kind.ts";

interface Vector {
  readonly apiVersion: string;
  readonly kind: string;
  readonly in: KubeObject;
  readonly diff: readonly (readonly [readonly (string | number)[], unknown?])[];
}

const vectors = file as unknown as readonly Vector[];
const OFF = new Set(["MaxUnavailableStatefulSet", "VolumeLimitScaling", "PodLogsQuerySplitStreams"]);
const ctx: DefaultingContext = { now: Date.UTC(2026, 0, 2, 3, 4, 5), gates: { isEnabled: (name) => !OFF.has(name) } };

// biome-ignore lint/suspicious/noExplicitAny: walks arbitrary JSON
function patched(vector: Vector): any {
  const root: { in: unknown } = { in: structuredClone(vector.in) };
  for (const [path, ...value] of vector.diff) {
    // biome-ignore lint/suspicious/noExplicitAny: walks arbitrary JSON
    let target: any = root;
    const full = ["in", ...path];
    for (const key of full.slice(0, -1)) target = target[key];
    const last = full.at(-1) ?? "";
    if (value.length === 0) delete target[last];
    else target[last] = value[0] === "$now" ? "2026-01-02T03:04:05Z" : value[0];
  }
  return root.in;
}

function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) for (const part of Object.values(Object.freeze(value))) freeze(part);
  return value;
}

const gvkOf = ({ apiVersion, kind }: Vector) => ({ ...parseApiVersion(apiVersion), kind });

const keys = new Map(
  builtinResources().map(({ group, kind, resource }) => [
    groupKindText({ group, kind }),
    groupResourceText({ group, resource }),
  ]),
);

function applyDefaults<T extends KubeObject>(gvk: GroupVersionKind, object: T, ctx: DefaultingContext): T {
  const kind = builtinKind(keys.get(groupKindText(gvk)) ?? "");
  const rule = gvk.kind === "TokenRequest" ? tokenRequestDefaults : kind && defaultsOf(kind, gvk.version);
  return rule === undefined ? object : (rule(object as JsonObject, ctx) as T);
}

describe("machinery/7.4.r9 defaults", () => {
  it("has vectors of every served kind", () => {
    expect(new Set(vectors.map(({ apiVersion, kind }) => `${apiVersion}/${kind}`)).size).toBeGreaterThan(100);
  });
  it.each(vectors.map((vector, i) => [`${vector.apiVersion} ${vector.kind} ${i % 6}`, vector] as const))(
    "%s",
    (_, vector) => {
      const out = applyDefaults(gvkOf(vector), freeze(vector.in), ctx);
      expect(out).toEqual(patched(vector));
      if (vector.diff.length === 0) expect(out).toBe(vector.in);
      expect(applyDefaults(gvkOf(vector), freeze(out), ctx)).toBe(out);
    },
  );
  it("does not change lists and unknown kinds", () => {
    const list = { apiVersion: "v1", kind: "PodList", metadata: {} };
    expect(applyDefaults({ group: "", version: "v1", kind: "PodList" }, list, ctx)).toBe(list);
    expect(applyDefaults({ group: "", version: "v1", kind: "__proto__" }, list, ctx)).toBe(list);
  });
  it("defaults a bare object as the server does before it knows all fields", () => {
    const gvk = { group: "apps", version: "v1", kind: "Deployment" };
    const bare = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "a" } };
    expect(applyDefaults<KubeObject & { spec?: unknown }>(gvk, bare, ctx).spec).toMatchObject({
      replicas: 1,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
      template: { spec: { restartPolicy: "Always" } },
    });
  });
});
