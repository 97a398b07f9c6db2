// Compares a kind's strategy with upstream's on valid objects with seeded mutations: the prepared object, the errors
// and the warnings (tools/go/vectors-validation). Each kind's test calls it with the kind's file.

import { describe, expect, it } from "vitest";
import { errorText } from "#api/field-error.ts";
import type { KubeObject } from "#api/object.ts";
import { seededRng } from "#base/seeded-rng.ts";
import { UTC } from "#base/time-zones.ts";
import type { Kind } from "./kind.ts";
import type { StrategyContext } from "./strategy.ts";

type Change = readonly [readonly (string | number)[], unknown?];
interface Vector {
  readonly b: number;
  readonly o?: string;
  readonly g?: string;
  readonly d: readonly Change[];
  readonly p?: readonly Change[];
  readonly e?: readonly string[];
  readonly w?: readonly string[];
}
interface Vectors {
  readonly gatesOff: readonly string[];
  readonly bases: readonly KubeObject[];
  readonly cases: readonly Vector[];
}

const INVALID_MIN = 100;
/** The time zones that the mutations name. */
const ZONES = ["Etc/UTC", "Europe/Berlin"];

/** Namespaces of the tests. The mutations also name others. */
const namespaces = [
  { metadata: { name: "team-a" } },
  { metadata: { name: "admin", labels: { "resource.kubernetes.io/admin-access": "true" } } },
];

const now = Date.UTC(2026, 0, 2, 3, 4, 5);

function patched(object: KubeObject, changes: readonly Change[]): KubeObject {
  // biome-ignore lint/suspicious/noExplicitAny: walks arbitrary JSON
  const root: any = { object: structuredClone(object) };
  for (const [path, ...value] of changes) {
    const full = ["object", ...path];
    let target = root;
    for (const key of full.slice(0, -1)) target = target[key];
    const last = full.at(-1) ?? "";
    if (value.length === 0) delete target[last];
    else target[last] = JSON.parse(JSON.stringify(value[0]).replaceAll('"$now"', '"2026-01-02T03:04:05Z"'));
  }
  return root.object;
}

function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) for (const part of Object.values(Object.freeze(value))) freeze(part);
  return value;
}

/** Drops nil lists, empty structs and zero times, which Go writes and the wire form omits. */
function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, part]) => [key, bare(part)] as const);
  return Object.fromEntries(
    entries.filter(([, part]) => part !== null && !(typeof part === "object" && Object.keys(part ?? {}).length === 0)),
  );
}

interface Outcome {
  readonly prepared: KubeObject;
  readonly errors: string[];
  readonly warnings: string[];
}

function run({ key, strategy }: Kind, vector: Vector, base: KubeObject, ctx: StrategyContext): Outcome {
  const object = freeze(patched(base, vector.d));
  if (vector.o === undefined) {
    const prepared = freeze(strategy.prepareForCreate(object, ctx));
    const warnings = strategy.warningsOnCreate?.(prepared, ctx) ?? [];
    return { prepared, errors: strategy.validate(prepared, ctx).map(errorText), warnings };
  }
  const name = vector.o.slice("update/".length);
  const update = name === "" ? strategy : strategy.subresources[name];
  if (update === undefined) throw new Error(`${key} has no ${name}`);
  const old = freeze(structuredClone(base));
  const prepared = freeze(update.prepareForUpdate(object, old, ctx));
  const warnings = update.warningsOnUpdate?.(prepared, old, ctx) ?? [];
  return { prepared, errors: update.validateUpdate(prepared, old, ctx).map(errorText), warnings };
}

/** Cuts a message after the position of a syntax error: the parser's list of expected tokens is not compared. */
const toSyntaxError = (text: string): string => text.replace(/(: Syntax error: ).*/s, "$1…");

/** keyReader: for kinds that parse certificates. */
export function judgeStrategy(kind: Kind, file: unknown, keyReader?: StrategyContext["keyReader"]): void {
  const { gatesOff, bases, cases } = file as Vectors;
  const off = new Set(gatesOff);
  const contextOf = ({ g: group }: Vector): StrategyContext => ({
    now,
    rng: { ...seededRng(1), uuid: () => "random-name" },
    user: { name: "tester" },
    gates: { isEnabled: (name) => !off.has(name) },
    dryRun: false,
    timeZones: { find: (name) => (ZONES.includes(name) ? UTC : undefined), local: UTC },
    keyReader,
    namespace: (name) => namespaces.find(({ metadata }) => metadata.name === name),
    ...(group === undefined ? {} : { groupVersion: { group, version: "v1" } }),
  });
  describe(`machinery/7.4.r1 machinery/7.4.r2 machinery/7.4.r3 the strategy of ${kind.key}`, () => {
    const groups = Map.groupBy(cases, ({ o = "create", g = "" }) => `${o} ${g}`.trim());
    it.each([...groups])("%s agrees with upstream", (_, vectors) => {
      for (const vector of vectors) {
        const base = bases[vector.b] as KubeObject;
        const { prepared, errors, warnings } = run(kind, vector, base, contextOf(vector));
        const what = JSON.stringify([vector.b, vector.o, vector.d]);
        expect([what, errors.map(toSyntaxError).sort()]).toEqual([what, (vector.e ?? []).map(toSyntaxError)]);
        if (vector.e === undefined) expect([what, warnings.sort()]).toEqual([what, vector.w ?? []]);
        const expected = patched(patched(base, vector.d), vector.p ?? []);
        expect([what, bare(prepared)]).toEqual([what, bare(expected)]);
      }
    });
    it("has enough invalid vectors", () => {
      expect(cases.filter(({ e }) => e !== undefined).length).toBeGreaterThan(INVALID_MIN);
    });
  });
}
